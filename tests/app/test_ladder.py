"""test_ladder.py: `halation ladder`: its table, JSON and report, with or without a GPU."""
import json
import re

from pages import check_whole, check_words_apart, leads, parsed
from pictures import npy, png
from program import ProgramTest, main

RUNGS = {1: ["cpu", "basic", "constant", "tiled_halo", "tiled_cached", "library"],
         2: ["cpu_naive", "cpu_library", "naive", "constant", "tiled_input_block", "tiled_output_block", "tiled_cached",
             "texture", "separable_shared", "separable_optimised", "library"],
         3: ["cpu", "naive", "constant", "tiled", "library"]}
CPU_RUNGS = {"cpu", "cpu_naive", "cpu_library"}
PHASES = {"allocation", "upload", "filter_upload", "kernel", "download", "total"}


class Ladder(ProgramTest):
    def record(self, *arguments):
        self.run_ok("ladder", *arguments, "--json", "record.json")
        return json.loads(self.get("record.json"))

    def rows(self, *arguments):
        """The rungs of the record by name; the first where host memory makes two."""
        rows = {}
        for row in self.record(*arguments)["rungs"]:
            rows.setdefault(row["rung"], row)
        return rows


class Results(Ladder):
    def test_defaults_run_every_rung(self):
        for dims in (1, 2, 3):
            text = self.run_ok("ladder", "--dims", dims)[0].decode()
            for rung in RUNGS[dims]:
                self.assertGreaterEqual(len(re.findall(rf"(?m)^{rung} ", text)), 2, rung)

    def test_every_rung_is_verified_or_says_why_not(self):
        for dims, size in ((1, "5001"), (2, "61x83"), (3, "17x19x23")):
            record = self.record("--dims", dims, "--size", size, "--outside", "0.7", "--radius", 2)
            self.assertEqual([row["rung"] for row in record["rungs"]], RUNGS[dims])
            self.assertEqual(record["oracle"], "reference")
            for row in record["rungs"]:
                self.assertEqual(row["place"], "cpu" if row["rung"] in CPU_RUNGS else "gpu")
                if row["status"] == "not run":
                    self.assertEqual(row["place"], "gpu")
                    self.assertEqual(row["reason"], record["machine"]["no_gpu"])
                    self.assertNotIn("ms", row)
                    continue
                self.assertEqual(row["status"], "verified")
                self.assertLessEqual(row["error"]["largest"], row["error"]["allowed"])
                self.assertEqual(set(row["ms"]), PHASES)

    def test_rates_follow_from_times(self):
        record = self.record("--size", "300x500", "--radius", 3)
        by_name = {row["rung"]: row for row in record["rungs"]}
        for row in record["rungs"]:
            if row["status"] != "verified":
                continue
            kernel, total = row["ms"]["kernel"] * 1e-3, row["ms"]["total"] * 1e-3
            self.assertAlmostEqual(row["fps"] * total, 1)
            self.assertAlmostEqual(row["kernel_fps"] * kernel, 1)
            self.assertAlmostEqual(row["gflops"] * kernel * 1e9 / (2 * 49 * 150000), 1)
            self.assertAlmostEqual(row["gb_per_s"] * kernel * 1e9 / (8 * 150000), 1)
            self.assertAlmostEqual(row["over_cpu_kernel"] * kernel * 1e3 / by_name["cpu_naive"]["ms"]["kernel"], 1)
        self.assertNotIn("over_previous", by_name["cpu_naive"])
        self.assertAlmostEqual(by_name["cpu_library"]["over_previous"], by_name["cpu_library"]["over_cpu_kernel"])

    def test_analysis_is_filled_in_for_every_rung(self):
        rows = self.rows("--size", "64x64", "--radius", 1)
        self.assertEqual({name: row["paper"]["operations_per_output"] for name, row in rows.items()},
                         {name: 12 if name.startswith("separable") else 18 for name in RUNGS[2]})
        self.assertEqual(rows["naive"]["paper"]["operations_per_byte"], 0.25)
        self.assertEqual(rows["constant"]["paper"]["operations_per_byte"], 0.5)
        self.assertTrue(all(row["paper"]["bound_ms"] > 0 for row in rows.values()))

    def test_rungs_asked_for_run_in_the_order_of_the_ladder(self):
        rows = self.rows("--size", "40x40", "--rung", "cpu_library", "cpu_naive")
        self.assertEqual(list(rows), ["cpu_naive", "cpu_library"])

    def test_radius_above_a_limit(self):
        rows = self.rows("--size", "50x50", "--radius", 20)
        for name in ("tiled_input_block", "tiled_output_block", "tiled_cached"):
            self.assertEqual(rows[name]["reason"], "radius 20 is above its limit of 16")
        self.assertEqual(rows["cpu_naive"]["status"], "verified")

    def test_radius_0_and_images_of_one_pixel(self):
        for size in ("1x1", "1x9", "9x1"):
            self.assertEqual(self.rows("--size", size, "--radius", 0)["cpu_naive"]["status"], "verified")

    def test_both_kinds_of_memory(self):
        rows = self.record("--size", "32x32", "--memory", "both")["rungs"]
        gpu = [rung for rung in RUNGS[2] if rung not in CPU_RUNGS]
        self.assertEqual([(row["memory"], row["rung"]) for row in rows],
                         [("pageable", rung) for rung in RUNGS[2]] + [("pinned", rung) for rung in gpu])

    def test_sweep(self):
        record = self.record("--size", "48x48", "--radii", "1:4")
        self.assertNotIn("rungs", record)
        self.assertEqual([(entry["radius"], entry["rung"]) for entry in record["sweep"]],
                         [(radius, rung) for radius in range(1, 5) for rung in RUNGS[2]])
        self.assertTrue(all(entry["kernel_ms"] > 0 for entry in record["sweep"] if entry["rung"] in CPU_RUNGS))
        text = self.run_ok("ladder", "--size", "48x48", "--radii", "1:4")[0].decode()
        self.assertEqual(len(re.findall(r"(?m)^[1-4] +[\d.]+ +[\d.]+", text)), 4)

    def test_images(self):
        pixels = [[(9 * x + 5 * y) % 256 for x in range(40)] for y in range(30)]
        self.put("gray.png", png(pixels))
        self.put("rgb.png", png([[(p, 255 - p, p // 2) for p in row] for row in pixels]))
        self.put("volume.npy", npy([0.5] * 60, (3, 4, 5), "<f4"))
        for arguments, dims, planes in ((["gray.png"], 2, 1), (["rgb.png"], 2, 3), (["rgb.png", "--gray"], 2, 1),
                                        (["volume.npy"], 3, 1)):
            record = self.record("--image", *arguments)
            self.assertEqual((record["job"]["dims"], record["job"]["planes"]), (dims, planes))
            self.assertEqual(record["rungs"][0]["status"], "verified")

    def test_record_names_its_circumstances(self):
        record = self.record("--size", "20x30", "--radius", 2)
        self.assertEqual(record["command"], "halation ladder --size 20x30 --radius 2 --json record.json")
        self.assertRegex(record["date"], r"^\d{4}-\d\d-\d\d \d\d:\d\d UTC$")
        self.assertTrue(record["machine"]["cpu"])
        self.assertTrue("gpu" in record["machine"] or record["machine"]["no_gpu"])
        self.assertEqual((record["job"]["height"], record["job"]["width"], record["job"]["radius"]), (20, 30, 2))

    def test_json_on_standard_output(self):
        self.assertEqual(json.loads(self.run_ok("ladder", "--size", "9x9", "--json", "-")[0])["job"]["width"], 9)


class Report(Ladder):
    def page(self, *arguments):
        self.run_ok("ladder", *arguments, "--report", "report.html")
        text = self.get("report.html").decode()
        return text, parsed(text)

    def test_page_is_whole_and_needs_nothing_beside_it(self):
        text, page = self.page("--size", "64x96", "--radius", 1, "--radii", "1:3")
        check_whole(self, text)
        charts = page.findall(".//svg")
        names = [chart.get("aria-labelledby").split()[0] for chart in charts]
        for name in ("kernel-title", "radius-title", "roofline-title"):
            self.assertIn(name, names)
        (lead,) = leads(page)
        self.assertRegex(lead, r"^The library('s kernel| on the CPU) takes [\d.]+ ms, the quickest rung that teaches, \w+, [\d.]+ ms$")
        for word in ("9.44", "5.42", "2330", "separable_optimised"):
            self.assertIn(word, text)

    def test_words_of_charts_do_not_overlap(self):
        _, page = self.page("--size", "64x96", "--radius", 1, "--radii", "1:12")
        check_words_apart(self, page)

    def test_names_are_escaped(self):
        self.put("a<b&c.png", png([[1, 2], [3, 4]]))
        text, page = self.page("--image", "a<b&c.png")
        self.assertIn("a<b&c.png", "".join(page.itertext()))
        self.assertNotIn("a<b", text)


class BadInput(Ladder):
    def check_refused(self, arguments, sentence, code=2):
        self.check_error(["ladder", *arguments], sentence, code)

    def test_wrong_usage(self):
        size = "--size must be W, HxW or DxHxW in whole numbers from 1, got '{}'"
        for text in ("0x8", "8x-8", "8x", "axb", "1x2x3x4", "8.5x8"):
            self.check_refused([f"--size={text}"], size.format(text))
        self.check_refused(["--size", "9x9", "--dims", "3"], "ladder: --size 9x9 has 2 extents, --dims is 3")
        self.check_refused(["--dims", "4"], "--dims must be a whole number from 1 to 3, got '4'")
        self.check_refused(["--radius=-1"], "--radius must be a whole number from 0 to 65536, got '-1'")
        for text in ("5", "5:2", "1:2:3"):
            self.check_refused(["--radii", text], f"--radii must be FIRST:LAST with FIRST <= LAST, got '{text}'")
        self.check_refused(["--radii", "1:x"], "--radii must be a whole number from 0 to 65536, got 'x'")
        self.check_refused(["gaussian"], "unexpected 'gaussian'; see halation ladder --help")
        self.check_refused(["--outside", "much"], "--outside must be a finite number, got 'much'")
        self.check_refused(["--memory", "fast"], "unknown memory 'fast'; choose from pageable, pinned, both")
        self.check_refused(["--gray"], "ladder: --gray needs an --image")
        self.check_refused(["--image", "a.png", "--size", "9x9"], "ladder: --image has a size of its own; leave out --size")

    def test_rungs(self):
        self.check_refused(["--rung", "tiled_cach"],
                           "ladder: no rung 'tiled_cach' in 2D; did you mean 'tiled_cached'? choose from "
                           + ", ".join(RUNGS[2][:-1]) + " and library")
        self.check_refused(["--size", "64x64", "--radius", "20", "--rung", "tiled_cached", "tiled_input_block"],
                           "ladder: radius 20 is above the limit of every rung asked for; tiled_input_block goes furthest, to 16")

    def test_rungs_that_need_a_gpu_where_there_is_none(self):
        if b"cuda:" in self.run_ok("devices")[0]:
            self.skipTest("this machine has a GPU")
        for arguments in ((), ("--radii", "1:2")):
            done = self.start("ladder", "--size", "64x64", "--rung", "naive", "constant", *arguments)
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertRegex(done.stderr.decode(), r"\Ahalation: ladder: naive needs a GPU; [^\n]+\n\Z")
        self.run_ok("ladder", "--size", "64x64", "--rung", "naive", "cpu_naive")

    def test_files(self):
        self.check_refused(["--image", "none.png"], "none.png: no such file", 1)
        for option in ("--report", "--json"):
            self.check_refused([option, "none/out"], "none/out: folder none does not exist", 1)
        self.put("volume.npy", npy([0.5] * 60, (3, 4, 5), "<f4"))
        self.check_refused(["--image", "volume.npy", "--dims", "2"], "ladder: volume.npy is 3x4x5, too many axes for --dims 2")
        self.check_refused(["--image", "volume.npy", "--report", "./volume.npy"],
                           "--report writes a page of HTML, to a file such as report.html, got './volume.npy'")
        self.put("volume", npy([0.5] * 60, (3, 4, 5), "<f4"))
        self.check_refused(["--image", "volume", "--json", "./volume"], "./volume is the file that is read; --json and --report need files of their own")
        self.put("two.npy", npy([0.5] * 8, (1, 2, 2, 2), "<f4"))
        self.check_refused(["--image", "two.npy", "--gray"], "ladder: --gray needs 3 colours, two.npy has 2")
        self.put("nan.npy", npy([1, float("nan")], (1, 2), "<f4"))
        self.check_refused(["--image", "nan.npy"],
                           "ladder: nan.npy holds values that are not finite, of which no two rungs need to agree")

    def test_images_larger_than_memory(self):
        done = self.start("ladder", "--size", "4000000x4000000")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertRegex(done.stderr.decode(), r"\Ahalation: .*4000000x4000000 .* needs [\d.]+ GB .*\n\Z")


if __name__ == "__main__":
    main()
