"""_families.py: the ways in which arrays, on the CPU or on a GPU, are filtered, and which of them a call takes: `prepare`.

An entry is what a family makes of a call, once for all arrays of one layout: it has `shape` and `dtype` of the result,
`kept_bytes`, which stay taken while it lives (weights, spectra and roots of transforms), and run(array, out or None, stream), which
gives the result, or None where the memory of an array begins at an address that is no multiple of its element's size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _compose
from ._direct import Direct
from ._job import Job, aligned, any_pixel_of, check_many_axes, fits_i16, pixel_of, terms_of
from ._mapping import packed
from ._weights import F64

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ._mapping import Layout
    from ._options import Options
    from ._types import DType, Entry, Filters


def prepare(layout: Layout, out_layout: Layout | None, dtype: DTypeLike | None, filters: Filters, options: Options) -> Entry:
    """The entry for arrays of a layout; `out_layout` is None for a new result, of type `dtype` or the input's."""
    job = Job(layout.shape, filters, options)
    out_dtype = out_layout.dtype if out_layout is not None else layout.dtype if dtype is None else np.dtype(dtype)
    for what, kind in (("input", layout.dtype), ("output", out_dtype)):
        if kind.kind not in "biufc":
            raise TypeError(f"{what} must be of numbers, got {kind}")
    if out_layout is None:
        out_layout = packed(job.out_shape, out_dtype, layout.device)
    elif out_layout.shape != job.out_shape:
        raise ValueError(f"output must have shape {job.out_shape}, got {out_layout.shape}")
    if out_dtype.kind == "c":
        return _compose.OfReal(layout, out_layout, filters, options, prepare)
    if 0 in job.out_shape:
        return _compose.Empty(job, out_dtype)
    job.fold(layout.dtype)
    read, written = _as_read(layout), _as_written(out_layout)
    entry = _of(job, read.dtype if layout.dtype.kind == "b" else layout.dtype, read, written)
    is_read = layout.dtype.kind == "b" or read == layout
    return entry if is_read and written == out_layout else _compose.Converted(entry, None if is_read else read.dtype, written, out_layout)


def _of(job: Job, dtype: DType, layout: Layout, out_layout: Layout) -> Entry:
    """The entry between arrays of types that the library filters; `dtype` is that of the numbers, of which the input's may be f64."""
    if len(job.filtered()) > 3:
        check_many_axes(job)
        many = _compose.ManyFactors if isinstance(job.filters[0], tuple) else _compose.ManyTaps
        return many(job, layout, out_layout, prepare)
    terms = terms_of(job, dtype, out_layout.dtype)
    if terms is None:
        return _compose.Quotients(job, layout, out_layout, prepare)
    by_f64 = terms.overflow == "wrap" or pixel_of(out_layout.dtype) is None
    if by_f64 and fits_i16(job, layout.dtype, out_layout.dtype):
        return _compose.ThroughI16(job, layout, out_layout)
    return Direct(job, layout, out_layout, terms)


def _as_read(layout: Layout) -> Layout:
    """The layout of what the library reads for arrays: theirs, or of packed ones of a type that it has. Integers of 64 bits are
    rounded to f64, as SciPy does."""
    if layout.dtype.kind == "b":
        return layout._replace(dtype=_BYTES)
    return _usable(layout, F64 if layout.dtype.kind in "iu" and layout.dtype.itemsize == 8 else layout.dtype)


def _as_written(layout: Layout) -> Layout:
    """The same of outputs; bytes for truth, of which each but 0 is true."""
    return _usable(layout, _BYTES if layout.dtype.kind == "b" else layout.dtype)


_BYTES = np.dtype(np.uint8)


def _usable(layout: Layout, dtype: DType) -> Layout:
    dtype = dtype.newbyteorder("=") if any_pixel_of(dtype.newbyteorder("=")) else F64
    if dtype == layout.dtype and aligned(layout.strides, dtype):
        return layout
    return packed(layout.shape, dtype, layout.device)
