"""What a program in Python finds as an app: the folders, then reading and writing in each.

Prints `NAME PATH` for a folder and `STEP OUTCOME` for a step.
"""
import json
import os
import pathlib
import pickle
import plistlib
import pwd
import sqlite3
import tempfile

home = pathlib.Path.home()
documents = home / "Documents"
library = documents / "../Library"


def write_and_read(path):
    pathlib.Path(path).write_text("some text")
    return pathlib.Path(path).read_text()


def serialize_as_json(path):
    path.write_text(json.dumps({"count": 7}))
    return json.loads(path.read_text())["count"]


def serialize_as_bytes(path):
    path.write_bytes(pickle.dumps({"count": 7}))
    return pickle.loads(path.read_bytes())["count"]


def count_starts():
    """In the app's defaults, which iOS has no call for in this language."""
    path = library / "Preferences/local.Recipes.plist"
    defaults = plistlib.loads(path.read_bytes()) if path.exists() else {}
    defaults["starts"] = defaults.get("starts", 0) + 1
    path.write_bytes(plistlib.dumps(defaults))
    return defaults["starts"]


def query(path):
    with sqlite3.connect(path) as database:
        database.execute("create table if not exists notes (text)")
        database.execute("insert into notes values ('kept')")
    return database.execute("select text from notes").fetchone()[0]


def make(path):
    path.mkdir()
    return "made"


def step(name, action):
    try:
        outcome = action()
    except OSError as error:
        outcome = type(error).__name__
    print(name, outcome)


print("home", home)
print("passwd", pwd.getpwuid(os.getuid()).pw_dir)
print("temporary", tempfile.gettempdir())
print("current", os.getcwd())
step("bundle", lambda: pathlib.Path("./Recipes.plist").read_text().strip())
step("documents", lambda: write_and_read(documents / "Write.txt"))
step("library", lambda: write_and_read(library / "Write.txt"))
step("caches", lambda: write_and_read(library / "Caches/Write.txt"))
step("tmp", lambda: write_and_read(documents / "../tmp/Write.txt"))
step("temporaryFile", lambda: write_and_read(tempfile.NamedTemporaryFile(delete=False).name))
step("json", lambda: serialize_as_json(documents / "note.json"))
step("pickle", lambda: serialize_as_bytes(library / "note.pickle"))
step("database", lambda: query(documents / "notes.sqlite"))
step("defaults", count_starts)
step("missing", lambda: (documents / "missing").read_text())
step("writeInBundle", lambda: write_and_read("./new.txt"))
step("deleteInBundle", lambda: os.remove("./Recipes.plist"))
step("writeAtTopLevel", lambda: write_and_read(home / "new.txt"))
step("directoryAtTopLevel", lambda: make(home / "Made"))
