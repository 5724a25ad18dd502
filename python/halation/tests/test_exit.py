"""test_exit.py: the process ends while daemon threads filter: they stop where they are, and it exits as if they were not there."""

import subprocess
import sys
import textwrap

import pytest

# Each has calls that are longer than the interpreter takes to end, and short ones.
WORK = {
    "ndimage": "halation.ndimage.gaussian_filter(image, 2)",
    "strips": "halation.ndimage.gaussian_filter(whole, 2)",
    "signal": "halation.signal.fftconvolve(image, np.ones((9, 9)))",
    "products": "halation.signal.convolve(whole, np.ones((3, 3), np.int32))",
    "plan": "plan.run(image, out)",
    "plans": "halation.plan(image.shape, image.dtype, np.ones((5, 5)), tune='measure')",
    "chain": "halation.convolve(photo, 'gaussian sigma=2 | sharpen', channel_axis=-1)",
    "alpha": "halation.gaussian(photo, alpha=True)",
    "imread": "halation.imread(file)",
    "imwrite": "halation.imwrite(other(), photo)",
    "filter_file": "halation.filter_file('gaussian sigma=2', file, other(), progress=lambda done, all: sum(range(20000)))",
    "interface": "halation.ndimage.gaussian_filter(image, 2, output=Slow())",
}
FILES = ("imread", "imwrite", "filter_file")

PROGRAM = """
    import os, sys, threading
    import numpy as np
    import halation, halation.ndimage, halation.signal

    rng = np.random.default_rng(1)
    image = rng.random((300, 400), dtype=np.float32)
    whole = rng.integers(0, 99, (300, 400), np.int32)
    photo = rng.integers(0, 255, (300, 400, 3), np.uint8)
    plan = halation.plan(image.shape, image.dtype, (np.ones(9), np.ones(9)))
    out = np.empty_like(image)
    file = os.path.join(sys.argv[1], "in.png")
    if {files}:
        halation.imwrite(file, photo)

    class Slow:  # code of the interpreter that the library calls
        shape, ndim, dtype = image.shape, image.ndim, image.dtype
        kept = np.empty_like(image)

        @property
        def __array_interface__(self):
            sum(range(20000))
            return self.kept.__array_interface__

    def other():
        return os.path.join(sys.argv[1], f"{{threading.get_ident()}}.png")

    def loop(work):
        work()
        started.release()
        while True:
            work()

    started = threading.Semaphore(0)
    work = [{work}]
    for each in work:
        threading.Thread(target=loop, args=(each,), daemon=True).start()
    for _ in work:
        started.acquire()
"""


def end_while_threads_do(names, folder):
    work = ", ".join(f"lambda: {WORK[name]}" for name in names)
    program = textwrap.dedent(PROGRAM).format(work=work, files=any(name in FILES for name in names))
    return subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize("name", WORK)
def test_the_process_ends_while_daemon_threads_filter(name, tmp_path):
    if name in FILES:
        pytest.importorskip("halation._codecs")
    for _ in range(2):
        ended = end_while_threads_do([name] * 4, tmp_path)
        assert (ended.returncode, ended.stderr) == (0, "")


def test_the_process_ends_while_daemon_threads_do_all_of_it(tmp_path):
    pytest.importorskip("halation._codecs")
    for _ in range(4):
        ended = end_while_threads_do(WORK, tmp_path)
        assert (ended.returncode, ended.stderr) == (0, "")
