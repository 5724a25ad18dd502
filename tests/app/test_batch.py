"""test_batch.py: `halation batch CHAIN FILE... -o DIR`: results, reports, and whatever goes wrong; which files: test_batch_files.py."""
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess

import program
from batches import FAILED, PHOTO, SUMMARY, WRONG_USAGE, BatchTest
from pictures import npy, png, png_chunk, png_chunks, tiff
from program import ROWS, flat, main

CORPUS = pathlib.Path(__file__).resolve().parents[1] / "fuzz" / "corpus" / "files"


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
        for name, code in (("foo", FAILED), ("gif", FAILED), ("", WRONG_USAGE)):
            done = self.start("batch", "box", "in", "-o", "out", "--format", name)
            with self.subTest(name=name):
                self.assertEqual(done.returncode, code)
                self.assertRegex(done.stderr.decode(), r"\Ahalation: [^\n]+\n\Z")
                self.assertFalse((self.folder / "out").exists())
        self.refused(WRONG_USAGE, "--quality must be a whole number from 1 to 100, got '0'", "box", "in", "-o", "out", "--quality", "0")

    def test_pixels_that_a_format_does_not_hold(self):
        done = self.start("batch", "box", "in", "-o", "out", "--output-pixel", "f32")
        self.assertEqual(done.returncode, FAILED)
        self.assertEqual(sorted(self.below("out")), ["array.npy", "pages.tif", "tif.tif"])
        self.assertIn("batch: out/gray.png: PNG holds 8-bit and unsigned 16-bit pixels, got f32; ", done.stderr.decode())

    def test_pbm_becomes_png(self):
        self.put("bits/page.pbm", b"P1 2 2 0 1 1 0\n")
        self.put("bits/photo.jfif", self.run_ok("apply", "identity", "in/gray.png", "-o", "-", "--format", "jpeg")[0])
        self.run_ok("batch", "identity", "bits", "-o", "out")
        self.assertEqual(sorted(self.below("out")), ["page.png", "photo.jfif"])

    def test_gif_becomes_png(self):
        head = b"GIF89a\1\0\1\0\x91\0\0" + bytes([0, 0, 0, 200, 0, 0, 0, 200, 0, 0, 0, 200])
        picture = b",\0\0\0\0\1\0\1\0\0\2\2"
        self.put("gifs/two.gif", head + picture + b"\x4c\1\0" + picture + b"\x54\1\0;")
        for page in ((), ("--page", "2")):
            said = self.start("batch", "identity", "gifs", "-o", "out", *page).stderr.decode()
            left_out = "batch: gifs/two.gif has 2 pictures, of which the first is filtered; say --page 1, or which, from 1 to 2; halation video filters all, by ffmpeg\n"
            self.assertEqual(said.startswith(left_out), not page, said)
            self.assertRegex(said.removeprefix(left_out), SUMMARY)
            self.run_ok("apply", "identity", "gifs/two.gif", "-o", "single.png", *page)
            self.assertEqual(self.below("out"), {"two.png": self.get("single.png")})

    def test_layout_and_page(self):
        self.put("arrays/a.npy", npy(range(24), (2, 4, 3), "<u1"))
        self.put("arrays/b.npy", npy(range(24), (4, 2, 3), "<u1"))
        self.batch("box size=3,1", "arrays", "-o", "out", "--layout", "hwc")
        self.run_ok("apply", "box size=3,1", "arrays/b.npy", "-o", "single.npy", "--layout", "hwc")
        self.assertEqual(self.below("out")["b.npy"], self.get("single.npy"))

    def test_files_without_the_page_that_was_asked_for(self):
        self.put("in/damaged.png", PHOTO[:100])
        self.batch_with_failures([r"in/photo\.png: has no page 2, only 1, and gets no result", r"in/gray\.png: has no page 2, only 1, and gets no result",
                                  r"in/damaged\.png: damaged or truncated PNG: the file ends too early"], 4, "box", "in/photo.png", "in/gray.png",
                                 "in/pages.tif", "in/damaged.png", "-o", "paged", "--page", "2", remarks=["2 of those that failed have no page 2"])
        self.batch_with_failures([r"in/pages\.tif: has no page 9, only \d, and gets no result"], 1, "box", "in/pages.tif", "-o", "paged", "--page", "9",
                                 remarks=["1 of those that failed has no page 9"])

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

    def test_what_is_clipped_is_told_in_one_line(self):
        self.put("much.png", png([[0, 9, 0, 9, 0, 9, 0, 9]]))
        self.put("less.png", png([[0, 9, 9, 9, 9, 9, 9, 9]]))
        self.put("none.png", png([[9, 9, 9, 9]]))
        note = ("50% of the samples are below 0 and became 0; edges over- and undershoot; --output-pixel f32 keeps all (.tif, .exr, .npy)")
        arguments = ("custom weights='-1 2 0'", "less.png", "much.png", "none.png", "-o", "out", "--border", "constant")
        report = json.loads(self.batch(*arguments, "--json", remarks=[f"samples clipped in 2 of them, most in much.png: {note}"]))
        self.assertEqual([file.get("note", "")[:4] for file in report["files"]], ["12% ", "50% ", ""])
        self.assertEqual(report["files"][1]["note"], note)
        self.batch(*arguments, "--resume", counts=(0, 3, 0))


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
        clipped = "samples clipped in 1 of them, in/c.png: 4.8% of the samples are above 255 and became 255; --view stretch shows them"
        stdout = self.batch_with_failures(self.FAILURES, 5, "box size=3 | edges", "in", "-o", "out", "--json", remarks=[clipped])
        report = json.loads(stdout)
        self.assertEqual(list(report), ["chain", "done", "skipped", "failed", "seconds", "files_per_second", "mpix_per_second", "passed_over",
                                        "other_files", "files"])
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
        report = json.loads(self.batch("box size=3 | edges", "in/a.png", "-o", "out", "--json", "--resume"))
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

    def test_names_that_are_none(self):
        """No folder is made, and none of the files is filtered."""
        see = "; see halation batch --help"
        self.refused(WRONG_USAGE, "an empty name was given for inputs" + see, "box", "", "-o", "out")
        self.refused(WRONG_USAGE, "an empty name was given for inputs" + see, "box", "in/a.png", "", "-o", "out")
        self.refused(WRONG_USAGE, "an empty name was given for --output" + see, "box", "in/a.png", "-o", "")
        sentence = "batch reads files, not standard input, which halation apply does; a file of the name - is given as ./-"
        for names in (["-"], ["in/a.png", "-"], ["-", "in"]):
            self.refused(WRONG_USAGE, sentence, "box", *names, "-o", "out")
        self.refused(WRONG_USAGE, "-o needs a folder, not standard output; one of the name - is given as ./-", "box", "in/a.png", "-o", "-")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["in"])

    def test_names_of_a_hyphen(self):
        self.put("-", PHOTO)
        self.batch("identity", "./-", "-o", "./-out", counts=(1, 0, 0))
        self.assertEqual(list(self.below("-out")), ["-.png"])

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
        self.refused(WRONG_USAGE, "unknown layout 'rgb'; choose from w, hw, hwc, dhw, dhwc", "box", "in", "-o", "out", "--layout", "rgb")
        self.refused(WRONG_USAGE, "unknown border 'sam'; choose from constant, replicate, reflect, reflect101, wrap", "box", "in", "-o",
                     "out", "--border", "sam")
        self.refused(WRONG_USAGE, "--memory must be a size such as 512M or 1.5G, got '0'", "box", "in", "-o", "out", "--memory", "0")
        self.refused(WRONG_USAGE, "unknown option --recursiv; did you mean --recursive?", "box", "in", "-o", "out", "--recursiv")


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
        self.assertEqual(self.start(*command).returncode, 0)
        complete = self.below("out")
        self.assertEqual(len(complete), 60)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL) * 2:
            shutil.rmtree(self.folder / "out")
            code = self.ended_by(number, draw.randrange(sum(map(len, complete.values()))), *command)
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
                done = self.start(*command, "--resume", "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                report = json.loads(done.stdout)
                # A result that appeared as the run ended, one of each worker, may not have been noted.
                again = sum("made_again" in file for file in report["files"])
                self.assertLessEqual(again, 2)
                self.assertEqual((report["done"], report["skipped"], report["failed"]), (60 - len(found) + again, len(found) - again, 0))
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
            lines = done.stderr.decode().split("\n")[:-1]  # sentences may quote what a file holds, as text
            report = json.loads(done.stdout)
            reports.append([(file["input"], file["state"], file.get("error", "").replace("out1/", "out8/")) for file in report["files"]])
            self.assertEqual(len(report["files"]), count)
            self.assertEqual(report["done"] + report["failed"], count)
            self.assertGreater(report["done"], 40)
            self.assertEqual(lines[-1], f"halation: batch: {report['failed']} of {count} files could not be filtered")
            animations = sum("left_out" in file for file in report["files"])
            clipped = any("note" in file for file in report["files"])
            self.assertEqual(len(lines), report["failed"] + animations + clipped + 2)
            results = {file["output"] for file in report["files"] if file["state"] == "done"}
            self.assertEqual({f"out{workers}/{name}" for name in self.below("out" + workers)}, results)
        self.assertEqual(reports[0], reports[1])
        self.assertTrue(self.below("out8") == self.below("out1"))


if __name__ == "__main__":
    main()
