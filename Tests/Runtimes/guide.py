"""What a program in Python finds as an app: the folders, then reading and writing in each.

Prints `NAME PATH` for a folder and `STEP OUTCOME` for a step.
"""
import json
import os
import pathlib
import pwd
import sqlite3
import tempfile

home = pathlib.Path.home()


def write_and_read(path):
    pathlib.Path(path).write_text("some text")
    return pathlib.Path(path).read_text()


def serialize(path):
    path.write_text(json.dumps({"count": 7}))
    return json.loads(path.read_text())["count"]


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
step("bundle", lambda: pathlib.Path("Recipes.plist").read_text().strip())
step("documents", lambda: write_and_read(home / "Documents/Write.txt"))
step("library", lambda: write_and_read(home / "Library/Write.txt"))
step("caches", lambda: write_and_read(home / "Library/Caches/Write.txt"))
step("tmp", lambda: write_and_read(tempfile.NamedTemporaryFile(delete=False).name))
step("serializer", lambda: serialize(home / "Documents/note.json"))
step("database", lambda: query(home / "Documents/notes.sqlite"))
step("writeInBundle", lambda: write_and_read("new.txt"))
step("writeAtTopLevel", lambda: write_and_read(home / "new.txt"))
step("directoryAtTopLevel", lambda: make(home / "Made"))
