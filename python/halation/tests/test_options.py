"""test_options.py: what calls of the engine ask for, as one value."""

import dataclasses
import inspect

import numpy as np
import pytest

from halation import _cache, _engine
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
