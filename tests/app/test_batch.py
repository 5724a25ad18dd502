"""test_batch.py: `halation batch CHAIN FILE... -o DIR`: many files filtered at once, whatever some of them hold."""
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

import program
from pictures import npy, png, png_chunk, png_chunks, tiff
from program import ROWS, ProgramTest, flat, main

FAILED, WRONG_USAGE = 1, 2
CORPUS = pathlib.Path(__file__).resolve().parents[1] / "fuzz" / "corpus" / "files"
PHOTO = png([[(10 * x + y, 20 * y, 255 - x) for x in range(12)] for y in range(8)])
SUMMARY = (r"(\d+) done, (\d+) skipped, (\d+) failed in \d+\.\d s: \d+\.\d files/s, \d+\.\d MPix/s, \d+\.\d MB read, \d+\.\d MB "
           r"written")


class BatchTest(ProgramTest):
    def put(self, name, data):
        """Writes a file, with its folders, and returns its name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return name

    def below(self, folder):
        """The files of a folder and their contents."""
        start = self.folder / folder
        return {str(path.relative_to(start)): path.read_bytes() for path in start.rglob("*") if path.is_file()}

    def batch(self, *arguments, counts=None, **more):
        """Runs a batch whose files are all filtered; `counts` are those done, skipped and failed."""
        done = self.start("batch", *arguments, **more)
        said = done.stderr.decode()
        self.assertEqual(done.returncode, 0, said)
        found = re.fullmatch(SUMMARY + r"\n", said)
        self.assertIsNotNone(found, said)
        if counts is not None:
            self.assertEqual(tuple(int(count) for count in found.groups()), counts)
        return done.stdout

    def batch_with_failures(self, failures, all_files, *arguments, skipped=0, **more):
        """Runs a batch of which some fail: a line each, in any order, the summary, and how many in the last line."""
        done = self.start("batch", *arguments, **more)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(done.returncode, FAILED, lines)
        self.assertEqual(lines[-1], f"halation: batch: {len(failures)} of {all_files} files could not be filtered")
        found = re.fullmatch(SUMMARY, lines[-2])
        self.assertIsNotNone(found, lines)
        self.assertEqual(tuple(int(count) for count in found.groups()), (all_files - skipped - len(failures), skipped, len(failures)))
        self.assertEqual(len(lines), len(failures) + 2)
        for line, failure in zip(sorted(lines[:-2]), sorted(failures)):
            self.assertRegex(line, rf"\Abatch: {failure}\Z")
        return done.stdout

    def refused(self, code, sentence, *arguments):
        with self.subTest(arguments=arguments):
            self.check_error(("batch", *arguments), sentence, code)


class Names(BatchTest):
    """Which files are filtered, and where their results go."""

    def setUp(self):
        super().setUp()
        for name in ("a.png", "b.png", "c.png", "sub/d.png", "sub/deep/e.png", "other/f.png"):
            self.put("in/" + name, png([[len(name), ord(name[-5])] * 3] * 4))
        self.put("in/notes.txt", b"no image")
        self.put("in/sub/photo", PHOTO)

    def results(self, *arguments, counts=None):
        """The names of the results."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.batch("box", *arguments, "-o", "out", counts=counts)
        return sorted(self.below("out"))

    def test_files(self):
        self.assertEqual(self.results("in/b.png", "in/sub/d.png", counts=(2, 0, 0)), ["b.png", "d.png"])
        self.assertEqual(self.results(self.folder / "in/b.png"), ["b.png"])
        self.assertEqual(self.results("in/sub/photo"), ["photo.png"])

    def test_folders(self):
        self.assertEqual(self.results("in", counts=(3, 0, 0)), ["a.png", "b.png", "c.png"])
        self.assertEqual(self.results("in/", "in/sub/deep/e.png"), ["a.png", "b.png", "c.png", "e.png"])
        self.assertEqual(self.results("in", "--recursive", counts=(6, 0, 0)),
                         ["a.png", "b.png", "c.png", "other/f.png", "sub/d.png", "sub/deep/e.png"])
        self.assertEqual(self.results("in/sub", "in/other", "--recursive"), ["d.png", "deep/e.png", "f.png"])
        self.assertEqual(self.results("./in/../in/sub"), ["d.png"])

    def test_patterns(self):
        for pattern, names in (("in/*.png", ["a.png", "b.png", "c.png"]), ("in/[ab].png", ["a.png", "b.png"]),
                               ("in/[!a].png", ["b.png", "c.png"]), ("in/?.png", ["a.png", "b.png", "c.png"]),
                               ("in/*/*.png", ["other/f.png", "sub/d.png"]), ("in/s*/deep/*", ["sub/deep/e.png"]),
                               ("in/**/e.png", ["sub/deep/e.png"]), ("**/d*", ["in/sub/d.png"]),
                               ("in/**/*.png", ["a.png", "b.png", "c.png", "other/f.png", "sub/d.png", "sub/deep/e.png"]),
                               ("in/sub/**/*.png", ["d.png", "deep/e.png"]), ("in/su[b]/p*", ["sub/photo.png"])):
            with self.subTest(pattern=pattern):
                self.assertEqual(self.results(pattern), names)
        self.assertEqual(self.results(f"{self.folder}/in/[a-b].png"), ["a.png", "b.png"])
        self.assertEqual(self.results("in/a.png", "in/[bc].png", "in/o*/*"), ["a.png", "b.png", "c.png", "other/f.png"])

    def test_names_that_hold_what_patterns_do(self):
        for name in ("x[1].png", "y*.png", "z?.png"):
            self.put("in/" + name, PHOTO)
            self.put("in/" + re.sub(r"[^a-z.]", "1", name), PHOTO)
            self.assertEqual(self.results("in/" + name), [name])
        self.assertEqual(self.results("in/z?.png"), ["z?.png"])
        self.assertEqual(self.results("in/z[?1].png"), ["z1.png", "z?.png"])

    def test_endings_in_capitals(self):
        self.put("capitals/A.PNG", PHOTO)
        self.put("capitals/B.JPG", self.jpeg())
        self.assertEqual(self.results("capitals"), ["A.PNG", "B.JPG"])
        self.assertTrue(self.below("out")["B.JPG"].startswith(b"\xff\xd8"))

    def jpeg(self):
        return self.run_ok("apply", "identity", "-", "-o", "-", "--format", "jpeg", stdin=PHOTO)[0]

    def test_names_with_line_ends_blanks_and_of_any_script(self):
        names = ["a\nb.png", "a b.png", " .png", "übergröße.png", "写真.png", "'quoted\".png", "-x.png", "tab\t.png"]
        for name in names:
            self.put("strange/" + name, PHOTO)
        self.assertEqual(self.results("strange", counts=(len(names), 0, 0)), sorted(names))
        self.put("strange/bad\nname.png", b"")
        self.batch_with_failures([re.escape("strange/bad name.png: the file is empty")], len(names) + 1, "box", "strange", "-o", "out")
        self.put("strange/写真.npy", b"")
        self.batch_with_failures([re.escape("strange/bad name.png: the file is empty"), re.escape("strange/写真.npy: the file is empty")],
                                 len(names) + 2, "box", "strange", "-o", "out")

    def test_names_that_are_no_text(self):
        path = os.fsencode(self.folder) + b"/in/\xff\xfe.png"
        with open(path, "wb") as file:
            file.write(b"")
        done = self.start("batch", "box", "in", "-o", "out", "--json")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"batch: in/\xff\xfe.png: the file is empty\n", done.stderr)
        self.assertEqual(json.loads(done.stdout)["failed"], 1)
        with open(path, "wb") as file:
            file.write(PHOTO)
        self.batch("box", "in", "-o", "out")
        self.assertTrue(os.path.exists(os.fsencode(self.folder) + b"/out/\xff\xfe.png"))

    def test_folders_and_pipes_named_like_images(self):
        (self.folder / "in/x.png").mkdir()
        os.mkfifo(self.folder / "in/pipe.png")
        self.assertEqual(self.results("in"), ["a.png", "b.png", "c.png"])
        self.assertEqual(self.results("in/*.png"), ["a.png", "b.png", "c.png"])
        self.refused(FAILED, "in/x.png: no image in this folder; --recursive looks into its folders", "box", "in/x.png", "-o", "out")

    def test_links(self):
        (self.folder / "in/link.png").symlink_to("a.png")
        (self.folder / "in/lost.png").symlink_to("nothing.png")
        (self.folder / "in/round").symlink_to(".")
        self.assertEqual(self.results("in", "--recursive"),
                         ["a.png", "b.png", "c.png", "link.png", "other/f.png", "sub/d.png", "sub/deep/e.png"])

    def test_nothing_to_filter(self):
        (self.folder / "empty").mkdir()
        self.refused(FAILED, "empty: no image in this folder; --recursive looks into its folders", "box", "empty", "-o", "out")
        self.refused(FAILED, "empty: no image in this folder", "box", "empty", "-o", "out", "--recursive")
        self.refused(FAILED, "in/*.jpg: no file matches", "box", "in/*.jpg", "-o", "out")
        self.refused(FAILED, "in/*.jpg: no file matches", "box", "in/a.png", "in/*.jpg", "-o", "out")
        done = self.start("batch", "box", "none/*.png", "-o", "out")
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stderr.decode(), r"\Ahalation: none: [^\n]+\n\Z")
        self.assertFalse((self.folder / "out").exists())

    def test_a_file_that_is_missing_is_one_failure(self):
        self.batch_with_failures([r"none\.png: no such file"], 2, "box", "none.png", "in/a.png", "-o", "out")
        self.assertEqual(sorted(self.below("out")), ["a.png"])

    def test_two_inputs_of_one_result(self):
        self.put("more/a.png", PHOTO)
        self.batch_with_failures([r"more/a\.png: its result would replace that of in/a\.png"], 2, "identity", "in/a.png", "more/a.png",
                                 "-o", "out")
        self.assertNotEqual(self.below("out")["a.png"], self.get("more/a.png"))
        self.put("in/a.jpg", self.jpeg())
        self.batch_with_failures([r"in/a\.png: its result would replace that of in/a\.jpg"], 4, "identity", "in", "-o", "out", "--format",
                                 "webp")

    def test_a_file_named_twice(self):
        self.batch_with_failures([r"in/a\.png: is named twice"], 2, "box", "in/a.png", "in/a.png", "-o", "out")
        self.batch_with_failures([r"in/\./a\.png: is named twice"], 4, "box", "in", "in/./a.png", "-o", "out")
        (self.folder / "same").symlink_to("in")
        self.batch_with_failures([r"same/a\.png: is named twice"], 4, "box", "in", "same/a.png", "-o", "out")

    def test_results_in_the_place_of_inputs(self):
        before = self.below("in")
        itself = "its result would replace it; choose another folder"
        self.batch_with_failures([rf"in/a\.png: {itself}"], 1, "box", "in/a.png", "-o", "in")
        self.batch_with_failures([rf"in/a\.png: {itself}"], 1, "box", "in/a.png", "-o", "in/sub/..")
        (self.folder / "same").symlink_to("in")
        self.batch_with_failures([rf"in/a\.png: {itself}"], 1, "box", "in/a.png", "-o", "same")
        self.batch_with_failures([rf"in/{name}\.png: {itself}" for name in "abc"], 3, "box", "in", "-o", "in")
        self.batch_with_failures([rf"in/[abc]\.png: {itself}"] * 3, 3, "box", "in/*.png", "-o", "in")
        self.assertEqual(self.below("in"), before)
        self.put("more/a.png", PHOTO)
        self.batch_with_failures([rf"in/a\.png: {itself}", r"more/a\.png: its result would replace in/a\.png, which is to be filtered too"], 2,
                                 "box", "more/a.png", "in/a.png", "-o", "in")
        self.assertEqual(self.below("in"), before)
        self.batch("box", "in/a.png", "-o", "in", "--format", "webp")
        self.assertEqual(sorted(set(self.below("in")) - set(before)), ["a.webp"])

    def test_results_of_before_are_no_inputs(self):
        expected = ["a.png", "b.png", "c.png", "other/f.png", "sub/d.png", "sub/deep/e.png"]
        for _ in range(2):
            self.batch("box", "in", "-o", "in/out", "--recursive", counts=(6, 0, 0))
            self.assertEqual(sorted(self.below("in/out")), expected)
        self.batch("box", "in/**/*.png", "-o", "in/out", counts=(6, 0, 0))
        self.batch("box", "in/**/*.png", "-o", "in/out", "--resume", counts=(0, 6, 0))
        self.batch("box", "in/out", "-o", "again", counts=(3, 0, 0))
        self.assertEqual(sorted(self.below("in/out")), expected)

    def test_the_folder_of_results(self):
        self.batch("box", "in/a.png", "-o", "far/away/from here")
        self.assertEqual(list(self.below("far")), ["away/from here/a.png"])
        self.refused(FAILED, "in/a.png: is a file; a folder was expected", "box", "in/b.png", "-o", "in/a.png")
        done = self.start("batch", "box", "in/b.png", "-o", "in/a.png/below")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"in/a.png/below: cannot be made: ", done.stderr)
        self.put("taken/sub", b"a file where a folder is wanted")
        self.batch_with_failures([r"in/sub/d\.png: taken/sub: cannot be made: [^\n]+",
                                  r"in/sub/deep/e\.png: taken/sub/deep: cannot be made: [^\n]+"], 6, "box", "in", "-o",
                                 "taken", "--recursive")


