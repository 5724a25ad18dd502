"""_engine.py: the one way from arrays and weights to filtered arrays; every module of the package calls `correlate`.

    correlate(array, filters, *, axes=None, borders="reflect101", cvals=0.0, anchors=None, extent="same", out=None, dtype=None,
              rounding="half_even", overflow="saturate", scale=1.0, offset=0.0, divisor=1, sum="automatic", method="automatic",
              magnitude=False, threads=0, stream=None) -> array

    out[p] = round(scale * sum_k(w[k] * in[p + k - anchor]) / divisor + offset)

array     any array (NumPy, CuPy, PyTorch, JAX, Numba, buffers): n axes, any strides, any numbers. Never changed.
filters   dense weights (an array with an axis for each of `axes`), or a tuple of rows, one for each of `axes`, whose product they
          are, or a list of several such filters with magnitude=True: the root of the sum of squares of their results. It is
          always a correlation: to convolve give w[::-1, ...] and anchors len - 1 - anchor. Complex weights are used as they are,
          not conjugated.
axes      tuple of the array's axes that the filter runs along (None: all); any number. All others are filtered one by one.
borders   "constant", "replicate", "reflect", "reflect101", "wrap": one name, or a tuple of one for each of `axes`.
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

Borders, rows and anchors in tuples, numbers as Python's: they are keys. Errors: ValueError, TypeError, RuntimeError, MemoryError.

Costs: a call like an earlier one (same shape, strides, types, weights and words) finds its plan in a cache (256 plans and 16 MiB of
weights at most, none with more than 2 MiB): 16 x 16 f32 in 8 microseconds or so; else the plan is made, in some 50 microseconds.
Arrays of u8 u16 i16 f16 f32 f64 are read and written where they lie, in one pass along up to three axes; bool as u8. Through f64,
strip by strip (_strips.py), go: other numbers, results that may overflow and must wrap, elements that are not aligned or of another
byte order, dense weights along four axes and more or over rows of a few elements; whole sums that i16 holds, for other integers or
to be wrapped, by way of an array of i16. Factors along four axes and more: three axes at a time. Complex arrays of real weights are two
channels; of complex weights two or four passes.
"""

import contextlib
import contextvars
from collections import OrderedDict

import numpy as np

from . import _arrays, _native
from ._threads import LIMIT
from ._mapping import Layout, packed_strides, place, place_filter

F64 = np.dtype(np.float64)
MOST_PLANS = 256
MOST_CACHED_BYTES = 16 << 20
_PIXELS = {"B": "u8", "H": "u16", "h": "i16", "e": "f16", "f": "f32", "d": "f64"}
_BORDERS = ("constant", "replicate", "reflect", "reflect101", "wrap")
_cache = OrderedDict()
# While it holds a list: what ran for arrays of NumPy's, as (entry, array, out, result).
STEPS = contextvars.ContextVar("steps", default=None)


def correlate(
    array,
    filters,
    *,
    axes=None,
    borders="reflect101",
    cvals=0.0,
    anchors=None,
    extent="same",
    out=None,
    dtype=None,
    rounding="half_even",
    overflow="saturate",
    scale=1.0,
    offset=0.0,
    divisor=1,
    sum="automatic",
    method="automatic",
    magnitude=False,
    threads=0,
    stream=None,
):
    """Filters an array; see the head of this file."""
    words = (axes, borders, cvals, anchors, extent, rounding, overflow, scale, offset, divisor, sum, method, magnitude, threads)
    return correlate_any(array, filters, words, out, dtype, stream)


def correlate_any(array, filters, words, out, dtype, stream=None):
    """`correlate` with its keywords as one tuple."""
    if type(array) is np.ndarray and (out is None or type(out) is np.ndarray):
        return correlate_words(array, filters, words, out, dtype, 0)
    library = _arrays.library_of(array)
    if isinstance(library, _arrays.OnCpu):
        where = None if out is None else _arrays.on_cpu(out)
        made = correlate_words(_arrays.on_cpu(array), filters, words, where, dtype, 0)
        return library.give(made) if out is None else out
    return correlate_words(array, filters, words, out, dtype, stream or 0, library, stream)


