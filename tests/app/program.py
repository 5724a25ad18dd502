"""program.py: runs the program in a folder of its own, and an oracle in plain Python."""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import unittest

from pictures import npy, read_npy

HALATION = None  # the program's path, set by main()

# An image, and weights that no flip leaves as they are.
ROWS = [[(7 * x * x + 13 * y * x + 29 * y + 5) % 251 for x in range(9)] for y in range(7)]
SHAPE = (7, 9)
SKEW = [[1, 2, -3], [4, 5, 6], [-7, 8, 10]]
SKEW_TEXT = "1 2 -3; 4 5 6; -7 8 10"


def main():
    """Runs the tests of the calling script: python3 test_x.py HALATION [unittest's arguments]"""
    global HALATION
    if len(sys.argv) < 2:
        sys.exit(main.__doc__)
    # The script is __main__, its test classes know this module as `program`.
    sys.modules["program"].HALATION = os.path.abspath(sys.argv.pop(1))
    os.environ["HALATION_CACHE"] = ""  # no test sees the user's
    unittest.main(module="__main__")


def main_on_gpu():
    """`main` where there is a GPU; leaves with 77, which CTest takes for skipped, where there is none."""
    listed = subprocess.run([sys.argv[1], "devices"], capture_output=True, check=True).stdout
    if b"cuda:" not in listed:
        print("skipped: this machine has no CUDA device")
        sys.exit(77)
    main()


def gives_back_what_is_freed():
    """An environment for tests of memory: AddressSanitizer would keep it."""
    return {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1:thread_local_quarantine_size_kb=64"}


def read_all(descriptor):
    """What is left to read from the near end of a terminal whose far end is closed."""
    parts = []
    while True:
        try:
            parts.append(os.read(descriptor, 4096))
        except OSError:  # how Linux says that nothing more will come
            break
        if not parts[-1]:
            break
    return b"".join(parts).decode()


def leave_no_core():
    """For a process that a signal is going to end."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def bytes_written(process):
    """What a process has written by now."""
    try:
        said = pathlib.Path(f"/proc/{process}/io").read_text(encoding="ascii")
    except OSError:  # it has ended
        return 0
    return int(re.search(r"(?m)^wchar: (\d+)$", said)[1])


class ProgramTest(unittest.TestCase):
    """Tests run in an empty folder, `self.folder`."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def put(self, name, data):
        """Writes a file and returns its name."""
        (self.folder / name).write_bytes(data)
        return name

    def get(self, name):
        return (self.folder / name).read_bytes()

    def start(self, *arguments, stdin=b"", timeout=120, **more):
        """Runs the program, whatever comes of it."""
        return subprocess.run([HALATION, *map(str, arguments)], input=stdin, capture_output=True, cwd=self.folder,
                              timeout=timeout, check=False, **more)

    def run_ok(self, *arguments, stdin=b""):
        """Runs the program, which must succeed and say nothing on stderr but what was asked for; returns both outputs."""
        done = self.start(*arguments, stdin=stdin)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout, done.stderr.decode()

    def check_error(self, arguments, sentence, code, stdin=b"", **more):
        """The program must refuse: one line on stderr, that exit code, nothing on stdout, no file made or changed."""
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        done = self.start(*arguments, stdin=stdin, **more)
        self.assertEqual(done.stderr.decode(), f"halation: {sentence}\n")
        self.assertEqual(done.returncode, code)
        self.assertEqual(done.stdout, b"")
        after = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        self.assertEqual(after, before)

    def ended_by(self, number, written, *arguments):
        """Starts the program and sends it a signal once it has written so many bytes, unless it ends before; its exit code."""
        child = subprocess.Popen([HALATION, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 preexec_fn=leave_no_core)
        while child.poll() is None and bytes_written(child.pid) < written:
            time.sleep(0.0002)
        child.send_signal(number)
        return child.wait(120)

    def apply_to_array(self, values, shape, filter_name, *arguments):
        """Filters an f64 array; returns values and shape."""
        self.put("in.npy", npy(values, shape, "<f8"))
        self.run_ok("apply", filter_name, "in.npy", "-o", "out.npy", *arguments)
        values, shape, _ = read_npy(self.get("out.npy"))
        return values, shape

    def assert_close(self, values, expected, tolerance=1e-12):
        self.assertEqual(len(values), len(expected))
        for value, wanted in zip(values, expected):
            self.assertAlmostEqual(value, wanted, delta=tolerance * max(1, abs(wanted)))


def source_index(i, n, mode):
    """Where a coordinate beyond an axis of n pixels is read; None is the constant."""
    if 0 <= i < n:
        return i
    ahead, back = list(range(n)), list(range(n))[::-1]
    cycle = {"replicate": None, "wrap": ahead, "reflect": ahead + back, "reflect101": ahead + back[1:-1],
             "constant": None}[mode]
    if mode == "constant":
        return None
    return min(max(i, 0), n - 1) if cycle is None else cycle[i % len(cycle)]


def filtered(rows, weights, mode="reflect101", value=0.0, anchor=None, correlate=False):
    """out[p] = sum of w[k] in[p - (k - a)], or in[p + (k - a)], over rows of numbers; modes one, or (height, width)."""
    height, width = len(rows), len(rows[0])
    modes = mode if isinstance(mode, tuple) else (mode, mode)
    anchor_y, anchor_x = anchor or (len(weights) // 2, len(weights[0]) // 2)
    sign = 1 if correlate else -1

    def pixel(y, x):
        y, x = source_index(y, height, modes[0]), source_index(x, width, modes[1])
        return value if y is None or x is None else rows[y][x]

    return [[sum(w * pixel(y + sign * (ky - anchor_y), x + sign * (kx - anchor_x))
                 for ky, row in enumerate(weights) for kx, w in enumerate(row))
             for x in range(width)] for y in range(height)]


def flat(rows):
    return [value for row in rows for value in row]
