"""The programs that are compared, as processes: import, migrate, lookup."""

import re
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE_S = 1800  # a program that takes longer hangs
CLEAN, BAD_LINES = 0, 3  # exit codes of a stream: all lines were calls, or some were none

# The line of `lookup --stats` on the cache of results: hits, misses, evictions, entries, bytes.
RESULTS = re.compile(r"^\s*results\s+([\d,]+)\s+([\d,]+)\s+([\d,]+)\s+([\d,]+)\s+([\d,]+)\s*$", re.MULTILINE)


class ProgramError(Exception):
    """A program did what none should do, whatever it answers."""


@dataclass(frozen=True)
class Caches:
    """What one stream made of the cache of results."""

    hits: int
    entries: int


@dataclass(frozen=True)
class Imported:
    """How an import ended. Equal where code and report are; the report has no times in it."""

    code: int
    report: str
    error: str = field(compare=False)


class Program:
    """One build of profdb."""

    def __init__(self, label, path):
        self.label = label
        self.path = Path(path).resolve()

    def run(self, *words, output=subprocess.PIPE):
        """The finished process; its standard output is in memory, or in the open file `output`."""
        command = [str(word) for word in (self.path, *words)]
        try:
            return subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, timeout=PATIENCE_S
            )
        except subprocess.TimeoutExpired as timeout:
            raise ProgramError(f"no end after {PATIENCE_S} s: {' '.join(command)}") from timeout

    def words_of_source(self):
        """The sources of answers, as `log --help` names them."""
        text = self.run("log", "--help").stdout.decode()
        found = re.search(r"--source\s+([A-Z]+(?:\|[A-Z]+)+)", text)
        if not found:
            raise ProgramError(f"{self.label}: 'log --help' names no sources (--source A|B|...)")
        return found.group(1).split("|")

    def import_into(self, database, words):
        """What one import ended with."""
        done = self.run("import", *words, "--db", database, "--json")
        return Imported(done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace").strip())

    def migrate(self, database):
        """Brings a database of an older program up to date; one that is up to date stays."""
        done = self.run("migrate", "--db", database)
        if done.returncode != 0:
            raise ProgramError(f"{self.label}: migrate failed: {done.stderr.decode().strip()}")

    def look_up(self, database, options, calls, answers, cached):
        """Answers a stream into the file `answers`; returns the exit code and what the caches did."""
        words = ["lookup", "--db", database, *options, "--jsonl", calls, "--stats"]
        if not cached:
            words += ["--cache-mib", 0]
        with open(answers, "wb") as out:
            done = self.run(*words, output=out)
        said = done.stderr.decode(errors="replace")
        if done.returncode not in (CLEAN, BAD_LINES):
            raise ProgramError(f"{self.label}: exit code {done.returncode} of lookup: {said.strip()}")
        counters = RESULTS.search(said)
        if not counters:
            raise ProgramError(f"{self.label}: --stats printed no counters of the cache of results: {said!r}")
        numbers = [int(text.replace(",", "")) for text in counters.groups()]
        return done.returncode, Caches(hits=numbers[0], entries=numbers[3])


def read_only(database):
    return closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True))


def copy_database(old, new):
    """A copy that has all that was committed, whatever journal the original uses."""
    with read_only(old) as source, closing(sqlite3.connect(new)) as target:
        source.backup(target)


def paths_of(database):
    """The lookup paths that a database knows, each with the highest dimension in which it interpolates."""
    with read_only(database) as connection:
        return dict(connection.execute("SELECT name, max_dim FROM path ORDER BY name"))
