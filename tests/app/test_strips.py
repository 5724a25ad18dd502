"""test_strips.py: files of more than 8 MiB of input and output go through `halation apply` strip by strip, and nothing shows it."""
import array
import os
import random
import re
import resource
import signal
import struct
import subprocess
import zlib

import program
from pictures import PNG_SIGNATURE, npy, png, png_chunk, png_header, tiff, tiff_pages
from program import ProgramTest, main

FAILED, WRONG_USAGE = 1, 2
BORDERS = ("constant", "replicate", "reflect", "reflect101", "wrap")
HEIGHT, WIDTH = 2000, 3000
NOISE = random.Random(7).randbytes(HEIGHT * WIDTH)
# Integers that no flip leaves as they are, with a power of two behind: exact in any precision.
WEIGHTS = "1 2 -3 0 5; 4 5 6 1 -2; -7 8 10 3 0; 0 1 2 -3 4; 9 0 1 1 -5; 2 2 -1 0 3; 1 0 0 2 1"
REACH_Y, REACH_X = 3, 2
CUSTOM = ("custom", "--weights", WEIGHTS, "--scale", "0.0625")


def array_file(data, shape, descr="|u1"):
    """An .npy of raw bytes."""
    return npy([], shape, descr) + data


def content(data):
    """The raw bytes and the shape of an .npy."""
    (length,) = struct.unpack("<H", data[8:10])
    shape = re.search(rb"'shape': \(([\d, ]*)\)", data[10:10 + length])[1]
    return data[10 + length:], tuple(int(extent) for extent in shape.split(b",") if extent.strip())


def picture_file(data, height, width, channels=1):
    """A PNG of raw bytes, which is read whole."""
    stride = width * channels
    raw = b"".join(b"\0" + data[y * stride:(y + 1) * stride] for y in range(height))
    return PNG_SIGNATURE + png_header(width, height, channels) + png_chunk(b"IDAT", zlib.compress(raw, 0)) + png_chunk(b"IEND", b"")


def striped_tiff(data, height, width, rows_per_strip):
    """A gray TIFF whose directory stands in front of its strips."""
    count = -(-height // rows_per_strip)
    offsets_at = 8 + 2 + 12 * 9 + 4
    counts_at = offsets_at + 4 * count
    data_at = counts_at + 4 * count
    strips = [data[y * width:(y + rows_per_strip) * width] for y in range(0, height, rows_per_strip)]
    offsets = [data_at + y * width for y in range(0, height, rows_per_strip)]
    entries = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, count, offsets_at),
               (277, 3, 1, 1), (278, 4, 1, rows_per_strip), (279, 4, count, counts_at)]
    return (b"II*\0" + struct.pack("<IH", 8, len(entries)) + b"".join(struct.pack("<HHII", *entry) for entry in entries) + b"\0\0\0\0" +
            struct.pack(f"<{count}I", *offsets) + struct.pack(f"<{count}I", *(len(strip) for strip in strips)) + data)


class StripTest(ProgramTest):
    def apply(self, name, *arguments, data=NOISE, shape=(HEIGHT, WIDTH), descr="|u1"):
        """Filters an array; the bytes and the shape of the result."""
        self.put("in.npy", array_file(data, shape, descr))
        self.run_ok("apply", name, "in.npy", "-o", "out.npy", *arguments)
        return content(self.get("out.npy"))

    def assert_same(self, found, expected):
        """As assertEqual, which would print megabytes."""
        self.assertEqual(len(found), len(expected))
        if found != expected:
            at = next(i for i, (a, b) in enumerate(zip(found, expected)) if a != b)
            self.fail(f"{sum(a != b for a, b in zip(found, expected))} bytes differ, the first at {at}")

    def assert_nearly_same(self, found, expected):
        """Bytes of which a few are off by one, where floats lie between two levels."""
        self.assertEqual(len(found), len(expected))
        if found != expected:
            off = [abs(a - b) for a, b in zip(found, expected)]
            self.assertLessEqual(max(off), 1)
            self.assertLess(sum(off), len(off) / 1000)

    def strips_of(self, *arguments):
        """How many strips a run goes in, by what it explains."""
        stdout, _ = self.run_ok("apply", *arguments, "--explain")
        return sum(int(count) for count in re.findall(r"^(\d+) strips? of ", stdout.decode(), re.MULTILINE))


