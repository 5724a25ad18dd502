"""_routes.py: how the engine filters what takes several steps: empty arrays, whole sums by way of i16, more than three axes."""

import numpy as np

from . import _engine
from ._mapping import packed_strides
from ._strips import check_many, constant_of


class Empty:
    """Arrays without elements."""

    weights_bytes = 0

    def __init__(self, job, dtype):
        self.shape, self.dtype = job.out_shape, dtype

    def run(self, array, out, stream):
        return np.zeros(self.shape, self.dtype) if out is None else out


class ThroughI16:
    """Sums as i16 in an array of their own, and these as the output's integers: wrapped, or widened."""

    def __init__(self, job, layout, out_dtype):
        self.shape, self.dtype = job.out_shape, out_dtype
        pixels = _engine.pixel_of(layout.dtype), "i16"
        i16 = np.dtype(np.int16)
        self.sums = _engine.Direct(job, layout, packed_strides(job.out_shape, 2), i16, pixels, (1.0, job.sum))
        self.weights_bytes = self.sums.weights_bytes

    def run(self, array, out, stream):
        sums = self.sums.run(array, None, stream)
        if sums is None:
            return None
        if out is None:
            return sums.astype(self.dtype)
        np.copyto(out, sums, casting="unsafe")
        return out


class ManyFactors:
    """A product of factors along more than three axes: three of them, then the others, with sums in f64 between."""

    def __init__(self, job, layout, out_dtype):
        check_many(job, layout)
        self.job, self.shape, self.dtype, self.weights_bytes = job, job.out_shape, out_dtype, 0
        # The innermost three in one pass; the others then have rows of all that lies inside of them.
        order = sorted(job.filtered(), key=lambda axis: -abs(layout.strides[axis]))
        self.inner = tuple(sorted(order[-3:]))
        self.outer = tuple(sorted(order[:-3]))

    def _words(self, axes, cval, scale=1.0, offset=0.0, divisor=1, rounding="half_even", overflow="saturate"):
        job = self.job
        at = [job.axes.index(axis) for axis in axes]
        borders, anchors = tuple(job.borders[i] for i in at), tuple(job.anchors[0][i] for i in at)
        numbers = (rounding, overflow, scale, offset, divisor)
        return (axes, borders, cval, anchors, job.extent, *numbers, "f64", job.method, False, job.threads)

    def run(self, array, out, stream):
        job, rows = self.job, dict(zip(self.job.axes, self.job.filters[0]))
        gain = 1.0
        for axis in job.axes:
            if axis not in self.inner and axis not in self.outer:
                gain *= float(rows[axis][0])
        first = tuple(rows[axis] for axis in self.inner)
        between = _engine.correlate_words(array, first, self._words(self.inner, constant_of(job)), None, _engine.F64, 0)
        rest = tuple(rows[axis] for axis in self.outer)
        # What lies outside along the other axes has been filtered along these.
        cval = constant_of(job) * float(np.prod([row.sum() for row in first]))
        words = self._words(self.outer, cval, job.scale * gain, job.offset, job.divisor, job.rounding, job.overflow)
        return _engine.correlate_words(between, rest, words, out, None if out is not None else self.dtype, 0)
