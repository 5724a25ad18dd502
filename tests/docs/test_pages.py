#!/usr/bin/env python3
"""test_pages.py: the pages that the site is made of, as far as they can be checked without Sphinx and a browser."""
import re
import sys
import tempfile
import unittest
import xml.dom.minidom
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "site"))

import charts  # noqa: E402
import gallery  # noqa: E402
import headers as of_headers  # noqa: E402
import stage  # noqa: E402
from documents import Documents, Wrong  # noqa: E402
from reading import anchors, headings, is_of_the_web, links  # noqa: E402


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.pages = Path(folder.name) / "pages"
        stage.stage(ROOT, cls.pages)
        cls.texts = {path.relative_to(cls.pages).as_posix(): path.read_text(encoding="utf-8") for path in cls.pages.rglob("*.md")}

    def test_links_lead_to_pages_and_headings(self):
        for name, text in self.texts.items():
            for match in links(text):
                target, _, anchor = match[1].partition("#")
                if target.startswith("source:"):
                    self.assertTrue((ROOT / target.removeprefix("source:")).exists(), f"{name}: {match[1]}")
                elif not is_of_the_web(match[1]):
                    there = (self.pages / name).parent / target if target else self.pages / name
                    self.assertTrue(there.is_file(), f"{name}: {match[1]}")
                    if anchor:
                        self.assertIn(anchor, anchors(there.read_text(encoding="utf-8")), f"{name}: {match[1]}")

    def test_nothing_of_the_makers_is_left(self):
        for name, text in self.texts.items():
            self.assertNotRegex(re.sub(r"`[^`\n]*`", "", text), r"<!-- (?:section|chart|gallery|before|=|\.)", name)

    def test_every_page_has_a_title_and_is_in_the_menu(self):
        named = set()
        for name, text in self.texts.items():
            self.assertRegex(text, r"\A\s*# \S", name)
            self.assertEqual([heading.level for heading in headings(text)].count(1), 1, name)
            for entries in re.findall(r"```{toctree}\n(?::.*\n)+\n((?:.+\n)+)```", text):
                for entry in entries.split():
                    named |= {path.relative_to(self.pages).as_posix() for path in (self.pages / name).parent.glob(f"{entry}.md")}
        self.assertEqual(set(self.texts) - named, {"index.md"})

    def test_each_filter_is_in_the_gallery(self):
        for name, _ in gallery.filters(ROOT):
            self.assertIn(f"\n## {name}\n", self.texts["gallery.md"])
            self.assertIn(gallery.command_line(name), self.texts["gallery.md"])

    def test_charts_are_drawings_that_say_what_they_show(self):
        drawn = [figure for text in self.texts.values() for figure in re.findall(r"<figure class=\"chart\">.*?</figure>", text)]
        self.assertGreater(len(drawn), 15)
        for figure in drawn:
            document = xml.dom.minidom.parseString(figure)
            for tag in ("title", "desc", "figcaption"):
                self.assertTrue(document.getElementsByTagName(tag)[0].firstChild.data)


