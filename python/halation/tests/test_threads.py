"""test_threads.py: halation.threads and HALATION_THREADS: what all calls may take."""

import asyncio
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

import halation
import halation.ndimage
from halation import _cache, _native
from halation.ndimage import _calls

LARGE = np.ones((1500, 1500), np.float32)
LONG = np.ones((1500, 1500), np.int32)
ALL = _native.available_threads(0)


def threads_of(plan):
    return int(re.search(r"at most (\d+) thread", plan.explain()).group(1))


def planned(**words):
    return threads_of(halation.plan(LARGE.shape, LARGE.dtype, (np.ones(9), np.ones(9)), **words))


def test_plans_take_what_is_said():
    assert planned() == ALL
    with halation.threads(1):
        assert planned() == 1
        assert planned(threads=2) == 2
        with halation.threads(1024):
            assert planned() == ALL
        assert planned() == 1
    assert planned() == ALL
    kept = halation.threads(1)
    with kept:
        made = halation.plan(LARGE.shape, LARGE.dtype, np.ones((3, 3)))
    assert threads_of(made) == 1


def test_calls_take_what_is_said_whatever_was_called_before():
    def latest():
        _calls._programs.clear()
        halation.ndimage.gaussian_filter(LARGE, 2.0)
        return threads_of(next(reversed(_cache.entries.values())).plan)

    for _ in range(2):
        assert latest() == ALL
        with halation.threads(1):
            assert latest() == 1


def test_plans_over_any_numbers_take_as_many_threads():
    def filtered():
        _calls._programs.clear()
        _cache.entries.clear()
        made = halation.ndimage.gaussian_filter(LONG, 3.0)
        return made, {threads_of(entry.plan) for entry in _cache.entries.values()}

    with halation.threads(1):
        limited, threads = filtered()
    assert threads == {1}
    made, threads = filtered()
    assert threads == {ALL}
    assert np.array_equal(made, limited)


def test_a_limit_is_of_one_thread_and_of_one_task():
    seen = []

    async def task(most):
        with halation.threads(most):
            await asyncio.sleep(0)
            seen.append((most, planned()))
            await asyncio.sleep(0)

    async def both():
        await asyncio.gather(task(1), task(1024), task(1))

    asyncio.run(both())
    assert sorted(seen) == [(1, 1), (1, 1), (1024, ALL)]
    with halation.threads(1):
        elsewhere = threading.Thread(target=lambda: seen.append(planned()))
        elsewhere.start()
        elsewhere.join()
    assert seen[-1] == ALL


def test_a_function_may_have_one():
    @halation.threads(1)
    def limited():
        return planned()

    assert limited() == limited() == 1 and planned() == ALL


def test_an_error_ends_it():
    with pytest.raises(RuntimeError), halation.threads(1):
        raise RuntimeError
    assert planned() == ALL


@pytest.mark.parametrize("most, error", [(0, ValueError), (-1, ValueError), (1025, ValueError), (1.5, TypeError), (2.0, TypeError),
                                         ("2", TypeError), (None, TypeError), ([2], TypeError)])
def test_what_is_no_number_of_threads_is_refused_at_once(most, error):
    with pytest.raises(error, match="threads must be"):
        halation.threads(most)


def of_environment(value, code):
    environment = {**os.environ, "HALATION_THREADS": value}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


def test_the_environment_limits_a_process():
    code = "import halation, numpy; print(halation.plan((1500, 1500), 'f4', numpy.ones((5, 5))).explain())"
    assert "at most 1 thread;" in of_environment("1", code).stdout
    assert f"at most {ALL} thread" in of_environment("", code).stdout
    above = code.replace("import halation, numpy;", "import halation, numpy; limit = halation.threads(2); limit.__enter__();")
    assert f"at most {min(2, ALL)} thread" in of_environment("1", above).stdout
    for wrong in ("0", "-1", "two", "1.5", "1025"):
        made = of_environment(wrong, code)
        assert made.returncode == 1
        assert f"ValueError: HALATION_THREADS must be a whole number from 1 to 1024, got '{wrong}'" in made.stderr


def test_dasks_threads_have_the_callers_limit():
    pytest.importorskip("dask.array")
    import dask.array as da

    import halation.dask

    _calls._programs.clear()
    _cache.entries.clear()
    with halation.threads(1):
        lazy = halation.dask.gaussian_filter(da.from_array(LARGE, chunks=(1500, 1500)), 2.0)
    lazy.compute()
    large = [entry for entry in _cache.entries.values() if entry.shape == LARGE.shape]
    assert [threads_of(entry.plan) for entry in large] == [1]
