"""test_options.py: what calls of the engine ask for, as one value, and the road that arrays on a GPU take, by a library in its place."""

import dataclasses
import inspect

import numpy as np
import pytest

from halation import _arrays, _cache, _engine
from halation._options import Options, options_of

RNG = np.random.default_rng(1)
IMAGE = RNG.random((9, 11), np.float32)
FACTORS = (np.array([1.0, 2.0, 1.0]), np.array([1.0, 0.0, -1.0]))


def test_options_are_the_keywords_of_correlate():
    keywords = inspect.signature(_engine.correlate).parameters
    options = {field.name: field.default for field in dataclasses.fields(Options)}
    assert options == {name: p.default for name, p in keywords.items() if name in options}
    assert set(keywords) - set(options) == {"array", "filters", "out", "dtype", "stream"}


def test_options_are_immutable_and_equal_ones_are_one():
    options = options_of((0, 1), "wrap")
    assert options is options_of((0, 1), "wrap") is not options_of((0, 1), "reflect")
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.axes = (0,)


def test_calls_of_equal_options_have_one_entry():
    _cache.entries.clear()
    made = [_engine.correlate(IMAGE, FACTORS, borders="constant", cvals=cval) for cval in (2.0, 2, np.float32(2), 2 + 0j)]
    assert len(_cache.entries) == 1
    for other in made:
        np.testing.assert_array_equal(other, made[0])


@pytest.mark.parametrize("weights", [FACTORS, (FACTORS[0], FACTORS[1] * 1j)], ids=["real", "complex"])
def test_constants_equal_to_real_ones_are_real(weights):
    """Whichever of them came first: the other is the same value."""
    image = IMAGE.astype(np.float64)
    for first, then in ((3 + 0j, 3.0), (4.0, 4 + 0j)):
        _engine.correlate(image + 1j, weights, borders="constant", cvals=first)
        got = _engine.correlate(image, weights, borders="constant", cvals=then)
        padded = np.pad(image, 1, constant_values=then.real)
        dense = np.multiply.outer(*weights)
        wanted = sum(dense[y, x] * padded[y : y + 9, x : x + 11] for y in range(3) for x in range(3))
        np.testing.assert_allclose(got, wanted, atol=1e-12)
    with pytest.raises((TypeError, ValueError)):
        _engine.correlate(image, weights, borders="constant", cvals=1j)


class There(np.ndarray):
    """An array that is treated as one on a GPU."""


def there(values):
    return np.array(values).view(There)


@pytest.fixture
def stand_in(monkeypatch):
    """A library for arrays of There, in CuPy's place."""
    library = _arrays.OnGpu(
        empty=lambda shape, dtype, like: np.empty(shape, dtype).view(There),
        astype=lambda array, dtype: array.astype(dtype),
        stream=lambda array: 0,
        sqrt=None,
        asarray=None,
    )
    library_of = _arrays.library_of
    monkeypatch.setattr(_arrays, "library_of", lambda array: library if type(array) is There else library_of(array))


def test_gpu_road_as_they_are(stand_in):
    expected = _engine.correlate(IMAGE, FACTORS)
    given = there(IMAGE)
    for _ in range(2):  # prepared, then found
        made = _engine.correlate(given, FACTORS)
        assert type(made) is There
        np.testing.assert_array_equal(made, expected)
    out = there(np.zeros_like(IMAGE))
    assert _engine.correlate(given, FACTORS, out=out) is out
    np.testing.assert_array_equal(out, expected)
    assert _engine.correlate(given, FACTORS, out=given) is given  # by way of a temporary
    np.testing.assert_array_equal(given, expected)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32"])
def test_gpu_road_by_conversions(stand_in, dtype):
    numbers = RNG.integers(0, 90, (9, 11)).astype(np.int32)
    options = {"rounding": "truncate", "overflow": "wrap", "divisor": 7, "borders": "wrap"}
    expected = _engine.correlate(numbers, FACTORS, dtype=dtype, **options)
    made = _engine.correlate(there(numbers), FACTORS, dtype=dtype, **options)
    assert type(made) is There and made.dtype == dtype
    np.testing.assert_allclose(made, expected, rtol=1e-6)
    out = there(np.zeros((9, 11), dtype))
    assert _engine.correlate(there(numbers), FACTORS, out=out, **options) is out
    np.testing.assert_array_equal(out, made)


def test_gpu_road_refuses(stand_in):
    with pytest.raises(TypeError, match="complex numbers are filtered on the CPU"):
        _engine.correlate(there(IMAGE + 1j), FACTORS)
    with pytest.raises(TypeError, match="complex numbers are filtered on the CPU"):
        _engine.correlate(there(IMAGE), (FACTORS[0], FACTORS[1] * 1j))
    with pytest.raises(TypeError, match="on a GPU results are rounded"):
        _engine.correlate(there(IMAGE), FACTORS, dtype=np.int32)