class Results(BatchTest):
    """They are those of `halation apply`."""

    def setUp(self):
        super().setUp()
        self.put("in/gray.png", png(ROWS))
        self.put("in/alpha.png", png([[(v, 255 - v, v // 2, 60 + v // 2) for v in row] for row in ROWS]))
        self.put("in/deep.png", png([[257 * v for v in row] for row in ROWS], 16))
        self.put("in/photo.png", PHOTO)
        self.put("in/pages.tif", tiff([ROWS, ROWS[:3]]))
        self.put("in/array.npy", npy([v / 255 for v in flat(ROWS)], (7, 9)))
        for name in ("photo.jpg", "photo.webp", "photo.bmp", "photo.ppm", "photo.tif"):
            self.run_ok("apply", "identity", "in/photo.png", "-o", "in/" + name.replace("photo", name[-3:]))

    def check_beside_apply(self, chain, *arguments, ending=None):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.batch(chain, "in", "-o", "out", *arguments)
        results = self.below("out")
        self.assertEqual(len(results), len(self.below("in")))
        for name, data in results.items():
            (source,) = [each for each in self.below("in") if each == name or (ending and each.rsplit(".", 1)[0] == name.rsplit(".", 1)[0])]
            single = "single" + name[name.rindex("."):]
            self.run_ok("apply", chain, "in/" + source, "-o", single, *arguments)
            with self.subTest(chain=chain, name=name, arguments=arguments):
                self.assertEqual(data, self.get(single))

    def test_byte_for_byte(self):
        self.check_beside_apply("gaussian sigma=2 | unsharp_mask amount=0.5")
        self.check_beside_apply("box", "--size", "3,1", "--border", "wrap")
        self.check_beside_apply("box size=5", "--quality", "30", "--extent", "full")
        self.check_beside_apply("box", "--linear")

    def test_formats(self):
        (self.folder / "in/pages.tif").unlink()  # most formats hold one page
        (self.folder / "in/array.npy").unlink()
        for name, ending in (("tiff", ".tif"), ("npy", ".npy"), ("png", ".png")):
            self.check_beside_apply("box", "--format", name, ending=ending)
            self.assertEqual({pathlib.Path(each).suffix for each in self.below("out")}, {ending})
        (self.folder / "in/alpha.png").unlink()
        (self.folder / "in/deep.png").unlink()
        self.check_beside_apply("box", "--format", "jpeg", ending=".jpg")
        self.assertEqual({pathlib.Path(each).suffix for each in self.below("out")}, {".jpg"})
        sizes = [len(self.below("out")["photo.jpg"])]
        self.check_beside_apply("box", "--format", "jpeg", "--quality", "10", ending=".jpg")
        self.assertLess(len(self.below("out")["photo.jpg"]), sizes[0])

    def test_formats_that_are_none(self):
        for name in ("foo", "gif", ""):
            done = self.start("batch", "box", "in", "-o", "out", "--format", name)
            with self.subTest(name=name):
                self.assertEqual(done.returncode, FAILED)
                self.assertRegex(done.stderr.decode(), r"\Ahalation: [^\n]+\n\Z")
                self.assertFalse((self.folder / "out").exists())
        self.refused(WRONG_USAGE, "--quality must be a whole number from 1 to 100, got '0'", "box", "in", "-o", "out", "--quality", "0")

    def test_pixels_that_a_format_does_not_hold(self):
        done = self.start("batch", "box", "in", "-o", "out", "--output-pixel", "f32")
        self.assertEqual(done.returncode, FAILED)
        self.assertEqual(sorted(self.below("out")), ["array.npy", "pages.tif", "tif.tif"])
        self.assertIn("batch: out/gray.png: PNG holds 8-bit and unsigned 16-bit pixels, got f32; ", done.stderr.decode())

    def test_gif_becomes_png(self):
        head = b"GIF89a\1\0\1\0\x91\0\0" + bytes([0, 0, 0, 200, 0, 0, 0, 200, 0, 0, 0, 200])
        picture = b",\0\0\0\0\1\0\1\0\0\2\2"
        self.put("gifs/two.gif", head + picture + b"\x4c\1\0" + picture + b"\x54\1\0;")
        for page in ((), ("--page", "2")):
            self.batch("identity", "gifs", "-o", "out", *page)
            self.run_ok("apply", "identity", "gifs/two.gif", "-o", "single.png", *page)
            self.assertEqual(self.below("out"), {"two.png": self.get("single.png")})

    def test_layout_and_page(self):
        self.put("arrays/a.npy", npy(range(24), (2, 4, 3), "<u1"))
        self.put("arrays/b.npy", npy(range(24), (4, 2, 3), "<u1"))
        self.batch("box size=3,1", "arrays", "-o", "out", "--layout", "hwc")
        self.run_ok("apply", "box size=3,1", "arrays/b.npy", "-o", "single.npy", "--layout", "hwc")
        self.assertEqual(self.below("out")["b.npy"], self.get("single.npy"))
        self.batch_with_failures([r"in/photo\.png: page 2 was asked for, the file has 1"], 2, "box", "in/photo.png", "in/pages.tif", "-o",
                                 "paged", "--page", "2")

    def test_views_and_gray(self):
        self.batch("sobel", "in/photo.png", "in/gray.png", "-o", "out", "--view", "stretch", "--gray")
        for name in ("photo.png", "gray.png"):
            self.assertEqual(self.start("apply", "sobel", "in/" + name, "-o", "single.png", "--view", "stretch", "--gray").returncode, 0)
            self.assertEqual(self.below("out")[name], self.get("single.png"))

    def test_large_files_in_strips(self):
        height, width = 2000, 2500
        data = npy([], (height, width), "|u1") + random.Random(3).randbytes(height * width)
        for name in ("in/l1.npy", "in/l2.npy"):
            self.put(name, data)
        self.run_ok("apply", "gaussian sigma=2 | edges", "in/l1.npy", "-o", "single.npy")
        self.batch("gaussian sigma=2 | edges", "in/l1.npy", "in/l2.npy", "in/gray.png", "-o", "out", "--memory", "100M")
        for name in ("l1.npy", "l2.npy"):
            self.assertTrue(self.below("out")[name] == self.get("single.npy"))

    def test_workers_and_threads_change_nothing(self):
        for i in range(40):
            self.put(f"in/more/{i}.png", png([[(v * i) % 256 for v in row] for row in ROWS]))
        found = []
        for how in (("--workers", "1"), ("--workers", "8"), ("--workers", "1024"), ("--threads", "1"), ("--threads", "3"), ()):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            self.batch("gaussian sigma=2 | unsharp_mask", "in", "-o", "out", "--recursive", *how, counts=(len(self.below("in")), 0, 0))
            found.append(self.below("out"))
        for each in found[1:]:
            self.assertEqual(each, found[0])
        for text in ("0", "-1", "x", "1025"):
            self.refused(WRONG_USAGE, f"--workers must be a whole number from 1 to 1024, got '{text}'", "box", "in", "-o", "new",
                         f"--workers={text}")

    def test_metadata_is_kept(self):
        density = struct.pack(">IIB", 3937, 7874, 1)
        self.put("meta/a.png", png([[1, 2, 3]], chunks=png_chunk(b"pHYs", density)))
        exif = b"Exif\0\0II*\0" + struct.pack("<IHHHII4sI", 8, 1, 0x010F, 2, 4, 0x00626154, b"", 0)[:4 + 2 + 12] + b"\0\0\0\0"
        plain = self.run_ok("apply", "identity", "in/photo.png", "-o", "-", "--format", "jpeg")[0]
        self.put("meta/b.jpg", plain[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + plain[2:])
        self.batch("box", "meta", "-o", "out")
        self.assertEqual(png_chunks(self.below("out")["a.png"])[b"pHYs"], density)
        self.assertIn(b"Tab\0", self.below("out")["b.jpg"])

    def test_what_is_clipped_is_noted_in_the_report_alone(self):
        self.put("clipped.png", png([[0, 9, 0, 9, 0, 9, 0, 9]]))
        report = json.loads(self.batch("custom weights='-1 2 0'", "clipped.png", "-o", "out", "--border", "constant", "--json"))
        self.assertEqual(report["files"][0]["note"], "50% of the samples are below 0 and became 0; --view signed shows them")


class Resume(BatchTest):
    """What is there and no older is left as it is."""

    def setUp(self):
        super().setUp()
        for i in range(5):
            self.put(f"in/{i}.png", png([[10 * i + 1, 7]] * 3))

    def states(self, *arguments):
        return [file["state"] for file in json.loads(self.batch("identity", "in", "-o", "out", "--json", "--resume", *arguments))["files"]]

    def set_time(self, name, seconds):
        os.utime(self.folder / name, (seconds, seconds))

    def test_resume(self):
        self.assertEqual(self.states(), ["done"] * 5)
        expected = self.below("out")
        self.assertEqual(self.states(), ["skipped"] * 5)
        (self.folder / "out/2.png").unlink()
        self.assertEqual(self.states(), ["skipped", "skipped", "done", "skipped", "skipped"])
        self.assertEqual(self.below("out"), expected)
        self.set_time("out/1.png", 1000)
        self.set_time("in/3.png", 10 ** 10)
        self.put("out/1.png", b"of an input of before")
        self.set_time("out/1.png", 1000)
        self.assertEqual(self.states(), ["skipped", "done", "skipped", "done", "skipped"])
        self.assertEqual(self.below("out"), expected)
        self.set_time("in/3.png", 2000)
        self.set_time("out/3.png", 2000)
        self.assertEqual(self.states()[3], "skipped")
        self.batch("identity", "in", "-o", "out", counts=(5, 0, 0))

    def test_resume_by_format(self):
        self.assertEqual(self.states("--format", "webp"), ["done"] * 5)
        self.assertEqual(self.states("--format", "webp"), ["skipped"] * 5)
        self.assertEqual(self.states(), ["done"] * 5)

    def test_failures_are_tried_again(self):
        self.put("in/9.png", b"")
        self.batch_with_failures([r"in/9\.png: the file is empty"], 6, "identity", "in", "-o", "out", "--resume")
        self.batch_with_failures([r"in/9\.png: the file is empty"], 6, "identity", "in", "-o", "out", "--resume", skipped=5)
        self.put("in/9.png", PHOTO)
        self.assertEqual(self.states(), ["skipped"] * 5 + ["done"])
        (self.folder / "in/9.png").unlink()
        self.batch_with_failures([r"in/9\.png: no such file"], 1, "identity", "in/9.png", "-o", "out", "--resume")


class Reports(BatchTest):
    """One line for each failure, one in the end, or a JSON object."""

    def setUp(self):
        super().setUp()
        self.put("in/a.png", PHOTO)
        self.put("in/b.png", b"Dear Sir or Madam,\n")
        self.put("in/c.png", png(ROWS))
        self.put("in/d.png", PHOTO[:100])
        self.put("in/e.png", b"")
        (self.folder / "in/x.png").mkdir()

    FAILURES = [r"in/b\.png: not an image that halation reads \([^\n]+\)",
                r"in/d\.png: damaged or truncated PNG: the file ends too early", r"in/e\.png: the file is empty"]

    def test_failures_beside_results(self):
        stdout = self.batch_with_failures(self.FAILURES, 5, "box", "in", "-o", "out")
        self.assertEqual(stdout, b"")
        self.assertEqual(sorted(self.below("out")), ["a.png", "c.png"])

    def test_a_folder_among_files(self):
        self.put("in/x.png/f.png", PHOTO)
        self.batch_with_failures(self.FAILURES, 6, "box", "in", "-o", "out", "--recursive")
        self.assertEqual(sorted(self.below("out")), ["a.png", "c.png", "x.png/f.png"])

    def test_quiet(self):
        done = self.start("batch", "box", "in", "-o", "out", "--quiet", "--workers", "1")
        lines = done.stderr.decode().splitlines()
        self.assertEqual(done.returncode, FAILED)
        self.assertEqual(len(lines), 4)
        for line, sentence in zip(lines, self.FAILURES):  # one worker goes by the alphabet
            self.assertRegex(line, rf"\Abatch: {sentence}\Z")
        self.assertEqual(lines[-1], "halation: batch: 3 of 5 files could not be filtered")
        done = self.start("batch", "box", "in/a.png", "in/c.png", "-o", "out", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_json(self):
        stdout = self.batch_with_failures(self.FAILURES, 5, "box size=3 | edges", "in", "-o", "out", "--json")
        report = json.loads(stdout)
        self.assertEqual(list(report), ["chain", "done", "skipped", "failed", "seconds", "files_per_second", "mpix_per_second", "files"])
        self.assertEqual((report["chain"], report["done"], report["skipped"], report["failed"]), ("box size=3 | edges", 2, 0, 3))
        self.assertAlmostEqual(report["files_per_second"] * report["seconds"], 2)
        self.assertAlmostEqual(report["mpix_per_second"] * report["seconds"], (12 * 8 + 63) * 1e-6)
        self.assertEqual([file["input"] for file in report["files"]], [f"in/{letter}.png" for letter in "abcde"])
        self.assertEqual([file["output"] for file in report["files"]], [f"out/{letter}.png" for letter in "abcde"])
        self.assertEqual([file["state"] for file in report["files"]], ["done", "failed", "done", "failed", "failed"])
        for file in report["files"]:
            self.assertEqual("error" in file, file["state"] == "failed")
            self.assertEqual("milliseconds" in file, file["state"] == "done")
        self.assertEqual(report["files"][4]["error"], "in/e.png: the file is empty")
        self.assertGreater(report["files"][0]["milliseconds"], 0)
        report = json.loads(self.batch("box", "in/a.png", "-o", "out", "--json", "--resume"))
        self.assertEqual(report["files"], [{"input": "in/a.png", "output": "out/a.png", "state": "skipped"}])

    def test_standard_output_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([program.HALATION, "batch", "box", "in/a.png", "-o", "out", "--json"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, timeout=120, check=False)
        self.assertEqual(done.returncode, FAILED)
        self.assertEqual(sorted(self.below("out")), ["a.png"])

    def test_memory_that_may_be_used(self):
        height, width = 1000, 1000
        for i in range(6):
            self.put(f"large/{i}.png", self.large(height, width))
        self.put("large/small.png", PHOTO)
        self.batch("box", "large", "-o", "out", "--memory", "5M", "--workers", "6", counts=(7, 0, 0))
        done = self.start("batch", "box", "large", "-o", "none", "--memory", "500K")
        self.assertEqual(done.returncode, FAILED)
        self.assertEqual(sorted(self.below("none")), ["small.png"])
        lines = done.stderr.decode().splitlines()
        for line in lines[:6]:
            self.assertRegex(line, r"\Abatch: large/\d\.png: [^\n]* needs [^\n]* of memory, [^\n]* are available\Z")

    def large(self, height, width):
        self.put("large.npy", npy([], (height, width), "|u1") + bytes(height * width))
        return self.run_ok("apply", "identity", "large.npy", "-o", "-", "--format", "png")[0]


class WrongUsage(BatchTest):
    def setUp(self):
        super().setUp()
        self.put("in/a.png", PHOTO)

    def test_what_is_missing(self):
        see = "; see halation batch --help"
        self.refused(WRONG_USAGE, "filter is required" + see)
        self.refused(WRONG_USAGE, "filter is required" + see, "-o", "out")
        self.refused(WRONG_USAGE, "inputs is required" + see, "box", "-o", "out")
        self.refused(WRONG_USAGE, "--output is required" + see, "box", "in")

    def test_chains(self):
        self.refused(WRONG_USAGE, "unknown filter 'bux'; did you mean 'box'?", "bux", "in", "-o", "out")
        self.refused(WRONG_USAGE, "chain: stage 2 is empty; expected a filter's name, such as gaussian sigma=2 | edges", "box |", "in", "-o",
                     "out")
        self.refused(WRONG_USAGE, '--sigma goes with one filter; in a chain parameters stand behind their filter, such as "gaussian sigma=2 '
                     '| edges"', "box | gaussian", "in", "-o", "out", "--sigma", "2")
        self.refused(WRONG_USAGE, "gaussian: no parameter --strength; it has --sigma, --radius", "gaussian", "in", "-o", "out", "--strength",
                     "0.5")

    def test_options(self):
        self.refused(WRONG_USAGE, "--page must be a whole number from 1 to 1073741824, got '0'", "box", "in", "-o", "out", "--page", "0")
        self.refused(WRONG_USAGE, "unknown border 'sam'; choose from constant, replicate, reflect, reflect101, wrap", "box", "in", "-o",
                     "out", "--border", "sam")
        self.refused(WRONG_USAGE, "--memory must be a size such as 512M or 1.5G, got '0'", "box", "in", "-o", "out", "--memory", "0")
        self.refused(WRONG_USAGE, "unexpected '--recursiv'; see halation batch --help", "box", "in", "-o", "out", "--recursiv")


class Conditions(BatchTest):
    """Results appear once they are complete."""

    def test_a_disk_that_is_full(self):
        noise = random.Random(5)
        large = {f"l{i}.npy": npy([], (300, 400), "|u1") + noise.randbytes(120000) for i in range(4)}
        small = {f"s{i}.npy": npy([], (30, 40), "|u1") + noise.randbytes(1200) for i in range(4)}
        for name, data in {**large, **small}.items():
            self.put("in/" + name, data)
        self.batch("box", "in", "-o", "complete", counts=(8, 0, 0))
        complete = self.below("complete")
        self.put("out/l0.npy", b"as it was")
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))}
        self.batch_with_failures([rf"out/l{i}\.npy: cannot be written: File too large" for i in range(4)], 8, "box", "in", "-o", "out",
                                 **limited)
        self.assertTrue(self.below("out") == {**{name: complete[name] for name in small}, "l0.npy": b"as it was"})
        os.utime(self.folder / "out/l0.npy", (1000, 1000))
        self.batch("box", "in", "-o", "out", "--resume", counts=(4, 4, 0))
        self.assertTrue(self.below("out") == complete)

    def test_ended_and_gone_on_with(self):
        draw = random.Random(13)
        for i in range(60):
            self.put(f"in/{i % 3}/{i}.npy", npy([], (200, 300), "|u1") + draw.randbytes(60000))
        command = ("batch", "gaussian sigma=2 | sharpen", "in", "-o", "out", "--recursive", "--format", "tiff", "--workers", "2")
        began = time.monotonic()
        self.assertEqual(self.start(*command).returncode, 0)
        usual = time.monotonic() - began  # where signals fall; whenever they do, what is asked holds
        complete = self.below("out")
        self.assertEqual(len(complete), 60)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL) * 2:
            shutil.rmtree(self.folder / "out")
            child = subprocess.Popen([program.HALATION, *command], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                child.wait(draw.uniform(0, usual))
            except subprocess.TimeoutExpired:
                child.send_signal(number)
            code = child.wait(60)
            found = self.below("out") if (self.folder / "out").exists() else {}
            with self.subTest(number=number, code=code, found=len(found)):
                self.assertIn(code, (0, -number))
                strays = [name for name in found if pathlib.Path(name).name.startswith(".halation-")]
                if number == signal.SIGKILL:  # leaves some where the file system has no files without a name
                    for name in strays:
                        del found[name]
                        (self.folder / "out" / name).unlink()
                    strays = []
                self.assertEqual(strays, [])
                for name, data in found.items():
                    self.assertTrue(data == complete[name], name)
                report = json.loads(self.batch(*command[1:], "--resume", "--json", counts=(60 - len(found), len(found), 0)))
                self.assertEqual(report["skipped"], len(found))
                self.assertTrue(self.below("out") == complete)

    def test_a_few_threads_alone(self):
        """Where no more threads can be had, those that there are do the work."""
        for i in range(8):
            self.put(f"in/{i}.png", PHOTO)
        self.batch("box", "in", "-o", "out", "--workers", "8", counts=(8, 0, 0),
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1)))

    def test_damaged_files_of_all_kinds(self):
        """Each seed of the fuzzers, and what is left of it where it is cut."""
        draw = random.Random(17)
        seeds = sorted(CORPUS.iterdir())
        self.assertGreater(len(seeds), 40)
        count = 0
        for seed in seeds:
            data = seed.read_bytes()
            name = seed.name if "." in seed.name else seed.name + ".png"
            self.put(f"in/whole_{name}", data)
            count += 1
            for cut in range(5):
                self.put(f"in/cut{cut}_{name}", data[:draw.randrange(len(data) + 1)])
                count += 1
            for hit in range(5):
                damaged = bytearray(data)
                for _ in range(min(len(data), draw.randrange(1, 5))):
                    damaged[draw.randrange(len(data))] = draw.randrange(256)
                self.put(f"in/hit{hit}_{name}", bytes(damaged))
                count += 1
        self.assertLessEqual(count, 1000)
        reports = []
        for workers in ("8", "1"):
            done = self.start("batch", "gaussian sigma=1 | edges", "in", "-o", "out" + workers, "--workers", workers, "--memory", "500M",
                              "--json")
            self.assertEqual(done.returncode, FAILED)
            lines = done.stderr.decode(errors="replace").split("\n")[:-1]  # sentences may quote what a file holds
            report = json.loads(done.stdout)
            reports.append([(file["input"], file["state"], file.get("error", "").replace("out1/", "out8/")) for file in report["files"]])
            self.assertEqual(len(report["files"]), count)
            self.assertEqual(report["done"] + report["failed"], count)
            self.assertGreater(report["done"], 40)
            self.assertEqual(lines[-1], f"halation: batch: {report['failed']} of {count} files could not be filtered")
            self.assertEqual(len(lines), report["failed"] + 2)
            results = {file["output"] for file in report["files"] if file["state"] == "done"}
            self.assertEqual({f"out{workers}/{name}" for name in self.below("out" + workers)}, results)
        self.assertEqual(reports[0], reports[1])
        self.assertTrue(self.below("out8") == self.below("out1"))


if __name__ == "__main__":
    main()
