"""test_apply.py: every flag of `halation apply` does what its help says; its filters and files: test_apply_*.py."""
import json
import re
import struct
import zlib

from pictures import icc_profile, npy, png, png_chunk, png_chunks, read_npy, read_png, tiff, tiff_pages
from program import ROWS, SHAPE, SKEW, SKEW_TEXT, ProgramTest, filtered, flat, main


class Options(ProgramTest):
    """How a filter is applied."""

    def custom(self, *arguments):
        return self.apply_to_array(flat(ROWS), SHAPE, "custom", "--weights", SKEW_TEXT, *arguments)

    def test_borders(self):
        for mode in ("constant", "replicate", "reflect", "reflect101", "wrap"):
            self.assert_close(self.custom("--border", mode)[0], flat(filtered(ROWS, SKEW, mode)))

    def test_border_by_axis(self):
        expected = flat(filtered(ROWS, SKEW, ("wrap", "replicate")))
        self.assert_close(self.custom("--border", "wrap,replicate")[0], expected)
        self.assert_close(self.custom("--border", "reflect,wrap,replicate")[0], expected)

    def test_border_value(self):
        expected = flat(filtered(ROWS, SKEW, "constant", value=-2.5))
        self.assert_close(self.custom("--border", "constant", "--border-value", "-2.5")[0], expected)

    def test_extents(self):
        same = filtered(ROWS, SKEW)
        self.assert_close(self.custom("--extent", "same")[0], flat(same))
        values, shape = self.custom("--extent", "valid")
        self.assertEqual(shape, (5, 7))
        self.assert_close(values, [value for row in same[1:-1] for value in row[1:-1]])
        values, shape = self.custom("--extent", "full", "--border", "constant")
        self.assertEqual(shape, (9, 11))
        padded = [[0] * 11] + [[0, *row, 0] for row in ROWS] + [[0] * 11]
        self.assert_close(values, flat(filtered(padded, SKEW, "constant")))

    def test_anchor(self):
        self.assert_close(self.custom("--anchor", "0,2")[0], flat(filtered(ROWS, SKEW, anchor=(0, 2))))
        self.assert_close(self.custom("--anchor", "0,0,2")[0], flat(filtered(ROWS, SKEW, anchor=(0, 2))))
        values, _ = self.apply_to_array([1, 2, 4, 8], (4,), "custom", "--weights", "1 2 3", "--anchor", "2")
        self.assert_close(values, flat(filtered([[1, 2, 4, 8]], [[1, 2, 3]], anchor=(0, 2))))

    def test_anchor_of_a_named_filter(self):
        values, _ = self.apply_to_array(flat(ROWS), SHAPE, "box", "--anchor", "2,0")
        self.assert_close(values, flat(filtered(ROWS, [[1 / 9] * 3] * 3, anchor=(2, 0), correlate=True)))

    def test_correlate(self):
        self.assert_close(self.custom("--correlate")[0], flat(filtered(ROWS, SKEW, correlate=True)))

    def test_scale_and_offset(self):
        values, _ = self.custom("--scale", "0.5", "--offset", "-3")
        self.assert_close(values, [0.5 * value - 3 for value in flat(filtered(ROWS, SKEW))])

    def test_output_pixel(self):
        self.put("in.png", png(ROWS))
        expected = flat(filtered(ROWS, SKEW))
        for pixel, kind in (("i16", "i2"), ("f32", "f4"), ("f64", "f8"), ("i32", "i4"), ("i64", "i8")):
            self.run_ok("apply", "custom", "in.png", "-o", "out.npy", "--weights", SKEW_TEXT, "--output-pixel", pixel)
            values, _, found = read_npy(self.get("out.npy"))
            self.assertEqual(found, kind)
            self.assertEqual(values, expected)

    def test_arrays_of_other_integers(self):
        for kind, values in (("i1", [-128, 5, 127]), ("u4", [2 ** 32 - 1, 0, 7]), ("i4", [-(2 ** 31), 1, 2 ** 31 - 1]), ("i8", [2 ** 62 + 1, -3, 1])):
            self.put("in.npy", npy(values, (3,), ("|" if kind == "i1" else "<") + kind))
            self.run_ok("apply", "custom", "in.npy", "-o", "out.npy", "--weights", "1 0 1", "--border", "constant")
            found, _, found_kind = read_npy(self.get("out.npy"))
            low, high = (0, 2 ** 32 - 1) if kind == "u4" else (-(2 ** (8 * int(kind[1]) - 1)), 2 ** (8 * int(kind[1]) - 1) - 1)
            self.assertEqual((found, found_kind), ([values[1], min(max(values[0] + values[2], low), high), values[1]], kind))
        self.check_error(["apply", "box", "in.npy", "-o", "out.npy"],
                         "sums of i64 are exact, and so weights must be integers whose magnitudes sum up to 2^21 at most, filter 'box' has others; "
                         "filter images of f64", 2)
        self.check_error(["apply", "custom", "in.npy", "-o", "out.npy", "--weights", "1", "--compare", "both.png"],
                         "--compare shows pixels u8, u16, i16, f16, f32 and f64, got i64", 2)
        self.check_error(["apply", "custom", "in.npy", "-o", "out.png", "--weights", "1"],
                         "out.png: PNG holds 8-bit and unsigned 16-bit pixels, got i64; use --output-pixel u8 or write .npy", 1)
        self.put("in.npy", npy([1, 2, 3], (3,), "<i4"))
        self.check_error(["apply", "box", "in.npy", "-o", "out.npy", "--linear"],
                         "alpha, linear light and gray need pixels u8, u16, i16, f16, f32 or f64, got i32", 2)

    def test_rounding(self):
        self.put("in.png", png([[1, 3, 5, 7]]))
        half = ["apply", "custom", "in.png", "-o", "out.png", "--weights", "0.5"]
        self.run_ok(*half)
        self.assertEqual(flat(read_png(self.get("out.png"))[0]), [(0,), (2,), (2,), (4,)])
        self.run_ok(*half, "--rounding", "half_even")
        self.assertEqual(flat(read_png(self.get("out.png"))[0]), [(0,), (2,), (2,), (4,)])
        self.run_ok(*half, "--rounding", "truncate")
        self.assertEqual(flat(read_png(self.get("out.png"))[0]), [(0,), (1,), (2,), (3,)])

    def test_sum(self):
        self.put("in.npy", npy([1.0, 2.0 ** -30, 1.0], (3,), "<f4"))
        for choice, exact in (("automatic", False), ("f64", True)):
            self.run_ok("apply", "custom", "in.npy", "-o", "out.npy", "--weights", "1 1 -1", "--sum", choice)
            middle = read_npy(self.get("out.npy"))[0][1]
            self.assertEqual(middle == 2.0 ** -30, exact)

    def test_devices_and_threads_agree(self):
        self.put("in.png", png(ROWS))
        results = set()
        for arguments in ([], ["--device", "auto"], ["--device", "cpu"], ["--device", "reference"], ["--threads", 1],
                          ["--threads", 2], ["--threads", 0], ["--tune", "estimate"], ["--tune", "measure"],
                          ["--tune", "measure", "--device", "cpu"]):
            self.run_ok("apply", "custom", "in.png", "-o", "out.png", "--weights", SKEW_TEXT, *arguments)
            results.add(tuple(flat(read_png(self.get("out.png"))[0])))
        self.assertEqual(len(results), 1)


