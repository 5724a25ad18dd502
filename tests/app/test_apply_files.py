"""test_apply_files.py: what `halation apply` reads and writes: formats, pages, pipes, the picture of both."""
import json
import math
import os
import re
import struct
import zlib

from pictures import icc_profile, npy, png, png_chunk, png_chunks, read_npy, read_png, tiff, tiff_pages
from program import ROWS, SKEW_TEXT, ProgramTest, filtered, flat, main


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

    def test_damaged_page(self):
        whole = tiff([ROWS, ROWS, ROWS])
        first = struct.unpack("<I", whole[4:8])[0]
        at = struct.unpack("<I", whole[first + 2 + 12 * 9:first + 6 + 12 * 9])[0]  # the second directory
        place = whole.index(struct.pack("<HHI", 273, 4, 1), at) + 8
        self.put("in.tif", whole[:place] + struct.pack("<I", len(whole)) + whole[place + 4:])  # its pixels lie behind the end
        for page in (1, 3):
            self.run_ok("apply", "identity", "in.tif", "-o", "out.png", "--page", page)
            self.assertEqual([value for value, in flat(read_png(self.get("out.png"))[0])], flat(ROWS))
        for options in ((), ("--page", 2)):
            self.check_error(["apply", "identity", "in.tif", "-o", "out.tif", *options],
                             "in.tif: page 2: damaged or truncated TIFF: the file ends too early", 1)

    def as_a_user(self):
        """What has `start` run the program as a user whom permissions bind."""
        if os.geteuid() != 0:
            return {}
        self.folder.chmod(0o777)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []}
        try:
            self.start("--version", **nobody)
        except PermissionError:
            self.skipTest("root may write everywhere, and nobody else may run the program")
        return nobody

    def test_write_protected_results(self):
        user = self.as_a_user()
        self.put("in.png", png(ROWS))
        for name in ("ro.jpg", "ro.tif", "ro.npy"):
            self.put(name, b"mine")
            (self.folder / name).chmod(0o444)
            self.check_error(["apply", "identity", "in.png", "-o", name], f"{name}: is write-protected", 1, **user)
            self.check_error(["apply", "identity", "in.png", "-o", "out.npy", "--compare", name], f"{name}: is write-protected", 1, **user)
        (self.folder / "link.jpg").symlink_to("ro.jpg")
        self.check_error(["apply", "identity", "in.png", "-o", "link.jpg"], "link.jpg: is write-protected", 1, **user)
        done = self.start("batch", "identity", "in.png", "-o", "out", **user)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        (self.folder / "out" / "in.png").chmod(0o444)
        done = self.start("batch", "identity", "in.png", "-o", "out", **user)
        self.assertIn("out/in.png: is write-protected", done.stderr.decode())
        self.assertEqual(done.returncode, 1)

    def test_formats_of_the_help_are_written(self):
        for command, arguments in (("apply", ("identity", "-", "-o", "-")), ("batch", ("identity", "in.png", "-o", "out"))):
            said = self.run_ok(command, "--help", "all")[0].decode()
            formats = re.search(r"--format (\S+)", said)[1].split("|")
            self.assertIn("pam", formats)
            self.put("in.png", png(ROWS))
            for name in formats:
                done = self.start(command, *arguments, "--format", name, "--output-pixel", "f32" if name in ("exr", "pfm") else "u8", stdin=png(ROWS))
                if done.returncode != 0:
                    self.assertIn("libavif", done.stderr.decode())

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

    def test_compare_has_the_profile_of_the_original(self):
        profile = icc_profile(b"RGB ")
        chunk = png_chunk(b"iCCP", b"test\0\0" + zlib.compress(profile, 0))
        for rows, is_kept in (([[(1, 2, 3)]], True), ([[1]], False)):  # libpng takes no RGB profile of gray pixels
            self.put("in.png", png(rows, chunks=chunk))
            self.run_ok("apply", "identity", "in.png", "-o", "out.png", "--gray", "--compare", "both.png")
            chunks = png_chunks(self.get("both.png"))
            self.assertEqual(zlib.decompress(chunks[b"iCCP"].split(b"\0", 2)[2]) if b"iCCP" in chunks else b"", profile if is_kept else b"")

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

