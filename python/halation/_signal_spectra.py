"""_signal_spectra.py: convolutions by NumPy's transforms of whole arrays, all filters at once.

As the library's transforms do, these keep each output to what lies under its own box (core/own_box.h says why that is so): where the
squares under the filter, the shorter of both arrays, sum up to less than a share of all there are, the output is summed by taps.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ._signal_run import run

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._types import DType, Shape

# 1 / own_box_factor² of core/own_box.h, and outputs up to which sums by taps are the quicker way beside transforms of the library.
SHARE, FEW_OUTPUTS = 1 / 16, 32


def kept_of(shape1: Shape, shape2: Shape, axes: Shape, mode: str, given: Shape) -> tuple[list[int], tuple[slice, ...]]:
    """The lengths of a full result, and what a mode keeps of it: in 'same' the middle, of the shape that is given."""
    full, kept = [], []
    for axis, (n, k) in enumerate(zip(shape1, shape2)):
        full.append(n + k - 1 if axis in axes else max(n, k))
        first, count = 0, full[-1]
        if mode == "same":
            first, count = (full[-1] - given[axis]) // 2, given[axis]
        elif mode == "valid" and axis in axes:
            first, count = k - 1, n - k + 1
        kept.append(slice(first, first + count))
    return full, tuple(kept)


def convolve(in1: NDArray[Any], in2: NDArray[Any], axes: Shape, mode: str, dtype: DType, given: Shape) -> NDArray[Any] | None:
    """A convolution along `axes`; None where sums are not finite, which would reach all of them, or where many are to be summed by taps.
    Real and imaginary parts are transformed each by itself: neither rounds away the other."""
    full, kept = kept_of(in1.shape, in2.shape, axes, mode, given)
    lengths = [next_fast(full[axis]) for axis in axes]
    real, along = np.empty(0, dtype).real.dtype, [axis + 1 for axis in axes]
    of_each = [parts_of(array, real) for array in (in1, in2)]
    with np.errstate(all="ignore"):
        first, second = (np.fft.rfftn(parts, lengths, along) for parts in of_each)
        if len(first) == len(second) == 2:
            products = np.stack([first[0] * second[0] - first[1] * second[1], first[0] * second[1] + first[1] * second[0]])
        else:
            products = first * second
        parts = np.fft.irfftn(products, lengths, along)[(slice(None), *kept)]
        if not np.isfinite(parts).all():
            return None
    if dtype.kind == "f":
        made = np.ascontiguousarray(parts[0], dtype)
    else:
        made = np.empty(parts.shape[1:], dtype)
        made.real = parts[0]
        made.imag = parts[1] if len(parts) == 2 else 0
    is_first_longer = math.prod(in1.shape[axis] for axis in axes) >= math.prod(in2.shape[axis] for axis in axes)
    if is_first_longer:
        return by_own_boxes(made, in1, of_each[0], in2, axes, full, kept)
    return by_own_boxes(made, in2, of_each[1], in1, axes, full, kept)


def by_own_boxes(
    made: NDArray[Any],
    array: NDArray[Any],
    parts: NDArray[Any],
    weights: NDArray[Any],
    axes: Shape,
    full: list[int],
    kept: tuple[slice, ...],
) -> NDArray[Any] | None:
    """What transforms of whole arrays made, with sums by taps where these cannot tell; None where that is much. `full` and `kept`: as of
    `kept_of`."""
    faint = _faint(parts, weights.shape, tuple([axis + 1 for axis in axes]))
    if faint.any():
        outputs = np.argwhere(np.broadcast_to(faint, full)[kept])
        if len(outputs) > FEW_OUTPUTS:
            return None
        for at in outputs:
            made[tuple(at)] = _summed(array, weights, axes, [part.start + int(p) for part, p in zip(kept, at)], made.dtype)
    if made.dtype.kind == "f" and made.min() < 0 <= min(array.min(), weights.min()):
        np.maximum(made, 0, out=made)
    return made


def _faint(parts: NDArray[Any], taps: Shape, along: Shape) -> NDArray[np.bool_]:
    """Of the full result: where the squares under the filter are too few of all."""
    largest = np.maximum(parts.max(along, keepdims=True), -parts.min(along, keepdims=True))
    squares = np.square(parts / (largest if largest.all() else np.where(largest > 0, largest, 1)), dtype=np.float32, casting="same_kind")
    least = squares.sum(along, np.float64, keepdims=True) * (SHARE / math.prod(parts.shape[axis] for axis in along))
    ones = tuple([np.ones(taps[axis - 1]) for axis in along])
    under = run(squares, ones, along, "full", squares.dtype, method="box") if along else squares
    made: NDArray[np.bool_] = (under < least).any(0)
    return made


def _summed(array: NDArray[Any], weights: NDArray[Any], axes: Shape, at: list[int], dtype: DType) -> Any:
    """One output of the full result, by taps."""
    samples, taps = [], []
    for axis, (p, n, k) in enumerate(zip(at, array.shape, weights.shape)):
        low, high = max(0, p - k + 1), min(p, n - 1)
        if axis in axes:
            samples.append(slice(low, high + 1))
            taps.append(slice(p - high, p - low + 1))
        else:
            samples.append(slice(high, high + 1))
            taps.append(slice(min(p, k - 1), min(p, k - 1) + 1))
    reversed_ = np.flip(weights[tuple(taps)], axes)
    return (array[tuple(samples)].astype(dtype) * reversed_.astype(dtype)).sum()


def parts_of(array: NDArray[Any], real: DType) -> NDArray[Any]:
    """The real array, or the real and the imaginary one, along a new first axis."""
    parts = np.stack([array.real, array.imag]) if array.dtype.kind == "c" else array[np.newaxis]
    return parts.astype(real, copy=False)


@functools.lru_cache(maxsize=256)
def next_fast(n: int) -> int:
    """The least product of 2, 3 and 5 that is at least n."""
    products = [3**i * 5**j for i in range(21) for j in range(14) if 3**i * 5**j < 2 * n]
    least: int = min(odd << max(0, (-(-n // odd) - 1).bit_length()) for odd in products)
    return least
