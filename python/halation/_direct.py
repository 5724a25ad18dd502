"""_direct.py: a filter that the library itself runs, by one plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import _native
from ._arrays import empty
from ._job import any_pixel_of
from ._mapping import place, place_filter
from ._threads import LIMIT
from ._weights import sum_of_bytes

if TYPE_CHECKING:
    from ._job import Job, Terms
    from ._mapping import Layout
    from ._types import DType, Shape


class Direct:
    """A plan of the library, on the arrays where they lie."""

    shape: Shape
    dtype: DType
    job_shape: Shape
    plan: _native.Plan
    call: _native.Call
    kept_bytes: int

    def __init__(
        self,
        job: Job,
        layout: Layout,
        out_layout: Layout,
        terms: Terms,
        accuracy: str = "exact",
        tune: str = "estimate",
        operation: str = "correlation",
    ) -> None:
        """`terms` as `_job.terms_of` gives them; `operation` names in `explain` what the caller asked for."""
        self.shape, self.dtype, self.job_shape = job.out_shape, out_layout.dtype, job.shape
        pixels = cast("tuple[str, str]", (any_pixel_of(layout.dtype), any_pixel_of(out_layout.dtype)))
        # An array without axes is filtered as one of a single element.
        shape, strides = layout.shape or (1,), layout.strides or (layout.dtype.itemsize,)
        where = place(shape, strides, out_layout.strides or (out_layout.dtype.itemsize,), job.filtered(), layout.device == "cpu")
        described = [place_filter(one, job.axes, anchors, where.slots) for one, anchors in zip(job.filters, job.anchors)]
        borders = [("replicate", 0.0)] * 3
        for axis, border, value in zip(job.axes, job.borders, job.cvals):
            if axis in where.slots:
                borders[where.slots[axis] - 1] = (border, value)
        self.plan = _native.make_plan(
            where.shape,
            pixels[0],
            described,
            tuple(borders),
            job.extent,
            pixels[1],
            terms.scale,
            job.offset,
            job.rounding,
            terms.overflow,
            terms.sum,
            accuracy,
            job.method,
            tune,
            job.threads,
            layout.device,
            job.magnitude,
            operation,
            LIMIT.get(),
        )
        self.call = _native.Call(
            self.plan,
            where.shape,
            pixels[0],
            (layout.shape, layout.strides, where.in_strides, where.in_offsets),
            (job.out_shape, out_layout.strides, where.out_strides, where.out_offsets),
        )
        self.kept_bytes = self.plan.constant_bytes + sum_of_bytes(job.filters)

    def run(self, array: Any, out: Any, stream: int) -> Any:
        """The result, or None where the memory of an array begins at an address that is no multiple of its element's size."""
        if out is None:
            out = empty(array, self.shape, self.dtype)
        return out if self.call.run(array, out, stream) else None


