"""_compose.py: filters made of others: by way of other types, more than three axes, sums divided, complex results; and of nothing.

What is made of others gets `prepare` (_families.py), which makes its parts: each filters along fewer axes, or to a simpler type.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ._arrays import arithmetic_of, converted, empty
from ._border import sources
from ._direct import Direct
from ._job import Terms, check_writable, filtered, share_of
from ._mapping import Layout, packed
from ._options import Options
from ._weights import F64, multiplied_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import DTypeLike, NDArray

    from ._job import Job
    from ._types import DType, Entry, Filters, Shape

    Move: TypeAlias = tuple[tuple[slice, ...], tuple[slice, ...] | None]
    Part: TypeAlias = tuple[Entry, list[Move], float]
    Prepare: TypeAlias = Callable[[Layout, Layout | None, DTypeLike | None, Filters, Options], Entry]


class Empty:
    """Arrays without elements."""

    kept_bytes = 0

    def __init__(self, job: Job, dtype: DType) -> None:
        self.shape, self.dtype = job.out_shape, dtype

    def run(self, array: Any, out: Any, stream: int) -> Any:
        return empty(array, self.shape, self.dtype) if out is None else out


class Converted:
    """Arrays of types that the library does not filter, or whose elements lie at odd addresses, by way of packed ones."""

    def __init__(self, entry: Entry, read: DType | None, written: Layout, out_layout: Layout) -> None:
        """`entry` filters what is converted to `read`, unless that is None, into arrays like `written`."""
        self.shape, self.dtype, self.kept_bytes = entry.shape, out_layout.dtype, entry.kept_bytes
        self._entry, self._read, self._writes = entry, read, written == out_layout

    def run(self, array: Any, out: Any, stream: int) -> Any:
        if self._read is not None:
            array = converted(array, self._read)
        if self._writes:
            return self._entry.run(array, out, stream)
        made = self._entry.run(array, None, stream)
        if made is None:
            return None
        if out is None:
            out = empty(array, self.shape, self.dtype)
        with np.errstate(over="ignore"):
            out[...] = made
        return out


class ThroughI16:
    """Sums as i16 in an array of their own, and these as the output's integers: wrapped, or widened."""

    def __init__(self, job: Job, layout: Layout, out_layout: Layout) -> None:
        self.shape, self.dtype = job.out_shape, out_layout.dtype
        self.sums = Direct(job, layout, packed(job.out_shape, np.dtype(np.int16), layout.device), Terms(1.0, job.sum, "saturate"))
        self.kept_bytes = self.sums.kept_bytes

    def run(self, array: Any, out: Any, stream: int) -> Any:
        sums = self.sums.run(array, None, stream)
        if sums is None:
            return None
        if out is None:
            return converted(sums, self.dtype)
        out[...] = sums
        return out


class Quotients:
    """Sums in f64, divided and only then rounded: of what scaled sums would round to other integers."""

    def __init__(self, job: Job, layout: Layout, out_layout: Layout, prepare: Prepare) -> None:
        self.shape, self.dtype, self._divisor = job.out_shape, out_layout.dtype, job.divisor
        filters = job.filters if job.magnitude else job.filters[0]
        self._sums = prepare(layout, None, F64, filters, _along(job, job.axes, job.cvals, magnitude=job.magnitude))
        self._rounded = _rounded(job, out_layout, prepare)
        self.kept_bytes = self._sums.kept_bytes + self._rounded.kept_bytes

    def run(self, array: Any, out: Any, stream: int) -> Any:
        sums = self._sums.run(array, None, stream)
        if sums is None:
            return None
        arithmetic_of(sums).divide(sums, self._divisor, out=sums)
        return self._rounded.run(sums, out, stream)