def correlate_words(array, filters, words, out, dtype, stream, library=None, given_stream=None):
    """`correlate_any` for NumPy's arrays or those of `library` on a GPU."""
    filters, key, is_complex = weights_and_key(filters)
    if library is None:
        found = array.dtype
        if found.kind == "c" or is_complex:
            from . import _complex

            return _complex.correlate(array, filters, words, out, dtype)
        if out is None:
            key = (array.shape, array.strides, found, dtype, None, None, key, words, LIMIT.get())
        else:
            key = (array.shape, array.strides, found, out.dtype, out.shape, out.strides, key, words, LIMIT.get())
            if np.may_share_memory(array, out):
                check_writable(out)
                out[...] = correlate_words(array, filters, words, None, out.dtype, stream)
                return out
        layout = None
    else:
        from . import _gpu

        stream = library.stream(array) if given_stream is None else given_stream
        layout = library.layout(array)
        there = None if out is None else library.layout(out)
        if out is not None and _gpu.overlap(array, out):
            out[...] = correlate_words(array, filters, words, None, there.dtype, stream, library, stream)
            return out
        key = (layout, dtype, there, key, words)
    entry = _cache.get(key)
    if entry is None:
        if library is not None and (is_complex or not _gpu.is_direct(layout, there, dtype, filters, words)):
            return _gpu.correlate(library, array, layout, filters, words, out, there, dtype, stream)
        if layout is None:
            layout, there = Layout(array.shape, array.strides, found, "cpu"), None
            if out is not None:
                there = Layout(out.shape, out.strides, out.dtype, "cpu")
        entry = prepare(layout, there, dtype, filters, words)
        _keep(key, entry)
    else:
        try:
            _cache.move_to_end(key)
        except KeyError:  # another thread has just dropped it
            pass
    if out is None and library is not None:
        out = library.empty(entry.shape, entry.dtype, array)
    steps = STEPS.get()
    made = entry.run(array, out, stream) if steps is None else _run_noted(steps, entry, array, out, stream)
    if made is not None:
        return made
    if library is not None:
        raise ValueError("the memory of an array on a GPU must begin at a multiple of its element's size")
    made = correlate_words(array.copy(order="C"), filters, words, None, entry.dtype, stream)
    if out is None:
        return made
    out[...] = made
    return out


@contextlib.contextmanager
def noting(steps):
    """While it is entered, what runs is noted in this list; None: nowhere."""
    token = STEPS.set(steps)
    try:
        yield steps
    finally:
        STEPS.reset(token)


def _run_noted(steps, entry, array, out, stream):
    with noting(None):  # what it runs itself is its own affair
        made = entry.run(array, out, stream)
    steps.append((entry, array, out, made))
    return made


def _keep(key, entry):
    """Puts an entry into the cache, and drops those that were not asked for longest where that is too much."""
    if entry.weights_bytes > MOST_CACHED_BYTES // 8:
        return
    _cache[key] = entry
    while len(_cache) > MOST_PLANS or sum([one.weights_bytes for one in list(_cache.values())]) > MOST_CACHED_BYTES:
        _cache.popitem(last=False)


def check_writable(out):
    """Refuses read-only arrays of NumPy's."""
    if not out.flags.writeable:
        raise ValueError("output is read-only; give one that can be written")


def weights_and_key(filters):
    """Weights as f64 (or complex) arrays, what tells them from others, and whether any is complex."""
    if type(filters) is tuple:
        rows = [w if type(w) is np.ndarray and w.dtype is F64 else _as_weights(w) for w in filters]
        is_complex = False
        for row in rows:
            if row.ndim != 1 or row.size == 0:
                raise ValueError(f"a factor of a filter must be one row of weights, got shape {row.shape}")
            is_complex = is_complex or row.dtype is not F64
        return tuple(rows), tuple([row.tobytes() for row in rows]), is_complex
    if type(filters) is list:
        each = [weights_and_key(one) for one in filters]
        return [e[0] for e in each], tuple(e[1] for e in each), any(e[2] for e in each)
    dense = _as_weights(filters)
    if dense.size == 0:
        raise ValueError(f"weights are empty: a filter has at least one tap along each axis, got shape {dense.shape}")
    return dense, (dense.shape, dense.tobytes()), dense.dtype is not F64


