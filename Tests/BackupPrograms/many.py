#!/usr/bin/env python3
"""The description, for write.py, of a large backup: many.py FILES APPS LARGE [PASSWORD]

FILES small files in APPS apps, with directories, and LARGE files of 4 MiB in one more.
"""
import json
import random
import sys

files, apps, large = (int(word) for word in sys.argv[1:4])
random.seed(7)
items = []


def add(domain, path, kind, **more):
    items.append({"domain": domain, "path": path, "kind": kind, **more})


def fill(domain, count):
    for path in ["", "Documents", "Library", "Library/Preferences"]:
        add(domain, path, "directory", mode=0o755)
    directories = ["Documents"]
    for number in range(count // 12):
        parent = random.choice(directories[-20:])
        if parent.count("/") > 5:
            parent = "Documents"
        directories.append(f"{parent}/folder {number:04d}")
        add(domain, directories[-1], "directory", mode=0o755)
    for number in range(count):
        path = f"{random.choice(directories)}/document number {number:05d}.txt"
        add(domain, path, "file", text="x" * (number % 50), modified=1700000000 + number)


for number in range(apps):
    fill(f"AppDomain-org.example.app{number:03d}", files // apps)
for number in range(large):
    path = f"Documents/large {number:03d}"
    # No two blocks of a cipher near each other are the same.
    lines = "".join(f"{number:03d}{line:012d}\n" for line in range(1 << 12))
    add("AppDomain-org.example.large", path, "file", text=lines, repeat=64)
json.dump({"items": items, "password": sys.argv[4] if len(sys.argv) > 4 else None}, sys.stdout)
