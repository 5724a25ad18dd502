"""test_view.py: pictures that can be seen: what is clipped is said, `--view` shows it; files by page and of more formats."""
import json
import pathlib
import re
import struct

from pictures import npy, png, read_npy, read_png
from program import ProgramTest, filtered, flat, main

ROWS = [[(53 * x * x + 31 * y * y + 17 * x * y) % 256 for x in range(24)] for y in range(18)]
DERIVATIVES = ["high_pass", "sobel", "prewitt", "laplacian", "scharr", "gaussian_derivative", "laplacian_of_gaussian"]
SMOOTHING = ["identity", "low_pass", "box", "gaussian", "motion_blur", "disk"]
ASTRONAUT = pathlib.Path(__file__).resolve().parents[2] / "examples" / "astronaut.png"
NOTE = r"apply: (.*); (?:--view (\w+) shows them|edges over- and undershoot; (?:a smaller (\w+) clips less, )?--output-pixel f32 keeps all \(.tif, .exr, .npy\))\n"
# What is to be made smaller where sharpening goes past the range; emboss has nothing of the kind.
SHARPENING = {"sharpen": "strength", "unsharp_mask": "amount"}


def samples(data):
    return [value for row in read_png(data)[0] for pixel in row for value in pixel]


class Clipping(ProgramTest):
    def note(self, *arguments):
        """What stands on stderr."""
        self.put("in.png", png(ROWS))
        return self.run_ok("apply", *arguments, "in.png", "-o", "out.png")[1]

    def exact(self, name, *arguments):
        self.put("wide.npy", npy(flat(ROWS), (len(ROWS), len(ROWS[0])), "<f8"))
        self.run_ok("apply", name, "wide.npy", "-o", "wide_out.npy", *arguments)
        return read_npy(self.get("wide_out.npy"))[0]

    def test_how_much_is_clipped_and_at_which_end(self):
        for name in DERIVATIVES + ["sharpen", "unsharp_mask", "emboss", "edges"]:
            with self.subTest(filter=name):
                values = self.exact(name)
                below = 100 * sum(round(value) < 0 for value in values) / len(values)
                above = 100 * sum(round(value) > 255 for value in values) / len(values)
                self.assertGreater(below + above, 1)
                found = re.fullmatch(NOTE, self.note(name))
                said = {side: (float(share), int(level), int(became)) for share, side, level, became in
                        re.findall(r"([\d.]+)% (?:of the samples )?are (below|above) (\d+) and became (\d+)", found[1])}
                self.assertEqual(set(said), {side for side, share in (("below", below), ("above", above)) if share > 0})
                for side, share, end in (("below", below, 0), ("above", above, 255)):
                    if share > 0:
                        self.assertAlmostEqual(said[side][0], share, delta=0.05 if share < 10 else 0.5)
                        self.assertEqual(said[side][1:], (end, end))
                if name in ("sharpen", "unsharp_mask", "emboss"):
                    self.assertEqual(found.groups()[1:], (None, SHARPENING.get(name)))
                else:
                    self.assertEqual(found[2], "signed" if below > 0 else "stretch")

    def test_what_is_said_of_sharpening_helps(self):
        share = lambda *arguments: sum(float(each) for each in re.findall(r"([\d.]+)%", self.note("unsharp_mask", *arguments)))
        self.assertGreater(share("--amount", 2), share("--amount", 1))
        self.assertGreater(share("--amount", 1), 1)
        self.assertLess(share("--amount", "0.1"), share("--amount", 1))
        self.assertEqual(self.run_ok("apply", "unsharp_mask", "in.png", "-o", "out.tif", "--amount", 2, "--output-pixel", "f32")[1], "")

    def test_the_line_to_the_letter(self):
        self.put("in.png", png([[0, 9, 0, 9, 0, 9, 0, 9]]))
        stderr = self.run_ok("apply", "custom", "in.png", "-o", "out.png", "--weights", "-1 2 0", "--border", "constant")[1]
        self.assertEqual(stderr, "apply: 50% of the samples are below 0 and became 0; edges over- and undershoot; --output-pixel f32 keeps "
                                 "all (.tif, .exr, .npy)\n")
        stderr = self.run_ok("apply", "custom", "in.png", "-o", "out.png", "--weights", "-1 1 0", "--border", "constant")[1]
        self.assertEqual(stderr, "apply: 50% of the samples are below 0 and became 0; --view signed shows them\n")

    def test_nothing_is_said_where_nothing_is_lost(self):
        for name in SMOOTHING:
            self.assertEqual(self.note(name), "")
        self.assertEqual(self.run_ok("apply", "sobel", "in.png", "-o", "out.tif", "--output-pixel", "i16")[1], "")
        for view in ("signed", "stretch"):
            self.assertEqual(self.note("sobel", "--view", view), "")

    def test_beyond_the_fixed_scale_stretch_is_named(self):
        self.assertEqual(self.note("sobel", "--offset", "5000", "--scale", "0"),
                         "apply: 100% of the samples are above 255 and became 255; --view stretch shows them\n")
        for arguments in (("sobel", "--view", "signed", "--scale", "9"), ("sobel", "--scale", "9"), ("sobel", "--view", "abs")):
            self.assertTrue(self.note(*arguments).endswith("; --view stretch shows them\n"))

    def test_black_and_white_that_were_so_before_are_not_clipped(self):
        self.put("in.png", png([[0, 0, 0, 255, 255, 255] * 4] * 6))
        self.assertEqual(self.run_ok("apply", "identity", "in.png", "-o", "out.png")[1], "")
        self.assertEqual(self.run_ok("apply", "sharpen", "in.png", "-o", "out.png", "--strength", 0)[1], "")

    def test_one_percent_is_worth_a_line(self):
        for bright, said in ((10, False), (11, True)):
            self.put("in.png", png([[200] * bright + [100] * (1000 - bright)]))
            stderr = self.run_ok("apply", "identity", "in.png", "-o", "out.png", "--scale", "2")[1]
            self.assertEqual(stderr != "", said, stderr)

    def test_small_ends_are_small(self):
        self.put("in.png", png([[0] * 4999 + [255]]))
        stderr = self.run_ok("apply", "identity", "in.png", "-o", "out.png", "--scale", "2", "--offset", "-1")[1]
        self.assertEqual(stderr, "apply: 100% of the samples are below 0 and became 0, less than 0.1% are above 255 and became "
                                 "255; --view stretch shows them\n")

    def test_with_alpha_light_and_gray(self):
        self.put("in.png", png([[(v, 255 - v, v // 2, 60 + v // 2) for v in row] for row in ROWS]))
        for more in ((), ("--linear",), ("--gray",), ("--linear", "--gray")):
            found = re.fullmatch(NOTE, self.run_ok("apply", "laplacian", "in.png", "-o", "out.png", *more)[1])
            share = float(re.match(r"([\d.]+)%", found[1])[1])
            values = read_png(self.get("out.png"))[0]
            colours = [value for row in values for pixel in row for value in pixel[:-1]]
            self.assertLessEqual(share, 100 * sum(value == 0 for value in colours) / len(colours) + 0.5)
            self.assertGreater(share, 20)

    def test_floats_are_not_clipped(self):
        self.put("in.npy", npy([float(v) for v in flat(ROWS)], (len(ROWS), len(ROWS[0])), "<f4"))
        self.assertEqual(self.run_ok("apply", "sobel", "in.npy", "-o", "out.npy")[1], "")
        stderr = self.run_ok("apply", "sobel", "in.npy", "-o", "out.png", "--output-pixel", "u8")[1]
        self.assertTrue(stderr.endswith("; --view stretch shows them\n"), stderr)

    def test_where_it_was_counted_it_has_a_phase(self):
        self.put("in.png", png(ROWS))
        for name, counted in (("sobel", True), ("box", False)):
            report = json.loads(self.run_ok("apply", name, "in.png", "-o", "out.png", "--json")[0])
            self.assertEqual("count" in report["milliseconds"], counted)

    def test_a_report_on_stderr_holds_the_line(self):
        self.put("in.png", png(ROWS))
        stdout, stderr = self.run_ok("apply", "sobel", "in.png", "-o", "out.png", "--json")
        self.assertEqual(f"apply: {json.loads(stdout)['note']}\n", stderr)
        report = json.loads(self.run_ok("apply", "sobel", "in.png", "-o", "-", "--json")[1])
        self.assertEqual(f"apply: {report['note']}\n", stderr)


class View(ProgramTest):
    def view(self, kind, name, *arguments, rows=None, bits=8):
        self.put("in.png", png(ROWS if rows is None else rows, bits))
        stderr = self.run_ok("apply", name, "in.png", "-o", "out.png", "--view", kind, *arguments)[1]
        return samples(self.get("out.png")), stderr

    def test_seven_filters_can_be_seen(self):
        for name in DERIVATIVES:
            with self.subTest(filter=name):
                self.run_ok("apply", name, ASTRONAUT, "-o", "plain.ppm")
                black = self.get("plain.ppm")
                self.assertGreater(black.count(0) / len(black), 0.4)
                for view in ("signed", "stretch"):
                    _, stderr = self.run_ok("apply", name, ASTRONAUT, "-o", "shown.ppm", "--view", view)
                    self.assertEqual(stderr, "")
                    shown = self.get("shown.ppm")
                    self.assertLess((shown.count(0) + shown.count(255)) / len(shown), 0.001)
                    self.assertGreater(sum(shown) / len(shown), 60)

    def test_signed(self):
        sobel = flat(filtered(ROWS, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], correlate=True))
        shown, stderr = self.view("signed", "sobel")
        self.assertEqual(stderr, "")
        for value, level in zip(sobel, shown):
            self.assertAlmostEqual(level, 128 + 127 * value / 1020, delta=0.51)
        for value, level in zip(sobel, self.view("signed", "sobel", "--scale", 3)[0]):
            self.assertAlmostEqual(level, min(255, max(0, 128 + 3 * 127 * value / 1020)), delta=0.51)

    def test_abs_and_stretch(self):
        laplacian = flat(filtered(ROWS, [[0, 1, 0], [1, -4, 1], [0, 1, 0]]))
        self.assertEqual(self.view("abs", "laplacian")[0], [min(255, abs(round(value))) for value in laplacian])
        low, high = min(laplacian), max(laplacian)
        for value, level in zip(laplacian, self.view("stretch", "laplacian")[0]):
            self.assertAlmostEqual(level, 255 * (value - low) / (high - low), delta=0.51)

    def test_sixteen_bits(self):
        deep = [[257 * v for v in row] for row in ROWS]
        sobel = flat(filtered(deep, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], correlate=True))
        for value, level in zip(sobel, self.view("signed", "sobel", rows=deep, bits=16)[0]):
            self.assertAlmostEqual(level, 32768 + 32767 * value / (4 * 65535), delta=0.6)
        shown = self.view("stretch", "sobel", rows=deep, bits=16)[0]
        self.assertEqual((min(shown), max(shown)), (0, 65535))

    def test_alpha_stays(self):
        rows = [[(v, 255 - v, v // 2, (7 * v + 50) % 256) for v in row] for row in ROWS]
        for kind in ("signed", "abs", "stretch"):
            self.assertEqual(self.view(kind, "sobel", rows=rows)[0][3::4], flat([[p[3] for p in row] for row in rows]))

    def test_pages_are_stretched_each_by_itself(self):
        # A PNM of two pages: the second has half the contrast of the first.
        self.put("in.pgm", b"P5 4 1 255\n\x00\xff\x00\xff" + b"P5 4 1 255\n\x00\x7f\x00\x7f")
        self.run_ok("apply", "identity", "in.pgm", "-o", "out.tif", "--view", "stretch")
        for page in (1, 2):
            self.run_ok("apply", "identity", "out.tif", "-o", "page.png", "--page", page)
            self.assertEqual(samples(self.get("page.png")), [0, 255, 0, 255])

    def test_compare_and_explain(self):
        self.put("in.png", png(ROWS))
        stdout, _ = self.run_ok("apply", "sobel", "in.png", "-o", "out.png", "--view", "signed", "--explain",
                                "--compare", "both.png")
        self.assertIn("view signed: round(0.12451 * result + 128)\n", stdout.decode())
        both = read_png(self.get("both.png"))[0]
        right = [pixel[0] for row in both for pixel in row[len(ROWS[0]) + 8:]]
        self.assertEqual(right, samples(self.get("out.png")))

    def test_floats_hold_0_to_1(self):
        self.put("in.npy", npy([v / 255 for v in flat(ROWS)], (len(ROWS), len(ROWS[0])), "<f4"))
        self.run_ok("apply", "sobel", "in.npy", "-o", "out.npy", "--view", "signed")
        values, _, _ = read_npy(self.get("out.npy"))
        sobel = flat(filtered(ROWS, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], correlate=True))
        for value, wanted in zip(values, sobel):
            self.assertAlmostEqual(value, 0.5 + 0.5 * wanted / 255 / 4, delta=1e-5)

    def test_wrong_usage(self):
        self.put("in.png", png(ROWS))
        self.check_error(["apply", "sobel", "in.png", "-o", "o.png", "--view", "sign"],
                         "unknown view 'sign'; choose from signed, abs, stretch; did you mean 'signed'?", 2)


class Formats(ProgramTest):
    PPM = b"P6 2 1 255\n\x01\x02\x03\x04\x05\x06"

    def test_pnm_and_bmp_there_and_back(self):
        self.put("in.ppm", self.PPM)
        for name in ("a.bmp", "a.pnm", "a.png"):
            self.run_ok("apply", "identity", "in.ppm", "-o", name)
            self.run_ok("apply", "identity", name, "-o", "back.ppm")
            self.assertEqual(self.get("back.ppm"), b"P6\n2 1\n255\n\x01\x02\x03\x04\x05\x06")
        stdout, _ = self.run_ok("apply", "identity", "-", "-o", "-", "--format", "pnm", stdin=self.PPM)
        self.assertEqual(stdout, b"P6\n2 1\n255\n\x01\x02\x03\x04\x05\x06")

    def test_pfm(self):
        self.put("in.pfm", b"Pf\n2 1\n-1.0\n" + struct.pack("<2f", 0.25, 3))
        self.run_ok("apply", "identity", "in.pfm", "-o", "out.pfm", "--scale", 2)
        self.assertEqual(self.get("out.pfm"), b"Pf\n2 1\n-1.0\n" + struct.pack("<2f", 0.5, 6))

    def test_pictures_of_a_gif_by_page(self):
        # Two pictures of 1 x 1, of colour 1 and 2.
        head = b"GIF89a\1\0\1\0\x91\0\0" + bytes([0, 0, 0, 200, 0, 0, 0, 200, 0, 0, 0, 200])
        picture = b",\0\0\0\0\1\0\1\0\0\2\2"
        left_out = "in.gif has 2 pictures, of which the first is filtered; say --page 1, or which, from 1 to 2; halation video filters all, by ffmpeg"
        self.put("in.gif", head + picture + b"\x4c\1\0" + picture + b"\x54\1\0;")
        for page, wanted in ((None, (200, 0, 0)), (1, (200, 0, 0)), (2, (0, 200, 0))):
            _, said = self.run_ok("apply", "identity", "in.gif", "-o", "out.png", *(("--page", page) if page else ()))
            self.assertEqual(tuple(samples(self.get("out.png"))), wanted)
            self.assertEqual(said, "" if page else f"apply: {left_out}\n")
        stdout, _ = self.run_ok("apply", "identity", "in.gif", "-o", "out.png", "--json")
        self.assertEqual(json.loads(stdout)["left_out"], left_out)
        self.check_error(["apply", "identity", "in.gif", "-o", "o.png", "--page", "3"],
                         "in.gif: page 3 was asked for, the file has 2", 2)
        self.check_error(["apply", "identity", "in.gif", "-o", "o.png", "--page", "0"],
                         "--page must be a whole number from 1 to 1073741824, got '0'", 2)

    def test_heic_is_refused_by_name(self):
        sentence = "HEIC is left out, for its decoder is under the GPL; use AVIF, JPEG or PNG"
        self.put("in.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic")
        self.check_error(["apply", "identity", "in.heic", "-o", "o.png"], f"in.heic: {sentence}", 1)
        self.put("in.png", png(ROWS))
        self.check_error(["apply", "identity", "in.png", "-o", "o.heic"], f"o.heic: {sentence}", 1)

    def test_gif_is_read_alone(self):
        self.put("in.png", png(ROWS))
        done = self.start("apply", "identity", "in.png", "-o", "o.gif")
        self.assertRegex(done.stderr.decode(), r"\Ahalation: o.gif: GIF is read, not written; formats written: png, jpeg, ")
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    main()
