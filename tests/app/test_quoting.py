"""test_quoting.py: names, arguments and damaged files of any bytes, quoted in lines and reports that are UTF-8 whatever they hold."""
import json
import os
import shutil
import subprocess
import unittest

import program
from pictures import npy, png
from program import ProgramTest, main

FAILED, WRONG_USAGE = 1, 2
BYTES = b"\xc3(\xff\xe5\x86"  # none of them begins a character that the next ones end
QUOTED = r"\xc3(\xff\xe5\x86"
PHOTO = png([[1, 2, 3], [4, 5, 6]])


class QuotingTest(ProgramTest):
    def start(self, *arguments, **more):
        """With arguments that may be bytes."""
        return subprocess.run([program.HALATION, *arguments], capture_output=True, cwd=self.folder, timeout=120, check=False,
                              stdin=subprocess.DEVNULL, **more)

    def put(self, name, data):
        """The name may be bytes."""
        with open(os.path.join(os.fsencode(self.folder), os.fsencode(name)), "wb") as file:
            file.write(data)
        return name

    def refuse(self, code, sentence, *arguments):
        done = self.start(*arguments)
        with self.subTest(arguments=arguments):
            self.assertEqual(done.stderr.decode(), f"halation: {sentence}\n")
            self.assertEqual((done.returncode, done.stdout), (code, b""))

    def report(self, *arguments, code=0):
        done = self.start(*arguments, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout.decode()), done.stderr.decode()


class Arguments(QuotingTest):
    def test_what_is_typed(self):
        self.put("in.png", PHOTO)
        self.refuse(WRONG_USAGE, f"unknown command '{QUOTED}'; see halation --help", BYTES)
        self.refuse(WRONG_USAGE, f"unknown option --{QUOTED}; see halation apply --help", "apply", "box", "in.png", "-o", "o.png", b"--" + BYTES)
        self.refuse(WRONG_USAGE, f"chain: stage 1 (box): parameters are written name=value, such as size=3, got '{QUOTED}'", "apply",
                    b"box " + BYTES, "in.png", "-o", "o.png")
        self.refuse(WRONG_USAGE, f"box: size must be a finite number, got '{QUOTED}'", "batch", b"box size=" + BYTES, "in.png", "-o", "out")
        self.refuse(WRONG_USAGE, f"gaussian: sigma must be a finite number, got '{QUOTED}'", "video", "gaussian", "in.mp4", "-o", "o.mp4",
                    "--sigma", BYTES)
        self.refuse(FAILED, f"{QUOTED}.png: no such file", "interactive", BYTES + b".png")


class Names(QuotingTest):
    def setUp(self):
        super().setUp()
        self.name = self.put(BYTES + b".png", PHOTO)

    def test_apply(self):
        report, _ = self.report("apply", "box", self.name, "-o", b"o" + self.name, "--compare", b"c" + self.name)
        self.assertEqual([report[each] for each in ("input", "output", "compare")],
                         [f"{QUOTED}.png", f"o{QUOTED}.png", f"c{QUOTED}.png"])
        done = self.start("apply", "box", self.name, "-o", "-", "--json")
        self.assertEqual(json.loads(done.stderr.decode())["input"], f"{QUOTED}.png")
        self.put(self.name, b"")
        self.refuse(FAILED, f"{QUOTED}.png: the file is empty", "apply", "box", self.name, "-o", "o.png")

    def test_batch(self):
        self.put(b"no" + self.name, b"")
        report, told = self.report("batch", "box", self.name, b"no" + self.name, "-o", b"out" + BYTES, code=FAILED)
        self.assertIn(f"batch: no{QUOTED}.png: the file is empty\n", told)
        names = [(file["input"], file["output"]) for file in report["files"]]
        self.assertEqual(names, [(f"{start}{QUOTED}.png", f"out{QUOTED}/{start}{QUOTED}.png") for start in ("", "no")])
        self.assertEqual(report["files"][1]["error"], f"no{QUOTED}.png: the file is empty")
        self.refuse(FAILED, f"*{QUOTED}.gif: no file matches", "batch", "box", b"*" + BYTES + b".gif", "-o", "out")

    def test_ladder(self):
        done = self.start("ladder", "--image", self.name, "--radius", "1", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout.decode())["job"]["source"], f"{QUOTED}.png")

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "the program ffmpeg is not here")
    def test_video(self):
        name = BYTES + b".mkv"
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25", "-frames:v", "20", "-c:v", "ffv1", "-metadata",
                        b"title=" + BYTES, name], cwd=self.folder, check=True, timeout=60, stdin=subprocess.DEVNULL)
        report, told = self.report("video", "box", name, "-o", b"o" + name, "--codec", "ffv1")
        self.assertEqual((report["input"], report["output"], told), (f"{QUOTED}.mkv", f"o{QUOTED}.mkv", ""))
        whole = (self.folder / os.fsdecode(name)).read_bytes()
        self.put(name, whole[:len(whole) * 6 // 10])
        report, told = self.report("video", "box", name, "-o", b"o" + name, "--codec", "ffv1", "--keep-going")
        self.assertEqual(report["input"], f"{QUOTED}.mkv")
        self.assertTrue(told.startswith(f"video: {QUOTED}.mkv: ffmpeg: "), told)
        self.refuse(WRONG_USAGE, f"this ffmpeg has no video encoder '{QUOTED}'; ffmpeg -encoders lists those that it has", "video", "box", b"o" + name,
                    "-o", "o.mkv", "--codec", BYTES)
        self.refuse(FAILED, f"no{QUOTED}.mkv: no such file", "video", "box", b"no" + name, "-o", "o.mkv")


class DamagedFiles(QuotingTest):
    """Sentences quote what the files hold."""

    def test_each(self):
        self.put("type.npy", npy([1, 2], (1, 2)).replace(b"'<f4'", b"'<\xff4'"))
        self.put("width.pgm", b"P5 " + BYTES + b" 3 255\n123")
        self.put("scale.pfm", b"Pf\n1 1\n" + BYTES + b"\n1234")
        self.put("control.pgm", b"P5 \x1b[2J 3 255\n123")
        sentences = {"type.npy": r"elements of type '<\xff4'; halation reads bool, integers, floats and complex numbers",
                     "width.pgm": f"damaged or truncated PNM: the width must be 1 to 2147483647, got '{QUOTED}'",
                     "scale.pfm": f"damaged or truncated PNM: the scale of a PFM must be a number other than 0, got '{QUOTED}'",
                     "control.pgm": "damaged or truncated PNM: the width must be 1 to 2147483647, got ' [2J'"}
        for name, sentence in sentences.items():
            self.refuse(FAILED, f"{name}: {sentence}", "apply", "box", name, "-o", "o.npy")
        report, told = self.report("batch", "box", *sentences, "-o", "out", code=FAILED)
        for file in report["files"]:
            name = file["input"]
            self.assertIn(f"batch: {name}: {sentences[name]}\n", told)
            self.assertEqual(file["error"].replace("\x1b", " "), f"{name}: {sentences[name]}")


if __name__ == "__main__":
    main()