class Seams(StripTest):
    """The result is that of the image as a whole."""

    def test_it_is_filtered_in_strips(self):
        self.put("in.npy", array_file(NOISE, (HEIGHT, WIDTH)))
        stdout, _ = self.run_ok("apply", *CUSTOM, "in.npy", "-o", "out.npy", "--explain")
        self.assertRegex(stdout.decode(), rf"\A\d+ strips of \d+x{WIDTH} u8, [123] at a time in \d+\.\d MB of host memory\n")
        self.assertGreater(self.strips_of(*CUSTOM, "in.npy", "-o", "out.npy"), 1)
        self.put("in.png", picture_file(NOISE, HEIGHT, WIDTH))
        self.assertEqual(self.strips_of(*CUSTOM, "in.png", "-o", "out.npy"), 0)
        self.put("little.npy", array_file(NOISE[:1000], (10, 100)))
        self.assertEqual(self.strips_of(*CUSTOM, "little.npy", "-o", "out.npy"), 0)

    def test_memory_changes_no_bit(self):
        for name in (CUSTOM, ("gaussian sigma=3 | unsharp_mask amount=0.5",), ("edges",)):
            wanted, _ = self.apply(*name)
            for memory in ("60M", "24M"):
                found, _ = self.apply(*name, "--memory", memory)
                with self.subTest(name=name[0], memory=memory):
                    self.assert_same(found, wanted)
            with self.subTest(name=name[0]):
                self.assert_same(self.apply(*name, "--threads", "1")[0], wanted)

    def test_rows_around_the_seams(self):
        """Crops are so small that they are filtered whole."""
        length = 400
        for name, reach in ((CUSTOM, REACH_Y), (("box", "--size", "7,3"), 3), (("custom weights='1 2; -1 3' | custom weights='1; -2; 2'", "--scale", "0.125"), 2)):
            result, shape = self.apply(*name)
            self.assertEqual(shape, (HEIGHT, WIDTH))
            for first in range(0, HEIGHT, length - 2 * reach):
                last = min(HEIGHT, first + length)
                crop, _ = self.apply(*name, data=NOISE[first * WIDTH:last * WIDTH], shape=(last - first, WIDTH))
                top = 0 if first == 0 else reach
                bottom = last - first if last == HEIGHT else last - first - reach
                with self.subTest(name=name[0], first=first):
                    self.assert_same(result[(first + top) * WIDTH:(first + bottom) * WIDTH], crop[top * WIDTH:bottom * WIDTH])

    def test_each_border_and_extent(self):
        self.put("in.png", picture_file(NOISE, HEIGHT, WIDTH))
        grown = {"same": 0, "valid": -1, "full": 1}
        for border in BORDERS:
            for extent in grown:
                how = ("--border", border, "--extent", extent)
                found, shape = self.apply(*CUSTOM, *how)
                self.run_ok("apply", *CUSTOM, "in.png", "-o", "whole.npy", *how)
                with self.subTest(border=border, extent=extent):
                    self.assertEqual(shape, (HEIGHT + grown[extent] * 2 * REACH_Y, WIDTH + grown[extent] * 2 * REACH_X))
                    self.assert_same(found, content(self.get("whole.npy"))[0])

    def test_wrap_turns_with_the_image(self):
        result, _ = self.apply(*CUSTOM, "--border", "wrap")
        turned = 777 * WIDTH
        found, _ = self.apply(*CUSTOM, "--border", "wrap", data=NOISE[turned:] + NOISE[:turned])
        self.assert_same(found, result[turned:] + result[:turned])

    def test_ends_of_each_border(self):
        """The first rows and the last ones, each beside the rows that the border repeats."""
        row = [NOISE[y * WIDTH:(y + 1) * WIDTH] for y in range(HEIGHT)]
        beyond = {"constant": [bytes(WIDTH)] * 3, "replicate": [row[0]] * 3, "reflect": row[2::-1], "reflect101": row[3:0:-1],
                  "wrap": row[-3:]}
        below = {"constant": [bytes(WIDTH)] * 3, "replicate": [row[-1]] * 3, "reflect": row[-1:-4:-1], "reflect101": row[-2:-5:-1],
                 "wrap": row[:3]}
        kept = 50
        for border in BORDERS:
            result, _ = self.apply(*CUSTOM, "--border", border)
            for rows, part in ((beyond[border] + row[:kept + 3], result[:kept * WIDTH]),
                               (row[-kept - 3:] + below[border], result[-kept * WIDTH:])):
                found, _ = self.apply(*CUSTOM, "--border", border, data=b"".join(rows), shape=(kept + 6, WIDTH))
                with self.subTest(border=border):
                    self.assert_same(found[3 * WIDTH:-3 * WIDTH], part)

    def test_correlation_anchor_and_offset(self):
        self.put("in.png", picture_file(NOISE, HEIGHT, WIDTH))
        for how in (("--correlate",), ("--anchor", "6,0"), ("--anchor", "0,4", "--offset", "-40", "--rounding", "truncate"),
                    ("--output-pixel", "i16")):
            self.run_ok("apply", *CUSTOM, "in.png", "-o", "whole.npy", *how)
            with self.subTest(how=how):
                self.assert_same(self.apply(*CUSTOM, *how)[0], content(self.get("whole.npy"))[0])

    def test_floats(self):
        height, width = 1200, 1500
        values = array.array("f", (((7 * i * i) % 1009) / 1009 for i in range(height * width)))
        result = array.array("f", self.apply("gaussian", "--sigma", "2", data=values.tobytes(), shape=(height, width), descr="<f4")[0])
        again, _ = self.apply("gaussian", "--sigma", "2", "--memory", "40M", data=values.tobytes(), shape=(height, width), descr="<f4")
        self.assert_same(again, result.tobytes())
        for first in range(0, height - 100, 250):
            rows = values[first * width:(first + 100) * width].tobytes()
            crop = array.array("f", self.apply("gaussian", "--sigma", "2", data=rows, shape=(100, width), descr="<f4")[0])
            for found, wanted in zip(result[(first + 8) * width:(first + 92) * width:7], crop[8 * width:92 * width:7]):
                self.assertAlmostEqual(found, wanted, delta=2e-6)