def _as_weights(values):
    array = np.asarray(_arrays.on_cpu(values))
    if array.dtype.kind not in "biufc":
        raise TypeError(f"weights must be numbers, got {array.dtype}")
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    array = array.astype(np.float64, copy=False)
    return array if array.dtype is F64 else array.view(F64)


def pixel_of(dtype):
    """The library's pixel of a NumPy type; None where it has none."""
    return _PIXELS.get(dtype.char) if dtype.isnative else None


class Job:
    """The words of a call made regular: one border, constant, anchor and number of taps for each axis of the filter."""

    def __init__(self, shape, filters, words):
        (
            axes,
            borders,
            cvals,
            anchors,
            self.extent,
            self.rounding,
            self.overflow,
            self.scale,
            self.offset,
            self.divisor,
            self.sum,
            self.method,
            self.magnitude,
            self.threads,
        ) = words
        ndim = len(shape)
        self.filters = filters if isinstance(filters, list) else [filters]
        self.axes = tuple(range(ndim)) if axes is None else tuple(axes)
        if not all(-ndim <= axis < ndim for axis in self.axes):
            raise ValueError(f"axes must lie in [{-ndim}, {ndim}) for an array of {ndim} axes, got {self.axes}")
        self.axes = tuple(axis % ndim for axis in self.axes)
        if len(set(self.axes)) != len(self.axes):
            raise ValueError(f"axes must be unique, got {self.axes}")
        self.borders = self._each("borders", borders)
        self.cvals = tuple(float(value) for value in self._each("cvals", cvals))
        for border in self.borders:
            if border not in _BORDERS:
                raise ValueError(f"unknown border '{border}'; choose from {', '.join(_BORDERS)}")
        for name, value, choices in (
            ("extent", self.extent, ("same", "valid", "full")),
            ("rounding", self.rounding, ("half_even", "truncate")),
            ("overflow", self.overflow, ("saturate", "wrap")),
        ):
            if value not in choices:
                raise ValueError(f"unknown {name} '{value}'; choose from {', '.join(choices)}")
        if self.magnitude and not all(isinstance(one, (tuple, np.ndarray)) for one in self.filters):
            raise ValueError("a magnitude needs a list of filters")
        if len(self.filters) != 1 and not self.magnitude:
            raise ValueError("several filters need magnitude=True")
        self.lengths = [self._lengths(one) for one in self.filters]
        self.taps = tuple(max(each) for each in zip(*self.lengths))
        self.anchors = (
            [tuple(n // 2 for n in each) for each in self.lengths] if anchors is None else [self._each("anchors", anchors)]
        )
        if anchors is not None and len(self.filters) > 1:
            self.anchors *= len(self.filters)
        self.shape = shape
        self.out_shape = self._output_shape()

    def _each(self, name, value):
        if isinstance(value, (tuple, list)):
            if len(value) != len(self.axes):
                raise ValueError(f"{name} must be one or as many as axes ({len(self.axes)}), got {len(value)}")
            return tuple(value)
        return (value,) * len(self.axes)

    def _lengths(self, one):
        lengths = tuple(len(row) for row in one) if isinstance(one, tuple) else one.shape
        if len(lengths) != len(self.axes):
            raise ValueError(f"a filter along {len(self.axes)} axes is needed, got one along {len(lengths)}")
        return lengths

    def _output_shape(self):
        shape = list(self.shape)
        for axis, taps in zip(self.axes, self.taps):
            if self.extent == "full":
                shape[axis] += taps - 1
            elif self.extent == "valid":
                shape[axis] -= taps - 1
                if shape[axis] < 1 <= self.shape[axis]:
                    raise ValueError(
                        f"extent valid: the filter ({taps} taps) is larger than the array ({self.shape[axis]}) along "
                        f"axis {axis}; use same or full"
                    )
        return tuple(max(n, 0) for n in shape)

    def fold(self, dtype):
        """Factors along axes of one element become one weight, for pixels of a type: the element stands for all around it.

        Not where that could hide NaN or infinity: weights of one sign pass them on, and those that cancel exactly multiply them by 0.
        """
        if self.magnitude or self.extent != "same" or not isinstance(self.filters[0], tuple):
            return
        rows, taps, anchors = list(self.filters[0]), list(self.taps), list(self.anchors[0])
        for i, axis in enumerate(self.axes):
            row = rows[i]
            if self.shape[axis] != 1 or taps[i] == 1:
                continue
            if self.borders[i] == "constant":
                if self.cvals[i] != 0:
                    continue
                weight = row[anchors[i]]
            else:
                weight = row.sum()
                if dtype.kind == "f" and weight != 0 and not np.all(row > 0):
                    continue
            rows[i], taps[i], anchors[i] = np.array([weight]), 1, 0
        self.filters, self.taps, self.anchors = [tuple(rows)], tuple(taps), [tuple(anchors)]

    def filtered(self):
        """The axes along which there is more than one tap."""
        return tuple(axis for axis, taps in zip(self.axes, self.taps) if taps > 1)

    def sums_of_signs(self):
        """Sums of the positive and of the negative weights, over one filter."""
        low, high = 0.0, 1.0
        if isinstance(self.filters[0], tuple):
            for row in self.filters[0]:
                up, down = float(row[row > 0].sum()), float(row[row < 0].sum())
                low, high = min(low * up, high * down), max(high * up, low * down)
            return low, high
        dense = self.filters[0]
        return float(dense[dense < 0].sum()), float(dense[dense > 0].sum())

    def most_input(self, dtype):
        """Least and largest value of an integer input or a constant around it."""
        info = np.iinfo(dtype)
        constants = [value for value, border in zip(self.cvals, self.borders) if border == "constant"]
        return min([info.min, *constants]), max([info.max, *constants])

    def range_of(self, dtype):
        """The range of results of integer inputs of a type."""
        low, high = self.most_input(dtype)
        down, up = self.sums_of_signs()
        ends = [up * high + down * low, up * low + down * high]
        ends = [self.scale * end / self.divisor + self.offset for end in ends]
        return min(ends), max(ends)

    def is_whole(self):
        """Whether weights and constants are whole numbers."""
        rows = self.filters[0] if isinstance(self.filters[0], tuple) else (self.filters[0],)
        constants = [value for value, border in zip(self.cvals, self.borders) if border == "constant"]
        return all(bool(np.all(row == np.rint(row))) for row in rows) and all(value == np.rint(value) for value in constants)

    def largest_sum(self, dtype):
        """The largest sum of magnitudes that integer inputs of a type give."""
        down, up = self.sums_of_signs()
        return (up - down) * max(abs(end) for end in self.most_input(dtype))


def share_of(job):
    """The share of themselves by which sums grow before they are truncated.

    Weights such as a Gaussian's sum to 1 but for rounding, and so a flat area of 14 to 13.999999999999998 or 14.000000000000002:
    all sums that rounding can have put below a whole number count as that number. Whole weights need none.
    """
    return 0.0 if job.rounding != "truncate" or job.is_whole() else 2.0**-44


def direct_terms(job, dtype, out_dtype):
    """(scale, sum) by which the library itself gives the result from pixels of one type to another; None where it cannot."""
    scale, total = job.scale, job.sum
    if out_dtype.kind == "f":
        return scale / job.divisor, total
    whole = dtype.kind == "u" or dtype.kind == "i"
    if job.overflow == "wrap":
        if not whole:
            return None
        low, high = job.range_of(dtype)
        info = np.iinfo(out_dtype)
        past = 1.0 if job.rounding == "truncate" else 0.5
        if not (info.min - past < low and high < info.max + past):
            return None
    if job.rounding == "truncate" or job.divisor != 1:
        if not whole:
            return (scale, "f64") if job.divisor == 1 else None
        largest, is_whole = job.largest_sum(dtype), job.is_whole()
        if job.divisor == 1:
            exact = is_whole and largest <= 2.0**24 and scale == 1 and job.offset == 0
            return (scale, total) if exact else (scale * (1 + share_of(job)), "f64")
        if not is_whole or scale != 1 or job.offset != 0 or job.rounding != "truncate":
            return None
        # A quotient of whole numbers that is no whole number lies 1/divisor or more below the next one: a scale too large by less
        # than that, and by more than rounding takes, gives the exact quotient's whole part.
        if largest * (2.0**-21 + 2.0**-23) < 0.5:
            return (1 + 2.0**-21) / job.divisor, total
        if largest < 2.0**46:
            return (1 + 2.0**-48) / job.divisor, "f64"
        return None
    return scale, total


def prepare(layout, there, dtype, filters, words):
    """What runs a call for arrays of one layout, made once: an entry of the cache."""
    job = Job(layout.shape, filters, words)
    out_dtype = there.dtype if there is not None else layout.dtype if dtype is None else np.dtype(dtype)
    for what, kind in (("input", layout.dtype), ("output", out_dtype)):
        if kind.kind not in "biufc":
            raise TypeError(f"{what} must be of numbers, got {kind}")
    if layout.dtype.kind == "b" and out_dtype.kind != "b":
        layout = layout._replace(dtype=np.dtype(np.uint8))  # as which their bytes are read
    if there is not None and there.shape != job.out_shape:
        raise ValueError(f"output must have shape {job.out_shape}, got {there.shape}")
    if out_dtype.kind == "c":
        from . import _complex

        return _complex.OfReal(job, filters, words, out_dtype)
    from . import _routes, _strips

    if 0 in job.out_shape:
        return _routes.Empty(job, out_dtype)
    job.fold(layout.dtype)
    out_strides = packed_strides(job.out_shape, out_dtype.itemsize) if there is None else there.strides
    pixels, terms = (pixel_of(layout.dtype), pixel_of(out_dtype)), None
    if None not in pixels and aligned(layout.strides, layout.dtype) and aligned(out_strides, out_dtype):
        terms = direct_terms(job, layout.dtype, out_dtype)
    if way := _strips.way_for(job, layout, out_strides, out_dtype, terms):
        return _strips.Strips(job, layout, there, out_dtype, way)
    if len(job.filtered()) > 3:
        return _routes.ManyFactors(job, layout, out_dtype)
    if terms is not None:
        return Direct(job, layout, out_strides, out_dtype, pixels, terms)
    if _strips.is_through_i16(job, layout, out_dtype):
        return _routes.ThroughI16(job, layout, out_dtype)
    if layout.device != "cpu":
        raise TypeError(f"arrays on a GPU are filtered as u8, u16, i16, f16, f32 or f64, got {layout.dtype} to {out_dtype}")
    return _strips.Strips(job, layout, there, out_dtype, _strips.by_plan)


def aligned(strides, dtype):
    """Whether each element begins at a multiple of its size, where the first does."""
    return all(step % dtype.itemsize == 0 for step in strides)


class Direct:
    """A plan of the library, on the arrays where they lie."""

    def __init__(
        self, job, layout, out_strides, out_dtype, pixels, terms, accuracy="exact", tune="estimate", operation="correlation"
    ):
        self.shape, self.dtype, self.job_shape = job.out_shape, out_dtype, job.shape
        # An array without axes is filtered as one of a single element.
        shape, strides = layout.shape or (1,), layout.strides or (layout.dtype.itemsize,)
        where = place(shape, strides, out_strides or (out_dtype.itemsize,), job.filtered())
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
            terms[0],
            job.offset,
            job.rounding,
            terms[1],
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
            (job.out_shape, out_strides, where.out_strides, where.out_offsets),
        )
        self.weights_bytes = sum_of_bytes(job.filters)

    def run(self, array, out, stream):
        """The result, or None where the memory of an array begins at an address that is no multiple of its element's size."""
        if out is None:
            out = np.empty(self.shape, self.dtype)
        return out if self.call.run(array, out, stream) else None


def sum_of_bytes(filters):
    """Bytes of all weights of a list of filters."""
    return sum(row.nbytes for one in filters for row in (one if isinstance(one, tuple) else (one,)))