class Charts(unittest.TestCase):
    def test_bars_are_as_long_as_their_values(self):
        figure = charts.bars("x", "t", [("a", 2, "two", "ahead"), ("b", 1, "one", "behind")], "u")
        first, second = (float(width) for width in re.findall(r'width="([\d.]+)"', figure))
        self.assertAlmostEqual(first, 2 * second, places=0)

    def test_marks_go_through_no_words(self):
        rows = [(label, value, "0.00 × other", "ahead") for label, value in (("a", 4), ("b", 1.05), ("c", 0.99), ("d", 0.8), ("e", 0.2))]
        for mark in (1, 4):
            figure = charts.bars("x", "t", rows, "u", (mark, "the mark"))
            labels = [float(y) for y in re.findall(r'<text x="0.0" y="([\d.]+)">', figure)]
            behind = [float(x) for x in re.findall(r'<text x="([\d.]+)" y="[\d.]+" class="figure"', figure)]
            marks = re.findall(r'class="mark" x1="([\d.]+)" y1="([\d.]+)" x2="[\d.]+" y2="([\d.]+)"', figure)
            self.assertEqual((len(labels), len(behind), len(marks)), (5, 5, 5))
            for i, (label, text, mark_at) in enumerate(zip(labels, behind, marks)):
                at, top, bottom = map(float, mark_at)
                self.assertGreaterEqual(top, label + 4)  # below what hangs below a line of words
                self.assertTrue(at < text or text + 7 * len("0.00 × other") < at, (mark, i))
                self.assertLessEqual(bottom, labels[i + 1] - 12 if i < 4 else bottom)

    def test_labels_stand_apart(self):
        figure = charts.lines("x", "t", [(name, [(1, 1), (2, value)], "c0") for name, value in (("a", 5), ("b", 5.01), ("c", 5.02))],
                              "x", "y", [1, 2], [1, 10])
        places = sorted(float(y) for y in re.findall(r'y="([\d.]+)" class="ink', figure))
        self.assertTrue(all(after - before >= 15.9 for before, after in zip(places, places[1:])))

    def test_an_unknown_chart_is_refused(self):
        with self.assertRaises(NameError):
            charts.drawn("<!-- chart none() -->")


class Headers(unittest.TestCase):
    HEADER = """// x.h: examples.
#pragma once
namespace halation {

struct Later;

// About both.

/// A thing. Throws as `other` does.
///
///     a formula
struct Thing {
  int value = 0;  ///< of it
  void run(int times = (1 + 2)) const;

 private:
  int hidden_;
};

/// One comment for two.
double least(const Thing& thing);
double most(const Thing& thing);

/// Another.
template <class T>
void other(T value) {
  value.run();
}
inline Thing::Thing() {}

}  // namespace halation
"""

    def test_declarations_and_their_comments(self):
        page = of_headers.pages({"x": self.HEADER})["x"]
        self.assertEqual(re.findall(r"^## (.*)$", page, re.MULTILINE), ["`Thing`", "`least`, `most`", "`other`"])
        self.assertIn("About both.\n", page)
        self.assertIn("A thing. Throws as [`other`](#other) does.\n\n    a formula\n", page)
        self.assertIn("  void run(int times = (1 + 2)) const;\n};\n", page)
        for hidden in ("hidden_", "private", "Thing::Thing", "struct Later"):
            self.assertNotIn(hidden, page)

    def test_public_headers_are_complete(self):
        """Each function that a header declares has a heading."""
        texts = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "include/halation").glob("*.h")}
        pages = of_headers.pages(texts)
        for name, text in texts.items():
            for declared in re.findall(r"^(?:[\w:<>&*]+ )+(\w+)\([^;{]*\);$", text, re.MULTILINE):
                if declared != "static_assert":
                    self.assertRegex(pages[name], rf"(?m)^## .*`{declared}`", f"{name}.h")


class Trees(unittest.TestCase):
    """What cannot be made into a site is one sentence."""

    def refused(self, files, sentence):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            everything = {"README.md": "# R\n\n## One\n", "docs/ladder.md": "# L\n", "docs/two.md": "# Two\n", **files}
            for name, text in everything.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            with self.assertRaises(Wrong) as caught:
                documents = Documents(root)
                for path in documents.pages:
                    if (root / path).is_file():
                        documents.text(path)
            self.assertEqual(str(caught.exception), sentence)

    def test_sections_and_links(self):
        page = "site/pages/index.md"
        self.refused({page: "<!-- section ../../README.md#two -->\n"}, f"{page}: README.md has no heading #two")
        self.refused({page: "<!-- section ../../docs/two.md -->\n"},
                     f"{page}: docs/two.md is a page of its own and no document in sections")
        self.refused({page: "[x](none.md)\n"}, f"{page}: none.md: no such file")
        self.refused({"docs/ladder.md": "# L\n\n## Three\n"}, "docs/ladder.md: no page of site/pages/ladder holds its section #three")


if __name__ == "__main__":
    unittest.main()
