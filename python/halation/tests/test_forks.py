"""test_forks.py: children that are forked while other threads filter, as by multiprocessing and PyTorch's loaders, filter too."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import warnings

import numpy as np
import pytest

import halation
import halation.ndimage as ndimage

FORKS = int(os.environ.get("HALATION_FORKS", 40))

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system"),
    # What these tests are about.
    pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning"),
]


def results(array, whole, tune):
    """In one plan, in strips of a pool of threads, and by a plan of the caller's; exact, so that any method gives the same."""
    boxes = halation.plan(array.shape, array.dtype, np.ones((5, 5)), tune=tune)
    return ndimage.gaussian_filter(array, 2), ndimage.gaussian_filter(whole, 1.5), boxes.run(array)


@pytest.fixture
def arrays():
    whole = np.random.default_rng(1).integers(0, 100, (600, 500), np.int32)
    return whole.astype(np.float32), whole


@pytest.fixture
def load(arrays):
    """Threads that filter meanwhile, each call in a new one, and one that times methods, which other timings wait for."""
    ends = threading.Event()

    def filters():
        while not ends.is_set():
            thread = threading.Thread(target=ndimage.gaussian_filter, args=(part, 2))
            thread.start()
            thread.join()

    def times():
        width = 40
        while not ends.is_set():
            width += 1
            halation.plan((40, width), np.float32, np.ones((5, 5)), tune="measure")

    part = arrays[0][:128, :128]  # for which two threads are worth while
    threads = [threading.Thread(target=work) for work in (filters, filters, times)]
    for thread in threads:
        thread.start()
    yield
    ends.set()
    for thread in threads:
        thread.join()


def same(got, expected):
    return all(np.array_equal(one, other) for one, other in zip(got, expected))


def test_fork(arrays, load):
    expected = results(*arrays, "estimate")
    for _ in range(FORKS):
        process = os.fork()
        if process == 0:
            signal.alarm(30)  # ends a child that hangs
            os._exit(0 if same(results(*arrays, "measure"), expected) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


def _alarm():
    signal.alarm(60)


def _filtered(arrays):
    return results(*arrays, "measure")


def test_multiprocessing(arrays, load):
    expected = results(*arrays, "estimate")
    for _ in range(3):
        with multiprocessing.get_context("fork").Pool(3, _alarm) as pool:
            for got in pool.imap_unordered(_filtered, [arrays] * 6):
                assert same(got, expected)


def test_modules_are_loaded_before():
    """Modules that a call loads late, asked for by another thread at the fork: a child that waits for them would hang."""
    program = """
        import os, sys, threading, time
        import numpy as np
        import halation.ndimage

        name = "numpy.polynomial"

        class Slow:  # says that the module is being loaded, and takes its time
            def find_spec(self, wanted, *_):
                if wanted == name:
                    loading.set()
                    time.sleep(0.5)

        loading = threading.Event()
        sys.meta_path.insert(0, Slow())
        array = np.ones((9, 9), np.float32)
        other = threading.Thread(target=halation.ndimage.gaussian_filter, args=(array, 1))
        other.start()
        loading.wait()
        process = os.fork()
        if process == 0:
            import signal
            signal.alarm(30)
            halation.ndimage.gaussian_filter(array, 2)
            os._exit(0)
        status = os.waitpid(process, 0)[1]
        other.join()
        sys.exit(os.waitstatus_to_exitcode(status) != 0)
    """
    assert subprocess.run([sys.executable, "-c", textwrap.dedent(program)], timeout=100, check=False).returncode == 0