class Kinds(StripTest):
    """Volumes, signals, colours, pages and formats."""

    def test_volumes(self):
        depth, height, width = 50, 300, 400
        volume, plane = NOISE[:depth * height * width], height * width
        for border in BORDERS:
            result, shape = self.apply("box", "--size", "5,3,3", "--border", border, data=volume, shape=(depth, height, width))
            self.assertEqual(shape, (depth, height, width))
            for first in range(0, depth, 20):
                last = min(depth, first + 24)
                crop, _ = self.apply("box", "--size", "5,3,3", "--border", border, data=volume[first * plane:last * plane],
                                     shape=(last - first, height, width))
                top = 2 if first > 0 or border == "wrap" else 0
                bottom = last - first - (2 if last < depth or border == "wrap" else 0)
                with self.subTest(border=border, first=first):
                    self.assert_same(result[(first + top) * plane:(first + bottom) * plane], crop[top * plane:bottom * plane])
        turned = 23 * plane
        found, _ = self.apply("box", "--size", "5,3,3", "--border", "wrap", data=volume[turned:] + volume[:turned],
                              shape=(depth, height, width))
        self.assert_same(found, result[turned:] + result[:turned])
        _, shape = self.apply("box", "--size", "5,3,3", "--extent", "valid", data=volume, shape=(depth, height, width))
        self.assertEqual(shape, (depth - 4, height - 2, width - 2))
        _, shape = self.apply("box", "--size", "5,3,3", "--extent", "full", data=volume, shape=(depth, height, width))
        self.assertEqual(shape, (depth + 4, height + 2, width + 2))

    def test_signals(self):
        signal_, name = NOISE, ("custom", "--weights", "1 2 -3 4 5 -6 7", "--scale", "0.125")
        for border in BORDERS:
            result, shape = self.apply(*name, "--border", border, data=signal_, shape=(len(signal_),))
            self.assertEqual(shape, (len(signal_),))
            for first in range(0, len(signal_), 950000):
                last = min(len(signal_), first + 1000000)
                crop, _ = self.apply(*name, "--border", border, data=signal_[first:last], shape=(last - first,))
                top = 3 if first > 0 or border == "wrap" else 0
                bottom = last - first - (3 if last < len(signal_) or border == "wrap" else 0)
                with self.subTest(border=border, first=first):
                    self.assert_same(result[first + top:first + bottom], crop[top:bottom])
        self.put("in.npy", array_file(signal_, (len(signal_),)))
        self.assertGreater(self.strips_of(*name, "in.npy", "-o", "out.npy"), 1)

    def test_channels_of_an_array(self):
        height, width = 1000, 2000
        data = NOISE[:3 * height * width]
        result, shape = self.apply("box", "--layout", "hwc", data=data, shape=(height, width, 3))
        self.assertEqual(shape, (height, width, 3))
        for channel in range(3):
            plane, _ = self.apply("box", data=data[channel::3], shape=(height, width))
            self.assert_same(result[channel::3], plane)

    def test_alpha(self):
        height, width = 1000, 1500
        self.put("in.png", picture_file(NOISE, height, width, 4))
        self.run_ok("apply", "identity", "in.png", "-o", "in.tif")
        chain = "box size=5 | unsharp_mask amount=0.25"
        for name, how in (("gaussian", ()), (chain, ("--linear",)), ("gaussian", ("--gray",)), (chain, ())):
            self.run_ok("apply", name, "in.tif", "-o", "out.tif", *how)
            self.run_ok("apply", name, "in.tif", "-o", "short.tif", "--memory", "120M", *how)
            self.run_ok("apply", name, "in.png", "-o", "whole.npy", *how)
            self.run_ok("apply", "identity", "out.tif", "-o", "out.npy")
            found, shape = content(self.get("out.npy"))
            with self.subTest(name=name, how=how):
                self.assert_same(self.get("short.tif"), self.get("out.tif"))
                self.assertEqual(shape, (height, width, 2 if how == ("--gray",) else 4))
                self.assert_nearly_same(found, content(self.get("whole.npy"))[0])
        self.assertGreater(self.strips_of("gaussian", "in.tif", "-o", "out.tif"), 1)
        stdout, _ = self.run_ok("apply", "gaussian", "in.tif", "-o", "out.tif", "--explain")
        self.assertIn("colours are premultiplied by alpha", stdout.decode())

    def test_pages_of_different_shapes(self):
        sizes = [(1500, 2000), (30, 41), (2000, 1400), (2000, 1400)]
        pages = [NOISE[at:at + height * width] for at, (height, width) in enumerate(sizes)]
        self.put("in.tif", tiff([[page[y * width:(y + 1) * width] for y in range(height)]
                                 for page, (height, width) in zip(pages, sizes)]))
        self.run_ok("apply", *CUSTOM, "in.tif", "-o", "out.tif")
        self.assertEqual(tiff_pages(self.get("out.tif")), len(sizes))
        for number, (page, shape) in enumerate(zip(pages, sizes), 1):
            self.run_ok("apply", "identity", "out.tif", "-o", "page.npy", "--page", number)
            found, found_shape = content(self.get("page.npy"))
            self.put("page.png", picture_file(page, *shape))
            self.run_ok("apply", *CUSTOM, "page.png", "-o", "whole.npy")
            with self.subTest(page=number):
                self.assertEqual(found_shape, shape)
                self.assert_same(found, content(self.get("whole.npy"))[0])
        self.assertGreaterEqual(self.strips_of(*CUSTOM, "in.tif", "-o", "out.tif"), 3)

    def test_there_and_back(self):
        self.put("in.npy", array_file(NOISE, (HEIGHT, WIDTH)))
        self.run_ok("apply", "identity", "in.npy", "-o", "there.tif")
        self.run_ok("apply", "identity", "there.tif", "-o", "back.npy")
        self.assert_same(content(self.get("back.npy"))[0], NOISE)
        self.put("in.tif", striped_tiff(NOISE, HEIGHT, WIDTH, 70))
        self.run_ok("apply", "identity", "in.tif", "-o", "back.npy")
        self.assert_same(content(self.get("back.npy"))[0], NOISE)
        height, width = 1100, 1000
        floats = array.array("f", (((11 * i * i) % 1013) / 97 - 5 for i in range(height * width))).tobytes()
        self.put("in.npy", array_file(floats, (height, width), "<f4"))
        for name in ("there.exr", "there.tif"):
            self.run_ok("apply", "identity", "in.npy", "-o", name)
            self.run_ok("apply", "identity", name, "-o", "back.npy")
            self.assert_same(content(self.get("back.npy"))[0], floats)

    def test_a_file_is_the_same_whichever_way_it_was_written(self):
        """Of a PNG the result is written whole."""
        self.put("in.npy", array_file(NOISE, (HEIGHT, WIDTH)))
        self.put("in.png", picture_file(NOISE, HEIGHT, WIDTH))
        for ending in (".npy", ".tif"):
            self.run_ok("apply", *CUSTOM, "in.npy", "-o", "parts" + ending)
            self.run_ok("apply", *CUSTOM, "in.png", "-o", "whole" + ending)
            self.assert_same(self.get("parts" + ending), self.get("whole" + ending))

    def test_pipes_and_the_input_s_own_place(self):
        data = array_file(NOISE, (HEIGHT, WIDTH))
        self.put("in.npy", data)
        self.run_ok("apply", *CUSTOM, "in.npy", "-o", "out.npy")
        expected = self.get("out.npy")
        self.assert_same(self.run_ok("apply", *CUSTOM, "in.npy", "-o", "-", "--format", "npy")[0], expected)
        self.assert_same(self.run_ok("apply", *CUSTOM, "-", "-o", "-", "--format", "npy", stdin=data)[0], expected)
        self.run_ok("apply", *CUSTOM, "-", "-o", "out.npy", stdin=data)
        self.assert_same(self.get("out.npy"), expected)
        self.run_ok("apply", *CUSTOM, "in.npy", "-o", "in.npy")
        self.assert_same(self.get("in.npy"), expected)


