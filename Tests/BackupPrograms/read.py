#!/usr/bin/env python3
"""Extracts a backup with pyiosbackup: read.py FOLDER TARGET [PASSWORD]

Below TARGET each domain is a folder. Prints a line of JSON for each item.
"""
import json
import pathlib
import sys

from pyiosbackup import Backup

folder, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
backup = Backup.from_path(folder, sys.argv[3] if len(sys.argv) > 3 else "")
for entry in backup.iter_entries():
    print(json.dumps({
        "domain": entry.domain, "path": entry.relative_path, "id": entry.file_id, "size": entry.size,
        "mode": entry.mode, "modified": int(entry.last_modified.timestamp()),
        "birth": int(entry.created.timestamp()),
    }))
backup.unback(target, strict=True)
stats = backup.stats()
wanted = ("count", "files_count", "size", "installed_apps", "is_encrypted")
print(json.dumps({key: stats[key] for key in wanted}))
