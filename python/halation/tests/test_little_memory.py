"""test_little_memory.py: calls with little memory left: their results are right, of fewer threads, or there is a MemoryError."""

import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
    import os, resource, sys
    import numpy as np
    import halation, halation.ndimage, halation.signal

    folder, spare = sys.argv[1], int(sys.argv[2])
    rng = np.random.default_rng(1)
    image = rng.random((400, 500), dtype=np.float32)
    whole = rng.integers(0, 99, (300, 400), np.int32)
    photo = rng.integers(0, 255, (300, 400, 3), np.uint8)
    file, other = os.path.join(folder, "in.npy"), os.path.join(folder, f"out{spare}.npy")
    nine = np.ones((9, 9), np.float32)
    work = [
        lambda: halation.ndimage.gaussian_filter(image, 2),
        lambda: halation.ndimage.gaussian_filter(whole, 2),
        lambda: halation.signal.fftconvolve(image, nine),
        lambda: halation.convolve(photo, "gaussian sigma=2 | sharpen", channel_axis=-1),
        lambda: halation.sobel(photo, view="stretch"),
        lambda: halation.gaussian(photo, alpha=True),
        lambda: halation.plan(image.shape, image.dtype, (np.ones(9), np.ones(9))).run(image),
        lambda: halation.plan(image.shape, image.dtype, nine, tune="measure").run(image),
    ]
    if len(sys.argv) > 3:
        np.save(file, photo)
        work.append(lambda: halation.filter_file("gaussian sigma=2 | sharpen", file, other) or halation.imread(other))
    with halation.threads(1):
        expected = [each() for each in work]

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    done = 0
    for _ in range(2):
        for each, right in zip(work, expected):
            with open("/proc/self/statm") as pages:
                taken = int(pages.read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (taken + spare, most))
            try:
                made = each()
                done += 1
            except MemoryError:
                continue
            finally:
                resource.setrlimit(resource.RLIMIT_AS, (most, most))
            near = 1 if made.dtype.kind == "u" else 1e-4 * float(right.max())
            assert np.abs(made.astype(float) - right).max() <= near
    print(done)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit on addresses is Linux's")
def test_there_are_fewer_threads_or_a_memory_error(tmp_path):
    try:
        import halation._codecs  # noqa: F401

        files = ["files"]
    except ImportError:
        files = []
    done = []
    for spare in (1 << 18, 1 << 20, 2 << 20, 3 << 20, 9 << 19, 6 << 20, 17 << 19, 12 << 20, 40 << 20):
        ended = subprocess.run([sys.executable, "-c", textwrap.dedent(PROGRAM), tmp_path, str(spare), *files], capture_output=True, text=True,
                               timeout=100, check=False)  # fmt: skip
        assert (ended.returncode, ended.stderr) == (0, ""), spare
        done.append(int(ended.stdout))
    assert done[-1] >= 16 and min(done[2:]) > 0
