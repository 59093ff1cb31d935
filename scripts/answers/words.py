"""Every path, source and reason that there is, asked of the program and read from the sources.

No list of them is kept here: a reason that somebody adds is demanded from then on. Only what a lookup cannot
answer with is named, with the proof; such an entry that turns out wrong is an error as well.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from answers.programs import paths_of

WORD = r"([a-z][a-z0-9]*(?:_[a-z0-9]+)*)"

# A table of reasons and what they mean to people: {"unmapped", "The release's mapping ..."}.
EXPLAINED = re.compile(r"\{\s*\"" + WORD + r"\"\s*,\s*\"[A-Z]")
# A file with such a table has this reason in it.
OF_THE_TABLE = '"composite_requires_leaf_ops"'
# Where the code of lookups decides on one; it is known by the types that it works with.
OF_LOOKUPS = re.compile(r"\b(?:Unfit|PathSpec|KernelSearch)\b")
DECIDED = (
    re.compile(r"\bUnfit\s*\{\s*\"" + WORD + r"\""),
    re.compile(r"\b(?:fail|set_miss)\(\s*[\w.]+\s*,\s*\"" + WORD + r"\""),
    re.compile(r"\"([a-z][a-z_]*_unspecified)\""),
    re.compile(r"\bstring_view k\w+ = \"([a-z][a-z_]*_(?:unextractable|unavailable|unresolvable|unknown))\""),
)
# Some of each kind: a search that does not find these no longer follows the sources.
CERTAIN = {"unmapped", "regime_mismatch", "outside_convex_hull", "target_unextractable", "format_unspecified"}
NO_SOURCES = {"tests", "build", "examples", ".git"}

# What no lookup answers with, and why not.
NEVER = {
    "zero_cost": "what is declared to cost nothing is answered before its path is asked for",
    "accepted_miss": "an operator without kernels whose condition the call does not meet answers "
    "kernel_not_in_release in its place",
    "dtype_unspecified": "a collective's target always states a dtype: one whose item size is not known is "
    "target_unextractable",
    "local_experts_unspecified": "a target always states its local experts: the first dimension of GMM1, and a "
    "GMM1 without one is moe_weight_shapes_unextractable",
}
# Reasons that a row has, never a call. They must be among the rejected rows that answers count.
OF_ROWS = {
    "avg_seq_len_invalid": "of a cell; a call without lengths is target_unextractable",
    "batch_size_invalid": "of a cell; a call's batch is counted",
    "ep_size_invalid": "of a cell; an engine is not opened with such an EP size",
    "ep_size_missing": "of a cell; a call without one is ep_size_not_configured",
    "local_experts_invalid": "of a cell; a call's experts are counted",
    "message_bytes_invalid": "of a cell; a call's bytes are computed",
    "num_devices_invalid": "of a cell; a call without a group is target_unextractable",
}


class WordsError(Exception):
    """The reasons cannot be found, or what is said about them here is no longer true."""


@dataclass(frozen=True)
class Words:
    """What must be among the answers."""

    sources: list
    paths: dict  # name -> highest dimension
    reasons: set  # of misses
    row_reasons: set  # of rejected rows


def reasons_in(text):
    """The reasons that one source file names."""
    found = set()
    if OF_LOOKUPS.search(text):
        found.update(word for pattern in DECIDED for word in pattern.findall(text))
    if OF_THE_TABLE in text:
        found.update(EXPLAINED.findall(text))
    return found


def source_files(root):
    for path in sorted(Path(root).rglob("*")):
        if path.suffix in (".cpp", ".h") and not NO_SOURCES.intersection(path.relative_to(root).parts):
            yield path


def all_reasons(root):
    """The reasons that the sources below `root` name, wherever they stand."""
    found = set()
    for path in source_files(root):
        found |= reasons_in(path.read_text(encoding="utf-8"))
    lost = CERTAIN - found
    if lost:
        raise WordsError(f"{', '.join(sorted(lost))}: not found in the sources; the search in {__file__} is outdated")
    return found


def words_of(program, database, root):
    """All words: the sources from the program, the paths from a database that it made, the reasons from the code."""
    found = all_reasons(root)
    for word in sorted((NEVER | OF_ROWS).keys() - found):
        raise WordsError(f"{word} is named as an exception, but the sources do not have it; remove it")
    return Words(
        sources=program.words_of_source(),
        paths=paths_of(database),
        reasons=found - NEVER.keys() - OF_ROWS.keys(),
        row_reasons=set(OF_ROWS),
    )
