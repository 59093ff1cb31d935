#!/usr/bin/env python3
"""Runs clang-tidy over every room.

    run_clang_tidy.py SOURCE_DIR BUILD_DIR CLANG_TIDY

BUILD_DIR is configured for unity builds: most of clang-tidy's time goes into headers of libraries, so a room's files are
read together. Prints what was found, and how many files were read; exits with 1 where something was found or a file of
a room was not read.
"""

import json
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOMS = ("base", "engine", "importer", "analysis", "report", "serving", "cli", "c", "python/src", "bench")
JOBS = 2


def flags_of(command):
    """What a compile command says about includes, definitions and the language."""
    words = iter(shlex.split(command))
    flags = []
    for word in words:
        if word in ("-I", "-isystem"):
            flags += [word, next(words)]
        elif word.startswith(("-I", "-isystem", "-D", "-std=")):
            flags.append(word)
    return flags


def files_of(unit, rooms):
    """The rooms' files that a unit is made of; a file of a room that stands alone is a unit of itself."""
    included = re.findall(r'^#include "(.*)"$', unit.read_text(encoding="utf-8"), re.MULTILINE)
    return {file for file in (map(Path, included) if unit.name.startswith("unity_") else [unit])
            if any(file.is_relative_to(room) for room in rooms)}


def main(source, build, clang_tidy):
    rooms = [source / room for room in ROOMS]
    # profdb.h is C, which the modernize checks do not know.
    root = rf"^({re.escape(str(source))}|{re.escape(str(build))}/rooms/[a-z_]*)"
    others = "|".join(room for room in ROOMS if room != "c")
    shown = rf"{root}/({others})/.*\.(h|cpp)$|{root}/c/[a-z_]*\.(h|cpp)$"
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    units = {Path(entry["file"]): flags_of(entry["command"]) for entry in entries}
    units = {unit: flags for unit, flags in units.items() if unit.exists() and files_of(unit, rooms)}

    def run(unit):
        command = [clang_tidy, "-quiet", f"-config-file={source / '.clang-tidy'}", f"-header-filter={shown}",
                   "-checks=-bugprone-suspicious-include",  # of .cpp files: that is what a unit is
                   str(unit), "--", *units[unit]]
        return subprocess.run(command, capture_output=True, text=True)

    with ThreadPoolExecutor(JOBS) as pool:
        failed = [run for run in pool.map(run, sorted(units, key=lambda unit: -len(files_of(unit, rooms))))
                  if run.returncode != 0]
    for run in failed:
        print(run.stdout, run.stderr if not run.stdout.strip() else "")
    read = set().union(*(files_of(unit, rooms) for unit in units))
    left_out = {file for room in rooms for file in room.rglob("*.cpp")} - read
    print(f"{len(read)} files in {len(units)} units, {len(failed)} with findings")
    for file in sorted(left_out):
        print(f"{file}: part of no unit")
    return 1 if failed or left_out else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
