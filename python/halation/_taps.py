"""_taps.py: the taps of a filter, dense weights or a tuple of factors: checked, turned round, looked into."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

import numpy as np

from ._weights import F64, taps_and_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from ._types import Factors, Shape, Taps

    _T = TypeVar("_T", bound=Taps)

MOST_WEIGHTS = 1 << 24  # written out, as in the library


def have_factors(weights: Any) -> TypeGuard[tuple[ArrayLike, ...]]:
    """Whether what a caller gives for a filter is a tuple of factors."""
    return isinstance(weights, tuple) and len(weights) > 0 and np.ndim(weights[0]) == 1


def have_axes(weights: NDArray[Any]) -> NDArray[Any]:
    """The weights, where they are no single number."""
    if weights.ndim == 0:
        raise ValueError(f"weights must have at least one axis, got the number {weights}")
    return weights


def checked(weights: ArrayLike) -> NDArray[np.float64]:
    """A copy of real, finite weights, in f64."""
    array, _, is_complex = taps_and_key(weights if isinstance(weights, np.ndarray) else np.asarray(weights))
    if is_complex:
        raise TypeError("a filter has real weights; halation.convolve and correlate take complex ones as an array")
    return finite(np.array(array, F64, order="C"))


def finite(taps: _T) -> _T:
    """The taps, where all are finite."""
    for row in taps if isinstance(taps, tuple) else (taps,):
        if not np.all(np.isfinite(row)):
            raise ValueError(f"weights must be finite, got {row[~np.isfinite(row)].flat[0]}")
    return taps


def anchor_in(shape: Shape, anchor: Any) -> Shape:
    """An anchor as callers give it, one number for each axis."""
    anchors = tuple(anchor) if isinstance(anchor, (tuple, list)) else (anchor,) * len(shape)
    try:
        anchors = tuple(map(operator.index, anchors))
    except TypeError:
        raise TypeError(f"anchor must be a whole number for each axis, got {anchor!r}") from None
    if len(anchors) != len(shape):
        raise ValueError(f"anchor must be one number or {len(shape)}, one for each axis, got {len(anchors)}")
    if not all(0 <= at < n for at, n in zip(anchors, shape)):
        raise ValueError(f"anchor {anchors} must lie in the filter of {by(shape)} taps")
    return anchors


def flipped(taps: Taps, anchors: Shape) -> tuple[Taps, Shape]:
    """The other way round along all axes: a convolution by it is a correlation by what it was made of."""
    if isinstance(taps, tuple):
        return (
            tuple(np.ascontiguousarray(row[::-1]) for row in taps),
            tuple(len(row) - 1 - at for row, at in zip(taps, anchors)),
        )
    return (
        np.ascontiguousarray(taps[(slice(None, None, -1),) * taps.ndim]),
        tuple(n - 1 - at for n, at in zip(taps.shape, anchors)),
    )


def rank_of(taps: Taps) -> int:
    """Of how few products of factors the taps are the sum; along three axes and more at least so many."""
    if isinstance(taps, tuple):
        return 0 if any(not row.any() for row in taps) else 1
    if not taps.any():
        return 0
    unfolded = [np.moveaxis(taps, axis, 0).reshape(taps.shape[axis], -1) for axis in range(taps.ndim)]
    return max(int(np.linalg.matrix_rank(matrix)) for matrix in (unfolded[:1] if taps.ndim <= 2 else unfolded))


def slabs(factors: Factors) -> Iterator[NDArray[Any]]:
    """The weights of a separable filter plane by plane along the first axis, never all of them multiplied out at once."""
    return (functools.reduce(np.multiply.outer, (factors[0][i : i + 1], *factors[1:]))[0] for i in range(len(factors[0])))


def weight_at(taps: Taps, at: Shape) -> float:
    """One weight, multiplied in the order in which all are."""
    if not isinstance(taps, tuple):
        return float(taps[at])
    return float(functools.reduce(operator.mul, [row[i] for row, i in zip(taps, at)]))


def by(shape: Shape) -> str:
    """A shape in words: 3x5."""
    return "x".join(map(str, shape))


def brief(number: float) -> str:
    """A number in as few digits as matter, rounding's own left out."""
    return f"{0.0 if abs(number) < 1e-12 else number:.6g}"
