#!/usr/bin/env python3
"""Makes a MobileSync backup without any of the product's code: write.py FOLDER < description.json

The description: {"password": null or text, "rounds": N, "index": "ios27" or absent, "items": [...]}, each
item {"domain", "path", "kind": "file|directory|link", "text" or "base64" or "repeat", "mode", "modified",
"target", "attributes": {name: hex}, "digest": true or hex}. To do harm: "id" (another identifier),
"flags", "size" (another size), "blob": hex or null (another blob, or none), "record": hex (another record).
"noprimary": true leaves the primary key out; "extra": SQL run at the end; "keybag": {tag: number} changes it.
"""
import base64
import datetime
import hashlib
import json
import os
import plistlib
import sqlite3
import struct
import sys

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.keywrap import aes_key_wrap

TYPES = {"file": 0o100000, "directory": 0o040000, "link": 0o120000}
FLAGS = {"file": 1, "directory": 2, "link": 4}


def encrypt(key, data):
    pad = 16 - len(data) % 16
    encryptor = Cipher(algorithms.AES(key), modes.CBC(bytes(16))).encryptor()
    return encryptor.update(data + bytes([pad]) * pad) + encryptor.finalize()


class Keys:
    def __init__(self, password, rounds, changes):
        salt, second = os.urandom(20), os.urandom(20)
        key = hashlib.pbkdf2_hmac("sha256", password.encode(), second, rounds, 32)
        key = hashlib.pbkdf2_hmac("sha1", key, salt, 1000, 32)
        self.classes = {number: os.urandom(32) for number in range(1, 12)}
        values = [("VERS", 3), ("TYPE", 1), ("UUID", os.urandom(16)), ("HMCK", os.urandom(40)), ("WRAP", 0),
                  ("SALT", salt), ("ITER", 1000), ("DPWT", 1), ("DPIC", rounds), ("DPSL", second)]
        values = [(tag, changes.get(tag, value)) for tag, value in values]
        for number, secret in self.classes.items():
            values += [("UUID", os.urandom(16)), ("CLAS", number), ("WRAP", 2), ("KTYP", 0),
                       ("WPKY", aes_key_wrap(key, secret))]
        self.keybag = b"".join(self.tagged(tag, value) for tag, value in values)

    @staticmethod
    def tagged(tag, value):
        data = struct.pack(">I", value) if isinstance(value, int) else value
        return tag.encode() + struct.pack(">I", len(data)) + data

    def new(self, number):
        key = os.urandom(32)
        return key, struct.pack("<I", number) + aes_key_wrap(self.classes[number], key)


def archive(item, content, wrapped, blob):
    objects = ["$null", None]

    def add(value):
        objects.append(value)
        return plistlib.UID(len(objects) - 1)

    def data(value):
        kind = add({"$classname": "NSMutableData", "$classes": ["NSMutableData", "NSData", "NSObject"]})
        return add({"$class": kind, "NS.data": value})

    kind = item["kind"]
    record = {
        "LastModified": item.get("modified", 1700000000), "LastStatusChange": 1700000001, "Birth": 1600000000,
        "Size": item.get("size", len(content)), "Mode": TYPES[kind] | item.get("mode", 0o644),
        "UserID": 501, "GroupID": 501, "ProtectionClass": 3 if kind == "file" else 0,
        "RelativePath": add(item["path"]),
    }
    if "target" in item:
        record["Target"] = add(item["target"])
    if wrapped:
        record["EncryptionKey"] = data(wrapped)
    if "attributes" in item:
        values = {name: bytes.fromhex(value) for name, value in item["attributes"].items()}
        record["ExtendedAttributes"] = data(plistlib.dumps(values, fmt=plistlib.FMT_BINARY))
    if item.get("digest"):
        digest = item["digest"]
        record["Digest"] = hashlib.sha1(blob).digest() if digest is True else bytes.fromhex(digest)
    record["$class"] = add({"$classname": "MBFile", "$classes": ["MBFile", "NSObject"]})
    objects[1] = record
    return plistlib.dumps({"$version": 100000, "$archiver": "NSKeyedArchiver",
                           "$top": {"root": plistlib.UID(1)}, "$objects": objects}, fmt=plistlib.FMT_BINARY)


def content_of(item):
    if "base64" in item:
        return base64.b64decode(item["base64"])
    return item.get("text", "").encode() * item.get("repeat", 1)


def write_items(folder, description, keys, database):
    for item in description["items"]:
        content = content_of(item)
        identifier = hashlib.sha1(f"{item['domain']}-{item['path']}".encode()).hexdigest()
        identifier = item.get("id", identifier)
        blob, wrapped = content, None
        if keys and item["kind"] == "file":
            key, wrapped = keys.new(3)
            blob = encrypt(key, content)
        if "blob" in item:
            blob = None if item["blob"] is None else bytes.fromhex(item["blob"])
        record = bytes.fromhex(item["record"]) if "record" in item else archive(item, content, wrapped, blob)
        flags = item.get("flags", FLAGS[item["kind"]])
        database.execute("INSERT INTO Files VALUES (?, ?, ?, ?, ?)",
                         (identifier, item["domain"], item["path"], flags, record))
        if item["kind"] == "file" and blob is not None:
            place = os.path.join(folder, identifier[:2])
            os.makedirs(place, exist_ok=True)
            with open(os.path.join(place, os.path.basename(identifier)), "wb") as file:
                file.write(blob)


def main(folder):
    description = json.load(sys.stdin)
    os.makedirs(folder)
    password = description.get("password")
    keys = None
    if password:
        keys = Keys(password, description.get("rounds", 1000), description.get("keybag", {}))
    path = os.path.join(folder, "Manifest.db")
    database = sqlite3.connect(path)
    primary = "" if description.get("noprimary") else " PRIMARY KEY"
    database.execute(f"CREATE TABLE Files (fileID TEXT{primary}, domain TEXT, relativePath TEXT, "
                     "flags INTEGER, file BLOB)")
    if description.get("index") == "ios27":
        database.execute("CREATE INDEX FilesDomainsRelativePathIdx ON Files(domain, relativePath)")
    else:
        database.execute("CREATE INDEX FilesDomainIdx ON Files(domain)")
    write_items(folder, description, keys, database)
    database.executescript(description.get("extra", ""))
    database.commit()
    database.close()
    now = datetime.datetime(2026, 1, 2, 3, 4, 5)
    manifest = {"Version": "10.0", "Date": now, "IsEncrypted": bool(keys), "WasPasscodeSet": True,
                "SystemDomainsVersion": "24.0", "Applications": {},
                "Lockdown": {"ProductVersion": "26.1", "DeviceName": "Phone", "UniqueDeviceID": "0" * 40}}
    if keys:
        key, manifest["ManifestKey"] = keys.new(4)
        manifest["BackupKeyBag"] = keys.keybag
        with open(path, "rb") as file:
            plain = file.read()
        with open(path, "wb") as file:
            file.write(encrypt(key, plain))
    with open(os.path.join(folder, "Manifest.plist"), "wb") as file:
        plistlib.dump(manifest, file, fmt=plistlib.FMT_BINARY)
    with open(os.path.join(folder, "Status.plist"), "wb") as file:
        plistlib.dump({"SnapshotState": "finished", "Date": now}, file, fmt=plistlib.FMT_BINARY)


main(sys.argv[1])
