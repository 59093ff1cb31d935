"""The streams of calls: which calls go to which database with which options, drawn by a seed.

Every call that comes with a source stands in a stream of its own options. The rest are stored rows and calls that
came with the source, as they are or changed; some lines stand several times, and some calls again in another
spelling, so that the caches have something to remember.
"""

import json
import random
from dataclasses import dataclass

from answers.mutations import Pool, mutate

AGAIN = 0.12  # of the lines that are drawn, as another line was
RESPELLED = 0.06  # the same call written differently
MALFORMED = 0.004
STORED = 0.45  # of the calls, made of stored rows where the source has any
UNCHANGED = 0.2  # of the calls

# Options that every source is asked with besides those of its own calls, and how often.
VARIANTS = {
    ("--no-interpolation",): 6,
    ("--padded-match", "before"): 5,
    ("--padded-match", "off"): 5,
    ("--tp-size", "8"): 2,
}
OWN_WEIGHT = 82  # of the options that the source's calls come with, together


class TooFew(Exception):
    """The calls that come with the sources are more than were asked for."""


@dataclass(frozen=True)
class Stream:
    """Calls, one a line, for one source with one set of options."""

    source: object  # sources.Source
    options: tuple
    lines: list

    @property
    def name(self):
        return " ".join((self.source.name, *self.options))


def shares(total, weights, least):
    """`total` in whole parts by weight, each at least as large as its entry of `least`."""
    spare = total - sum(least)
    cuts, passed = [0], 0
    for weight in weights:
        passed += weight
        cuts.append(round(spare * passed / sum(weights)))
    return [low + end - begin for low, begin, end in zip(least, cuts, cuts[1:])]


def streams(sources, count, seed):
    """`count` calls in all. Needs at least as many as come with the sources."""
    groups = [(source, *group) for source in sources for group in option_groups(source)]
    least = [len(calls) for _, _, calls, _ in groups]
    if sum(least) > count:
        raise TooFew(f"the sources alone come with {sum(least):,} calls; ask for as many or more")
    pools = {source.name: Pool(source.all_calls()) for source in sources}
    for (source, options, calls, _), size in zip(groups, shares(count, [group[3] for group in groups], least)):
        draw = Draw(source, pools[source.name], calls, random.Random(f"{seed} {source.name} {options}"))
        yield Stream(source, options, draw.lines(size))


def option_groups(source):
    """(options, the source's own calls with these, weight) of every stream of a source."""
    own = {}
    for case in source.cases:
        own.setdefault(case.options, []).append(case.call)
    own = own or {(): []}
    cases = sum(map(len, own.values())) or 1
    main = max(own, key=lambda options: len(own[options]))
    for options, calls in own.items():
        yield options, calls, source.share * OWN_WEIGHT * max(len(calls), 1) / cases
    for variant, weight in VARIANTS.items():
        if variant[0] not in main and main + variant not in own:
            yield main + variant, [], source.share * weight


class Draw:
    """One stream in the making."""

    def __init__(self, source, pool, calls, rng):
        self.source = source
        self.pool = pool
        self.calls = calls
        self.random = rng
        self.templates = [json.dumps(case.call) for case in source.cases]
        self.stored = {op: [json.dumps(call) for call in made] for op, made in source.stored.items()}
        self.drawn = []

    def lines(self, size):
        own = [json.dumps(call) for call in self.calls]
        self.drawn = own[:]
        while len(self.drawn) < size:
            self.drawn.append(self.line())
        return self.drawn

    def line(self):
        kind = self.random.random()
        if self.drawn and kind < AGAIN:
            return self.random.choice(self.drawn)
        if self.drawn and kind < AGAIN + RESPELLED:
            return self.respelled(self.random.choice(self.drawn))
        call = json.loads(self.template())
        if self.random.random() >= UNCHANGED:
            call = mutate(call, self.random, self.pool)
        line = json.dumps(call)
        return self.malformed(line) if kind > 1 - MALFORMED else line

    def template(self):
        if self.stored and (not self.templates or self.random.random() < STORED):
            return self.random.choice(self.stored[self.random.choice(list(self.stored))])
        return self.random.choice(self.templates)

    def respelled(self, line):
        try:
            call = json.loads(line)
        except ValueError:
            return line
        if not isinstance(call, dict):
            return line
        if self.random.random() < 0.5:
            return json.dumps(call, sort_keys=True, separators=(",", ":"))
        return json.dumps(dict(reversed(call.items())), separators=(", ", " : "))

    def malformed(self, line):
        """No call: its answer is an error that names the line."""
        call = json.loads(line)
        return self.random.choice((
            line[: len(line) // 2],
            json.dumps({**call, "colour": "blue"}),
            json.dumps({name: value for name, value in call.items() if name not in ("op", "kernel")}),
            json.dumps({**call, "inputs": [{"shape": [-1], "dtype": "int8"}]}),
            json.dumps({**call, "inputs": [{"shape": "2,3", "dtype": "int8"}]}),
            json.dumps({**call, "outputs": [{"shape": [1 << 53, 2], "dtype": "int8"}]}),
            "[]",
        ))
