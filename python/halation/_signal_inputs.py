"""_signal_inputs.py: what halation.signal takes: arrays of any library, of objects and of nothing, and axes to convolve along."""

from __future__ import annotations

import numbers
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._signal_sums import centred, dtype_of, must_swap

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ._types import DType, Extent, Shape


def both(in1: Any, in2: Any) -> tuple[Any, Any, Callable[[Any], Any]]:
    """Both inputs, each as NumPy's array or one on a GPU, and what makes the result one of the caller's library."""
    if type(in1) is np.ndarray and type(in2) is np.ndarray:
        return in1, in2, _as_it_is
    arrays: list[Any] = []
    give = None
    for given in (in1, in2):
        library = _arrays.library_of(given)
        if isinstance(library, _arrays.OnCpu):
            given = np.asarray(_arrays.on_cpu(given))
            if give is None and library is not _arrays.NUMPY:
                give = library.give
        arrays.append(given)
    return arrays[0], arrays[1], give or _as_it_is


def _as_it_is(made: Any) -> Any:
    return made


def result_type(in1: Any, in2: Any) -> DType:
    """The type to which NumPy promotes both."""
    for array in (in1, in2):
        if dtype_of(array).kind not in "biufc":
            raise TypeError(f"arrays must be of numbers, got {dtype_of(array)}")
    return np.result_type(dtype_of(in1), dtype_of(in2))


def float_type(array: Any) -> DType:
    """The type of which a transform would be taken: float32, float64 or complex numbers."""
    kind = dtype_of(array)
    if kind.char in "fdFD" and kind.isnative:
        return kind
    if kind.kind not in "biufcO":
        raise TypeError(f"arrays must be of numbers, got {kind}")
    return np.dtype(np.float64) if kind.kind in "biuO" else np.promote_types(kind, np.float32)


def of_nothing(shape1: Shape, shape2: Shape, mode: str, dtype: DType, names: str) -> NDArray[Any]:
    """What sums of no terms make: zeros where there are outputs at all."""
    axes = tuple(range(len(shape1)))
    if mode == "valid" and len(shape1) > 1:
        if must_swap(mode, shape1, shape2, axes):
            shape1, shape2 = shape2, shape1
        return np.zeros([n - m + 1 for n, m in zip(shape1, shape2)], dtype)
    if mode == "same" and 0 not in shape2:
        return np.zeros(shape1, dtype)
    if mode == "full" and len(shape1) > 1 and all(n + m == 1 for n, m in zip(shape1, shape2) if n * m == 0):
        return np.zeros([n + m - 1 for n, m in zip(shape1, shape2)], dtype)
    raise ValueError(f"{names} must have elements, got shapes {shape1} and {shape2}")


def of_objects(in1: Any, in2: Any, mode: Extent) -> Any:
    """The convolution of Python's own numbers, of any kind and size."""
    if in1.ndim > 1:
        raise ValueError(f"arrays of objects are convolved along one axis, got {in1.ndim}")
    made = np.convolve(in1, in2, "full" if mode == "same" else mode)
    return centred(made, in1.shape).copy() if mode == "same" else made


def convolved_axes(in1: Any, in2: Any, mode: str, given: Any) -> tuple[Any, Any, Shape]:
    """Both inputs, the larger one first for 'valid', and the axes along which both have more than one element."""
    ndim = in1.ndim
    each: Any = range(ndim) if given is None else (given,) if isinstance(given, numbers.Number) else given
    try:
        named = [operator.index(axis) for axis in each]
    except TypeError:
        raise ValueError(f"axes must be a scalar or iterable of integers, got {given!r}") from None
    if not all(-ndim <= axis < ndim for axis in named):
        raise ValueError("axes exceeds dimensionality of input")
    named = [axis % ndim for axis in named]
    if len(set(named)) != len(named):
        raise ValueError("all axes must be unique")
    if given is not None and not named:
        raise ValueError("when provided, axes cannot be empty")
    shape1, shape2 = tuple(in1.shape), tuple(in2.shape)
    axes = tuple(axis for axis in sorted(named) if shape1[axis] != 1 and shape2[axis] != 1)
    if not all(shape1[axis] == shape2[axis] or 1 in (shape1[axis], shape2[axis]) for axis in range(ndim) if axis not in axes):
        raise ValueError(f"incompatible shapes for in1 and in2: {shape1} and {shape2}")
    return (in2, in1, axes) if must_swap(mode, shape1, shape2, axes) else (in1, in2, axes)
