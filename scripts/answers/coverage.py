"""Which paths, sources and reasons are among the answers, and which are not."""

from collections import Counter

from answers.words import NEVER, OF_ROWS

ERROR = "ERROR"  # the answer to a line that is no call


class Coverage:
    """Counts of answers."""

    def __init__(self):
        self.sources = Counter()  # (database, source)
        self.paths = Counter()  # (path, source, dimension)
        self.methods = Counter()  # (method or match rule, dimension)
        self.reasons = Counter()
        self.row_reasons = Counter()  # answers that count rows rejected for it

    def add(self, database, answer):
        source = answer["source"]
        self.sources[database, source] += 1
        if "path" in answer:
            self.paths[answer["path"], source, answer.get("dim", 0)] += 1
        if source == "MISS":
            self.reasons[answer["reason"]] += 1
        elif source != ERROR:
            how = " ".join(filter(None, (answer.get("method"), answer.get("match_rule"))))
            self.methods[how, answer.get("dim", 0)] += 1
        self.row_reasons.update(answer.get("details", {}).get("rejected_rows", {}).keys())

    def of_path(self, path, source, dimension=None):
        return sum(
            count
            for (name, found, dim), count in self.paths.items()
            if (name, found) == (path, source) and dimension in (None, dim)
        )

    def missing(self, words):
        """What must be among the answers and is not, one sentence each."""
        seen = {source for _, source in self.sources}
        for source in words.sources:
            if source not in seen:
                yield f"no answer has the source {source}"
        if ERROR not in seen:
            yield "no line that is no call was answered"
        for path, dimensions in words.paths.items():
            for source in ("MEASURED", "MISS"):
                if not self.of_path(path, source):
                    yield f"no answer of the path {path} is {source}"
            for dimension in range(1, dimensions + 1):
                if not self.of_path(path, "INTERPOLATED", dimension):
                    yield f"no answer of the path {path} is interpolated in {dimension} dimensions"
        for reason in sorted(words.reasons - self.reasons.keys()):
            yield f"no miss has the reason {reason}"
        for reason in sorted(words.row_reasons - self.row_reasons.keys()):
            yield f"no answer counts rows that were rejected as {reason}"

    def unexpected(self, words):
        """What is among the answers although the words do not have it."""
        for source in sorted({source for _, source in self.sources} - {*words.sources, ERROR}):
            yield f"the source {source}, which 'log --help' does not name"
        for path in sorted({path for path, _, _ in self.paths} - words.paths.keys()):
            yield f"the path {path}, which the database does not have"
        for reason in sorted(self.reasons.keys() - words.reasons):
            known = NEVER.get(reason) or OF_ROWS.get(reason)
            because = f"which was thought impossible ({known})" if known else "which was not found in the sources"
            yield f"the reason {reason}, {because}"