class Reports(StripTest):
    """Views, notes and timings."""

    def test_views(self):
        name = ("laplacian",)
        wide = array.array("h", self.apply(*name, "--output-pixel", "i16")[0])
        low, high = min(wide), max(wide)
        self.put("in.png", picture_file(NOISE, HEIGHT, WIDTH))
        for view, level in (("stretch", lambda v: 255 * (v - low) / (high - low)), ("abs", lambda v: min(255, abs(v))),
                            ("signed", lambda v: 128 + 127 * v / 1020)):
            found, _ = self.apply(*name, "--view", view)
            self.run_ok("apply", *name, "in.png", "-o", "whole.npy", "--view", view)
            with self.subTest(view=view):
                self.assert_nearly_same(found, content(self.get("whole.npy"))[0])
                for value, shown in zip(wide[::101], found[::101]):
                    self.assertAlmostEqual(shown, level(value), delta=0.51)
                self.assert_same(self.apply(*name, "--view", view, "--memory", "200M")[0], found)
        stdout, _ = self.run_ok("apply", *name, "in.npy", "-o", "out.npy", "--view", "signed", "--explain")
        self.assertIn("view signed: round(0.12451 * result + 128)\n", stdout.decode())

    def test_clipping_is_told_as_of_small_files(self):
        self.put("in.npy", array_file(NOISE, (HEIGHT, WIDTH)))
        self.put("in.png", picture_file(NOISE, HEIGHT, WIDTH))
        for name in (("sharpen",), ("sobel",), ("custom", "--weights", "2"), ("custom", "--weights", "1.01"), ("box | sharpen",), ("box",)):
            _, found = self.run_ok("apply", *name, "in.npy", "-o", "out.npy")
            _, whole = self.run_ok("apply", *name, "in.png", "-o", "whole.npy")
            with self.subTest(name=name):
                self.assertEqual(found, whole)
        _, found = self.run_ok("apply", "sharpen", "in.npy", "-o", "out.npy")
        self.assertRegex(found, r"\Aapply: \d+% of the samples are below 0 and became 0, \d+% are above 255 and became 255; edges over- and "
                                r"undershoot; a smaller strength clips less, --output-pixel f32 keeps all \(.tif, .exr, .npy\)\n\Z")
        _, found = self.run_ok("apply", "custom", "in.npy", "-o", "out.npy", "--weights", "2")
        share = 100 * sum(NOISE.count(level) for level in range(128, 256)) / len(NOISE)
        self.assertEqual(found, f"apply: {share:.0f}% of the samples are above 255 and became 255; --view stretch shows them\n")

    def test_timing(self):
        self.put("in.npy", array_file(NOISE, (HEIGHT, WIDTH)))
        stdout, stderr = self.run_ok("apply", "gaussian", "in.npy", "-o", "out.npy", "--timing", "--device", "cpu")
        self.assertEqual(stdout, b"")
        lines = [line.split()[0] for line in stderr.splitlines() if line.endswith(" ms")]
        self.assertEqual(sorted(lines[:-1]), ["compute", "plan", "read", "write"])
        self.assertEqual(lines[-1], "total")
        self.assertRegex(stderr, r"\n\d+\.\d MPix/s, \d+\.\d FPS, \d+\.\d\d GFLOPS\ndevice cpu\n\Z")


