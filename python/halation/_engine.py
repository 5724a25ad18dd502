"""_engine.py: the one way from arrays and weights to filtered arrays; every module of the package calls `correlate`.

    correlate(array, filters, *, axes=None, borders="reflect101", cvals=0.0, anchors=None, extent="same", out=None, dtype=None,
              rounding="half_even", overflow="saturate", scale=1.0, offset=0.0, divisor=1, sum="automatic", method="automatic",
              magnitude=False, threads=0, stream=None) -> array

    out[p] = round(scale * sum_k(w[k] * in[p + k - anchor]) / divisor + offset)

array     any array (NumPy, CuPy, PyTorch, JAX, Numba, buffers): n axes, any strides, any numbers. Never changed.
filters   dense weights (an array with an axis for each of `axes`), or a tuple of factors, one for each of `axes`, whose product
          they are, or a list of several such filters with magnitude=True: the root of the sum of squares of their results. It is
          always a correlation: to convolve give w[::-1, ...] and anchors len - 1 - anchor. Complex weights are used as they are,
          not conjugated.
axes      tuple of the array's axes that the filter runs along (None: all); any number. All others are filtered one by one.
borders   "constant", "replicate", "reflect", "reflect101", "wrap", or a synonym (_border.py): one, or a tuple of one for each axis.
cvals     what lies outside a constant border: a number, or a tuple of one for each of `axes`; the input's scale, not rounded.
anchors   tuple: the tap over the output, from 0 to len - 1, for each of `axes`; None: len // 2.
extent    "same", "valid" (the filter inside the array) or "full", along all of `axes` (an axis with one tap is the same in each).
out       array of the result's shape, of any strides and dtype; may be the input or overlap it (a temporary is used). Returned.
dtype     of a new result; None: the input's (complex where weights are).
rounding  of integer results: "half_even" or "truncate". What is truncated is summed in f64 unless f32 is exact.
overflow  of integer results: "saturate", or "wrap" as C on x86-64 does (and SciPy).
divisor   whole number: with whole weights and truncation integers are divided exactly.
sum       "automatic" (f32 or better, or of u8 fixed point, off by 1/16 of a level at most) or "f64".
method    and threads as in `halation.plan`.
stream    address of a cudaStream_t; None: the caller's current one.

Borders, factors and anchors in tuples, numbers as Python's: they are keys.
Errors: ValueError, TypeError, RuntimeError, MemoryError.

Costs: a call like an earlier one (same shape, strides, types, weights and options) finds its plan in a cache (_cache.py: 256 plans
at most, and 128 MiB of weights and transforms, none with more than 64 MiB): 16 x 16 f32 in 8 microseconds or so; else the plan is made,
in some 50.
Which way is taken is chosen in _families.py. Arrays of real numbers are filtered where they lie by one plan along up to three axes,
those of u8 u16 i16 f16 f32 f64 (bool as u8) in one pass. By way of packed copies go: integers of 64 bits, as f64; elements that are not
aligned, of another byte order, or of more than 64 bits. By way of an array of i16: its sums, for other integers or to be wrapped. Along
four axes and more (_compose.py): three axes, then the others, dense weights once for each place along the others. Complex arrays of real
weights are two channels; of complex weights two or four passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _cache, _complex, _gpu
from ._options import options_of
from ._weights import weights_and_key

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ._options import Options
    from ._types import Shape


def correlate(
    array: Any,
    filters: Any,
    *,
    axes: Shape | None = None,
    borders: str | tuple[str, ...] = "reflect101",
    cvals: complex | tuple[complex, ...] = 0.0,
    anchors: Shape | None = None,
    extent: str = "same",
    out: Any = None,
    dtype: DTypeLike | None = None,
    rounding: str = "half_even",
    overflow: str = "saturate",
    scale: float = 1.0,
    offset: float = 0.0,
    divisor: int = 1,
    sum: str = "automatic",
    method: str = "automatic",
    magnitude: bool = False,
    threads: int = 0,
    stream: int | None = None,
) -> Any:
    """Filters an array; see the head of this file."""
    options = options_of(
        axes, borders, cvals, anchors, extent, rounding, overflow, scale, offset, divisor, sum, method, magnitude, threads
    )
    return correlate_by(options, array, filters, out, dtype, stream)


def correlate_by(
    options: Options, array: Any, filters: Any, out: Any = None, dtype: DTypeLike | None = None, stream: int | None = None
) -> Any:
    """`correlate` with what it asks for as one value (_options.py)."""
    library: _arrays.OnCpu | None = None
    given = out
    if type(array) is not np.ndarray or (out is not None and type(out) is not np.ndarray):
        found = _arrays.library_of(array)
        if not isinstance(found, _arrays.OnCpu):
            return _gpu.correlate(found, array, filters, options, out, dtype, stream)
        library = found
        array, out = _arrays.on_cpu(array), None if out is None else _arrays.on_cpu(out)
    filters, key, is_complex = weights_and_key(filters)
    if is_complex or array.dtype.kind == "c":
        made = _complex.correlate(array, filters, options, out, dtype)
    else:
        made = _cache.correlate_weights(array, filters, key, options, out, dtype)
    if library is None:
        return made
    return library.give(made) if given is None else given