class Colour(ProgramTest):
    """Alpha, light, gray, and what a file carries beside its pixels."""

    def apply(self, rows, filter_name, *arguments, bits=8, chunks=b""):
        self.put("in.png", png(rows, bits, chunks))
        self.run_ok("apply", filter_name, "in.png", "-o", "out.png", *arguments)
        return read_png(self.get("out.png"))

    def test_identity_keeps_every_kind_of_pixel(self):
        for bits, most in ((8, 255), (16, 65535)):
            for channels in (1, 2, 3, 4):
                rows = [[tuple((997 * (x + 3 * y + c) + 1) % most + (c == channels - 1) for c in range(channels))
                         for x in range(5)] for y in range(4)]
                self.assertEqual(self.apply(rows, "identity", bits=bits), (rows, bits))

    def test_channels_are_filtered_apart(self):
        rows = [[(ROWS[y][x], 255 - ROWS[y][x], x) for x in range(9)] for y in range(7)]
        result, _ = self.apply(rows, "custom", "--weights", "0.25 0.5 0.25")
        for c in range(3):
            expected = filtered([[pixel[c] for pixel in row] for row in rows], [[0.25, 0.5, 0.25]])
            self.assertEqual([[pixel[c] for pixel in row] for row in result],
                             [[round(value) for value in row] for row in expected])

    def test_transparent_pixels_do_not_bleed(self):
        rows = [[(10, 200, 30, 255), (10, 200, 30, 255), (255, 0, 255, 0), (255, 0, 255, 0)]] * 3
        result, _ = self.apply(rows, "box", "--border", "replicate")
        for row in result:
            self.assertEqual(row[1], (10, 200, 30, 170))
            self.assertEqual(row[2], (10, 200, 30, 85))

    def test_linear_light(self):
        result, _ = self.apply([[0, 255, 0, 255]], "custom", "--weights", "0.5 0.5 0", "--border", "wrap", "--linear")
        encoded = round(255 * (1.055 * 0.5 ** (1 / 2.4) - 0.055))
        self.assertEqual(flat(result), [(encoded,)] * 4)

    def test_light_is_filtered_as_it_is(self):
        self.put("in.npy", npy([0, 0.5, 1, 0.25], (1, 4)))
        self.run_ok("apply", "identity", "in.npy", "-o", "in.exr")
        for arguments in ([], ["--linear"]):
            self.run_ok("apply", "custom", "in.exr", "-o", "out.npy", "--weights", "0.5 0.5 0", "--border", "wrap", *arguments)
            self.assertEqual(read_npy(self.get("out.npy"))[0], [0.25, 0.75, 0.625, 0.125])

    def test_gray(self):
        rows = [[(250, 10, 40), (0, 0, 255), (9, 99, 199)]]
        result, _ = self.apply(rows, "identity", "--gray")
        self.assertEqual(flat(result), [(round(0.299 * r + 0.587 * g + 0.114 * b),) for r, g, b in rows[0]])
        result, _ = self.apply([[(200, 100, 0, 255), (7, 7, 7, 128)]], "identity", "--gray")
        self.assertEqual(flat(result), [(118, 255), (7, 128)])
        self.put("in.npy", npy([1, 2, 3], (1, 3), "|u1"))
        self.run_ok("apply", "identity", "in.npy", "-o", "out.npy", "--gray")
        self.assertEqual(read_npy(self.get("out.npy")), read_npy(self.get("in.npy")))
        result, _ = self.apply([[1, 2, 3]], "identity", "--gray")
        self.assertEqual(flat(result), [(1,), (2,), (3,)])

    def test_metadata_survives_but_not_a_profile_of_other_colours(self):
        profile = icc_profile(b"RGB ")
        chunks = (png_chunk(b"iCCP", b"test\0\0" + zlib.compress(profile, 0)) +  # libpng takes a short chunk for damage
                  png_chunk(b"pHYs", struct.pack(">IIB", 3937, 7874, 1)))
        self.apply([[(1, 2, 3)]], "identity", chunks=chunks)
        kept = png_chunks(self.get("out.png"))
        self.assertEqual(zlib.decompress(kept[b"iCCP"].split(b"\0", 2)[2]), profile)
        self.assertEqual(struct.unpack(">IIB", kept[b"pHYs"]), (3937, 7874, 1))
        self.apply([[(1, 2, 3)]], "identity", "--gray", chunks=chunks)
        kept = png_chunks(self.get("out.png"))
        self.assertNotIn(b"iCCP", kept)
        self.assertIn(b"pHYs", kept)