class Failures(StripTest):
    """One line, exit code 1, and every file as it was."""

    def setUp(self):
        super().setUp()
        self.put("in.npy", array_file(NOISE, (HEIGHT, WIDTH)))

    def fails(self, sentence, *arguments, code=FAILED, **more):
        """What is there stays, and nothing is made: with an output that is new, and with one that would be replaced."""
        for is_new in (True, False):
            if not is_new:
                self.put(arguments[arguments.index("-o") + 1], b"as it was")
            before = {path.name: path.read_bytes() for path in self.folder.iterdir()}
            done = self.start("apply", *arguments, **more)
            with self.subTest(arguments=arguments, is_new=is_new):
                self.assertRegex(done.stderr.decode(), rf"\Ahalation: {sentence}\n\Z")
                self.assertEqual(done.returncode, code)
                self.assertEqual(done.stdout, b"")
                self.assertTrue({path.name: path.read_bytes() for path in self.folder.iterdir()} == before)
        (self.folder / arguments[arguments.index("-o") + 1]).unlink()

    def test_too_little_memory(self):
        for memory in ("30K", "90K"):
            for name in (CUSTOM, ("gaussian sigma=3 | edges",)):
                self.fails(rf"filtering in strips of \d+x{WIDTH} u8 needs \d+\.\d [kM]B of memory, \d+\.\d kB are available", *name, "in.npy",
                           "-o", "out.npy", "--memory", memory)
        self.fails(r"[^\n]*image [^\n]* needs [^\n]* of memory, [^\n]* are available", "box", "in.npy", "-o", "out.png", "--memory", "3M")

    def test_little_memory_makes_strips_shorter(self):
        for name in (CUSTOM, ("gaussian sigma=3 | edges",)):
            self.run_ok("apply", *name, "in.npy", "-o", "whole.npy")
            for memory in ("2M", "3M"):
                said, _ = self.run_ok("apply", *name, "in.npy", "-o", "out.npy", "--memory", memory, "--explain")
                self.assertIn(b"strips are shorter than usual: memory is short\n", said)
                apart = (abs(a - b) for a, b in zip(self.get("out.npy"), self.get("whole.npy"), strict=True))
                self.assertLessEqual(max(apart), 1)

    def test_truncated_arrays(self):
        data = self.get("in.npy")
        for length in (len(data) // 2, len(data) - 1, 140):
            self.put("cut.npy", data[:length])
            sentence = rf"cut\.npy: damaged or truncated \.npy: it ends before its {HEIGHT * WIDTH} elements do"
            self.fails(sentence, "box", "cut.npy", "-o", "out.npy")
            self.fails(sentence, "box", "cut.npy", "-o", "out.png")

    def same_failure(self, name):
        """The sentence of a file read in parts is that of the file read whole."""
        whole = self.start("apply", "box", name, "-o", "out.npy", "--compare", "both.png")
        self.assertEqual(whole.returncode, FAILED)
        self.assertRegex(whole.stderr.decode(), rf"\Ahalation: {re.escape(name)}: [^\n]+\n\Z")
        self.fails(re.escape(whole.stderr.decode()[len("halation: "):-1]), "box", name, "-o", "out.npy")
        self.fails(re.escape(whole.stderr.decode()[len("halation: "):-1]), "box", name, "-o", "out.tif")

    def test_truncated_tiffs(self):
        data = striped_tiff(NOISE, HEIGHT, WIDTH, 70)
        for length in (len(data) // 2, len(data) - 1, 100, 1000):
            self.put("cut.tif", data[:length])
            self.same_failure("cut.tif")
        rows = [NOISE[y * WIDTH:(y + 1) * WIDTH] for y in range(HEIGHT)]
        data = tiff([rows])  # its directory stands behind the pixels
        for length in (len(data) // 2, len(data) - 1):
            self.put("cut.tif", data[:length])
            self.same_failure("cut.tif")

    def test_damage_far_behind_the_beginning(self):
        self.run_ok("apply", "identity", "in.npy", "-o", "whole.tif")
        data = self.get("whole.tif")
        (at,) = struct.unpack("<I", data[4:8])
        damaged = bytearray(data)
        middle = (8 + min(at, len(data))) // 2 if at > len(data) // 2 else (at + len(data)) // 2
        damaged[middle:middle + 5000] = bytes(5000)
        if self.start("apply", "identity", self.put("damaged.tif", bytes(damaged)), "-o", "out.npy", "--compare",
                      "both.png").returncode == 0:
            self.skipTest("these pixels are not compressed")
        self.same_failure("damaged.tif")

    def test_a_disk_that_is_full(self):
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, 2 << 20))}
        for name in ("out.npy", "out.tif"):
            self.fails(rf"{re.escape(name)}: cannot be written: File too large", "sharpen", "in.npy", "-o", name, **limited)
        height, width = 1100, 1000
        floats = array.array("f", (i % 977 / 977 for i in range(height * width))).tobytes()
        self.put("in.npy", array_file(floats, (height, width), "<f4"))
        self.fails(r"out\.exr: cannot be written: File too large", "gaussian", "in.npy", "-o", "out.exr",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16)))

    def test_formats_that_cannot_hold_the_result(self):
        self.fails(r"out\.exr: OpenEXR holds half and float pixels, got u8; [^\n]+", "box", "in.npy", "-o", "out.exr")
        self.fails(r"extent valid: the filter \(2001x1\) is larger than the image [^\n]+", "box", "in.npy", "-o", "out.npy", "--size", "2001,1",
                   "--extent", "valid", code=WRONG_USAGE)


