"""Tables for people."""

from answers.coverage import ERROR


def table(header, rows):
    """Columns under a line; the first is text, the others are numbers."""
    cells = [list(header)] + [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = [
        "  ".join(cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths)))
        for row in cells
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)


def by_database(coverage, words):
    names = list(dict.fromkeys(database for database, _ in coverage.sources))
    sources = [*words.sources, ERROR]
    counts = [[coverage.sources[name, source] for source in sources] for name in names]
    counts.append([sum(column) for column in zip(*counts)])
    rows = [[name, sum(row), *row] for name, row in zip([*names, "all"], counts)]
    return table(["calls of", "lookups", *sources], rows)


def by_path(coverage, words):
    dimensions = range(1, max(words.paths.values()) + 1)
    header = ["path", "MEASURED", "COMPATIBLE", *(f"{dim}D" for dim in dimensions), "MISS"]
    rows = [
        [
            path,
            *(coverage.of_path(path, source) for source in ("MEASURED", "COMPATIBLE")),
            *(coverage.of_path(path, "INTERPOLATED", dim) if dim <= most else "-" for dim in dimensions),
            coverage.of_path(path, "MISS"),
        ]
        for path, most in words.paths.items()
    ]
    return table(header, rows)


def counted(title, counter):
    return table([title, "answers"], sorted(counter.items(), key=lambda item: (-item[1], item[0])))


def text(coverage, words):
    methods = {f"{how} {dim}D" if dim else how: count for (how, dim), count in coverage.methods.items()}
    rows = {reason: coverage.row_reasons[reason] for reason in words.row_reasons}
    tables = (
        by_database(coverage, words),
        by_path(coverage, words),
        counted("method and match rule", methods),
        counted("reason of a miss", {reason: coverage.reasons[reason] for reason in words.reasons}),
        counted("reason of rejected rows", rows),
    )
    return "\n\n".join(tables)
