"""What is imported, and the calls that come with it: sample, conformance cases, 910B data, a small release."""

import json
import subprocess
import sys
from dataclasses import dataclass, field

from answers import own_calls, own_release, tables

SAMPLE = {"0.13.0": 5, "0.15.0": 5, "0.18.0": 28}  # releases of the sample, and their shares of the calls
CONFORMANCE_SHARE, REAL_SHARE, OWN_SHARE = 36, 14, 12

# In the repository, or beside it, where they were before.
CONFORMANCE = (("repository", "tests/conformance/cases/paths"), ("shared", "conformance/paths"))
IDENTITY = ("--device", "TEST_NPU", "--framework", "conformance", "--torch-version", "none", "--cann-version", "none")
REAL = "data/ascend_910b_vllm_ascend_0.18.0"
REAL_MAPPING = "mappings/ASCEND_910B/vllm_ascend-0.18.0.yaml"
REAL_ALIASES = {
    "FusedInferAttentionScore_Decode": "FusedInferAttentionScore",
    "GroupedMatmul_MoE_BF16": "GroupedMatmul",
    "GroupedMatmul_MoE_W8A8": "GroupedMatmul",
}
REAL_CALLS = (("shared", "conformance/matmul_910b.jsonl"), ("repository", "tests/conformance/cases/advise_910b_workload.jsonl"))


@dataclass(frozen=True)
class Case:
    """A call that comes with a source, and the options that it is asked with."""

    call: dict
    options: tuple = ()


@dataclass
class Source:
    """One release in one database."""

    name: str
    database: str  # several releases may share one
    words: list  # of its import
    share: float  # of the calls
    cases: list  # of Case
    stored: dict = field(default_factory=dict)  # operator -> calls made of its rows

    def all_calls(self):
        return [case.call for case in self.cases] + [call for calls in self.stored.values() for call in calls]


def json_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def calls_in(path):
    """Calls, one a line, alone or as the `leaf` of a line."""
    return [line.get("leaf", line) for line in json_lines(path)]


def sample(repository, work):
    """The three releases that examples/generate_release.py writes."""
    folder = work / "sample"
    subprocess.run(
        [sys.executable, repository / "examples/generate_release.py", folder], check=True, stdout=subprocess.DEVNULL
    )
    calls = [call for name in ("leaf_ops", "workload") for call in calls_in(repository / f"examples/{name}.jsonl")]
    for version, share in SAMPLE.items():
        release = folder / version
        files = sorted(release.glob("*.csv")) + sorted((folder / "hccl" / version).glob("*.csv"))
        named = ("--release", f"SYNTHETIC_NPU/synthetic/{version}")
        cases = [Case(call, (*named, "--ep-size", "16")) for call in calls]
        cases += [Case(call, named) for call in calls if "dispatch_ffn" in call["op"]]  # only these ask for it
        yield Source(
            f"sample {version}",
            "sample",
            [release],
            share,
            cases,
            tables.calls_of(release / "op_mapping.yaml", files, {}),
        )


def options_of(given):
    """The options of a conformance case as words of a command."""
    words = ()
    if given.get("ep_size") is not None:
        words += ("--ep-size", str(given["ep_size"]))
    if given.get("tp_size") is not None:
        words += ("--tp-size", str(given["tp_size"]))
    if not given.get("interpolation", True):
        words += ("--no-interpolation",)
    if given.get("padded_match", "last") != "last":
        words += ("--padded-match", given["padded_match"])
    unknown = given.keys() - {"ep_size", "tp_size", "interpolation", "padded_match"}
    return None if unknown else words


def conformance(folder):
    """The folders of the conformance cases. What a program cannot be asked (an option, a call) is for its tests."""
    folders = sorted(path.parent for path in folder.glob("*/cases.jsonl"))
    for release in folders:
        found = json_lines(release / "cases.jsonl")
        cases = [Case(line["leaf"], options_of(line.get("options", {}))) for line in found]
        cases = [case for case in cases if case.options is not None]
        stored = tables.calls_of(release / "op_mapping.yaml", sorted(release.glob("*.csv")), {})
        yield Source(
            f"conformance {release.name}",
            f"conformance-{release.name}",
            [release, *IDENTITY, "--framework-version", release.name],
            CONFORMANCE_SHARE / len(folders),
            cases,
            {op: calls for op, calls in stored.items() if calls},
        )


def real(repository, shared):
    """The 910B data, with the import command that the head of its mapping gives."""
    mapping = repository / REAL_MAPPING
    aliases = [word for alias in REAL_ALIASES.items() for word in ("--kernel-alias", "=".join(alias))]
    places = {"repository": repository, "shared": shared}
    calls = [call for place, name in REAL_CALLS for call in calls_in(places[place] / name)]
    stored = tables.calls_of(mapping, sorted((shared / REAL).glob("*.csv")), REAL_ALIASES)
    cases = [Case(call) for call in calls]
    return Source("910B", "910b", [shared / REAL, "--mapping", mapping, *aliases], REAL_SHARE, cases, stored)


def own(work):
    """The release of own_release.py."""
    folder = work / "own"
    own_release.write(folder)
    stored = tables.calls_of(folder / "op_mapping.yaml", sorted(folder.glob("*.csv")), {})
    cases = [Case(call, options) for call, options in own_calls.cases()]
    return Source("own", "own", [folder], OWN_SHARE, cases, stored)


def all_sources(repository, shared, work, say):
    """All that there are; says what is missing."""
    found = [*sample(repository, work)]
    places = {"repository": repository, "shared": shared}
    folders = [places[place] / path for place, path in CONFORMANCE if (places[place] / path).is_dir()]
    if folders:
        found += conformance(folders[0])
    else:
        say(f"no conformance cases in {repository} or {shared}: drawing from the rest")
    if (shared / REAL).is_dir():
        found.append(real(repository, shared))
    else:
        say(f"no 910B data in {shared}: drawing from the rest")
    return [*found, own(work)]
