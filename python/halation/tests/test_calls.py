"""test_calls.py: calls like an earlier one give what the first one gave, and are refused where it is; others are others."""

import numpy as np
import pytest

import halation
from halation import ndimage
from halation.ndimage import _calls

A = np.arange(63.0, dtype=np.float32).reshape(7, 9)
WHOLE = A.astype(np.int16)


def twice(call):
    """The results of a call that is remembered the second time."""
    _calls._programs.clear()
    return call(), call()


CALLS = {
    "one pass": lambda: ndimage.gaussian_filter(A, 1.0),
    "several passes": lambda: ndimage.uniform_filter(WHOLE, 3),
    "many axes": lambda: ndimage.sobel(np.ones((3, 4, 2, 5, 3), np.float32) * np.arange(3, dtype=np.float32)),
    "half floats": lambda: ndimage.gaussian_filter(A.astype(np.float16), 1.0),
    "lists": lambda: ndimage.gaussian_filter(A, [1.0, 2], mode=["nearest", "wrap"]),
    "weights": lambda: ndimage.correlate(A, np.ones((3, 3)), mode="constant", cval=2),
    "list of weights": lambda: ndimage.convolve1d(A, [1, 2, 1], output=np.float64),
    "function": lambda: ndimage.generic_laplace(A, ndimage.sobel),
    "no axes": lambda: ndimage.gaussian_filter(A, 1.0, axes=()),
    "array without axes": lambda: ndimage.gaussian_filter(np.array(3.0), 1.0),
    "empty array": lambda: ndimage.gaussian_filter(np.ones((0, 3)), 1.0),
    "complex": lambda: ndimage.sobel(A + 1j * A),
    "parts": lambda: ndimage.sobel(A + 1j * A, mode="constant", cval=2.0),
    "complex weights": lambda: ndimage.correlate1d(A + 1j * A, np.array([1, 2j, 1])),
    "complex and not aligned": lambda: ndimage.uniform_filter1d(np.frombuffer(bytes(33), np.uint8)[1:].view(np.complex64), 2),
    "not aligned": lambda: ndimage.uniform_filter(np.frombuffer(bytes(33), np.uint8)[1:].view(np.float32), 3),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_equal_and_new(name):
    first, second = twice(CALLS[name])
    np.testing.assert_array_equal(first, second)
    assert first.dtype == second.dtype and not np.shares_memory(first, second)


def test_passes_are_remembered():
    passes_of = {"one pass": 1, "several passes": 2, "many axes": 1, "lists": 1, "weights": 1, "no axes": 0, "complex": 1, "parts": 2}
    for name, passes in passes_of.items():
        twice(CALLS[name])
        assert [len(program) for program in _calls._programs.values()] == [passes], name


def test_weights_that_change():
    weights = np.array([0.0, 1, 0])
    twice(lambda: ndimage.correlate1d(A, weights))
    weights[1] = 5
    np.testing.assert_array_equal(ndimage.correlate1d(A, weights), 5 * A)


def test_numbers_that_are_equal_and_of_other_types():
    expected = ndimage.gaussian_filter(WHOLE, 1.0, radius=3)
    for _ in range(2):
        with pytest.raises(ValueError):
            ndimage.gaussian_filter(WHOLE, 1.0, radius=3.5)
        with pytest.raises(TypeError):
            ndimage.uniform_filter1d(A, 3.0)
        np.testing.assert_array_equal(ndimage.uniform_filter1d(A, 3), ndimage.uniform_filter1d(A, np.int64(3)))
        np.testing.assert_array_equal(ndimage.gaussian_filter(WHOLE, 1.0, radius=3), expected)


def test_outputs_of_arrays():
    expected = ndimage.gaussian_filter(A, 1.0)
    for _ in range(3):
        out = np.empty_like(A)
        assert ndimage.gaussian_filter(A, 1.0, output=out) is out
        np.testing.assert_array_equal(out, expected)
        turned = np.empty((9, 7), np.float32).T
        assert ndimage.gaussian_filter(A, 1.0, 0, turned) is turned
        np.testing.assert_allclose(turned, expected, rtol=1e-6)
        same = A.copy()
        assert ndimage.gaussian_filter(same, 1.0, output=same) is same
        np.testing.assert_array_equal(same, expected)
        out.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            ndimage.gaussian_filter(A, 1.0, output=out)
        with pytest.raises(RuntimeError, match="output shape not correct"):
            ndimage.gaussian_filter(A, 1.0, output=np.empty((7, 8), np.float32))


def test_outputs_of_several_passes():
    expected = ndimage.uniform_filter(WHOLE, 3)
    for _ in range(3):
        out = np.empty_like(WHOLE)
        assert ndimage.uniform_filter(WHOLE, 3, out) is out
        np.testing.assert_array_equal(out, expected)


def test_threads_of_a_call():
    with halation.threads(1):
        limited = twice(lambda: ndimage.gaussian_filter(A, 1.0))[1]
        keys = set(_calls._programs)
    np.testing.assert_array_equal(ndimage.gaussian_filter(A, 1.0), limited)
    assert len(set(_calls._programs) - keys) == 1


def test_what_is_remembered_is_bounded():
    _calls._programs.clear()
    for i in range(_calls.MOST_CALLS + 5):
        ndimage.gaussian_filter(A, 1.0, mode="constant", cval=i)
    assert len(_calls._programs) == _calls.MOST_CALLS
    _calls._programs.clear()
    for _ in range(2):
        ndimage.correlate1d(A, np.ones(_calls.MOST_BYTES // 4))
    assert not any(_calls._programs.values())
