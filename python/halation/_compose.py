"""_compose.py: filters made of others: sums by way of i16, more than three axes, complex results of real numbers; and of nothing.

What is made of others gets `prepare` (_families.py), which makes its parts: each filters along fewer axes, or to a simpler type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ._direct import Direct
from ._job import check_writable, filtered
from ._mapping import Layout, packed
from ._options import Options
from ._weights import F64

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from ._job import Job
    from ._types import DType, Entry, Filters, Shape

    Prepare: TypeAlias = Callable[[Layout, Layout | None, DTypeLike | None, Filters, Options], Entry]


class Empty:
    """Arrays without elements."""

    kept_bytes = 0

    def __init__(self, job: Job, dtype: DType) -> None:
        self.shape, self.dtype = job.out_shape, dtype

    def run(self, array: NDArray[Any], out: NDArray[Any] | None, stream: int) -> NDArray[Any] | None:
        return np.zeros(self.shape, self.dtype) if out is None else out


class ThroughI16:
    """Sums as i16 in an array of their own, and these as the output's integers: wrapped, or widened."""

    def __init__(self, job: Job, layout: Layout, out_dtype: DType) -> None:
        self.shape, self.dtype = job.out_shape, out_dtype
        self.sums = Direct(job, layout, packed(job.out_shape, np.dtype(np.int16)), (1.0, job.sum))
        self.kept_bytes = self.sums.kept_bytes

    def run(self, array: NDArray[Any], out: NDArray[Any] | None, stream: int) -> NDArray[Any] | None:
        sums: NDArray[Any] | None = self.sums.run(array, None, stream)
        if sums is None:
            return None
        if out is None:
            return sums.astype(self.dtype)
        np.copyto(out, sums, casting="unsafe")
        return out


class ManyFactors:
    """A product of factors along more than three axes: three of them, then the others, with sums in f64 between."""

    def __init__(self, job: Job, layout: Layout, out_layout: Layout, prepare: Prepare) -> None:
        self.shape, self.dtype = job.out_shape, out_layout.dtype
        # The innermost three in one pass; the others then have rows of all that lies inside of them.
        by_strides = sorted(job.filtered(), key=lambda axis: -abs(layout.strides[axis]))
        inner, outer = tuple(sorted(by_strides[-3:])), tuple(sorted(by_strides[:-3]))
        factors = dict(zip(job.axes, job.filters[0]))
        first, rest = (tuple(factors[axis] for axis in axes) for axes in (inner, outer))
        gain = 1.0
        for axis in job.axes:
            if axis not in inner and axis not in outer:
                gain *= float(factors[axis][0])
        self.first = prepare(layout, None, F64, first, _along(job, inner, job.constant()))
        # What lies outside along the other axes has been filtered along these.
        constant = filtered(job.constant(), first)
        rounded: dict[str, Any] = {"scale": job.scale * gain, "offset": job.offset, "divisor": job.divisor}
        rounded |= {"rounding": job.rounding, "overflow": job.overflow}
        between = packed(self.first.shape, F64)
        self.rest = prepare(between, out_layout, None, rest, _along(job, outer, constant, **rounded))
        self.kept_bytes = self.first.kept_bytes + self.rest.kept_bytes

    def run(self, array: NDArray[Any], out: NDArray[Any] | None, stream: int) -> NDArray[Any] | None:
        between = self.first.run(array, None, stream)
        return None if between is None else self.rest.run(between, out, stream)


def _along(job: Job, axes: Shape, constant: float, **rounded: Any) -> Options:
    """The options by which a job filters along some of its axes."""
    at = [job.axes.index(axis) for axis in axes]
    borders, anchors = tuple(job.borders[i] for i in at), tuple(job.anchors[0][i] for i in at)
    return Options(axes=axes, borders=borders, cvals=constant, anchors=anchors, extent=job.extent, sum="f64", method=job.method,
                   threads=job.threads, **rounded)


class OfReal:
    """Real arrays and real weights with a complex result, whose imaginary parts are 0."""

    def __init__(self, layout: Layout, out_layout: Layout, filters: Filters, options: Options, prepare: Prepare) -> None:
        real = Layout(out_layout.shape, out_layout.strides, np.empty(0, out_layout.dtype).real.dtype, out_layout.device)
        self.real = prepare(layout, real, None, filters, options)
        self.shape, self.dtype, self.kept_bytes = out_layout.shape, out_layout.dtype, self.real.kept_bytes

    def run(self, array: NDArray[Any], out: NDArray[Any] | None, stream: int) -> NDArray[Any] | None:
        if out is None:
            out = np.empty(self.shape, self.dtype)
        check_writable(out)
        if self.real.run(array, out.real, stream) is None:
            return None
        out.imag = 0
        return out
