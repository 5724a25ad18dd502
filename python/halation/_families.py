"""_families.py: the ways in which arrays on the CPU or a GPU are filtered, and which of them a call takes: `of_cpu`, `of_gpu`.

An entry is what a family makes of a call, once for all arrays of one layout: it has `shape` and `dtype` of the result,
`kept_bytes`, which stay taken while it lives (weights, spectra and roots of transforms), and run(array, out or None, stream), which
gives the result, or None where the memory of an array begins at an address that is no multiple of its element's size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from . import _compose, _gpu_pass, _strips
from ._direct import Direct
from ._job import Job, aligned, check_many_axes, direct_terms, fits_i16, pixel_of
from ._mapping import packed

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike

    from ._mapping import Layout
    from ._options import Options
    from ._types import Entry, Filters, Terms

    # The family that a job between arrays of two layouts takes, of which the library itself knows one where there are terms.
    Choose: TypeAlias = Callable[[Job, Layout, Layout, Terms | None], Entry]


def of_cpu(job: Job, layout: Layout, out_layout: Layout, terms: Terms | None) -> Entry:
    """For arrays in host memory."""
    if how := _strips.choose(job, layout, out_layout, terms):
        return _strips.Strips(job, layout, out_layout, how)
    if len(job.filtered()) > 3:
        check_many_axes(job)
        return _compose.ManyFactors(job, layout, out_layout, prepare)
    if terms is not None:
        return Direct(job, layout, out_layout, terms)
    if fits_i16(job, layout, out_layout.dtype):
        return _compose.ThroughI16(job, layout, out_layout.dtype)
    return _strips.Strips(job, layout, out_layout, _strips.by_plan)


def of_gpu(job: Job, layout: Layout, out_layout: Layout, terms: Terms | None) -> Entry:
    """For arrays on a GPU."""
    if len(job.filtered()) > 3:
        check_many_axes(job)
    if terms is not None and _gpu_pass.is_for_library(job, layout, out_layout):
        return Direct(job, layout, out_layout, terms)
    return _gpu_pass.GpuPass(job, layout, out_layout)


def prepare(
    layout: Layout,
    out_layout: Layout | None,
    dtype: DTypeLike | None,
    filters: Filters,
    options: Options,
    choose: Choose = of_cpu,
) -> Entry:
    """The entry for arrays of a layout; `out_layout` is None for a new result, of type `dtype` or the input's."""
    job = Job(layout.shape, filters, options)
    out_dtype = out_layout.dtype if out_layout is not None else layout.dtype if dtype is None else np.dtype(dtype)
    for what, kind in (("input", layout.dtype), ("output", out_dtype)):
        if kind.kind not in "biufc":
            raise TypeError(f"{what} must be of numbers, got {kind}")
    if layout.dtype.kind == "b" and out_dtype.kind != "b":
        layout = layout._replace(dtype=np.dtype(np.uint8))  # as which their bytes are read
    if out_layout is None:
        out_layout = packed(job.out_shape, out_dtype, layout.device)
    elif out_layout.shape != job.out_shape:
        raise ValueError(f"output must have shape {job.out_shape}, got {out_layout.shape}")
    if out_dtype.kind == "c":
        return _compose.OfReal(layout, out_layout, filters, options, prepare)
    if 0 in job.out_shape:
        return _compose.Empty(job, out_dtype)
    job.fold(layout.dtype)
    terms = None
    if None not in (pixel_of(layout.dtype), pixel_of(out_dtype)):
        if aligned(layout.strides, layout.dtype) and aligned(out_layout.strides, out_dtype):
            terms = direct_terms(job, layout.dtype, out_dtype)
    return choose(job, layout, out_layout, terms)
