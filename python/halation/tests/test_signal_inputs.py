"""test_signal_inputs.py: arrays of objects, empty arrays and axes of halation.signal, as SciPy has them."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import halation.signal as ours

theirs = pytest.importorskip("scipy.signal")

MODES = ["full", "valid", "same"]
IMAGE = np.arange(12.0).reshape(3, 4)


def objects(*values):
    return np.array(values, object)


def outcome(module, name, *args, **keywords):
    """What a function gives, or the type of what it raises."""
    try:
        return getattr(module, name)(*args, **keywords)
    except Exception as error:
        return type(error)


def assert_alike(name, *args, **keywords):
    expected, got = (outcome(module, name, *args, **keywords) for module in (theirs, ours))
    if isinstance(expected, type) or isinstance(got, type):
        assert got is expected, (name, args, keywords, expected, got)
        return
    assert type(got) is type(expected), (name, args, keywords, expected, got)
    assert np.shape(got) == np.shape(expected) and np.asarray(got).dtype == np.asarray(expected).dtype, (name, args, got, expected)
    if np.asarray(got).dtype == object:
        assert np.all(got == expected)
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)


PAIRS = [
    (objects(1, 2, 3), objects(1, 2)),
    (objects(1, 2, 3), [1, 2]),
    ([1.0, 2.0, 3.0], objects(1, 2)),
    (objects(1, 2j, 3), objects(1, 2)),
    (objects(1, 2, 3), objects(1j, 2)),
    (objects(Fraction(1, 2), Fraction(1, 3), 1), objects(Fraction(1, 7), 2)),
    (objects(Decimal("0.1"), Decimal(2)), objects(Decimal(3))),
    (objects(2**70, 1), objects(3, 4)),
    (np.array(2, object), np.array(3, object)),
    (objects(None, 1), objects(1, 2)),
    (IMAGE.astype(object), np.ones((2, 2))),
    (None, [1]),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("method", ["direct", "auto"])
def test_objects(name, method, mode):
    for in1, in2 in PAIRS:
        assert_alike(name, in1, in2, mode=mode, method=method)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["fftconvolve", "oaconvolve"])
def test_objects_as_floats(name, mode):
    for in1, in2 in [*PAIRS[:7], PAIRS[8], *PAIRS[10:]]:
        assert_alike(name, in1, in2, mode=mode)
    assert_alike(name, IMAGE.astype(object), np.ones((2, 2)) * 1j, mode=mode, axes=1)


SHAPES = [((0,), (0,)), ((0,), (2,)), ((1,), (0,)), ((2,), (0,)), ((0, 3), (2, 2)), ((2, 3), (0, 2)), ((0, 3), (0, 2)),
          ((3, 0), (1, 1)), ((0, 3), (1, 4)), ((0, 0), (0, 0)), ((2, 3), (2, 0)), ((0, 2, 2), (1, 2, 1))]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("kind", [float, int, np.complex64])
def test_nothing(name, mode, kind):
    for shape1, shape2 in SHAPES:
        assert_alike(name, np.zeros(shape1, kind), np.ones(shape2, kind), mode=mode, method="direct")
        arrays = np.zeros(shape1, kind), np.ones(shape2, kind)
        expected, *others = [outcome(ours, name, *arrays, mode=mode, method=way) for way in ("direct", "auto", "fft")]
        assert all(got is expected or np.array_equal(got, expected) for got in others)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["fftconvolve", "oaconvolve"])
def test_nothing_as_floats(name, mode):
    for shape1, shape2 in SHAPES:
        assert_alike(name, np.zeros(shape1), np.ones(shape2), mode=mode)


def test_nothing_in_two_axes_is_refused():
    with pytest.raises(ValueError, match="must have elements"):
        ours.convolve2d(np.zeros((0, 3)), np.ones((2, 2)), boundary="wrap")


@pytest.mark.parametrize("name", ["fftconvolve", "oaconvolve"])
def test_axes(name):
    refused = [[1, 2], [3, 4]], [[0], [1]], "0", 1.0, [1.0], [None], object(), 5, -5, (0, 0), ()
    for axes in (*refused, 0, -1, (0, 1), True, [np.int8(1)]):
        for other in (IMAGE[:2, :2], IMAGE, IMAGE[:1]):
            assert_alike(name, IMAGE, other, axes=axes)
