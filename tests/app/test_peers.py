"""test_peers.py: bench/python: every way of every package that this Python has, on small images, with one thread and with two.

HALATION_PEERS_PYTHON names another Python, as one that has the packages of bench/requirements.txt.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

from program import ProgramTest, main

PEERS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "python" / "peers.py"
PYTHON = os.environ.get("HALATION_PEERS_PYTHON", sys.executable)
IMAGE = [150, 330]
JOBS = [{"name": "f32 {size}x{size}", "each": {"size": [3, 4, 7]}},
        {"name": "u8 {size}x{size}", "pixel": "u8", "each": {"size": [3, 15]}},
        {"name": "u8 c3 7x7", "pixel": "u8", "channels": 3, "size": 7},
        {"name": "{pixel} symmetric {size}", "filter": "symmetric", "each": {"pixel": ["f32", "u8"], "size": [3, 31]}},
        {"name": "{pixel} separable 7", "filter": "separable", "size": 7, "each": {"pixel": ["f32", "u8"]}},
        {"name": "u8 c3 separable 31", "filter": "separable", "pixel": "u8", "channels": 3, "size": 31},
        {"name": "{pixel} gaussian", "filter": "gaussian", "sigma": 1.5, "each": {"pixel": ["f32", "u8"]}},
        {"name": "{pixel} box {size}", "filter": "box", "each": {"pixel": ["f32", "u8"], "size": [3, 9]}},
        {"name": "box 4", "filter": "box", "size": 4},
        {"name": "sobel", "filter": "sobel", "pixel": "u8", "output": "i16"},
        {"name": "1D {size}", "extents": [70000], "each": {"size": [5, 65]}},
        {"name": "3D {size}", "extents": [24, 30, 70], "each": {"size": [3, 5]}}]
FLAT = {"f32 3x3", "f32 7x7", "u8 3x3", "u8 15x15", "f32 symmetric 31", "u8 symmetric 31", "f32 gaussian", "u8 gaussian",
        "f32 box 9", "u8 box 9", "sobel"}
COLOURS = {"u8 c3 7x7", "u8 c3 separable 31"}
SIGNALS = {"1D 5", "1D 65"}
VOLUMES = {"3D 3", "3D 5"}
# What each must offer at least, and compute as halation does.
OFFERED = {"OpenCV": FLAT | COLOURS | SIGNALS, "Halide": FLAT | COLOURS | SIGNALS | VOLUMES, "libvips": FLAT | COLOURS,
           "IPP": FLAT | COLOURS | SIGNALS | VOLUMES, "SciPy": FLAT | COLOURS | SIGNALS | VOLUMES,
           "NumPy": SIGNALS, "scikit-image": {"f32 gaussian"}, "PyTorch": {"f32 3x3", "f32 7x7", "1D 5", "3D 3"}}
# Ways that round weights or sums by design, so that images of integers differ by more than a level.
ROUNDED = {"libvips": "integer", "OpenCV": "GaussianBlur", "IPP": "ippiFilterGaussian", "SciPy": "uniform_filter"}


class Peers(ProgramTest):
    def lines(self):
        """What the program tells peers.py of the jobs."""
        self.put("python", f"#!{sys.executable}\nimport sys\nopen('lines', 'w').write(sys.stdin.read())\n".encode())
        (self.folder / "python").chmod(0o755)
        jobs = [{"extents": IMAGE, **job} for job in JOBS]
        self.put("m.json", json.dumps({"schema": "halation-bench-matrix-1", "jobs": jobs}).encode())
        self.run_ok("bench", "--matrix", "m.json", "--device", "cpu", "--threads", "1,2", "--repeats", 1, "--peers", "python",
                    "--python", "./python")
        return self.get("lines").decode().splitlines()[1:]

    def rows_of(self, name, lines):
        header = json.dumps({"device": "cpu", "repeats": 1, "every_way": True})
        done = subprocess.run([PYTHON, "-B", PEERS, name], input="\n".join([header, *lines]) + "\n", capture_output=True, text=True,
                              timeout=250, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, *rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(first["peer"], name)
        return first["version"], [row for row in rows if "starts" not in row and "so_far" not in row]

    @unittest.skipUnless(subprocess.run([PYTHON, "-c", "import numpy"], capture_output=True, check=False).returncode == 0,
                         "this Python has no NumPy")
    def test_every_way_is_right(self):
        lines = self.lines()
        for name, offered in OFFERED.items():
            with self.subTest(peer=name):
                version, rows = self.rows_of(name, lines)
                if version.startswith("not found: "):
                    self.assertEqual(rows, [])
                    continue
                for row in rows:
                    if row["status"] != "verified":
                        self.assertEqual(row["status"], "differs", row)
                        self.assertIn(ROUNDED.get(name, "none"), row["how"], row)
                    else:
                        self.assertGreater(min(row["times_s"]), 0)
                    self.assertEqual(len(row["copies_s"]), 2)
                    self.assertGreater(min(row["copies_s"]), 0)
                for threads in (1, 2):
                    self.assertLessEqual(offered, {row["job"] for row in rows
                                                   if row["status"] == "verified" and row["threads"] == threads})

    def test_a_package_that_is_missing_is_named(self):
        if not numpy_folder():
            self.skipTest(f"{PYTHON} has no NumPy, which peers need")
        header = json.dumps({"device": "cpu", "repeats": 1})
        done = subprocess.run([PYTHON, "-B", "-S", "-c",
                               "import sys; sys.modules['cv2'] = None; sys.argv = ['peers.py', 'OpenCV']\n"
                               f"sys.path[:0] = [{str(PEERS.parent)!r}, {numpy_folder()!r}]\n"
                               "import peers; peers.main()"], input=header + "\n", capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertRegex(json.loads(done.stdout)["version"], "^not found: .*cv2")


def numpy_folder():
    """Where that Python has its packages."""
    done = subprocess.run([PYTHON, "-c", "import numpy, pathlib; print(pathlib.Path(numpy.__file__).parents[1])"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