class ManyFactors:
    """A product of factors along more than three axes: three of them, then the others, with sums in f64 between."""

    def __init__(self, job: Job, layout: Layout, out_layout: Layout, prepare: Prepare) -> None:
        self.shape, self.dtype = job.out_shape, out_layout.dtype
        inner, outer = _inner_and_outer(job, layout)
        factors, gain = dict(zip(job.axes, job.filters[0])), 1.0
        for axis in job.axes:
            if axis not in inner and axis not in outer:
                gain *= float(factors[axis][0])
        first, rest = (tuple(factors[axis] for axis in axes) for axes in (inner, outer))
        self.first = prepare(layout, None, F64, first, _along(job, inner, job.constant()))
        # What lies outside along the other axes has been filtered along these.
        constant = filtered(job.constant(), first)
        rounding = _rounding_of(job, job.scale * gain) | {"divisor": job.divisor}
        between = packed(self.first.shape, F64, layout.device)
        self.rest = prepare(between, out_layout, None, rest, _along(job, outer, constant, **rounding))
        self.kept_bytes = self.first.kept_bytes + self.rest.kept_bytes

    def run(self, array: Any, out: Any, stream: int) -> Any:
        between = self.first.run(array, None, stream)
        return None if between is None else self.rest.run(between, out, stream)


class ManyTaps:
    """Dense weights along more than three axes: along the innermost three by the weights of each place along the others, whose sums in
    f64 are added up where they belong."""

    def __init__(self, job: Job, layout: Layout, out_layout: Layout, prepare: Prepare) -> None:
        self.shape, self.dtype, self._divisor = job.out_shape, out_layout.dtype, job.divisor
        self._is_read = layout.dtype == F64
        self._may_be_non_finite = job.may_be_non_finite(layout.dtype)
        inner, outer = _inner_and_outer(job, layout)
        rest = [axis for axis in job.axes if axis not in inner and axis not in outer]
        weights = multiplied_out(job.filters[0]).transpose([job.axes.index(axis) for axis in (*outer, *inner, *rest)])
        weights = weights.reshape(weights.shape[: len(outer) + len(inner)])
        options = _along(job, inner, job.constant(), method="direct" if job.method == "automatic" else job.method)
        read = layout if self._is_read else packed(layout.shape, F64, layout.device)
        self._parts: list[Part] = []  # whose weights are not all 0, without zeros around them
        self._all: list[Part] = []  # as they are: 0 times what is infinite is no number
        for at in np.ndindex(weights.shape[: len(outer)]):
            taps, moves = np.ascontiguousarray(weights[at]), list(_moves(job, outer, at))
            outside = filtered(job.constant(), (taps.ravel(),))
            if self._may_be_non_finite:
                self._all.append((prepare(read, None, F64, taps, options), moves, outside))
            if taps.any() or not self._parts:
                fewer, anchors = _without_zeros(taps, options.anchors or ()) if job.extent == "same" else (taps, options.anchors)
                self._parts.append((prepare(read, None, F64, fewer, replace(options, anchors=anchors)), moves, outside))
        self._rounded = _rounded(job, out_layout, prepare)
        self.kept_bytes = sum([entry.kept_bytes for entry, _, _ in self._parts + self._all])

    def run(self, array: Any, out: Any, stream: int) -> Any:
        if not self._is_read:
            array = converted(array, F64)
        parts = self._parts
        if self._may_be_non_finite and not (type(array) is np.ndarray and np.isfinite(array).all() and np.isfinite([p[2] for p in parts]).all()):
            parts = self._all
        sums = empty(array, self.shape, F64)
        arithmetic = arithmetic_of(sums)
        for number, (entry, moves, outside) in enumerate(parts):
            made = entry.run(array, None, stream)
            if made is None:
                return None
            for to, source in moves:
                part = outside if source is None else made[source]
                if number == 0:
                    sums[to] = part
                else:
                    arithmetic.add(sums[to], part, out=sums[to])
        if self._divisor != 1:
            arithmetic.divide(sums, self._divisor, out=sums)
        return self._rounded.run(sums, out, stream)


def _without_zeros(taps: NDArray[Any], anchors: Shape) -> tuple[NDArray[Any], Shape]:
    """Weights without the zeros around them, and the place of the anchor in them, which stays there."""
    kept, at = [], []
    for axis, anchor in enumerate(anchors):
        used = np.flatnonzero(taps.any(axis=tuple(i for i in range(taps.ndim) if i != axis)))
        low, high = (min(int(used[0]), anchor), max(int(used[-1]), anchor)) if used.size else (anchor, anchor)
        kept.append(slice(low, high + 1))
        at.append(anchor - low)
    return np.ascontiguousarray(taps[tuple(kept)]), tuple(at)


