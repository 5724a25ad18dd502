"""_weights.py: a filter's weights as the engine takes them: dense arrays, tuples of factors, lists of several filters."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._types import Filters, Taps

F64 = np.dtype(np.float64)
MOST_KEPT = 2 << 20  # bytes of weights, of what is kept for later calls


def weights_and_key(filters: Any) -> tuple[Filters, Any, bool]:
    """Weights as f64 (or complex) arrays, what tells them from others, and whether any is complex."""
    if type(filters) is list:
        each = [taps_and_key(one) for one in filters]
        return [e[0] for e in each], tuple(e[1] for e in each), any(e[2] for e in each)
    return taps_and_key(filters)


def taps_and_key(filter_: Any) -> tuple[Taps, Any, bool]:
    """`weights_and_key` of one filter."""
    if type(filter_) is tuple:
        factors = [w if type(w) is np.ndarray and w.dtype is F64 else _as_weights(w) for w in filter_]
        is_complex = False
        for factor in factors:
            if factor.ndim != 1 or factor.size == 0:
                raise ValueError(f"a factor of a filter must be one row of weights, got shape {factor.shape}")
            is_complex = is_complex or factor.dtype is not F64
        return tuple(factors), tuple([factor.tobytes() for factor in factors]), is_complex
    dense = _as_weights(filter_)
    if dense.size == 0:
        raise ValueError(f"weights are empty: a filter has at least one tap along each axis, got shape {dense.shape}")
    key = (dense.shape, dense.tobytes()) if dense.nbytes <= MOST_KEPT else object()  # is_found_again
    return dense, key, dense.dtype is not F64


def is_found_again(key: Any) -> bool:
    """Whether weights of this key are small enough to be compared with those of later calls: what is kept under another is never found."""
    return type(key) is not object and not (type(key) is tuple and any(type(one) is object for one in key))


def _as_weights(values: Any) -> NDArray[Any]:
    array = np.asarray(_arrays.on_cpu(values))
    if array.dtype.kind not in "biufc":
        raise TypeError(f"weights must be numbers, got {array.dtype}")
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    array = array.astype(np.float64, copy=False)
    return array if array.dtype is F64 else array.view(F64)


def multiplied_out(filter_: Taps) -> NDArray[Any]:
    """Dense weights of one filter, given as such or as factors."""
    if isinstance(filter_, np.ndarray):
        return filter_
    return functools.reduce(np.multiply.outer, filter_) if filter_ else np.ones(())


def sum_of_bytes(filters: list[Taps]) -> int:
    """Bytes of all weights of a list of filters."""
    return sum(weights.nbytes for one in filters for weights in (one if isinstance(one, tuple) else (one,)))