class Reports(ProgramTest):
    """What the program tells of its work."""

    def test_timing(self):
        self.put("in.png", png(ROWS))
        stdout, stderr = self.run_ok("apply", "gaussian", "in.png", "-o", "out.png", "--timing")
        self.assertEqual(stdout, b"")
        number = r" +\d+\.\d+"
        self.assertRegex(stderr, f"^read{number} ms\nplan{number} ms\ncompute{number} ms\nwrite{number} ms\ntotal{number} ms\n"
                                 r"\d+\.\d MPix/s, \d+\.\d FPS, \d+\.\d\d GFLOPS\n"
                                 r"device auto: cpu, about [\d.]+ [mu]?s; [^\n]+\n$")

    def check_report(self, report, pages):
        times = report["milliseconds"]
        self.assertEqual(list(times), ["read", "plan", "compute", "write", "total"])
        self.assertAlmostEqual(times["total"], sum(times.values()) - times["total"], places=6)
        pixels, samples = 63 * pages, 63 * pages
        self.assertAlmostEqual(report["mpix_per_second"], pixels / times["compute"] / 1e3, delta=1e-9 * pixels * 1e6)
        self.assertAlmostEqual(report["fps"] * times["total"] / 1e3, pages, places=6)
        self.assertAlmostEqual(report["gflops"] * times["compute"] * 1e6, 2 * 81 * samples, places=3)

    def test_json(self):
        self.put("in.png", png(ROWS))
        stdout, stderr = self.run_ok("apply", "gaussian", "in.png", "-o", "out.png", "--json", "--threads", 1)
        self.assertEqual(stderr, "")
        report = json.loads(stdout)
        self.check_report(report, pages=1)
        self.assertEqual((report["filter"], report["input"], report["output"]), ("gaussian", "in.png", "out.png"))
        self.assertEqual(report["device"], "cpu")
        shape = {"depth": 1, "height": 7, "width": 9, "channels": 1, "pixel": "u8"}
        (page,) = report["pages"]
        self.assertEqual((page["input"], page["output"]), (shape, shape))
        self.assertEqual(len(page["methods"]), 1)
        self.assertIn(page["methods"][0], ("direct", "separable", "box", "low_rank", "fft"))

    def test_json_of_pages_and_pipes(self):
        stdout, stderr = self.run_ok("apply", "gaussian", "-", "-o", "-", "--format", "tiff", "--json", "--device",
                                     "reference", stdin=tiff([ROWS, ROWS]))
        self.assertEqual(tiff_pages(stdout), 2)
        report = json.loads(stderr)
        self.check_report(report, pages=2)
        self.assertEqual(report["device"], "reference")
        self.assertEqual([page["methods"] for page in report["pages"]], [["direct"], ["direct"]])

    def test_the_estimate_counts_linear_light(self):
        self.put("in.png", png([[17] * 2000] * 500))
        def about(*options):
            stderr = self.run_ok("apply", "gaussian", "in.png", "-o", "out.png", "--timing", "--threads", 1, *options)[1]
            number, unit = re.search(r"device auto: cpu, about ([\d.]+) ([mu]?s); ", stderr).groups()
            return float(number) * {"us": 1e-6, "ms": 1e-3, "s": 1}[unit]
        self.assertGreater(about("--linear"), about() + 1e-3)

    def test_explain(self):
        self.put("in.png", png(ROWS))
        stdout, stderr = self.run_ok("apply", "gaussian", "in.png", "-o", "out.png", "--explain")
        self.assertIn("gaussian", stdout.decode())
        self.assertNotIn("colours are", stdout.decode())
        self.assertIn("; expected ", stdout.decode())
        self.assertNotIn(", measured ", stdout.decode())
        self.assertEqual(stderr, "")
        for device in ("auto", "cpu"):
            stdout, _ = self.run_ok("apply", "gaussian", "in.png", "-o", "out.png", "--explain", "--tune", "measure",
                                    "--device", device)
            self.assertRegex(stdout.decode(), r"; expected \S+ [mu]?s, measured \S+ [mu]?s( |\n)")
        self.put("in.png", png([[(1, 2, 3, 4)]]))
        stdout, _ = self.run_ok("apply", "gaussian", "in.png", "-o", "out.png", "--explain", "--linear", "--gray")
        self.assertIn("colours are decoded to linear light, reduced to luma, premultiplied by alpha", stdout.decode())
        self.assertRegex(stdout.decode(), r"rounded once on the way back; expected [\d.]+ [mu]?s beside filtering\n1x1 f32 -> 1x1 f32, ")
        stdout, stderr = self.run_ok("apply", "gaussian", "in.png", "-o", "out.png", "--explain", "--json")
        json.loads(stdout)
        self.assertIn("gaussian", stderr)
        stdout, stderr = self.run_ok("apply", "gaussian", "in.png", "-o", "-", "--explain")
        self.assertEqual(read_png(stdout)[1], 8)
        self.assertIn("gaussian", stderr)


if __name__ == "__main__":
    main()
