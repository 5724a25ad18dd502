"""_signal_sums.py: convolutions of any two arrays by the engine: which of them is the filter, whole numbers to the bit, and filters
that differ from place to place."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _engine
from ._arrays import facts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._types import DType, Shape


def dtype_of(array: Any) -> DType:
    """The type of an array of any library."""
    return array.dtype if isinstance(array, np.ndarray) else facts_of(array)[1]


def as_weights(array: Any) -> NDArray[Any]:
    """A filter as NumPy's array: the library keeps weights on the CPU."""
    if isinstance(array, np.ndarray):
        return array
    return array.get() if hasattr(array, "get") else np.asarray(array.cpu() if hasattr(array, "cpu") else array.copy_to_host())


def must_swap(mode: str, shape1: Shape, shape2: Shape, axes: Shape) -> bool:
    """Whether the second input is the larger one, where the filter must lie inside the array."""
    if mode != "valid" or not axes:
        return False
    if all(shape1[axis] >= shape2[axis] for axis in axes):
        return False
    if not all(shape2[axis] >= shape1[axis] for axis in axes):
        raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")
    return True


def centred(full: Any, shape: Shape) -> Any:
    """The middle of a full result."""
    return full[tuple(slice((n - m) // 2, (n - m) // 2 + m) for n, m in zip(full.shape, shape))]


def _run(
    array: Any,
    weights: NDArray[Any],
    axes: Shape,
    extent: str,
    dtype: DType,
    border: str = "constant",
    fill: Any = 0.0,
    **options: Any,
) -> Any:
    """One convolution by the engine."""
    flipped = weights[(slice(None, None, -1),) * weights.ndim]
    return _engine.correlate(array, flipped, axes=axes, borders=border, cvals=fill, extent=extent, dtype=dtype, **options)


def _limbs(array: NDArray[Any], count: int) -> list[NDArray[np.float64]]:
    """The lowest 16 * count bits of whole numbers, 16 in each float64."""
    bits = array.astype(np.int64, copy=False).view(np.uint64) if array.dtype.kind == "i" else array.astype(np.uint64)
    return [((bits >> np.uint64(16 * i)) & np.uint64(0xFFFF)).astype(np.float64) for i in range(count)]


def _magnitude(array: NDArray[Any], fill: Any) -> int:
    return max([abs(int(end)) for end in (array.min(initial=0), array.max(initial=0), fill)])


def convolve(
    array: Any, weights: NDArray[Any], axes: Shape, extent: str, dtype: DType, border: str = "constant", fill: Any = 0.0
) -> Any:
    """A convolution of any numbers: exact, and wrapped, where these are whole."""
    if isinstance(fill, complex) and dtype_of(array).kind != "c":
        if fill.imag == 0:
            fill = fill.real
        else:  # what lies outside is complex, and so is the array
            array = array.astype(dtype)
    if dtype.kind in "fc":
        total = "f64" if dtype.itemsize >= (16 if dtype.kind == "c" else 8) else "automatic"
        return _run(array, weights, axes, extent, dtype, border, fill, sum=total)
    if dtype.kind == "b":
        return _run(array, weights, axes, extent, dtype, border, float(bool(fill)))  # what is not 0 is True
    options = {"rounding": "truncate", "overflow": "wrap", "sum": "f64"}
    if not isinstance(array, np.ndarray):
        if dtype.itemsize > 2:
            raise TypeError(f"on a GPU integers are convolved up to 16 bits, got {dtype}; give floats")
        return _run(array, weights, axes, extent, dtype, border, fill, **options)
    largest = _magnitude(array, fill) * float(np.abs(weights.astype(np.float64)).sum())
    if largest < 2**31:
        return _run(array, weights, axes, extent, dtype, border, fill, **options)
    if largest < 2**53:
        return _run(array, weights, axes, extent, np.dtype(np.int64), border, fill, **options).astype(dtype)
    if weights.size > 2**21:
        raise ValueError(f"whole numbers this large are convolved by up to 2**21 weights, got {weights.size}; give floats")
    # Modulo 2^64: products of 16-bit limbs, whose sums are exact in float64, each where it belongs.
    count = -(-dtype.itemsize // 2)
    fills = _limbs(np.array([int(fill)]), count)
    sums: Any = None
    for (i, low), (j, high) in itertools.product(enumerate(_limbs(array, count)), enumerate(_limbs(weights, count))):
        if i + j < count:
            part = _run(low, high, axes, extent, np.dtype(np.float64), border, float(fills[i][0]), sum="f64")
            part = part.astype(np.uint64) << np.uint64(16 * (i + j))
            sums = part if sums is None else sums + part
    return sums.astype(dtype)


def by_smaller(in1: Any, in2: Any, axes: Shape, mode: str, dtype: DType) -> Any:
    """A convolution along `axes` (all axes of the second input), with the smaller of the two as the filter."""
    shape1 = tuple(in1.shape)
    if mode == "valid":
        if must_swap(mode, shape1, in2.shape, axes):
            in1, in2 = in2, in1
        return convolve(in1, as_weights(in2), axes, mode, dtype)
    if np.prod(in2.shape) > np.prod(shape1):
        made = convolve(in2, as_weights(in1), axes, "full", dtype)
        if mode == "full":
            return made
        made = centred(made, shape1)
        return np.ascontiguousarray(made) if isinstance(made, np.ndarray) else made
    return convolve(in1, as_weights(in2), axes, mode, dtype)


def along(in1: Any, in2: Any, axes: Shape, mode: str, given: Shape, dtype: DType) -> Any:
    """Convolutions along `axes`, with a filter for each place along the others."""
    ndim = in1.ndim
    others = [axis for axis in range(ndim) if axis not in axes]
    if mode == "full" and any(in2.shape[axis] != 1 for axis in others) and all(in1.shape[axis] == 1 for axis in others):
        in1, in2 = in2, in1
    if mode == "same" and np.prod([in2.shape[axis] for axis in axes]) > np.prod([in1.shape[axis] for axis in axes]):
        return np.ascontiguousarray(centred(along(in1, in2, axes, "full", given, dtype), given))
    if not isinstance(in1, np.ndarray):
        if any(in2.shape[axis] != 1 for axis in others):
            raise ValueError("on a GPU one filter serves the whole array: in2 must have length 1 along the other axes")
        weights = as_weights(in2)
        return convolve(in1, weights.reshape([weights.shape[axis] for axis in axes]), axes, mode, dtype)
    in2 = as_weights(in2)
    lengths = [in2.shape[axis] for axis in axes]
    if all(in2.shape[axis] == 1 for axis in others):
        made = _run_along(in1, in2.reshape(lengths), axes, mode, dtype)
    else:
        shape = [max(n, m) for n, m in zip(in1.shape, in2.shape)]
        made = None
        for index in itertools.product(*(range(in2.shape[axis]) for axis in others)):
            at = dict(zip(others, index))
            # Where the filter varies the array is cut to the place it is for; where it does not, the array is taken whole.
            varies = [axis in at and in2.shape[axis] > 1 for axis in range(ndim)]
            place = tuple(slice(at[axis], at[axis] + 1) if varies[axis] else slice(None) for axis in range(ndim))
            source = tuple(slice(None) if in1.shape[axis] == 1 else part for axis, part in enumerate(place))
            weights = in2[tuple(at[axis] if axis in at else slice(None) for axis in range(ndim))]
            part = _run_along(in1[source], weights, axes, mode, dtype)
            if made is None:
                made = np.empty([part.shape[axis] if axis in axes else shape[axis] for axis in range(ndim)], dtype)
            made[place] = part
    return np.ascontiguousarray(centred(made, given)) if mode == "same" else made


def _run_along(array: Any, weights: NDArray[Any], axes: Shape, mode: str, dtype: DType) -> Any:
    if not axes:
        return (array * weights).astype(dtype)
    return convolve(array, weights, axes, mode, dtype)
