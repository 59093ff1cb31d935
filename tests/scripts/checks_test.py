#!/usr/bin/env python3
"""scripts/check-rooms and scripts/check-citations find what they are for."""

import contextlib
import importlib.machinery
import importlib.util
import io
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def load(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(SCRIPTS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def verdict(check, files):
    """The exit code and the output of a check on a tree that holds the project's docs/*.md and these files."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        (source / "docs").mkdir()
        for document in (SCRIPTS.parent / "docs").glob("*.md"):
            shutil.copy(document, source / "docs")
        for name, text in files.items():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_text(text)
        whole, listed, arguments = check.SOURCE, check.tracked, sys.argv
        check.SOURCE, check.tracked, sys.argv = source, lambda: sorted(files), ["check"]
        try:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                code = check.main()
        finally:
            check.SOURCE, check.tracked, sys.argv = whole, listed, arguments
        return code, printed.getvalue()


class Citations(unittest.TestCase):
    check = load("check-citations")
    known = {"contract": {"2", "2.4", "5", "2a"}, "formats": {"2"}, "acceptance-protocol": {"1"}}

    def problems(self, text, own=None):
        return self.check.problems_in("file", text, self.known, own)

    def test_numbers_of_headings_and_of_list_items_are_targets(self):
        text = "## 2. Exact\n1. one\n2. two\n### 2a. Other\ntext\n## Terms\n3. not in a section\n"
        self.assertEqual(self.check.targets(text), {"2", "2.1", "2.2", "2a"})

    def test_what_resolves_is_fine(self):
        self.assertEqual(self.problems("// contract §5, §2.4 and formats §2; see acceptance-protocol §1."), [])
        self.assertEqual(self.problems("// as in (contract\n// §5)."), [])
        self.assertEqual(self.problems("see §5", own="contract"), [])

    def test_a_section_that_is_not_there_is_named(self):
        self.assertEqual(self.problems("// fine\n// contract §7"), ["file:2: contract has no §7"])
        self.assertEqual(self.problems("// contract §5, §9"), ["file:1: contract has no §9"])

    def test_a_citation_without_a_document_is_named(self):
        self.assertEqual(self.problems("// by §5"), ["file:1: §5 names no document"])

    def test_what_is_no_number_is_named(self):
        self.assertEqual(len(self.problems("// contract §5.1.2")), 1)
        self.assertEqual(len(self.problems("// § 5 of the contract")), 1)


    def test_what_hides_a_number_is_named(self):
        self.assertEqual(len(self.problems("// contract §5-99")), 1)
        self.assertEqual(len(self.problems("// contract §5x1")), 1)
        self.assertEqual(len(self.problems("// contract section 99")), 1)

    def test_the_exit_code_tells(self):
        self.assertEqual(verdict(self.check, {"engine/a.cpp": "// contract §5\n"})[0], 0)
        code, text = verdict(self.check, {"engine/a.cpp": "// contract §5\n// contract §99\n"})
        self.assertEqual(code, 1)
        self.assertIn("engine/a.cpp:2: contract has no §99", text)
        self.assertEqual(verdict(self.check, {"engine/a.cpp": "'§99'\n", "b": "contract §5"})[0], 1)
        self.assertEqual(verdict(self.check, {"migrations/1.sql": "'§99'\n", "b": "contract §5"})[0], 0)
        self.assertEqual(verdict(self.check, {"engine/a.cpp": "no citation\n"})[0], 1)


class Rooms(unittest.TestCase):
    check = load("check-rooms")

    def test_the_exit_code_tells(self):
        good = {"engine/lookup/a.h": "", "engine/candidates/b.h": "", "cli/c.cpp": '#include "engine/lookup/a.h"\n'}
        self.assertEqual(verdict(self.check, good)[0], 0)
        for planted, words in (
                ({"engine/d.cpp": '#include "cli/c.h"\n', "cli/c.h": ""}, "no arrow leads from engine to cli"),
                ({"engine/d.cpp": "# include <cli/c.h>\n", "cli/c.h": ""}, "no arrow leads from engine to cli"),
                ({"c/d.c": '#include "cli/c.h"\n', "cli/c.h": ""}, "no arrow leads from c to cli"),
                ({"engine/d.cpp": '#include "engine/gone.h"\n'}, "which is nowhere"),
                ({"cli/input/d.h": '#include "cli/text/e.h"\n', "cli/text/e.h": '#include "cli/input/d.h"\n'}, "cycle"),
                ({"engine/candidates/d.h": '#include "engine/lookup/a.h"\n'}, "stands below"),
                ({"tools/d.cpp": ""}, "is in no room"),
                ({f"scripts/answers/{i}.py": "" for i in range(21)}, "holds 21 files"),
                ({f"engine/paths_more/{i}.cpp": "" for i in range(21)}, "holds 21 files"),
                ({"scripts/long": "\n" * 401}, "does not say why"),
                ({"engine/long.cpp": "// noLong: x\n" * 401}, "does not say why")):
            code, text = verdict(self.check, good | planted)
            self.assertEqual(code, 1, planted.keys())
            self.assertIn(words, text)

    def test_an_arrow_allows_everything_behind_it_and_nothing_else(self):
        allowed = self.check.arrows()
        self.assertLessEqual({"serving", "engine", "engine/interpolation", "base", "importer"}, allowed["cli"])
        self.assertNotIn("importer", allowed["serving"])
        self.assertNotIn("engine", allowed["engine/interpolation"])
        self.assertEqual(allowed["base"], {"base"})

    def test_cycles_are_found_and_what_only_leads_there_is_not(self):
        edges = {"a": {"b": 1}, "b": {"c": 1}, "c": {"b": 1}, "d": {}}
        self.assertEqual(self.check.cycles(edges), ["b", "c"])

    def test_includes_are_read_by_their_targets(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder)
            for name, text in {"engine/a.cpp": '#include "base/b.h"\n#include "profdb/error.h"\n#include "gone.h"\n',
                               "base/b.h": "", "base/include/profdb/error.h": ""}.items():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).write_text(text)
            whole, self.check.SOURCE = self.check.SOURCE, source
            try:
                found = set(self.check.includes({"engine/a.cpp", "base/b.h", "base/include/profdb/error.h"}))
            finally:
                self.check.SOURCE = whole
        self.assertEqual(found, {("engine/a.cpp", "base/b.h", "base/b.h"), ("engine/a.cpp", None, "gone.h"),
                                 ("engine/a.cpp", "base/include/profdb/error.h", "profdb/error.h")})

    def test_full_folders_and_long_files_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder)
            (source / "cli").mkdir()
            names = [f"cli/f{i:02}.cpp" for i in range(21)]
            for name in names:
                (source / name).write_text("\n" * 10)
            (source / names[0]).write_text("//\n" * 401)
            (source / names[1]).write_text("// Long: for a reason\n" + "//\n" * 401)
            whole, self.check.SOURCE = self.check.SOURCE, source
            try:
                found = self.check.size_problems(names)
            finally:
                self.check.SOURCE = whole
        self.assertEqual(found, ["cli holds 21 files, more than 20",
                                 "cli/f00.cpp has 401 lines, more than 400, and does not say why"])


if __name__ == "__main__":
    unittest.main()
