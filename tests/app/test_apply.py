"""test_apply.py: every flag of `halation apply` does what its help says."""
import json
import math
import re
import struct
import unittest
import zlib

from pictures import (icc_profile, npy, png, png_chunk, png_chunks, read_npy, read_png, tiff, tiff_pages)
from program import ProgramTest, filtered, flat, main

ROWS = [[(7 * x * x + 13 * y * x + 29 * y + 5) % 251 for x in range(9)] for y in range(7)]
SHAPE = (7, 9)
SKEW = [[1, 2, -3], [4, 5, 6], [-7, 8, 10]]  # no symmetry hides a flip
SKEW_TEXT = "1 2 -3; 4 5 6; -7 8 10"


def gaussian(sigma, radius=None):
    radius = max(1, int(4 * sigma + 0.5)) if radius is None else radius
    weights = [math.exp(-i * i / (2 * sigma * sigma)) for i in range(-radius, radius + 1)]
    return [weight / sum(weights) for weight in weights]


def outer(column, row):
    return [[a * b for b in row] for a in column]


class Filters(ProgramTest):
    """Filters by name and by weights, with the parameters that they take."""

    def check(self, filter_name, arguments, weights, correlate=True):
        values, shape = self.apply_to_array(flat(ROWS), SHAPE, filter_name, *arguments)
        self.assertEqual(shape, SHAPE)
        self.assert_close(values, flat(filtered(ROWS, weights, correlate=correlate)), 1e-9)

    def test_sharpen_has_xfilters_coefficients(self):
        a = 0.8
        side = -a / (9 - 9 * a)
        self.check("sharpen", ["--strength", "0.8"],
                   [[side] * 3, [side, (9 - a) / (9 - 9 * a), side], [side] * 3])

    def test_low_pass_divides(self):
        self.check("low_pass", ["--divisor", 12], [[1 / 12] * 3] * 3)

    def test_high_pass_takes_no_parameter(self):
        self.check("high_pass", [], [[-1] * 3, [-1, 8, -1], [-1] * 3])

    def test_gaussian_sigma_for_all_axes(self):
        self.check("gaussian", ["--sigma", 1.25], outer(gaussian(1.25), gaussian(1.25)))

    def test_gaussian_sigma_by_axis(self):
        self.check("gaussian", ["--sigma", "2,0.5"], outer(gaussian(2), gaussian(0.5)))

    def test_slides_gaussian(self):
        self.check("gaussian", ["--sigma", 3, "--radius", 3], outer(gaussian(3, 3), gaussian(3, 3)))

    def test_box_size_by_axis(self):
        self.check("box", ["--size", "3,5"], [[1 / 15] * 5] * 3)

    def test_sobel_axis(self):
        self.check("sobel", ["--axis", "y"], [[-1, -2, -1], [0, 0, 0], [1, 2, 1]])

    def test_derivative_orders(self):
        slope = [i / 0.8 / 0.8 * w for i, w in zip(range(-3, 4), gaussian(0.8))]
        for spelling in ("order-", "order_"):
            self.check("gaussian_derivative", ["--sigma", 0.8, f"--{spelling}x", 0, f"--{spelling}y", 1],
                       outer(slope, gaussian(0.8)))

    def test_every_parameter_of_every_filter_changes_the_result(self):
        other = {"strength": "0.3", "divisor": "5", "size": "5", "sigma": "2", "radius": "2", "order-x": "2",
                 "order-y": "1", "axis": "y", "neighbours": "8", "amount": "3", "angle": "90", "length": "4"}
        listed = self.run_ok("filters")[0].decode()
        names = [line.split()[0] for line in listed.splitlines() if not line.startswith(" ")]
        self.assertEqual(names[-1], "custom")
        seen = set()
        for name in names[:-1]:
            explained = self.run_ok("filters", name)[0].decode()
            before = self.apply_to_array(flat(ROWS), SHAPE, name)[0]
            for parameter in re.findall(r"^--(\S+)", explained, re.MULTILINE):
                if parameter == "order-z":  # must be 0 in two dimensions
                    continue
                with self.subTest(filter=name, parameter=parameter):
                    seen.add(parameter)
                    after = self.apply_to_array(flat(ROWS), SHAPE, name, f"--{parameter}", other[parameter])[0]
                    self.assertNotEqual(before, after)
        self.assertEqual(seen, set(other))

    def test_order_z_in_a_volume(self):
        values = [float(z * z) for z in range(5) for _ in range(9)]
        result, _ = self.apply_to_array(values, (5, 3, 3), "gaussian_derivative", "--sigma", 0.5, "--order-x", 0,
                                        "--order-z", 1, "--border", "replicate")
        self.assertGreater(result[2 * 9 + 4], 1)  # brightness rises along z

    def test_edges_is_the_length_of_the_gradient(self):
        along_x = flat(filtered(ROWS, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], correlate=True))
        along_y = flat(filtered(ROWS, [[-1, -2, -1], [0, 0, 0], [1, 2, 1]], correlate=True))
        values, _ = self.apply_to_array(flat(ROWS), SHAPE, "edges")
        self.assert_close(values, [math.hypot(x, y) for x, y in zip(along_x, along_y)], 1e-9)

    def test_custom_weights_as_text(self):
        self.check("custom", ["--weights", SKEW_TEXT], SKEW, correlate=False)

    def test_custom_weights_may_begin_with_a_minus(self):
        self.check("custom", ["--weights", "-1 2 -0.5"], [[-1, 2, -0.5]], correlate=False)
        self.check("custom", ["--weights=-1 2 -0.5"], [[-1, 2, -0.5]], correlate=False)

    def test_custom_weights_from_a_text_file(self):
        self.put("weights.txt", b"1, 2, -3\n4 5 6\n-7 8 10\n")
        self.check("custom", ["--weights", "weights.txt"], SKEW, correlate=False)

    def test_custom_weights_from_arrays(self):
        for descr in ("<f8", "<f4", "<i2"):
            self.put("weights.npy", npy(flat(SKEW), (3, 3), descr))
            self.check("custom", ["--weights", "weights.npy"], SKEW, correlate=False)
        self.put("row.npy", npy([1, -2, 4], (3,), "<f8"))
        self.check("custom", ["--weights", "row.npy"], [[1, -2, 4]], correlate=False)

    def test_custom_weights_of_three_axes(self):
        self.put("weights.npy", npy([1, 10, 100], (3, 1, 1), "<f8"))
        values, shape = self.apply_to_array([1, 2, 3, 4], (4, 1, 1), "custom", "--weights", "weights.npy", "--border",
                                            "constant")
        self.assertEqual(shape, (4, 1, 1))
        self.assert_close(values, [12, 123, 234, 340])

    def test_worked_example(self):
        rows = [list(range(1 + y, 8 + y)) for y in range(3)] + [
            [4, 5, 6, 7, 8, 5, 6], [5, 6, 7, 8, 5, 6, 7], [6, 7, 8, 9, 0, 1, 2], [7, 8, 9, 0, 1, 2, 3]]
        values, _ = self.apply_to_array(flat(rows), (7, 7), "custom", "--weights",
                                        "1 2 3 2 1; 2 3 4 3 2; 3 4 5 4 3; 2 3 4 3 2; 1 2 3 2 1")
        self.assertEqual(values[2 * 7 + 2], 321)

    def test_signal_of_one_axis(self):
        values, shape = self.apply_to_array([1, 2, 4, 8], (4,), "custom", "--weights", "1 2 3")
        self.assertEqual(shape, (4,))
        self.assert_close(values, flat(filtered([[1, 2, 4, 8]], [[1, 2, 3]])))


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
        for pixel, kind in (("i16", "i2"), ("f32", "f4"), ("f64", "f8")):
            self.run_ok("apply", "custom", "in.png", "-o", "out.npy", "--weights", SKEW_TEXT, "--output-pixel", pixel)
            values, _, found = read_npy(self.get("out.npy"))
            self.assertEqual(found, kind)
            self.assertEqual(values, expected)

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


