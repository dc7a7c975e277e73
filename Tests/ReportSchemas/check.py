"""Compares reports with the schemas of their forms: check.py SCHEMAS FILE…, SCHEMAS is what
mount-scripts/report-schemas printed. Says what is wrong, a line for each, and ends with 1 then."""

import json
import pathlib
import sys

import jsonschema
import lxml.etree


def wrong_in_sarif(schemas, file):
    schema = json.loads((schemas / "sarif.json").read_text())
    checker = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())
    for error in checker.iter_errors(json.loads(file.read_bytes())):
        yield f"{error.json_path}: {error.message}"


def wrong_in_junit(schemas, file):
    try:
        tree = lxml.etree.fromstring(file.read_bytes())
    except lxml.etree.XMLSyntaxError as error:
        yield str(error)
        return
    schema = lxml.etree.XMLSchema(lxml.etree.parse(schemas / "junit.xsd"))
    if not schema.validate(tree):
        yield from map(str, schema.error_log)


def main(schemas, *files):
    status = 0
    for file in map(pathlib.Path, files):
        check = wrong_in_sarif if file.suffix == ".sarif" else wrong_in_junit
        for error in check(pathlib.Path(schemas), file):
            print(f"{file.name}: {error[:300]}")
            status = 1
    return status


sys.exit(main(*sys.argv[1:]))
