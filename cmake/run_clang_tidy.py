#!/usr/bin/env python3
"""Runs clang-tidy over every room.

    run_clang_tidy.py SOURCE_DIR BUILD_DIR CLANG_TIDY

BUILD_DIR is configured without precompiled headers, which clang cannot read from GCC. Most of clang-tidy's time goes into
headers of libraries, so files are checked several at a time: a unit includes files whose unnamed namespaces have no name
in common, those of inner namespaces first. Prints what was found; exits with 1 then.
"""

import json
import re
import shlex
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOMS = ("base", "engine", "importer", "analysis", "report", "serving", "cli", "c", "python/src", "bench")
# profdb.h is C, which the modernize checks do not know.
HEADERS = rf"/({'|'.join(room for room in ROOMS if room != 'c')})/.*\.(h|cpp)$|/c/[a-z_]*\.(h|cpp)$"
JOBS = 2
MOST_FILES = 12  # of a unit: what fails is easier to find


def namespace_of(text):
    found = re.search(r"^namespace ([\w:]+) \{", text, re.MULTILINE)
    return found[1] if found else ""


def unnamed(text):
    """What a file's unnamed namespaces declare at their outer level: name -> declaration, as far as one line says."""
    names = {}
    for block in re.findall(r"^namespace \{\n(.*?)^\}  // namespace\n", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if not line or line[0] in " }/#)":
                continue
            alias = re.match(r"(?:using|namespace) (\w+) = ", line)
            found = alias or re.match(r"(?:struct|class|enum class|enum) (\w+)", line) or re.match(
                r"(?!using )[^=(]*?\b(\w+)(?:<[^()]*>)?(?:\[\w*\])?(?:\(| = |\{|;)", line)
            if found:
                names[found[1]] = line if alias else None
    return names


def flags_of(entries):
    """What the compile commands say about includes and definitions, together."""
    flags = []
    for entry in entries:
        words = iter(shlex.split(entry["command"]))
        for word in words:
            pair = (word, next(words)) if word in ("-I", "-isystem") else (word,)
            if pair[0].startswith(("-I", "-isystem", "-D", "-std=")) and pair not in flags:
                flags.append(pair)
    return [word for pair in flags for word in pair]


def clash(one, other):
    return any(one[name] is None or one[name] != other[name] for name in one.keys() & other.keys())


def units(files):
    """Lists of files, each as short as it takes: no two of one list clash, and inner namespaces come first."""
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    made = []
    for file in sorted(files, key=lambda file: (-namespace_of(texts[file]).count("::"), str(file))):
        names = unnamed(texts[file])
        for unit in sorted(made, key=lambda unit: len(unit)):
            if len(unit) < MOST_FILES and not any(clash(names, others) for _, others in unit):
                unit.append((file, names))
                break
        else:
            made.append([(file, names)])
    return [[file for file, _ in unit] for unit in made]


def main(source, build, clang_tidy):
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    entries = [entry for entry in entries if entry["file"].startswith(tuple(f"{source / room}/" for room in ROOMS))]
    files = sorted(Path(entry["file"]) for entry in entries)
    folder = build / "units"
    folder.mkdir(exist_ok=True)
    flags = flags_of(entries)
    commands = []
    for i, unit in enumerate(units(files)):
        path = folder / f"unit_{i}.cpp"
        path.write_text("".join(f'#include "{file}"\n' for file in unit), encoding="utf-8")
        commands.append([clang_tidy, "-quiet", f"-config-file={source / '.clang-tidy'}",
                         "-checks=-bugprone-suspicious-include",  # of .cpp files: that is what a unit is
                         f"-header-filter={HEADERS}", str(path), "--", *flags])
    with ThreadPoolExecutor(JOBS) as pool:
        runs = list(pool.map(lambda command: subprocess.run(command, capture_output=True, text=True), commands))
    failed = [run for run in runs if run.returncode != 0]
    for run in failed:
        print(run.stdout, run.stderr if not run.stdout.strip() else "")
    print(f"{len(files)} files in {len(commands)} units, {len(failed)} with findings")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