class Files(ProgramTest):
    """Formats, pages, pipes, the picture of both."""

    def test_layout(self):
        values = [float(i * i % 17) for i in range(24)]
        box = ["box", "--size", "1,3", "--border", "replicate"]
        _, shape = self.apply_to_array(values, (2, 4, 3), *box[:1], "--size", "1,1,3", "--border", "replicate")
        self.assertEqual(shape, (2, 4, 3))
        volume = read_npy(self.get("out.npy"))[0]
        self.assert_close(volume, flat(filtered([values[i:i + 3] for i in range(0, 24, 3)], [[1 / 3] * 3], "replicate")))
        colours, shape = self.apply_to_array(values, (2, 4, 3), *box, "--layout", "hwc")
        self.assertEqual(shape, (2, 4, 3))
        for c in range(3):
            plane = [[values[(y * 4 + x) * 3 + c] for x in range(4)] for y in range(2)]
            self.assert_close(colours[c::3], flat(filtered(plane, [[1 / 3] * 3], "replicate")))

    def test_every_page_is_filtered(self):
        pages = [[[10, 20], [30, 40]], [[200, 100, 50]], [[6], [8]]]
        self.put("in.tif", tiff(pages))
        self.run_ok("apply", "custom", "in.tif", "-o", "out.tif", "--weights", "0.5", "--json")
        self.assertEqual(tiff_pages(self.get("out.tif")), 3)
        out, _ = self.run_ok("apply", "custom", "out.tif", "-o", "again.tif", "--weights", "2", "--json")
        shapes = [(page["input"]["height"], page["input"]["width"]) for page in json.loads(out)["pages"]]
        self.assertEqual(shapes, [(2, 2), (1, 3), (2, 1)])
        for name, factor in (("out.tif", 0.5), ("again.tif", 1)):
            for page in pages:
                self.assertIn(bytes(int(value * factor) for value in flat(page)), self.uncompressed(name))

    def uncompressed(self, name):
        """The pixels of all pages, one after another, whichever lossless compression the TIFF has."""
        self.run_ok("apply", "identity", name, "-o", "plain.tif")
        data, at, pixels = self.get("plain.tif"), 0, b""
        at = struct.unpack("<I", data[4:8])[0]
        while at:
            (count,) = struct.unpack("<H", data[at:at + 2])
            entries = {}
            for i in range(count):
                tag, kind, _, value = struct.unpack("<HHII", data[at + 2 + 12 * i:at + 14 + 12 * i])
                entries[tag] = value & 0xFFFF if kind == 3 else value
            strip = data[entries[273]:entries[273] + entries[279]]
            strip = zlib.decompress(strip) if entries[259] in (8, 32946) else strip
            if entries.get(317, 1) == 2:
                width = entries[256]
                rows = [bytearray(strip[i:i + width]) for i in range(0, len(strip), width)]
                for row in rows:
                    for x in range(1, width):
                        row[x] = (row[x] + row[x - 1]) & 255
                strip = b"".join(bytes(row) for row in rows)
            pixels += strip
            at = struct.unpack("<I", data[at + 2 + 12 * count:at + 6 + 12 * count])[0]
        return pixels

    def test_pipes(self):
        stdout, _ = self.run_ok("apply", "custom", "-", "-o", "-", "--weights", SKEW_TEXT, "--scale", "0.04",
                                stdin=png(ROWS))
        self.put("in.png", png(ROWS))
        self.run_ok("apply", "custom", "in.png", "-o", "out.png", "--weights", SKEW_TEXT, "--scale", "0.04")
        self.assertEqual(stdout, self.get("out.png"))

    def test_format(self):
        beginnings = {"png": b"\x89PNG", "jpeg": b"\xff\xd8\xff", "tiff": b"II*\0", "webp": b"RIFF", "npy": b"\x93NUMPY"}
        for name, beginning in beginnings.items():
            stdout, _ = self.run_ok("apply", "identity", "-", "-o", "-", "--format", name, stdin=png(ROWS))
            self.assertTrue(stdout.startswith(beginning), stdout[:8])
        self.put("in.png", png(ROWS))
        self.run_ok("apply", "identity", "in.png", "-o", "out.bin", "--format", "webp")
        self.assertTrue(self.get("out.bin").startswith(b"RIFF"))
        stdout, _ = self.run_ok("apply", "identity", "in.png", "-o", "-", "--format", "exr", "--output-pixel", "f16")
        self.assertTrue(stdout.startswith(b"\x76\x2f\x31\x01"))

    def test_quality(self):
        self.put("in.png", png(ROWS))
        sizes = []
        for quality in (5, 50, 100):
            self.run_ok("apply", "identity", "in.png", "-o", "out.jpg", "--quality", quality)
            sizes.append(len(self.get("out.jpg")))
        self.assertEqual(sizes, sorted(set(sizes)))
        self.run_ok("apply", "identity", "in.png", "-o", "out.webp")
        self.assertIn(b"VP8L", self.get("out.webp"))
        self.run_ok("apply", "identity", "in.png", "-o", "out.webp", "--quality", 50)
        self.assertNotIn(b"VP8L", self.get("out.webp"))

    def test_input_may_be_replaced(self):
        self.put("photo.png", png([[10, 20]]))
        self.run_ok("apply", "custom", "photo.png", "-o", "photo.png", "--weights", "2")
        self.assertEqual(flat(read_png(self.get("photo.png"))[0]), [(20,), (40,)])

    def test_files_may_be_named_like_commands(self):
        self.put("filters", png([[10, 20]]))
        self.run_ok("apply", "identity", "filters", "-o", "out.png")
        self.assertEqual(read_png(self.get("out.png"))[0], [[(10,), (20,)]])

    def compare(self, rows, *arguments, bits=8):
        self.put("in.png", png(rows, bits))
        self.run_ok("apply", "custom", "in.png", "-o", "out.npy", "--compare", "both.png", *arguments)
        return read_png(self.get("both.png"))

    def test_compare(self):
        rows, bits = self.compare([[10, 20], [30, 40]], "--weights", "2")
        self.assertEqual(bits, 8)
        gap = [(255,)] * 8
        self.assertEqual(rows, [[(10,), (20,), *gap, (20,), (40,)], [(30,), (40,), *gap, (60,), (80,)]])

    def test_compare_16_bit(self):
        rows, bits = self.compare([[257 * 10, 257 * 20]], "--weights", "3", bits=16)
        self.assertEqual(bits, 8)
        self.assertEqual(rows[0], [(10,), (20,)] + [(255,)] * 8 + [(30,), (60,)])

    def test_compare_keeps_the_scale_of_the_original(self):
        rows, _ = self.compare([[10, 20, 200]], "--weights", "2", "--output-pixel", "f32")
        self.assertEqual(rows[0][-3:], [(20,), (40,), (255,)])
        rows, _ = self.compare([[10, 20, 51]], "--weights", "1", "--output-pixel", "f32", "--scale", 1 / 255)
        self.assertEqual(rows[0][-3:], [(10,), (20,), (51,)])

    def test_compare_floats(self):
        self.put("in.npy", npy([-0.5, 0, 0.2, 1, 7], (1, 5)))
        self.run_ok("apply", "identity", "in.npy", "-o", "out.npy", "--compare", "both.png")
        shown = [(0,), (0,), (51,), (255,), (255,)]
        self.assertEqual(read_png(self.get("both.png"))[0], [shown + [(255,)] * 8 + shown])

    def test_compare_encodes_light(self):
        self.put("in.npy", npy([0, 0.5, 1], (1, 3)))
        self.run_ok("apply", "identity", "in.npy", "-o", "in.exr")
        self.run_ok("apply", "identity", "in.exr", "-o", "out.exr", "--compare", "both.png")
        self.assertEqual(read_png(self.get("both.png"))[0][0][:3], [(0,), (188,), (255,)])

    def test_compare_shows_cmyk_as_rgb(self):
        self.put("in.tif", tiff([[[0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 51]]], samples=4, photometric=5))
        self.run_ok("apply", "identity", "in.tif", "-o", "out.tif", "--compare", "both.png")
        self.assertEqual(read_png(self.get("both.png"))[0][0][:3], [(255, 255, 255), (0, 255, 255), (204, 0, 204)])

    def test_compare_signed(self):
        self.put("in.npy", npy([-32768, 0, 32767], (1, 3), "<i2"))
        self.run_ok("apply", "identity", "in.npy", "-o", "out.npy", "--compare", "both.png")
        self.assertEqual(read_png(self.get("both.png"))[0][0][:3], [(0,), (128,), (255,)])

    def test_compare_sizes_and_colours_that_differ(self):
        pixel = (100, 150, 200, 128)
        self.put("in.png", png([[pixel] * 5] * 5))
        self.run_ok("apply", "box", "in.png", "-o", "out.png", "--extent", "valid", "--gray", "--compare", "both.png")
        rows, _ = read_png(self.get("both.png"))
        self.assertEqual((len(rows), len(rows[0])), (5, 5 + 8 + 3))
        luma = round(0.299 * 100 + 0.587 * 150 + 0.114 * 200)
        self.assertEqual(rows[2], [pixel] * 5 + [(255,) * 4] * 8 + [(luma, luma, luma, 128)] * 3)
        self.assertEqual(rows[0][-3:], [(255,) * 4] * 3)

    def test_compare_shows_the_middle_of_a_volume(self):
        self.put("in.npy", npy([1, 2, 3], (3, 1, 1), "<u1"))
        self.run_ok("apply", "identity", "in.npy", "-o", "out.npy", "--compare", "both.png")
        self.assertEqual(read_png(self.get("both.png"))[0], [[(2,)] + [(255,)] * 8 + [(2,)]])


class Reports(ProgramTest):
    """What the program tells of its work."""

    def test_timing(self):
        self.put("in.png", png(ROWS))
        stdout, stderr = self.run_ok("apply", "gaussian", "in.png", "-o", "out.png", "--timing")
        self.assertEqual(stdout, b"")
        number = r" +\d+\.\d+"
        self.assertRegex(stderr, f"^read{number} ms\nplan{number} ms\ncompute{number} ms\nwrite{number} ms\ntotal{number} ms\n"
                                 r"\d+\.\d MPix/s, \d+\.\d FPS, \d+\.\d\d GFLOPS\n"
                                 r"device auto: cpu, about \d+ ms; [^\n]+\n$")

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
        stdout, stderr = self.run_ok("apply", "gaussian", "in.png", "-o", "out.png", "--explain", "--json")
        json.loads(stdout)
        self.assertIn("gaussian", stderr)
        stdout, stderr = self.run_ok("apply", "gaussian", "in.png", "-o", "-", "--explain")
        self.assertEqual(read_png(stdout)[1], 8)
        self.assertIn("gaussian", stderr)


if __name__ == "__main__":
    main()
