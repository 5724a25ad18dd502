"""_direct.py: a filter that the library itself runs, by one plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import _native
from ._job import pixel_of
from ._mapping import place, place_filter
from ._threads import LIMIT
from ._weights import sum_of_bytes

if TYPE_CHECKING:
    from ._job import Job
    from ._mapping import Layout
    from ._types import DType, Shape, Terms


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
        """`terms` as `_job.direct_terms` gives them; `operation` names in `explain` what the caller asked for."""
        self.shape, self.dtype, self.job_shape = job.out_shape, out_layout.dtype, job.shape
        pixels = cast("tuple[str, str]", (pixel_of(layout.dtype), pixel_of(out_layout.dtype)))
        scale, sum_ = terms
        # An array without axes is filtered as one of a single element.
        shape, strides = layout.shape or (1,), layout.strides or (layout.dtype.itemsize,)
        where = place(shape, strides, out_layout.strides or (out_layout.dtype.itemsize,), job.filtered())
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
            scale,
            job.offset,
            job.rounding,
            sum_,
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
            out = np.empty(self.shape, self.dtype)
        return out if self.call.run(array, out, stream) else None


