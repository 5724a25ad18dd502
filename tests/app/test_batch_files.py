"""test_batch_files.py: which files `halation batch` filters, where their results go, and which it skips."""
import json
import os
import re
import shutil
import subprocess

import program
from batches import FAILED, PHOTO, WRONG_USAGE, BatchTest
from pictures import png, read_png
from program import main


class Names(BatchTest):
    """Which files are filtered, and where their results go."""

    def setUp(self):
        super().setUp()
        for name in ("a.png", "b.png", "c.png", "sub/d.png", "sub/deep/e.png", "other/f.png"):
            self.put("in/" + name, png([[len(name), ord(name[-5])] * 3] * 4))
        self.put("odd/photo", PHOTO)

    def results(self, *arguments, counts=None, remarks=()):
        """The names of the results."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.batch("box", *arguments, "-o", "out", counts=counts, remarks=remarks)
        return sorted(self.below("out"))

    def test_pictures_in_formats_that_are_not_read_are_counted(self):
        for name in ("x.heic", "y.HEIF", "z.jxl", "raw.CR2", "raw.dng", "sub/w.heic", "notes.txt", "photo.xmp", ".hidden"):
            self.put("in/" + name, b"whatever it holds")
        lines = ["2 passed over: halation reads no HEIC", "1 passed over: halation reads no JPEG XL", "2 passed over: halation reads no camera raw",
                 "2 other files passed over"]
        self.batch("box", "in", "-o", "out", counts=(3, 0, 0), remarks=lines)
        self.assertEqual(sorted(self.below("out")), ["a.png", "b.png", "c.png"])
        done = self.start("batch", "box", "in", "-o", "out", "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        report = json.loads(self.start("batch", "box", "in", "-o", "out", "--json", "--recursive").stdout)
        self.assertEqual(report["passed_over"], {"HEIC": ["in/sub/w.heic", "in/x.heic", "in/y.HEIF"], "JPEG XL": ["in/z.jxl"],
                                                 "camera raw": ["in/raw.CR2", "in/raw.dng"]})
        self.assertEqual(report["other_files"], 2)
        self.assertEqual((report["done"], report["failed"]), (6, 0))

    def test_hidden_files_and_folders_are_left_alone(self):
        """A Mac puts ._photo.jpg, which is no picture, beside photo.jpg."""
        before = self.results("in", "--recursive")
        for name in ("._a.png", ".DS_Store", "sub/.x.png", ".thumbnails/a.png", "sub/.cache/deep/b.png"):
            self.put("in/" + name, PHOTO)
        self.assertEqual(self.results("in", "--recursive"), before)
        self.assertEqual(self.results("in/.thumbnails"), ["a.png"])  # it was named

    def test_a_file_that_keeps_its_name_goes_before_one_that_does_not(self):
        self.put("in/b.pbm", b"P1 2 2 0 1 1 0 ")
        self.put("in/pbm_only.pbm", b"P1 2 2 0 1 1 0 ")
        done = self.start("batch", "identity", "in", "-o", "out")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("in/b.pbm: its result would replace that of in/b.png\n", done.stderr.decode())
        self.assertEqual(sorted(self.below("out")), ["a.png", "b.png", "c.png", "pbm_only.png"])
        self.assertEqual(*(read_png((self.folder / name).read_bytes()) for name in ("out/b.png", "in/b.png")))

    def test_formats_that_are_not_read_by_name(self):
        for ending, name in (("heic", "HEIC"), ("jp2", "JPEG 2000"), ("psd", "PSD"), ("pdf", "PDF"), ("svg", "SVG"), ("nef", "camera raw")):
            self.put(f"in/other/x.{ending}", b"whatever it holds")
            self.batch("box", "in/other", "-o", "out", counts=(1, 0, 0), remarks=[f"1 passed over: halation reads no {name}"])
            (self.folder / f"in/other/x.{ending}").unlink()

    def test_nothing_but_formats_that_are_not_read(self):
        for name in ("a.heic", "b.heic", "c.pdf", "d.txt"):
            self.put("unread/" + name, b"whatever it holds")
        done = self.start("batch", "box", "unread", "-o", "out")
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stderr.decode(), r"\Ahalation: unread: no image that halation reads in this folder, but 2 HEIC, 1 PDF, 1 other file; it "
                         r"reads \.png \.jpg [^;]*; --recursive looks into its folders\n\Z")
        self.assertFalse((self.folder / "out").exists())

    def test_a_file_of_such_a_format_that_is_named_is_a_failure(self):
        self.put("in/x.psd", b"8BPS and so on")
        self.batch_with_failures([r"in/x\.psd: PSD is neither read nor written; use TIFF or PNG"], 2, "box", "in/x.psd", "in/a.png", "-o", "out")

    def test_files(self):
        self.assertEqual(self.results("in/b.png", "in/sub/d.png", counts=(2, 0, 0)), ["b.png", "d.png"])
        self.assertEqual(self.results(self.folder / "in/b.png"), ["b.png"])
        self.assertEqual(self.results("odd/photo"), ["photo.png"])

    def test_results_of_files_without_an_ending_have_the_format_of_their_content(self):
        jpeg = self.jpeg()
        tiff = self.run_ok("apply", "identity", "-", "-o", "-", "--format", "tiff", stdin=PHOTO)[0]
        for name, data, result in (("odd/noext", jpeg, "noext.jpg"), ("odd/a.HEIC", jpeg, "a.jpg"), ("odd/b.of_today", tiff, "b.tif"),
                                   ("odd/c.dat", b"GIF8", "c.png"), ("odd/photo", PHOTO, "photo.png")):
            self.put(name, data)
            if data != b"GIF8":
                self.assertEqual(self.results(name), [result])
            report = json.loads(self.start("batch", "box", name, "-o", "out", "--json").stdout)
            self.assertEqual(report["files"][0]["output"], f"out/{result}")
        self.assertEqual(self.results("odd/noext", "--format", "png"), ["noext.png"])
        self.results("odd/noext")
        self.assertTrue(self.below("out")["noext.jpg"].startswith(b"\xff\xd8"))

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
                               ("in/sub/**/*.png", ["d.png", "deep/e.png"]), ("od[d]/p*", ["odd/photo.png"])):
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
        self.assertIn("batch: in/\\xff\\xfe.png: the file is empty\n", done.stderr.decode())
        report = json.loads(done.stdout.decode())
        self.assertEqual(report["failed"], 1)
        self.assertIn({"input": r"in/\xff\xfe.png", "output": r"out/\xff\xfe.png", "state": "failed",
                       "error": r"in/\xff\xfe.png: the file is empty"}, report["files"])
        with open(path, "wb") as file:
            file.write(PHOTO)
        self.batch("box", "in", "-o", "out")
        self.assertTrue(os.path.exists(os.fsencode(self.folder) + b"/out/\xff\xfe.png"))

    def test_folders_and_pipes_named_like_images(self):
        (self.folder / "in/x.png").mkdir()
        os.mkfifo(self.folder / "in/pipe.png")
        for name in ("in", "in/*.png"):
            self.assertEqual(self.results(name, remarks=["1 other file passed over"]), ["a.png", "b.png", "c.png"])
        self.refused(FAILED, "in/x.png: no image in this folder; --recursive looks into its folders", "box", "in/x.png", "-o", "out")

    def test_links_to_files(self):
        (self.folder / "in/link.png").symlink_to("../odd/photo")
        (self.folder / "in/lost.png").symlink_to("nothing.png")
        (self.folder / "in/to itself.png").symlink_to("to itself.png")
        for names in (["in"], ["in/*.png"], ["in/[abclt]*.png"]):
            self.assertEqual(self.results(*names, remarks=["2 other files passed over"]), ["a.png", "b.png", "c.png", "link.png"])
        self.assertEqual(self.results("in/link.png"), ["link.png"])
        self.run_ok("apply", "box", "odd/photo", "-o", "single.png")
        self.assertEqual(self.below("out")["link.png"], self.get("single.png"))
        self.assertFalse((self.folder / "out/link.png").is_symlink())

    def test_links_to_folders_are_not_entered(self):
        """Those that lead back up would never end."""
        expected = ["a.png", "b.png", "c.png", "other/f.png", "sub/d.png", "sub/deep/e.png"]
        self.put("elsewhere/g.png", PHOTO)
        for name, target in (("in/round", "."), ("in/sub/up", ".."), ("in/sub/deep/whole", str(self.folder)), ("in/far", "../elsewhere"),
                             ("in/lost", "nowhere")):
            (self.folder / name).symlink_to(target)
        self.assertEqual(self.results("in", "--recursive", remarks=["1 other file passed over"]), expected)
        self.assertEqual(self.results("in/**/*.png"), expected)
        self.assertEqual(self.results("in/*/*.png"), ["other/f.png", "sub/d.png"])
        self.refused(FAILED, "in/f*/*.png: no file matches", "box", "in/f*/*.png", "-o", "other")

    def test_links_to_folders_that_are_named(self):
        (self.folder / "same").symlink_to("in")
        (self.folder / "in/sub/up").symlink_to("..")
        self.assertEqual(self.results("same"), ["a.png", "b.png", "c.png"])
        self.assertEqual(self.results("same/*.png"), ["a.png", "b.png", "c.png"])
        self.assertEqual(self.results("same/sub", "--recursive"), ["d.png", "deep/e.png"])
        self.assertEqual(self.results("in/sub/up/**/e.png"), ["sub/deep/e.png"])

    def test_help_says_what_becomes_of_links(self):
        text = " ".join(self.run_ok("batch", "--help")[0].decode().split())
        self.assertIn("links to folders are entered where they are named, and not below", text)

    def test_nothing_to_filter(self):
        (self.folder / "empty").mkdir()
        self.refused(FAILED, "empty: no image in this folder; --recursive looks into its folders", "box", "empty", "-o", "out")
        self.refused(FAILED, "empty: no image in this folder", "box", "empty", "-o", "out", "--recursive")
        self.refused(FAILED, "in/*.jpg: no file matches", "box", "in/*.jpg", "-o", "out")
        self.refused(FAILED, "in/*.jpg: no file matches", "box", "in/a.png", "in/*.jpg", "-o", "out")
        for pattern, sentence in (("none/*.png", "folder none does not exist"), ("in/no/deep/**/*.png", "folder in/no does not exist"),
                                  ("in/a.png/*.png", "in/a.png is no folder")):
            self.refused(FAILED, f"{pattern}: {sentence}", "box", pattern, "-o", "out")
        self.assertFalse((self.folder / "out").exists())

    def test_a_file_that_is_missing_is_one_failure(self):
        self.batch_with_failures([r"none\.png: no such file or folder", r"no/: folder no does not exist",
                                  r"in/no/b\.png: folder in/no does not exist"], 4, "box", "none.png", "no/", "in/no/b.png", "in/a.png", "-o", "out")
        self.assertEqual(sorted(self.below("out")), ["a.png"])

    def as_somebody(self):
        """What starts the program by one who may not read everything, as root may."""
        self.folder.chmod(0o777)
        if os.geteuid() != 0:
            return {}
        nobody = {"user": "nobody", "extra_groups": []}
        try:
            self.start("--version", **nobody)
        except (PermissionError, ValueError) as error:
            self.skipTest(f"nobody but root may start this build: {error}")
        return nobody

    def test_folders_that_cannot_be_read(self):
        denied = "cannot be read: Permission denied"
        somebody = self.as_somebody()
        self.addCleanup((self.folder / "in/sub").chmod, 0o755)
        (self.folder / "in/sub").chmod(0)
        recursive = ("in", "--recursive")
        for names, failures, files in ((recursive, [f"in/sub: {denied}"], 5), (["in/**/*.png"], [f"in/sub: {denied}"], 5),
                                       (["in/s*/*.png", "in/o*/f.png"], [f"in/sub: {denied}"], 2), (["in/sub"], [f"in/sub: {denied}"], 1),
                                       (["in/sub/d.png", "in/a.png"], [rf"in/sub/d\.png: {denied}"], 2),
                                       (["in/sub/deep/e.png"], [rf"in/sub/deep/e\.png: folder in/sub/deep {denied}"], 1)):
            with self.subTest(names=names):
                self.batch_with_failures(failures, files, "box", *names, "-o", "out", **somebody)
        self.batch("box", "in", "-o", "out", counts=(3, 0, 0), **somebody)
        self.batch("box", "in/[!s]*/*.png", "-o", "out", counts=(1, 0, 0), **somebody)
        done = self.start("batch", "box", "in/sub/deep/*.png", "-o", "out", **somebody)
        self.assertEqual((done.returncode, done.stderr.decode()), (FAILED, f"halation: in/sub/deep/*.png: folder in/sub/deep {denied}\n"))
        report = json.loads(self.start("batch", "box", *recursive, "-o", "out", "--json", **somebody).stdout)
        self.assertIn({"input": "in/sub", "output": "out/sub", "state": "failed", "error": f"in/sub: {denied}"}, report["files"])

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


class Resume(BatchTest):
    """What is there, no older, and made by the same is left as it is."""

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

    def test_an_empty_result_is_made_again(self):
        self.assertEqual(self.states(), ["done"] * 5)
        expected = self.below("out")
        self.put("out/2.png", b"")
        self.assertEqual(self.states(), ["skipped", "skipped", "done", "skipped", "skipped"])
        self.assertEqual(self.below("out"), expected)

    def test_resume_by_format(self):
        self.assertEqual(self.states("--format", "webp"), ["done"] * 5)
        self.assertEqual(self.states("--format", "webp"), ["skipped"] * 5)
        self.assertEqual(self.states(), ["done"] * 5)

    AGAIN = "{} of them again: the results there were made otherwise (filter, options, input or version), or nothing says how"

    def resumed(self, chain, *arguments, counts, again=0):
        """Goes on with a batch of `chain`, of whose results so many are made again."""
        self.batch(chain, "in", "-o", "out", "--resume", *arguments, counts=counts, remarks=[self.AGAIN.format(again)] if again else [])

    def test_results_of_another_filter_or_other_options_are_made_again(self):
        self.batch("box size=3", "in", "-o", "out", counts=(5, 0, 0))
        expected = self.below("out")
        self.resumed("box size=3", counts=(0, 5, 0))
        for chain, arguments in (("box size=3 | edges", ()), ("box size=5", ()), ("box size=3", ("--border", "wrap")), ("box size=3", ("--scale", "0.5")),
                                 ("box size=3", ("--gray",)), ("box", ("--size", "5")), ("box size=3", ("--quality", "50"))):
            with self.subTest(chain=chain, arguments=arguments):
                self.resumed(chain, *arguments, counts=(5, 0, 0), again=5)
                self.resumed(chain, *arguments, counts=(0, 5, 0))
                self.resumed("box size=3", counts=(5, 0, 0), again=5)
                self.assertEqual(self.below("out"), expected)
        report = json.loads(self.start("batch", "edges", "in", "-o", "out", "--resume", "--json").stdout)
        self.assertEqual([file.get("made_again") for file in report["files"]], [True] * 5)

    def test_a_result_of_another_size_is_left_and_told_of(self):
        self.batch("box size=3", "in", "-o", "out", counts=(5, 0, 0))
        expected, whole = self.below("out"), self.get("out/2.png")
        for i, data in ((2, whole[:1]), (2, whole[:-1]), (3, whole + b"edited")):
            self.put(f"out/{i}.png", data)
            left = self.below("out")
            remark = ("1 skipped whose size has changed since batch made it: edited, or cut off; without that result batch makes it again" if i == 2 else
                      "2 skipped whose size has changed since batch made them: edited, or cut off; without those results batch makes them again")
            self.batch("box size=3", "in", "-o", "out", "--resume", counts=(0, 5, 0), remarks=[remark])
            self.assertEqual(self.below("out"), left)
        report = json.loads(self.start("batch", "box size=3", "in", "-o", "out", "--resume", "--json").stdout)
        self.assertEqual([file.get("changed") for file in report["files"]], [None, None, True, True, None])
        for i in (2, 3):
            (self.folder / f"out/{i}.png").unlink()
        self.resumed("box size=3", counts=(2, 3, 0))
        self.assertEqual(self.below("out"), expected)

    def test_another_way_to_say_the_same_is_the_same(self):
        self.batch("gaussian sigma=2 radius=3|edges", "in", "-o", "out", counts=(5, 0, 0))
        self.resumed("  gaussian   radius=3 sigma=2 |  edges ", "--threads", "2", "--workers", "1", "--device", "cpu", "--memory", "1G", counts=(0, 5, 0))
        self.resumed("gaussian sigma=2 radius=4 | edges", counts=(5, 0, 0), again=5)
        for ways in ((("gaussian sigma=3",), ("gaussian", "--sigma", "3"), ("gaussian", "--sigma", "3.0"), ("gaussian sigma='3e0'",)),
                     (("gaussian",), ("gaussian sigma=1",), ("gaussian", "--sigma", "1")),
                     (("gaussian_derivative order-x=2",), ("gaussian_derivative", "--order_x", "2"), ("gaussian_derivative order_x=2 sigma=1",)),
                     (("sobel", "--axis", "x"), ("sobel axis=x",)),
                     (("custom weights='1 2 1'",), ("custom", "--weights", "1, 2, 1"))):
            self.resumed(*ways[0], "--view", "abs", counts=(5, 0, 0), again=5)
            for way in ways[1:]:
                with self.subTest(way=way):
                    self.resumed(*way, "--view", "abs", counts=(0, 5, 0))

    def test_weights_of_a_file_that_changed_make_results_again(self):
        for weights, again in (("1 2 1", 0), ("1 3 1", 5)):
            self.put("weights.txt", weights.encode())
            self.batch("custom", "in", "-o", "out", "--resume", "--weights", "weights.txt", "--scale", "0.25", counts=(5, 0, 0),
                       remarks=[self.AGAIN.format(again)] if again else [])
            self.batch("custom", "in", "-o", "out", "--resume", "--weights", "weights.txt", "--scale", "0.25", counts=(0, 5, 0))

    def test_a_result_of_another_input_is_made_again(self):
        self.put("more/0.png", png([[200, 100]] * 3))
        self.set_time("more/0.png", 1000)
        self.batch("identity", "in", "-o", "out", counts=(5, 0, 0))
        self.batch("identity", "more", "-o", "out", "--resume", counts=(1, 0, 0), remarks=[self.AGAIN.format(1)])
        self.resumed("identity", counts=(1, 4, 0), again=1)

    def test_an_input_replaced_by_an_older_file_is_filtered_again(self):
        """As cp -p does; one of the same size cannot be told."""
        self.batch("identity", "in", "-o", "out", counts=(5, 0, 0))
        self.put("in/2.png", png([[200, 100, 50, 25]] * 30))
        self.set_time("in/2.png", 500)
        self.resumed("identity", counts=(1, 4, 0), again=1)
        self.resumed("identity", counts=(0, 5, 0))

    def test_results_of_which_nothing_says_how_they_were_made(self):
        self.batch("box", "in", "-o", "out")
        (self.folder / "out/.halation-batch").unlink()
        self.resumed("box", counts=(5, 0, 0), again=5)
        self.resumed("box", counts=(0, 5, 0))
        shutil.move(self.folder / "out", self.folder / "elsewhere")  # the notes go along
        self.batch("box", "in", "-o", "elsewhere", "--resume", counts=(0, 5, 0))

    def test_notes_that_are_cut_off_or_damaged_spoil_no_others(self):
        self.batch("box", "in", "-o", "out")
        notes = self.folder / "out/.halation-batch"
        lines = [line for line in notes.read_bytes().split(b"\n") if line]
        self.assertEqual(len(lines), 5)
        self.assertRegex(lines[0], rb"\A[0-9a-f]{16}:\d+ \d\.png\Z")
        notes.write_bytes(b"\n".join(sorted(lines, key=lambda line: line.split()[1]))[:-6] + b"\n\0\xff rubbish\n\n ")
        self.resumed("box", counts=(1, 4, 0), again=1)
        self.resumed("box", counts=(0, 5, 0))

    def test_names_of_all_kinds_are_noted(self):
        for name in ("a b.png", "line\nend.png", "100%.png", "ü.png"):
            self.put("in/" + name, PHOTO)
        self.batch("box", "in", "-o", "out", counts=(9, 0, 0))
        self.resumed("box", counts=(0, 9, 0))

    def test_a_run_that_failed_over_a_result_leaves_it_in_doubt(self):
        """It is noted before the result is replaced: an end in between says nothing of the one that is there."""
        self.batch("box", "in", "-o", "out")
        before = (self.folder / "in/3.png").read_bytes()
        self.put("in/3.png", b"")
        self.set_time("in/3.png", 1000)
        self.assertEqual(self.start("batch", "edges", "in/3.png", "-o", "out").returncode, FAILED)
        self.put("in/3.png", before)
        self.set_time("in/3.png", 1000)
        self.resumed("box", counts=(1, 4, 0), again=1)

    def test_runs_side_by_side_into_one_folder(self):
        for i in range(5, 40):
            self.put(f"in/{i}.png", png([[i, 7]] * 3))
        runs = [subprocess.Popen([program.HALATION, "batch", chain, "in", "-o", "out", "--quiet", *more], cwd=self.folder)
                for chain, more in (("identity", ()), ("identity", ()), ("identity", ("--format", "webp")), ("identity", ("--format", "bmp")))]
        for run in runs:
            self.assertEqual(run.wait(), 0)
        for more in ((), ("--format", "webp"), ("--format", "bmp")):
            self.resumed("identity", *more, counts=(0, 40, 0))

    def test_failures_are_tried_again(self):
        self.put("in/9.png", b"")
        self.batch_with_failures([r"in/9\.png: the file is empty"], 6, "identity", "in", "-o", "out", "--resume")
        self.batch_with_failures([r"in/9\.png: the file is empty"], 6, "identity", "in", "-o", "out", "--resume", skipped=5)
        self.put("in/9.png", PHOTO)
        self.assertEqual(self.states(), ["skipped"] * 5 + ["done"])
        (self.folder / "in/9.png").unlink()
        self.batch_with_failures([r"in/9\.png: no such file or folder"], 1, "identity", "in/9.png", "-o", "out", "--resume")


if __name__ == "__main__":
    main()
