#!/usr/bin/env python3
"""Opens reports in headless Chromium and looks at what is drawn.

report_page_test.py --profdb PROGRAM --render PROGRAM --source DIR --shared DIR
Exits with 77 where Chromium is missing.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import browser

SKIPPED = 77
OPTIONS = None

# How much of each canvas is drawn at all: pixels that are not transparent, and different colours among them.
CANVASES = """
  return [...document.querySelectorAll('.card:not([hidden]) .plot canvas')].map((canvas) => {
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const colours = new Set();
    let drawn = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] === 0) continue;
      ++drawn;
      colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    }
    return {drawn, colours: colours.size, size: data.length / 4};
  });
"""

CARDS = """
  return [...document.querySelectorAll('.card')].map((card) => ({
    type: card.dataset.type, title: card.querySelector('h3').textContent, hidden: card.hidden,
    drawn: card.dataset.drawn !== undefined, canvases: card.querySelectorAll('.plot canvas').length,
    bars: card.querySelectorAll('.bars .fill').length, empty: card.querySelectorAll('.empty').length,
    width: card.getBoundingClientRect().width}));
"""


def profdb(*arguments, **more):
    return subprocess.run([OPTIONS.profdb, *map(str, arguments)], check=True, capture_output=True, text=True, **more)


def sample_report(folder):
    """A report on the three synthetic example releases, with logged lookups and hold-out."""
    source = Path(OPTIONS.source)
    database = folder / "sample.db"
    subprocess.run([sys.executable, source / "examples/generate_release.py", folder / "releases"], check=True,
                   capture_output=True)
    for version in ("0.13.0", "0.15.0", "0.18.0"):
        profdb("import", folder / "releases" / version, "--db", database)
    newest = "SYNTHETIC_NPU/synthetic/0.18.0"
    profdb("lookup", "--db", database, "--release", newest, "--ep-size", "16", "--log", "all", "--jsonl",
           source / "examples/leaf_ops.jsonl")
    profdb("holdout", "--db", database, "--release", newest, "--ep-size", "16")
    return write_report(database, folder / "sample.html")


def real_report(folder):
    """A report on the measured 910B release, with hold-out of the two matrix kernels."""
    data = Path(OPTIONS.shared) / "data/ascend_910b_vllm_ascend_0.18.0"
    database = folder / "910b.db"
    aliases = ["FusedInferAttentionScore_Decode=FusedInferAttentionScore", "GroupedMatmul_MoE_BF16=GroupedMatmul",
               "GroupedMatmul_MoE_W8A8=GroupedMatmul"]
    profdb("import", data, "--db", database, "--mapping",
           Path(OPTIONS.source) / "mappings/ASCEND_910B/vllm_ascend-0.18.0.yaml",
           *[word for alias in aliases for word in ("--kernel-alias", alias)])
    profdb("holdout", "--db", database, "--kernel", "MatMulV2")
    return write_report(database, folder / "910b.html")


def write_report(database, page):
    profdb("report", "--db", database, "--out", page, "--out", page.with_suffix(".json"), "--out", page.with_suffix(".md"))
    return page, json.loads(page.with_suffix(".json").read_text())


def charts(document):
    return [chart for section in document["sections"] for chart in section.get("charts", [])]


def tags_match(chart, key, value):
    return chart.get("tags", {}).get(key, value) == value


class PageTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="profdb-report-")
        cls.browser = browser.Browser().__enter__()
        cls.page, cls.document = cls.make(Path(cls.folder.name))

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__(None, None, None)
        cls.folder.cleanup()

    def setUp(self):
        self.browser.log("browser")
        self.browser.log("performance")
        self.browser.scheme("light")
        self.browser.width(1280)
        self.browser.open(self.page)

    def cards(self):
        return self.browser.run(CARDS)

    def choose(self, key, value):
        self.browser.run("""
          const list = document.querySelector(`[data-filter="${arguments[0]}"]`);
          list.value = arguments[1];
          list.dispatchEvent(new Event('change'));""", key, value)
        self.browser.draw_all()


class ReportPage:
    """What must hold on any report."""

    def test_no_console_message_and_no_request(self):
        self.browser.draw_all()
        requests = [url for url in self.browser.requests() if not url.startswith("data:")]
        self.assertEqual(requests, [self.page.resolve().as_uri()])
        self.assertEqual(self.browser.log("browser"), [])

    def test_page_holds_the_json_form(self):
        text = self.page.read_text()
        inside = text.split('<script type="application/json" id="document">')[1].split("</script>")[0]
        self.assertEqual(json.loads(inside), self.document)

    def test_every_chart_is_drawn(self):
        self.browser.draw_all()
        cards = self.cards()
        self.assertEqual([(card["type"]) for card in cards], [chart["type"] for chart in charts(self.document)])
        for card in cards:
            with self.subTest(card["title"]):
                self.assertTrue(card["drawn"])
                self.assertEqual(card["empty"], 0)
                self.assertGreater(card["bars"] if card["type"] == "bars" else card["canvases"], 0)
        self.check_pixels()

    def check_pixels(self):
        found = self.browser.run(CANVASES)
        self.assertGreater(len(found), 0)
        for i, canvas in enumerate(found):
            with self.subTest(canvas=i):
                self.assertGreater(canvas["drawn"], canvas["size"] / 200)
                self.assertGreater(canvas["colours"], 8)

    def test_a_chart_is_drawn_when_it_comes_near(self):
        before = [card["drawn"] for card in self.cards()]
        self.assertIn(False, before)
        self.browser.run_async("""
          const done = arguments[0];
          const card = [...document.querySelectorAll('.card')].pop();
          const look = () => card.dataset.drawn === undefined ? requestAnimationFrame(look) : done();
          card.scrollIntoView();
          look();""")
        self.assertTrue(self.cards()[-1]["drawn"])

    def test_filter_narrows_charts_and_rows(self):
        kernels = sorted({chart["tags"]["kernel"] for chart in charts(self.document) if "kernel" in chart.get("tags", {})})
        self.choose("kernel", kernels[0])
        expected = [tags_match(chart, "kernel", kernels[0]) for chart in charts(self.document)]
        self.assertEqual([not card["hidden"] for card in self.cards()], expected)
        self.assertIn(False, expected)
        left = self.browser.run("""
          const tables = [...document.querySelectorAll('.table')].map((t) => [...t.querySelectorAll('thead th')]
            .map((h) => h.textContent).indexOf('kernel'));
          return [...document.querySelectorAll('.table')].flatMap((table, i) => tables[i] < 0 ? [] :
            [...table.querySelectorAll('tbody tr')].map((row) => row.cells[tables[i]].textContent));""")
        self.assertEqual({text for text in left if text}, {kernels[0]})
        self.browser.run("document.querySelector('.filters .reset').click()")
        self.assertTrue(all(not card["hidden"] for card in self.cards()))

    def test_error_distribution_follows_the_filter(self):
        distributions = [chart for chart in charts(self.document) if chart["type"] == "error_distribution"]
        self.assertEqual(len(distributions), 1)
        groups = distributions[0]["groups"]
        dim = next(group["tags"]["dim"] for group in groups if "dim" in group["tags"])
        expected = sum(sum(group["counts"]) for group in groups if group["tags"].get("dim", dim) == dim)
        self.choose("dim", dim)
        shown = self.browser.run("return document.querySelector('[data-type=error_distribution] .legend li').textContent")
        self.assertEqual(shown, f"{expected:,} samples")

    def test_arrow_keys_show_the_points(self):
        self.browser.draw_all()
        chart = next(chart for chart in charts(self.document) if chart["type"] == "latency_curve")
        first = chart["series"][0]["points"][0]
        shown = self.browser.run("""
          const card = document.querySelector('[data-type=latency_curve]');
          card.scrollIntoView();
          const plot = card.querySelector('.plot');
          plot.focus();
          plot.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
          const tip = document.querySelector('.tooltip');
          return {focused: document.activeElement === plot, text: tip.textContent, hidden: tip.hidden};""")
        self.assertTrue(shown["focused"])
        self.assertFalse(shown["hidden"])
        self.assertIn(f"{chart['x']['title']} = {first[0]:,}", shown["text"])
        self.assertIn(" us", shown["text"])

    def test_pointer_shows_the_nearest_point(self):
        self.browser.draw_all()
        shown = self.browser.run("""
          const card = document.querySelector('[data-type=density_map]');
          card.scrollIntoView();
          const over = card.querySelector('.u-over');
          const box = over.getBoundingClientRect();
          const found = [];
          for (let x = 4; x < box.width; x += 8) {
            for (let y = 4; y < box.height; y += 8) {
              over.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + x, clientY: box.top + y}));
              const tip = document.querySelector('.tooltip');
              if (tip && !tip.hidden) found.push(tip.textContent);
            }
          }
          return found;""")
        chart = next(chart for chart in charts(self.document) if chart["type"] == "density_map")
        self.assertGreater(len(set(shown)), 3)
        self.assertTrue(all(f"{chart['value']['title']}: " in text and " us" in text for text in shown))

    def test_narrow_page_does_not_overflow(self):
        self.browser.width(400)
        self.browser.open(self.page)
        self.browser.draw_all()
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 400)
        self.assertTrue(all(card["width"] <= 400 for card in self.cards()))

    def test_dark_and_print_colours(self):
        background = "return getComputedStyle(document.body).backgroundColor"
        light = self.browser.run(background)
        self.browser.scheme("dark")
        self.browser.open(self.page)
        self.assertNotEqual(self.browser.run(background), light)
        ink = "return colour('ink')"
        dark_ink = self.browser.run(ink)
        self.browser.run("dispatchEvent(new Event('beforeprint'))")
        self.assertNotEqual(self.browser.run(ink), dark_ink)
        self.assertTrue(all(card["drawn"] for card in self.cards()))
        self.browser.run("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.browser.run(ink), dark_ink)

    def test_prints_to_several_pages(self):
        file = Path(self.folder.name) / "print.pdf"
        self.browser.pdf(file)
        self.assertGreater(file.read_bytes().count(b"/Type /Page\n"), 2)

    def test_not_verified_section_is_there(self):
        headings = [section["heading"] for section in self.document["sections"]]
        self.assertEqual(headings[-1], "Not verified")
        shown = self.browser.run("return [...document.querySelectorAll('h2')].map((h) => h.textContent)")
        self.assertEqual(shown, headings)


class SampleReport(ReportPage, PageTest):
    make = staticmethod(sample_report)

    def test_says_synthetic_everywhere(self):
        self.assertIn("synthetic", self.browser.run("return document.querySelector('.notice').className"))
        self.assertTrue(all(chart["badge"] == "synthetic" for chart in charts(self.document)))
        plain = self.browser.run("return [...document.querySelectorAll('.card')].filter((c) => !c.querySelector('.badge')).length")
        self.assertEqual(plain, 0)


class RealReport(ReportPage, PageTest):
    make = staticmethod(real_report)

    @classmethod
    def setUpClass(cls):
        if not (Path(OPTIONS.shared) / "data").is_dir():
            raise unittest.SkipTest(f"no measured data: {OPTIONS.shared} has no folder data")
        super().setUpClass()

    def test_density_map_has_every_coordinate(self):
        maps = [c for c in charts(self.document) if c["type"] == "density_map" and c["tags"]["kernel"] == "MatMulV2"]
        self.assertEqual(sum(len(chart["points"]) for chart in maps), 1160)

    def test_hold_out_figures(self):
        # Issue 5, "Must hold": 1,160 coordinates, 1,149 of them answered, median 4.5505 %, p90 24.8285 %.
        section = next(s for s in self.document["sections"] if s["heading"] == "Interpolation error")
        table = section["tables"][0]
        keys = [column["key"] for column in table["columns"]]
        rows = [dict(zip(keys, row)) for row in table["rows"]]
        whole = next(r for r in rows if r["kernel"] == "MatMulV2" and r["source"] == "all answers")
        self.assertEqual((whole["n"], whole["of"]), (1149, 1160))
        self.assertAlmostEqual(whole["median_error"], 4.5505, places=4)
        self.assertAlmostEqual(whole["p90_error"], 24.8285, places=4)


class AnyDocument(PageTest):
    """The renderer on a document that did not come from a database: every chart type, and hostile text."""

    @staticmethod
    def make(folder):
        source = Path(__file__).with_name("every_chart.json")
        page = folder / "every_chart.html"
        subprocess.run([OPTIONS.render, source, page], check=True)
        return page, json.loads(source.read_text())

    def test_every_chart_type_is_drawn(self):
        self.browser.draw_all()
        cards = self.cards()
        self.assertEqual({card["type"] for card in cards},
                         {"density_map", "latency_curve", "error_distribution", "bars", "scatter"})
        self.assertTrue(all(card["drawn"] and card["empty"] == 0 for card in cards))
        ReportPage.check_pixels(self)

    def test_text_is_never_markup(self):
        self.assertEqual(self.browser.log("browser"), [])
        self.assertEqual(self.browser.run("return document.querySelectorAll('img, script:not([type]):not(:last-of-type)').length"), 0)
        self.assertEqual(self.browser.run("return window.injected === undefined"), True)
        self.assertEqual(self.browser.run("return document.querySelector('h1').textContent"), self.document["title"])

    def test_hull_is_convex_and_holds_every_point(self):
        # The square's corners and nothing else: its inner point and the middle of an edge are no vertices.
        hull = self.browser.run("return convexHull([[0, 0], [4, 0], [4, 4], [0, 4], [2, 2], [2, 0]])")
        self.assertEqual(hull, [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]])

    def test_lines_bend_on_logarithmic_axes(self):
        # Between (1, 1) and (100, 100), linear interpolation at a quarter of the way is 25.75.
        line = self.browser.run("return bent([[1, 1], [100, 100]], true)")
        self.assertEqual(line[4], [25.75, 25.75])


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    for name in ("profdb", "render", "source", "shared"):
        parser.add_argument("--" + name, required=True)
    OPTIONS, rest = parser.parse_known_args()
    reason = browser.missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
