"""_routes.py: how the engine filters what the library does not take as it is: other numbers, and more than three axes."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from . import _engine, _native
from ._mapping import packed_strides
from ._threads import LIMIT

# Elements of a strip: 2 MiB of sums, which stay in the caches until they are stored.
STRIP_ELEMENTS = 1 << 18


class Empty:
    """Arrays without elements."""

    weights_bytes = 0

    def __init__(self, job, dtype):
        self.shape, self.dtype = job.out_shape, dtype

    def run(self, array, out, stream):
        return np.zeros(self.shape, self.dtype) if out is None else out


def is_through_i16(job, layout, out_dtype):
    """Whether sums are whole numbers that i16 holds, of aligned elements on the CPU, for integers."""
    if layout.device != "cpu" or layout.dtype.kind not in "iu" or out_dtype.kind not in "iu" or job.magnitude:
        return False
    if _engine.pixel_of(layout.dtype) is None or not _engine.aligned(layout.strides, layout.dtype):
        return False
    if job.scale != 1 or job.offset != 0 or job.divisor != 1 or job.overflow != "wrap" or not job.is_whole():
        return False
    low, high = job.range_of(layout.dtype)
    return -(2**15) <= low and high < 2**15


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


def store(sums, out, job):
    """Puts sums in f64, over the divisor, into an array of any numbers."""
    truncate, wrap, share = job.rounding == "truncate", job.overflow == "wrap", _engine.share_of(job)
    if out.dtype.kind == "f":
        if job.divisor != 1:
            sums = sums / job.divisor
        with np.errstate(over="ignore"):
            np.copyto(out, sums, casting="unsafe")
        return
    sums = np.ascontiguousarray(sums)
    kind = np.dtype(np.uint8) if out.dtype.kind == "b" else out.dtype.newbyteorder("=")
    if out.dtype == kind and out.flags.c_contiguous and out.flags.aligned and out.dtype.isnative:
        _native.store(sums, out, truncate, wrap, float(job.divisor), share)
        return
    whole = np.empty(sums.shape, kind)
    _native.store(sums, whole, truncate, wrap, float(job.divisor), share)
    out[...] = whole != 0 if out.dtype.kind == "b" else whole


def sources(low, high, n, border):
    """The elements that stand for coordinates [low, high) of an axis of n elements; -1 for the constant."""
    c = np.arange(low, high)
    outside = (c < 0) | (c >= n)
    if border == "constant":
        return np.where(outside, -1, c)
    if border == "replicate":
        return np.clip(c, 0, n - 1)
    if border == "wrap":
        return c % n
    if border == "reflect":
        c = c % (2 * n)
        return np.where(c < n, c, 2 * n - 1 - c)
    if n == 1:
        return np.zeros_like(c)
    c = c % (2 * n - 2)
    return np.where(c < n, c, 2 * n - 2 - c)


def _at(axis, ndim, part):
    return (slice(None),) * axis + (part,) + (slice(None),) * (ndim - axis - 1)


class Converted:
    """Filters in f64, a strip of the array at a time, and stores each strip's sums as what the output is."""

    def __init__(self, job, layout, out_dtype):
        self.job, self.shape, self.dtype = job, job.out_shape, out_dtype
        self.weights_bytes = _engine.sum_of_bytes(job.filters)
        long_axes = [axis for axis, n in enumerate(job.shape) if n > 1]
        self.axis = max(long_axes, key=lambda axis: abs(layout.strides[axis])) if long_axes else None
        self.index = job.axes.index(self.axis) if self.axis in job.axes else None
        self.taps = 1 if self.index is None else job.taps[self.index]
        self.rows = self._rows()

    def _rows(self):
        """Rows of a strip along `axis`; 0: all of them at once."""
        job = self.job
        if self.axis is None or (self.taps > 1 and (job.extent == "full" or job.magnitude)):
            return 0
        if self.taps > 1 and job.borders[self.index] == "constant" and len(set(job.cvals)) > 1:
            return 0  # which of several constants meets in a corner is for the library to say
        n = self.shape[self.axis]
        rows = max(STRIP_ELEMENTS // max(1, int(np.prod(self.shape)) // n), 4 * self.taps)
        return 0 if rows >= n else rows

    def _filter(self, array, out=None, threads=None):
        """Sums in f64, without divisor and rounding."""
        job = self.job
        filters = job.filters if job.magnitude else job.filters[0]
        words = (job.axes, job.borders, job.cvals, job.anchors[0], job.extent, "half_even", "saturate", job.scale, job.offset, 1)
        words += ("f64", job.method, job.magnitude, job.threads if threads is None else threads)
        return _engine.correlate_words(array, filters, words, out, None, 0)

    def run(self, array, out, stream):
        if out is None:
            out = np.empty(self.shape, self.dtype)
        if self.rows == 0:
            as_f64 = array if array.dtype is _engine.F64 else array.astype(np.float64, order="C")
            store(self._filter(as_f64), out, self.job)
            return out
        n = self.shape[self.axis]
        begins = [min(begin, n - self.rows) for begin in range(0, n, self.rows)]
        # Converting takes as long as filtering, so each thread does both for its own strips; rows that the last two strips share
        # are the same from both. The pool is this call's alone: one that is kept would be without its threads after a fork.
        workers = min(self.job.threads or _native.available_threads(LIMIT.get()), len(begins))
        if workers == 1:
            self._run_strips(array, out, begins)
            return out
        with ThreadPoolExecutor(workers) as pool:
            for done in [pool.submit(self._run_strips, array, out, begins[i::workers]) for i in range(workers)]:
                done.result()
        return out

    def _run_strips(self, array, out, begins):
        ndim, axis, taps = array.ndim, self.axis, self.taps
        valid = self.job.extent == "valid"
        anchor = 0 if valid or taps == 1 else self.job.anchors[0][self.index]
        shape = list(array.shape)
        shape[axis] = self.rows + taps - 1
        strip = np.empty(shape)
        sums_shape = list(self.shape)
        sums_shape[axis] = self.rows if valid else shape[axis]
        sums = np.empty(sums_shape)
        kept = sums[_at(axis, ndim, slice(anchor, anchor + self.rows))]
        for begin in begins:
            self._gather(array, strip, begin - anchor)
            self._filter(strip, sums, threads=1)
            store(kept, out[_at(axis, ndim, slice(begin, begin + self.rows))], self.job)

    def _gather(self, array, strip, low):
        """Fills a strip with the rows from `low` on, which may lie outside the array."""
        axis, ndim, n = self.axis, array.ndim, array.shape[self.axis]
        high = low + strip.shape[axis]
        inside = max(low, 0), min(high, n)
        if inside[0] < inside[1]:
            np.copyto(
                strip[_at(axis, ndim, slice(inside[0] - low, inside[1] - low))],
                array[_at(axis, ndim, slice(*inside))],
                casting="unsafe",
            )
        for a, b in ((low, min(high, 0)), (max(low, n), high)):
            if a >= b:
                continue
            part = strip[_at(axis, ndim, slice(a - low, b - low))]
            border = self.job.borders[self.index]
            if border == "constant":
                part[...] = self.job.cvals[self.index]
            else:
                part[...] = array.take(sources(a, b, n, border), axis=axis)


def many_axes(job, layout, out_dtype):
    """Filters along more than three axes."""
    if layout.device != "cpu":
        raise TypeError("filters along more than three axes are for arrays on the CPU; filter axis by axis")
    if job.magnitude:
        raise ValueError("a magnitude is possible along three axes at most")
    return ManyFactors(job, out_dtype) if isinstance(job.filters[0], tuple) else ManyWeights(job, out_dtype)


class _Many:
    weights_bytes = 0

    def __init__(self, job, out_dtype):
        self.job, self.shape, self.dtype = job, job.out_shape, out_dtype
        order = sorted(job.filtered(), key=lambda axis: job.taps[job.axes.index(axis)])
        self.inner = tuple(sorted(order[-3:]))  # in one pass
        self.outer = tuple(sorted(order[:-3]))
        if len(set(v for v, b in zip(job.cvals, job.borders) if b == "constant")) > 1:
            raise ValueError("filters along more than three axes need one cval for all constant borders")

    def _words(self, axes, cvals, **changed):
        job = self.job
        at = [job.axes.index(axis) for axis in axes]
        words = {"rounding": "half_even", "overflow": "saturate", "scale": 1.0, "offset": 0.0, "divisor": 1, **changed}
        return (
            axes,
            tuple(job.borders[i] for i in at),
            cvals,
            tuple(job.anchors[0][i] for i in at),
            job.extent,
            words["rounding"],
            words["overflow"],
            words["scale"],
            words["offset"],
            words["divisor"],
            "f64",
            job.method,
            False,
            job.threads,
        )

    def _cval(self):
        return next((v for v, b in zip(self.job.cvals, self.job.borders) if b == "constant"), 0.0)


class ManyFactors(_Many):
    """A product of factors: three axes, then the others, with sums in f64 between."""

    def run(self, array, out, stream):
        job, rows = self.job, dict(zip(self.job.axes, self.job.filters[0]))
        gain = 1.0
        for axis in job.axes:
            if axis not in self.inner and axis not in self.outer:
                gain *= float(rows[axis][0])
        first = tuple(rows[axis] for axis in self.inner)
        between = _engine.correlate_words(array, first, self._words(self.inner, self._cval()), None, _engine.F64, 0)
        rest = tuple(rows[axis] for axis in self.outer)
        # What lies outside along the other axes has been filtered along these.
        cval = self._cval() * float(np.prod([row.sum() for row in first]))
        words = self._words(
            self.outer,
            cval,
            rounding=job.rounding,
            overflow=job.overflow,
            scale=job.scale * gain,
            offset=job.offset,
            divisor=job.divisor,
        )
        return _engine.correlate_words(between, rest, words, out, None if out is not None else self.dtype, 0)


class ManyWeights(_Many):
    """Dense weights: for each tap along the outer axes one pass along the three inner ones, added where that tap puts it."""

    def run(self, array, out, stream):
        job, dense = self.job, self.job.filters[0]
        at = {axis: job.axes.index(axis) for axis in job.axes}
        order = [at[axis] for axis in self.outer + self.inner]
        order += [i for i in range(len(job.axes)) if i not in order]
        weights = np.transpose(dense, order)
        weights = weights.reshape(weights.shape[: len(self.outer) + 3])
        sums = np.zeros(job.out_shape)
        for taps in itertools.product(*(range(job.taps[at[axis]]) for axis in self.outer)):
            part = weights[taps]
            if np.any(part):
                words = self._words(self.inner, self._cval())
                self._add(sums, _engine.correlate_words(array, part, words, None, _engine.F64, 0), taps, float(part.sum()))
        sums = sums * job.scale + job.offset
        if out is None:
            out = np.empty(self.shape, self.dtype)
        store(sums, out, job)
        return out

    def _add(self, sums, filtered, taps, weight):
        """Adds what one tap along the outer axes gives, each element of the output from its own place."""
        job, outside = self.job, False
        for axis, tap in zip(self.outer, taps):
            i = job.axes.index(axis)
            lead = {"same": -job.anchors[0][i], "valid": 0, "full": 1 - job.taps[i]}[job.extent]
            low = lead + tap
            source = sources(low, low + sums.shape[axis], job.shape[axis], job.borders[i])
            filtered = filtered.take(source, axis=axis)
            lost = (source < 0).reshape([-1 if a == axis else 1 for a in range(sums.ndim)])
            outside = outside | lost
        sums += np.where(outside, self._cval() * weight, filtered)
