"""_filter_sums.py: filters made of others, each as (taps, anchor, whether it is always a correlation)."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from . import _engine
from ._taps import MOST_WEIGHTS, by, finite, flipped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._types import Factors, Shape, Taps

    Made: TypeAlias = tuple[Taps, Shape, bool]


class Weights(Protocol):
    """What is asked of a filter: those of _filter.py."""

    @property
    def taps(self) -> Taps: ...
    @property
    def factors(self) -> Factors | None: ...
    @property
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def shape(self) -> Shape: ...
    @property
    def ndim(self) -> int: ...
    @property
    def anchor(self) -> Shape: ...
    @property
    def name(self) -> str: ...
    @property
    def is_correlation(self) -> bool: ...


def _is_symmetric(filter_: Weights) -> bool:
    """Whether convolution and correlation by it are the same."""
    if any(2 * at != n - 1 for at, n in zip(filter_.anchor, filter_.shape)):
        return False
    there, _ = flipped(filter_.taps, filter_.anchor)
    if isinstance(there, tuple):
        return all(map(np.array_equal, there, filter_.taps))
    return np.array_equal(there, filter_.taps)


def _direction(one: Weights, other: Weights) -> bool:
    """Whether what is made of two filters is always a correlation; symmetric ones are either."""
    if one.is_correlation == other.is_correlation:
        return one.is_correlation
    named, plain = (one, other) if one.is_correlation else (other, one)
    if _is_symmetric(plain):
        return True
    if _is_symmetric(named):
        return False
    raise ValueError(
        f"{named.name or 'one filter'} is always a correlation and the other one is not, so that no single filter does what both do; "
        "make it one by as_correlation()"
    )


def scaled(filter_: Weights, number: float) -> Made:
    """A filter times a number."""
    taps = filter_.taps
    with np.errstate(over="ignore"):  # what is no longer finite is refused
        taps = (taps[0] * number, *taps[1:]) if isinstance(taps, tuple) else taps * number
    return finite(taps), filter_.anchor, filter_.is_correlation


def divided(filter_: Weights, number: float) -> Made:
    """A filter by a number."""
    taps = filter_.taps
    with np.errstate(over="ignore"):  # what is no longer finite is refused
        taps = (taps[0] / number, *taps[1:]) if isinstance(taps, tuple) else taps / number
    return finite(taps), filter_.anchor, filter_.is_correlation


def added(one: Weights, other: Weights, sign: float) -> Made:
    """One filter and another times a sign, their anchors over each other."""
    is_correlation = _direction(one, other)
    anchor = tuple(map(max, one.anchor, other.anchor))
    behind = [max(a.shape[i] - a.anchor[i] for a in (one, other)) for i in range(one.ndim)]
    shape = tuple(map(operator.add, anchor, behind))
    if math.prod(shape) > MOST_WEIGHTS:
        raise ValueError(f"the sum has {by(shape)} weights, more than 2^24; filter by each and add the results")
    made = np.zeros(shape)
    for filter_, factor in ((one, 1.0), (other, sign)):
        begin = [at - own for at, own in zip(anchor, filter_.anchor)]
        made[tuple(slice(b, b + n) for b, n in zip(begin, filter_.shape))] += factor * filter_.weights
    return finite(made), anchor, is_correlation


def composed(first: Weights, second: Weights) -> Made:
    """What one filter and then another do."""
    is_correlation = _direction(first, second)
    anchor = tuple(map(operator.add, first.anchor, second.anchor))
    if first.factors is not None and second.factors is not None:
        taps = tuple(np.convolve(a, b) for a, b in zip(first.factors, second.factors))
    else:
        shape = tuple(a + b - 1 for a, b in zip(first.shape, second.shape))
        if math.prod(shape) > MOST_WEIGHTS:
            raise ValueError(f"the composition has {by(shape)} weights, more than 2^24; filter by one and then by the other")
        dense, other = (second, first) if second.factors is None else (first, second)
        weights, anchors = flipped(other.taps, other.anchor)
        taps = _engine.correlate(dense.weights, weights, borders="constant", anchors=anchors, extent="full", sum="f64")
    return finite(taps), anchor, is_correlation