class LeftOut(ProgramTest):
    """What of a file its result has not, in a line."""

    def said(self, *arguments):
        """What `apply` says of a filter that changes nothing, and as JSON."""
        said = self.run_ok("apply", "box", *arguments, "--size", 3)[1]
        report = json.loads(self.run_ok("apply", "box", *arguments, "--size", 3, "--json")[0])
        self.assertEqual(said, f"apply: {report['left_out']}\n" if "left_out" in report else "")
        return said

    def test_geotiff_of_another_size(self):
        self.put("in.tif", tiff([ROWS], more=[(42113, 2, 2, ord("7"))]))
        self.assertEqual(self.said("in.tif", "-o", "out.tif"), "")
        self.assertIn(struct.pack("<HHII", 42113, 2, 2, ord("7")), self.get("out.tif"))
        for extent in ("valid", "full"):
            said = self.said("in.tif", "-o", "out.tif", "--extent", extent)
            self.assertEqual(said, "apply: in.tif: its GeoTIFF tags are not kept, the result has another size; --extent same keeps them\n")
            self.assertNotIn(struct.pack("<H", 42113), self.get("out.tif"))
        self.assertEqual(self.said("in.tif", "-o", "out.png", "--extent", "valid"), "")

    def test_channels_of_an_array_that_is_taken_as_a_volume(self):
        for shape, is_told in (((5, 6, 3), True), ((5, 6, 2), True), ((5, 6, 4), True), ((5, 6, 5), False), ((5, 6, 1), False), ((4, 6, 3), False), ((5, 6), False)):
            self.put("in.npy", npy(range(math.prod(shape)), shape, "<u1"))
            size = "x".join(map(str, shape))
            self.assertEqual(self.said("in.npy", "-o", "out.npy"),
                             f"apply: in.npy is filtered as a volume of {size}; --layout hwc takes its last axis as channels\n" if is_told else "")
        self.put("in.npy", npy(range(90), (5, 6, 3), "<u1"))
        self.assertEqual(self.said("in.npy", "-o", "out.npy", "--layout", "hwc"), "")
        self.assertEqual(self.said("in.npy", "-o", "out.npy", "--layout", "dhw"), "")
        self.check_error(["apply", "box", "in.npy", "-o", "out.png"],
                         "out.png: PNG holds flat pictures, got a volume of 5 slices; read its last axis as channels by --layout hwc or write .npy", 1)

    def test_results_that_use_little_of_the_range(self):
        self.put("in.png", png(ROWS))
        self.assertEqual(self.said("in.png", "-o", "out.png", "--output-pixel", "u16"), "apply: out.png: results are at most 255 of 65535; --scale 257 uses all\n")
        self.assertEqual(self.said("in.png", "-o", "out.png", "--output-pixel", "u16", "--scale", 257), "")
        self.assertEqual(self.said("in.png", "-o", "out.npy", "--output-pixel", "u16"), "")
        self.assertEqual(self.said("in.png", "-o", "out.tif", "--output-pixel", "i16"), "")
        self.put("in.npy", npy([0.25, 0.5, 1, 0.75], (2, 2), "<f4"))
        self.assertEqual(self.said("in.npy", "-o", "out.png", "--output-pixel", "u8"),
                         "apply: out.png: results of pixels from 0 to 1 are at most 1 of 255; --scale 255 uses all\n")

    def test_geotiff_that_is_turned_upright(self):
        for number, orientation in enumerate((1, 2, 4, 6)):
            self.put("in.tif", tiff([ROWS], more=[(274, 3, 1, orientation), (42113, 2, 2, ord("7"))]))
            said = self.said("in.tif", "-o", "out.tif")
            self.assertEqual(said, "apply: in.tif: its GeoTIFF tags are not kept, they are of the picture before it is turned upright\n" if number else "")
            self.assertEqual(self.said("in.tif", "-o", "out.png"), "")

    def test_frames_of_an_animated_png(self):
        control = png_chunk(b"fcTL", bytes(26))
        line = "apply: in.png is animated: its {} left out; halation video filters all, by ffmpeg\n"
        for frames, chunks, left in ((3, control, "2 other frames are"), (2, control, "other frame is"), (2, b"", "2 other frames are"),
                                     (1, control, None)):
            self.put("in.png", png(ROWS, chunks=png_chunk(b"acTL", struct.pack(">II", frames, 0)) + chunks))
            self.assertEqual(self.said("in.png", "-o", "out.png"), line.format(left) if left else "")
            self.assertEqual(self.said("in.png", "-o", "out.png", "--page", 1), "")

    def test_pictures_and_videos_behind_a_jpeg(self):
        self.put("in.png", png(ROWS))
        self.run_ok("apply", "identity", "in.png", "-o", "in.jpg")
        picture = self.get("in.jpg")
        line = "apply: in.jpg: what lies behind its picture ({}: another picture or a video) is not kept\n"
        several = picture[:2] + b"\xff\xe2" + struct.pack(">H", 14) + b"MPF\0MM\0*\0\0\0\x08" + picture[2:]
        video = b"\0\0\0\x18ftypmp42" + bytes(2000)
        for data, size in ((several + picture, f"{len(picture)} bytes"), (picture + b"\0\0" + video, "2.0 kB"), (picture + bytes(99), None)):
            self.put("in.jpg", data)
            self.assertEqual(self.said("in.jpg", "-o", "out.jpg"), line.format(size) if size else "")
            self.assertNotIn(b"MPF", self.get("out.jpg"))
            self.assertEqual(self.said("in.jpg", "-o", "out.png"), line.format(size) if size else "")
            self.assertEqual(self.said("in.jpg", "-o", "out.jpg", "--page", 1), "")

    def with_values(self, *values, pages=1):
        """A TIFF whose pages all have tags of these values: tag, type, count and bytes."""
        at, entries = len(tiff([ROWS] * pages, more=[(*value[:3], 0) for value in values])), []
        for tag, kind, count, data in values:
            entries.append((tag, kind, count, at))
            at += len(data)
        return tiff([ROWS] * pages, more=entries) + b"".join(value[3] for value in values)

    def test_what_microscopes_say_of_pages(self):
        line = "apply: in.tif: what {} says of its pages (size of a pixel, channels, slices) is not kept, it does not hold of the result\n"
        ome = b'<OME><Image><Pixels SizeX="9" SizeY="7" SizeZ="2" SizeC="1" SizeT="1" Type="uint8" PhysicalSizeX="0.1"/></Image></OME>'
        for program, text in (("ImageJ", b"ImageJ=1.54f\nimages=2\nunit=micron\n"), ("OME", ome)):
            self.put("in.tif", self.with_values((270, 2, len(text) + 1, text + b"\0"), pages=2))
            self.assertEqual(self.said("in.tif", "-o", "out.tif"), "")
            self.assertIn(text, self.get("out.tif"))
            for options in (("--page", 1), ("--page", 2), ("--output-pixel", "f32"), ("--extent", "valid")):
                is_lost = options[0] == "--page" or program == "OME"  # ImageJ says how many images there are only
                self.assertEqual(self.said("in.tif", "-o", "out.tif", *options), line.format(program) if is_lost else "", options)
                self.assertEqual(text not in self.get("out.tif"), is_lost)
            self.assertEqual(self.said("in.tif", "-o", "out.png", "--page", 1), "")

    def test_tags_of_imagej(self):
        data = b"JIJIlbal" + struct.pack("<I", 1) + "labels".encode("utf-16-le")
        tags = (270, 2, 14, b"ImageJ=1.54f\n\0"), (50838, 4, 2, struct.pack("<II", 12, 12)), (50839, 1, 24, data)
        self.put("in.tif", self.with_values(*tags))
        self.assertEqual(self.said("in.tif", "-o", "out.tif"), "")
        self.assertIn(data, self.get("out.tif"))
        line = "apply: in.tif: its ImageJ tags (labels, ranges, regions) are not kept, the result has another size; --extent same keeps them\n"
        self.assertEqual(self.said("in.tif", "-o", "out.tif", "--extent", "valid"), line)
        self.assertNotIn(data, self.get("out.tif"))

    def test_curve_of_a_profile(self):
        several = b"mluc\0\0\0\0" + struct.pack(">II", 1, 12) + b"enUS" + struct.pack(">II", 18, 28) + "Wide RGB\xe9".encode("utf-16-be")
        line = "apply: in.png: --linear takes sRGB's curve, not that of its profile{}\n"
        for name, said in ((b"Adobe RGB (1998)", line.format(" (Adobe RGB (1998))")), (several, line.format(" (Wide RGB?)")), (b"", line.format("")),
                           (b"sRGB IEC61966-2.1", ""), (b"Display P3", "")):
            chunk = png_chunk(b"iCCP", b"test\0\0" + zlib.compress(icc_profile(b"RGB ", name), 0))
            self.put("in.png", png([[(1, 2, 3)]], chunks=chunk))
            self.assertEqual(self.said("in.png", "-o", "out.png", "--linear"), said)
            self.assertEqual(self.said("in.png", "-o", "out.png"), "")
        self.put("in.png", png(ROWS))
        self.assertEqual(self.said("in.png", "-o", "out.png", "--linear"), "")

    def test_overviews(self):
        reduced = struct.pack("<HHHIII", 1, 254, 4, 1, 1, 0)
        without = tiff([ROWS], more=[(330, 4, 1, 0)])
        self.put("in.tif", tiff([ROWS], more=[(330, 4, 1, len(without))]) + reduced)
        said = self.said("in.tif", "-o", "out.tif")
        self.assertEqual(said, "apply: in.tif: its overview is not kept; gdaladdo or vips makes overviews of the result\n")
        self.assertEqual(self.said("in.tif", "-o", "out.png"), "")
        self.put("in.tif", without)
        self.assertEqual(self.said("in.tif", "-o", "out.tif"), "")


if __name__ == "__main__":
    main()
