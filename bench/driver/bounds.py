"""The bounds that profdb sets itself, and the table that holds a run's results against them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """One bound: `result` names the measurement, `kind` how it is read. Without a limit the row is only shown."""

    result: str
    title: str
    kind: str
    limit: float | None
    floor: str = ""  # what a ratio's floor is called


# Kinds: "ratio" subject / floor; "speedup" floor / subject, to be at least the limit; "added" subject / floor - 1;
# "above" microseconds beyond the floor; anything else names a figure of the result and its unit.
BOUNDS = (
    Bound("exact/small", "exact, 5 thousand rows", "ratio", 1.0, "P"),
    Bound("exact/real", "exact, real 910B rows", "ratio", 1.0, "P"),
    Bound("exact/large", "exact, {rows} rows", "ratio", 1.0, "P"),
    Bound("repeated/prepared", "repeated, prepared leaf", "ratio", 0.15, "P"),
    Bound("repeated/leaf", "repeated, leaf struct", "ratio", 0.15, "P"),
    Bound("repeated/two_threads", "repeated, two threads", "speedup", 1.8, "one thread"),
    Bound("interpolated/1d", "interpolated 1D, warm", "ratio", 1.0, "P"),
    Bound("interpolated/3d", "interpolated 3D, warm", "ratio", 2.0, "P"),
    Bound("attention/1d", "attention 1D, warm", "ratio", None, "P"),
    Bound("first_3d", "first 3D in a regime", "ratio", 1.3, "rows + Qhull"),
    Bound("jsonl", "JSONL through the CLI", "per_s", 100_000),
    Bound("logging/burst", "logging all, burst", "added", 0.30, "log off"),
    Bound("logging/sustained", "logging all, sustained", "added", 0.30, "log off"),
    Bound("open", "opening, {rows} rows", "ms", 20),
    Bound("open", "memory of opening", "growth_mib", 32),
    Bound("import", "import, {rows} rows", "ratio", 5.0, "sqlite3 .import"),
    Bound("import", "memory of the import", "peak_mib", 256),
    Bound("import", "database size", "size_ratio", 3.0),
    Bound("python/prepared", "Python, prepared leaf", "above", 2.0, "P"),
    Bound("python/adapter", "Python, call record", "us", 20),
)

UNITS = {"per_s": "/s", "ms": "ms", "us": "us", "growth_mib": "MiB", "peak_mib": "MiB", "size_ratio": "x CSV"}


def figure(kind, result, clock):
    """What the bound is about, by one clock ("us" or "cpu_us"); None where the result lacks it."""
    subject, floor = result.get(f"subject_{clock}"), result.get(f"floor_{clock}")
    if kind in UNITS and kind not in ("ms", "us"):
        return result.get(kind if clock == "us" else f"{kind}_cpu")
    if subject is None or (kind in ("ratio", "speedup", "added", "above") and not floor):
        return None
    return {
        "ratio": lambda: subject / floor,
        "speedup": lambda: floor / subject,
        "added": lambda: subject / floor - 1,
        "above": lambda: subject - floor,
        "ms": lambda: subject / 1e3,
        "us": lambda: subject,
    }[kind]()


def shown(bound, value):
    if value is None:
        return ""
    if bound.kind == "added":
        return f"{value:+.0%}"
    if bound.kind == "above":
        return f"P {value:+.2f} us"
    unit = UNITS.get(bound.kind, bound.floor if bound.floor == "P" else "x")
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.2f} {unit}"


def time_shown(us):
    if us is None:
        return ""
    if us >= 1e6:
        return f"{us / 1e6:.2f} s"
    if us >= 1e3:
        return f"{us / 1e3:.2f} ms"
    return f"{us:.2f} us" if us >= 1 else f"{us:.3f} us"


def verdict_on(bound, value):
    if bound.limit is None:
        return ""
    at_least = bound.kind in ("speedup", "per_s")
    return "pass" if (value >= bound.limit if at_least else value <= bound.limit) else "FAIL"


def row(bound, result, rows, verdict):
    value = figure(bound.kind, result, "us")
    sign = ">=" if bound.kind in ("speedup", "per_s") else "<="
    timed = bound.kind not in UNITS or bound.kind in ("ms", "us")
    floor = result.get("floor_us") if timed and bound.kind not in ("ms", "us") else None
    return (
        bound.title.format(rows=f"{rows:,}"),
        time_shown(result.get("subject_us")) if timed else "",
        f"{time_shown(floor)} {bound.floor}" if floor else "",
        "" if bound.limit is None else f"{sign} {shown(bound, bound.limit)}",
        shown(bound, value),
        shown(bound, figure(bound.kind, result, "cpu_us")),
        verdict_on(bound, value) if verdict else "",
    )


def table(results, rows, verdict):
    """The results as lines of text; the CPU column counts the calling thread's (a process's) CPU time only."""
    lines = [("what", "subject", "floor", "bound", "measured", "by CPU time", "")]
    lines += [row(bound, results[bound.result], rows, verdict) for bound in BOUNDS if bound.result in results]
    return aligned(lines)


def aligned(lines):
    """Cells as lines of text, the first of them ruled off."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    lines = [lines[0], ["-" * width for width in widths], *lines[1:]]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