def _inner_and_outer(job: Job, layout: Layout) -> tuple[Shape, Shape]:
    """The three filtered axes that lie innermost in memory, and the others, which then have rows of all that lies inside of them."""
    by_strides = sorted(job.filtered(), key=lambda axis: (layout.shape[axis] > 1, -abs(layout.strides[axis])))
    return tuple(sorted(by_strides[-3:])), tuple(sorted(by_strides[:-3]))


def _moves(job: Job, axes: Shape, at: Shape) -> Iterator[Move]:
    """Where outputs lie, and where along some axes they read by the tap of a filter that is `at` them; None: outside, the constant."""
    pieces = []
    for axis, tap in zip(axes, at):
        i = job.axes.index(axis)
        low = {"same": -job.anchors[0][i], "valid": 0, "full": 1 - job.taps[i]}[job.extent] + tap
        n, outputs = job.shape[axis], job.out_shape[axis]
        read = sources(low, low + outputs, n, job.borders[i])
        first, last = min(max(-low, 0), outputs), max(min(n - low, outputs), 0)
        places = [*range(min(first, outputs)), *range(max(first, last), outputs)]
        each = [(slice(p, p + 1), None if read[p] < 0 else slice(int(read[p]), int(read[p]) + 1)) for p in places]
        if first < last:
            each.append((slice(first, last), slice(first + low, last + low)))
        pieces.append(each)
    for chosen in itertools.product(*pieces):
        to, source = [slice(None)] * len(job.shape), [slice(None)] * len(job.shape)
        for axis, (where, read_at) in zip(axes, chosen):
            to[axis] = where
            source[axis] = slice(0) if read_at is None else read_at
        yield tuple(to), None if any(read_at is None for _, read_at in chosen) else tuple(source)


def _rounding_of(job: Job, scale: float) -> dict[str, Any]:
    """What becomes of a job's sums, but for the divisor."""
    return {"scale": scale, "offset": job.offset, "rounding": job.rounding, "overflow": job.overflow}


def _rounded(job: Job, out_layout: Layout, prepare: Prepare) -> Entry:
    """What makes elements of a job's sums, or of these divided."""
    share = 0.0 if out_layout.dtype.kind == "f" else share_of(job)
    options = Options(axes=(), anchors=(), threads=job.threads, **_rounding_of(job, job.scale * (1 + share)))
    return prepare(packed(job.out_shape, F64, out_layout.device), out_layout, None, (), options)


def _along(job: Job, axes: Shape, constant: float | tuple[float, ...], **more: Any) -> Options:
    """The options by which a job filters along some of its axes."""
    at = [job.axes.index(axis) for axis in axes]
    borders, anchors = tuple(job.borders[i] for i in at), tuple(job.anchors[0][i] for i in at)
    words: dict[str, Any] = {"extent": job.extent, "sum": "f64", "method": job.method, "threads": job.threads} | more
    return Options(axes=axes, borders=borders, cvals=constant, anchors=anchors, **words)


class OfReal:
    """Real arrays and real weights with a complex result, whose imaginary parts are 0."""

    def __init__(self, layout: Layout, out_layout: Layout, filters: Filters, options: Options, prepare: Prepare) -> None:
        real = Layout(out_layout.shape, out_layout.strides, np.empty(0, out_layout.dtype).real.dtype, out_layout.device)
        self.real = prepare(layout, real, None, filters, options)
        self.shape, self.dtype, self.kept_bytes = out_layout.shape, out_layout.dtype, self.real.kept_bytes

    def run(self, array: Any, out: Any, stream: int) -> Any:
        if out is None:
            out = np.empty(self.shape, self.dtype)
        check_writable(out)
        if self.real.run(array, out.real, stream) is None:
            return None
        out.imag = 0
        return out
