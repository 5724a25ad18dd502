#!/usr/bin/env python3
"""test_tables.py: the measured tables of documents follow the records, and whoever breaks one is told where and why."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TABLES = Path(__file__).resolve().parent.parent.parent / "bench" / "tables"
sys.path.insert(0, str(TABLES))

import choice_tables  # noqa: E402
import records  # noqa: E402


class Documents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.page = self.root / "README.md"

    def run_on(self, text, *arguments):
        self.page.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, TABLES / "write.py", "--root", self.root, *arguments], capture_output=True,
                              text=True, check=False)

    def test_a_figure_and_a_table_are_written_once(self):
        text = 'Of <!-- = gpu_count("jobs") -->7<!-- . --> jobs:\n\n<!-- = gpu_table() -->\n<!-- . -->\n'
        self.assertEqual(self.run_on(text).returncode, 0)
        written = self.page.read_text(encoding="utf-8")
        jobs = str(len(records.record("gpu_matrix")["rows"]))
        self.assertIn(f'Of <!-- = gpu_count("jobs") -->{jobs}<!-- . --> jobs:', written)
        self.assertIn("<!-- = gpu_table() -->\n| Job | GPix/s |", written)
        self.assertTrue(written.endswith(" |\n<!-- . -->\n"))
        again = self.run_on(written)
        self.assertEqual((again.returncode, again.stdout), (0, ""))
        self.assertEqual(self.page.read_text(encoding="utf-8"), written)
        self.assertEqual(self.run_on(written, "--check").returncode, 0)

    def test_a_stale_figure_is_found_and_left(self):
        text = 'Of <!-- = gpu_count("jobs") -->7<!-- . --> jobs.\n'
        got = self.run_on(text, "--check")
        self.assertEqual((got.returncode, got.stdout), (1, "README.md: differs from bench/results; make tables writes it\n"))
        self.assertEqual(self.page.read_text(encoding="utf-8"), text)

    def refused(self, text, sentence):
        got = self.run_on(text)
        self.assertEqual(got.returncode, 2)
        self.assertIn(sentence, got.stderr)
        self.assertEqual(got.stderr.count("\n"), 1)
        self.assertEqual(self.page.read_text(encoding="utf-8"), text)

    def test_what_cannot_be_written_is_one_sentence(self):
        self.refused("x <!-- = none() -->1<!-- . -->\n", "README.md: none(): NameError")
        self.refused('x <!-- = ms("naive", 99) -->1<!-- . -->\n', 'README.md: ms("naive", 99): KeyError')
        self.refused('x <!-- = open("x") -->1<!-- . -->\n', "README.md: open(")
        self.refused("x <!-- = gpu_copy() -->1\n", "README.md: `<!-- = … -->` and `<!-- . -->` do not pair")
        self.refused("x <!-- = gpu_copy() --><!-- = gpu_copy() -->1<!-- . --> <!-- . -->\n", "do not pair")
        self.refused("<!-- = gpu_copy() -->1<!-- . -->\n", "README.md: gpu_copy(): a table's comments have lines of their own")
        self.refused("x <!-- = gpu_table() -->\n<!-- . -->\n", "README.md: gpu_table(): a table's comments have lines of their own")


class Numbers(unittest.TestCase):
    def test_three_digits_whatever_the_size(self):
        for value, text in ((0, "0"), (0.0082914, "0.00829"), (0.09, "0.0900"), (0.9996, "1.00"), (9.998, "10.0"), (68.24, "68.2"),
                            (510.85, "511"), (999.7, "1,000"), (1971.07, "1,971"), (-2.5, "-2.50")):
            self.assertEqual(records.digits(value), text)

    def test_how_many_times(self):
        self.assertEqual([records.times(value) for value in (0.667, 6.393, 39.35, 101.8)], ["0.67", "6.39", "39.4", "102"])

    def test_a_cell_says_what_all_share_once(self):
        cells = [records.joined(values) for values in (["NPP"], ["NPP", "NPP"], ["NPP", "cuFFT"])]
        self.assertEqual(cells, ["NPP", "NPP", "NPP / cuFFT"])


class Regret(unittest.TestCase):
    def test_what_choices_cost(self):
        def job(name, *ways):
            return json.dumps({"job": name, "ways": [{"method": "direct", "family": family, "expected_us": 1, "took_us": took,
                                                      **({"chosen": True} if chosen else {})} for family, took, chosen in ways]})
        jobs = choice_tables.chosen_and_fastest([job("right", ("a", 100, True), ("b", 200, False)),
                                                 job("wrong", ("a", 150, True), ("b", 100, False)),
                                                 job("short", ("a", 19, True), ("b", 10, False)),
                                                 job("nothing chosen", ("a", 100, False))])
        self.assertEqual([job["job"] for job, _, _ in jobs], ["right", "wrong"])
        self.assertIn("| 2 | 50% | 50% | 1.50 | 1.225 |", choice_tables.summary_of(jobs))
        self.assertIn("| wrong | a (direct) | 150 | b (direct) | 100 | 1.50 |\n| right |", choice_tables.worst_of(jobs, 2))


if __name__ == "__main__":
    unittest.main()