class Signals(StripTest):
    """A result is complete, or not there."""

    def test_ends_at_any_moment(self):
        self.put("in.npy", array_file(NOISE, (HEIGHT, WIDTH)))
        draw = random.Random(11)
        for output in ("out.npy", "out.tif"):
            arguments = ("apply", "gaussian sigma=3 | sharpen", "in.npy", "-o", output)
            self.run_ok(*arguments)
            complete = self.get(output)
            for run in range(10):
                number = (signal.SIGKILL, signal.SIGINT)[run % 2]
                path = self.folder / output
                path.unlink(missing_ok=True)
                if run % 4 >= 2:
                    path.write_bytes(b"as it was")
                code = self.ended_by(number, draw.randrange(len(complete) + len(complete) // 8), *arguments)
                with self.subTest(output=output, run=run, code=code):
                    self.assertIn(code, (0, -number))
                    if code == 0 or (path.exists() and path.read_bytes() != b"as it was"):
                        self.assert_same(path.read_bytes(), complete)
                    elif run % 4 >= 2:
                        self.assertEqual(path.read_bytes(), b"as it was")
                    names = {each.name for each in self.folder.iterdir()} - {"in.npy", "out.npy", "out.tif"}
                    self.assertLessEqual(len(names), 0 if number == signal.SIGINT else 1, names)
                    for name in names:  # SIGKILL may leave one, where the file system has no files without a name
                        self.assertRegex(name, r"\A\.halation-\d+-\d+\.part\Z")
                        (self.folder / name).unlink()


class Memory(StripTest):
    """Memory does not grow with the image."""

    def measured(self, *arguments):
        """The largest memory of a run in MB."""
        child = subprocess.Popen([program.HALATION, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                 env={**os.environ, **program.gives_back_what_is_freed()})
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        return usage.ru_maxrss * 1024 / 1e6

    def test_much_more_than_may_be_used(self):
        self.put("tiny.png", png([[1, 2], [3, 4]]))
        ordinary = self.measured("apply", "gaussian", "tiny.png", "-o", "tiny_out.npy")
        height, width = 20000, 10000
        with open(self.folder / "zeros.npy", "wb") as file:
            file.write(array_file(b"", (height, width)))
            file.truncate(file.tell() + height * width)
        most = self.measured("apply", "box | edges", "zeros.npy", "-o", "out.npy", "--memory", "100M")
        self.assertLess(most, 110 + ordinary)
        self.assertEqual((self.folder / "out.npy").stat().st_size, (self.folder / "zeros.npy").stat().st_size)
        with open(self.folder / "out.npy", "rb") as file:
            self.assertIn(b"(20000, 10000)", file.read(128))
            while part := file.read(1 << 24):
                self.assertEqual(part.count(0), len(part))


if __name__ == "__main__":
    main()
