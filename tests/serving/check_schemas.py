#!/usr/bin/env python3
"""Checks files against serving/schema/: the templates, the default protocol and a generated synthetic round.

check_schemas.py PROJECT. Exits with 77 (skipped), and says why, where a Python module is missing.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}; install python3-jsonschema and python3-yaml")
    sys.exit(77)

PROJECT = pathlib.Path(sys.argv[1])
SCHEMAS = {path.name.split(".")[0]: json.loads(path.read_text()) for path in (PROJECT / "serving/schema").glob("*.json")}
failures = 0
checked = 0


def check(schema, value, where):
    global failures, checked
    checked += 1
    for error in jsonschema.Draft202012Validator(SCHEMAS[schema]).iter_errors(value):
        failures += 1
        print(f"{where}: {'.'.join(map(str, error.absolute_path))}: {error.message}")


def refuses(schema, value, where):
    global failures
    if not list(jsonschema.Draft202012Validator(SCHEMAS[schema]).iter_errors(value)):
        failures += 1
        print(f"{where}: the schema takes what it should refuse")


def load(path):
    return yaml.safe_load(path.read_text())


def fill(value, key=""):
    """A template with what it leaves empty filled in."""
    if isinstance(value, dict):
        return {k: fill(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [fill(v, key) for v in value]
    if value == "":
        return {"commit": "c1", "direct_parent": "c0", "host": "h1"}.get(key, "a" * 64)
    return value


for schema in SCHEMAS.values():
    jsonschema.Draft202012Validator.check_schema(schema)
check("protocol", load(PROJECT / "serving/protocols/default.yaml"), "serving/protocols/default.yaml")
TEMPLATES = PROJECT / "serving/schema/templates"
for name, schema in (("runspec", "runspec"), ("calibration", "runspec"), ("service", "service"), ("stop", "stop"),
                     ("accuracy", "accuracy"), ("functions", "functions")):
    check(schema, fill(load(TEMPLATES / f"{name}.yaml")), f"templates/{name}.yaml")

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for step, where in (("base", root), ("measure", root / "base"), ("candidate", root), ("measure", root / "r1"), ("accuracy", root / "r1")):
        subprocess.run([sys.executable, PROJECT / "examples/generate_round.py", step, where], check=True, stdout=subprocess.DEVNULL)
    check("runspec", load(root / "base/runspec.yaml"), "base/runspec.yaml")
    check("runspec", load(root / "r1/runspec.yaml"), "r1/runspec.yaml")
    check("protocol", load(root / "r1/protocol.yaml"), "r1/protocol.yaml")
    for file, schema in (("service-B1.yaml", "service"), ("stop-B1.yaml", "stop"), ("accuracy.yaml", "accuracy"), ("functions.yaml", "functions")):
        check(schema, load(root / "r1" / file), file)
    for file, schema in (("B1/requests.jsonl", "request_record"), ("answers.jsonl", "answer"), ("time-ledger.jsonl", "ledger_event")):
        for number, line in enumerate((root / "r1" / file).read_text().splitlines(), 1):
            value = json.loads(line)
            check(schema, value, f"{file}:{number}")
            refuses(schema, {**value, "unknown_field": 1}, f"{file}:{number} with an unknown field")

print(f"{checked} documents checked, {failures} failures")
sys.exit(1 if failures or not checked else 0)
