"""Answers of several runs over the same calls, compared byte for byte."""

import json
from dataclasses import dataclass
from itertools import zip_longest

MOST_FIELDS = 12  # of a difference, how many fields are named


@dataclass(frozen=True)
class Difference:
    """The first line on which a run's answers are not those of the run that it is compared with."""

    count: int  # of lines that differ
    line: int  # the first of them, from 1
    expected: bytes
    actual: bytes

    def fields(self):
        """What differs between the two answers: "details.regime.input_count: 2, 3" and so on."""
        try:
            expected, actual = json.loads(self.expected), json.loads(self.actual)
        except ValueError:
            return [f"not both are JSON from byte {first_byte(self.expected, self.actual)} on"]
        found = list(differing(expected, actual, ""))
        if not found:
            at = first_byte(self.expected, self.actual)
            return [f"nothing but the way it is written, from byte {at} on (order of fields, form of numbers)"]
        more = len(found) - MOST_FIELDS
        return found[:MOST_FIELDS] + ([f"and {more} more"] if more > 0 else [])


def first_byte(a, b):
    """Where two texts part, from 0."""
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def differing(expected, actual, place):
    """Every leaf of two JSON values in which they differ, as text."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in [*expected, *(key for key in actual if key not in expected)]:
            inner = f"{place}.{key}" if place else key
            if key not in actual:
                yield f"{inner}: {short(expected[key])}, not there"
            elif key not in expected:
                yield f"{inner}: not there, {short(actual[key])}"
            else:
                yield from differing(expected[key], actual[key], inner)
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for i, (one, other) in enumerate(zip(expected, actual)):
            yield from differing(one, other, f"{place}[{i}]")
    elif type(expected) is not type(actual) or expected != actual:
        yield f"{place or 'answer'}: {short(expected)}, {short(actual)}"


def short(value):
    text = json.dumps(value)
    return text if len(text) <= 100 else text[:97] + "..."


def compare(expected, actual):
    """The difference of two answer files, or None. Equal bytes are the only equality."""
    with open(expected, "rb") as one, open(actual, "rb") as other:
        while True:
            a, b = one.read(1 << 20), other.read(1 << 20)
            if a != b:
                break
            if not a:
                return None
        one.seek(0)
        other.seek(0)
        first, count = None, 0
        for line, (a, b) in enumerate(zip_longest(one, other, fillvalue=b""), start=1):
            if a != b:
                count += 1
                first = first or (line, a.rstrip(b"\n"), b.rstrip(b"\n"))
    return Difference(count, *first)
