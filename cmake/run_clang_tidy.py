#!/usr/bin/env python3
"""Runs clang-tidy over every room.

    run_clang_tidy.py SOURCE_DIR BUILD_DIR CLANG_TIDY

BUILD_DIR is configured without precompiled headers, which clang cannot read from GCC. Most of clang-tidy's time goes into
headers of libraries, so files are checked several at a time: a unit includes files whose unnamed namespaces have no name
in common, those of inner namespaces first. A unit that does not compile, because a name of one file hides another's, is
checked in halves. Prints what was found; exits with 1 then.
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


class Checker:
    """Runs clang-tidy on units; COMMAND comes before the file, FLAGS behind it. Units are written to FOLDER."""

    def __init__(self, command, flags, folder):
        self.command, self.flags, self.folder = command, flags, folder
        self.folder.mkdir(exist_ok=True)

    def findings(self, name, unit):
        """What clang-tidy prints of a unit's files: a list of texts, empty where all is well."""
        path = self.folder / f"unit_{name}.cpp"
        path.write_text("".join(f'#include "{file}"\n' for file in unit), encoding="utf-8")
        run = subprocess.run([*self.command, str(path), "--", *self.flags], capture_output=True, text=True)
        if run.returncode == 0:
            return []
        if len(unit) > 1 and "[clang-diagnostic-error]" in run.stdout:
            middle = len(unit) // 2
            return self.findings(f"{name}a", unit[:middle]) + self.findings(f"{name}b", unit[middle:])
        return [run.stdout if run.stdout.strip() else run.stderr]


def main(source, build, clang_tidy):
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    entries = [entry for entry in entries if entry["file"].startswith(tuple(f"{source / room}/" for room in ROOMS))]
    files = sorted(Path(entry["file"]) for entry in entries)
    checker = Checker([clang_tidy, "-quiet", f"-config-file={source / '.clang-tidy'}",
                       "-checks=-bugprone-suspicious-include",  # of .cpp files: that is what a unit is
                       f"-header-filter={HEADERS}"], flags_of(entries), build / "units")
    made = units(files)
    with ThreadPoolExecutor(JOBS) as pool:
        found = [text for texts in pool.map(checker.findings, range(len(made)), made) for text in texts]
    for text in found:
        print(text)
    print(f"{len(files)} files in {len(made)} units, {len(found)} with findings")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
