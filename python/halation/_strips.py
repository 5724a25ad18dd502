"""_strips.py: filters through f64, a strip of an array at a time (native/strips.cpp): any numbers, any axes.

A strip is filtered by a plan, tap by tap, as a box of equal weights, or by a matrix of a short axis: `by_plan` and its kin say how,
as `_native.Strips` asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from . import _native
from ._direct import Direct
from ._job import Job, aligned, check_many_axes, fits_i16, share_of
from ._mapping import Layout, packed_strides, place
from ._options import Options
from ._threads import LIMIT
from ._weights import F64, multiplied_out, sum_of_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ._types import DType, Shape, Taps, Terms

    # What `_native.Strips` asks for between the arrays and the rule.
    Cut: TypeAlias = tuple[
        Sequence[int], list[list[int]], float, tuple[Sequence[int], Sequence[int], Sequence[int]], Sequence[int], object
    ]
    How: TypeAlias = Callable[[Job, Shape, int], Cut]

# Elements of a strip: 512 KiB in f64, and as much for the sums.
STRIP_ELEMENTS = 1 << 16
# Elements of a row that are worth reading a strip across memory.
LEAST_ROW = 16
# The same where the elements across memory lie as far apart as pages: each has a line of the TLB to itself.
LEAST_ROW_OF_FAR = 5
PAGE = 4096  # bytes
# Multiply-adds below which a call is not worth threads.
LEAST_FOR_THREADS = 1 << 20
# Dense weights over rows of fewer elements than this are summed tap by tap, which makes longer ones of them.
THIN = 16
# Taps from which on even these are left to the library, which transforms them.
MOST_THIN = 256
# Where the library sums integers in f64, rows from which on it is the quicker one.
LONG = 256
# Factors that are multiplied out, and dense weights, where a plan would go through f64 as well.
FEW_TAPS = 48
MOST_TAPS = 64
# Taps from which on a running box is quicker.
LEAST_BOX = 17
# Elements along an axis that a matrix is made of, where the filter is longer.
MOST_LINES = 64
# Times the axis that a box may be long.
LONGEST_BOX = 4


def choose(job: Job, layout: Layout, out_layout: Layout, terms: Terms | None) -> How | None:
    """What filters the strips of a job; None where the library itself (`terms`: how) or a plan for each strip is quicker."""
    if job.magnitude:
        return None
    if terms is None and _box_weight(job, layout.dtype) is not None:
        how = by_box
    elif terms is None and _is_for_matrix(job, layout.dtype):
        how = by_matrix
    elif _is_for_taps(job, layout, out_layout, terms):
        how = by_taps
    else:
        return None
    _refuse_as_plans_do(job)
    return how


class Strips:
    """Filters in f64, a strip of the array at a time, and writes each strip's sums as what the output is (native/strips.cpp)."""

    def __init__(self, job: Job, layout: Layout, out_layout: Layout, how: How) -> None:
        """`how`: `by_plan` or its kin, which get the job, the strides of the input and the number of workers."""
        out_dtype = out_layout.dtype
        self.shape, self.dtype = job.out_shape, out_dtype
        self.in_type, self.out_type = _native_type(layout.dtype), _native_type(out_dtype)
        in_strides, self.reads = layout.strides, _is_usable(layout.dtype, layout.strides)
        if not self.reads:
            in_strides = packed_strides(job.shape, self.in_type.itemsize)
        out_strides, self.writes = out_layout.strides, _is_usable(out_dtype, out_layout.strides)
        if not self.writes:
            out_strides = packed_strides(job.out_shape, self.out_type.itemsize)
        self.workers = job.threads or _native.available_threads(LIMIT.get())
        weight = _box_weight(job, layout.dtype) if how is by_box else None
        scale = job.scale if weight is None else job.scale * weight
        cut = how(job, in_strides or (8,), self.workers)
        if how is by_plan and not may_be_transformed(job, layout.dtype, out_dtype, cut[-1]):
            job.method = method_of_sums(job)
            cut = how(job, in_strides or (8,), self.workers)
        self.call = _native.Strips(
            (job.shape or (1,), in_strides or (8,), name_of(self.in_type)),
            (job.out_shape or (1,), out_strides or (8,), name_of(self.out_type)),
            *cut,
            rule_of(job, layout.dtype, out_dtype, scale),
            self.workers,
        )
        self.kept_bytes = sum_of_bytes(job.filters) + _bytes_of(cut[-1])

    def run(self, array: NDArray[Any], out: NDArray[Any] | None, stream: int) -> NDArray[Any] | None:
        if out is None:
            out = np.empty(self.shape, self.dtype)
        if not self.reads:
            array = array.astype(self.in_type, order="C")
        to = out if self.writes else np.empty(self.shape, self.out_type)
        done = self.call.run(array, to) if self.shape else self.call.run(array.reshape(1), to.reshape(1))
        if not done:
            return None
        if to is not out:
            with np.errstate(over="ignore"):
                np.copyto(out, to, casting="unsafe")
        return out


def _bytes_of(how: Any) -> int:
    """Bytes that stay taken by what filters each strip: a Call, dense weights, or (axis, length of a box or a matrix)."""
    if isinstance(how, _native.Call):
        return how.plan.constant_bytes
    kept = how[1] if isinstance(how, tuple) else how
    return kept.nbytes if isinstance(kept, np.ndarray) else 0


def _is_whole(job: Job, dtype: DType, out_dtype: DType) -> bool:
    """Whether results are whole numbers before they are rounded."""
    plain = job.scale == 1 and job.offset == 0 and job.divisor == 1
    return plain and dtype.kind in "iu" and out_dtype.kind in "iu" and not job.magnitude and job.is_integer()


def rule_of(job: Job, dtype: DType, out_dtype: DType, scale: float) -> tuple[float, float, float, float, bool, bool]:
    """The rule by which sums in f64, times `scale`, become elements of the output."""
    share = 0.0 if out_dtype.kind == "f" else share_of(job)
    # Whole sums are what they are, and transforms put them as little below as above.
    truncates = job.rounding == "truncate" and not _is_whole(job, dtype, out_dtype)
    return scale, float(job.divisor), job.offset, share, truncates, job.overflow == "wrap"


def may_be_transformed(job: Job, dtype: DType, out_dtype: DType, call: Any) -> bool:
    """Whether a plan over f64 goes by direct sums, or by transforms whose results need no rounding or round to the right integers
    whatever the input."""
    if out_dtype.kind == "f" or job.method != "automatic" or "fft" not in call.plan.methods:
        return True
    if not _is_whole(job, dtype, out_dtype):
        return False
    return bool(call.plan.error_bound(max(abs(end) for end in job.most_input(dtype))) < 0.5)


def method_of_sums(job: Job) -> str:
    """The method that sums taps one by one."""
    return "direct" if isinstance(job.filters[0], np.ndarray) else "separable"


def _native_type(dtype: DType) -> DType:
    """The type by which numbers of a type go to and from strips."""
    return F64 if dtype.char == "g" else dtype.newbyteorder("=")


def _is_usable(dtype: DType, strides: Shape) -> bool:
    return dtype == _native_type(dtype) and aligned(strides, dtype)


def name_of(dtype: DType) -> str:
    return f"{dtype.kind}{dtype.itemsize}"


def product(numbers: Sequence[int]) -> int:
    return int(np.prod(numbers, dtype=np.int64))


def by_strides(strides: Shape) -> list[int]:
    """Axes, outermost first."""
    return sorted(range(len(strides)), key=lambda axis: -abs(strides[axis]))


def sources(low: int, high: int, n: int, border: str) -> NDArray[np.intp]:
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


def first_read(job: Job, i: int) -> int:
    """The coordinate that a filter's first tap reads along its i-th axis for the first output."""
    return {"same": -job.anchors[0][i], "valid": 0, "full": 1 - job.taps[i]}[job.extent]


def _read_along(job: Job, i: int) -> NDArray[np.intp]:
    """The elements that a filter reads along its i-th axis, for all outputs."""
    axis, taps, low = job.axes[i], job.taps[i], first_read(job, i)
    return sources(low, low + job.out_shape[axis] + taps - 1, job.shape[axis], job.borders[i])


def by_plan(job: Job, in_strides: Shape, workers: int) -> Cut:
    """A plan filters each strip, which is cut along one axis and has all of the others."""
    order = by_strides(in_strides)
    axis, rows = _cut_for_plan(job, order)
    where: list[list[int]] = [[]] * len(in_strides)
    strip_in, lead = list(job.shape or (1,)), [0] * len(in_strides)
    strip_out = list(job.out_shape or (1,))
    if rows:
        index = job.axes.index(axis) if axis in job.axes else -1
        taps = 1 if index < 0 else job.taps[index]
        strip_in[axis], strip_out[axis] = rows + taps - 1, rows
        if taps > 1:
            lead[axis] = 0 if job.extent == "valid" else job.anchors[0][index]
            where[axis] = _read_along(job, index).tolist()
    direct = plan_in_f64(job, tuple(strip_in) if job.shape else (), order, 1 if rows else job.threads, "cpu")
    return order, where, job.constant(), (strip_in, strip_out, lead), direct.shape or (1,), direct.call


def plan_in_f64(job: Job, shape: Shape, order: Sequence[int], threads: int, device: str) -> Direct:
    """The library's way for a job over packed f64 of a shape, its axes in an order, outermost first."""
    filters = job.filters if job.magnitude else job.filters[0]
    options = Options(axes=job.axes, borders=job.borders, cvals=job.cvals, anchors=job.anchors[0], extent=job.extent, sum="f64",
                      method=job.method, magnitude=job.magnitude, threads=threads)
    part = Job(shape, filters, options)
    layout = Layout(shape, packed_in(order, shape), F64, device)
    return Direct(part, layout, Layout(part.out_shape, packed_in(order, part.out_shape), F64, device), (1.0, "f64"))


def packed_in(order: Sequence[int], shape: Sequence[int]) -> Shape:
    """Strides of a packed f64 array whose axes lie in an order, outermost first."""
    strides, step = [0] * len(shape), 8
    for axis in reversed(order[: len(shape)]):
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


def _cut_for_plan(job: Job, order: Sequence[int]) -> tuple[int, int]:
    """(axis, output rows of a strip along it; 0: one strip): the outermost axis whose strips are small, else of the smallest."""
    elements = product(job.out_shape)
    innermost = _innermost(order, job.out_shape) if job.shape else None
    found: list[tuple[int, int, int, int]] = []
    for axis in order if job.shape and elements > STRIP_ELEMENTS else ():
        n = job.out_shape[axis]
        taps = job.taps[job.axes.index(axis)] if axis in job.axes else 1
        # Which of several constants meets in a corner is for the library to say.
        if taps > 1 and (job.extent == "full" or job.magnitude or not job.has_one_constant()):
            continue
        rows = max(STRIP_ELEMENTS * n // elements, 4 * taps if taps > 1 else 1)
        if rows < n and (axis != innermost or rows >= LEAST_ROW):
            size = (rows + taps - 1) * (elements // n)
            found.append((max(size, 2 * STRIP_ELEMENTS), len(found), axis, rows))
    return min(found)[2:] if found else (order[0], 0)


def by_taps(job: Job, in_strides: Shape, workers: int) -> Cut:
    """Weights are summed tap by tap: few, or such as lie along any axes: all that lies outside is read into the strip.

    The innermost axis of a strip is a long one, whatever lies innermost in memory, so that rows are worth vectors.
    """
    ndim, dense = len(in_strides), multiplied_out(job.filters[0])
    out_shape = job.out_shape or (1,)
    taps, around = [1] * ndim, [0] * ndim
    where: list[list[int]] = [[]] * ndim
    for i, a in enumerate(job.axes):
        taps[a] = job.taps[i]
        # One element stands for all around it, and is no more than one in the strip.
        if taps[a] > 1 and not (job.shape[a] == 1 and job.extent == "same" and job.borders[i] != "constant"):
            around[a] = taps[a] - 1
            where[a] = _read_along(job, i).tolist()
    outermost_first = by_strides(in_strides)
    order = _with_long_rows(outermost_first, out_shape, around, in_strides)
    strips = 2 * workers if dense.size * product(out_shape) >= LEAST_FOR_THREADS else 1
    strip_out = _cut(out_shape, around, outermost_first, _innermost(order, out_shape), strips)
    strip_in = [n + more for n, more in zip(strip_out, around)]
    by_axis = dense.transpose(sorted(range(len(job.axes)), key=job.axes.__getitem__)).reshape(taps)
    weights = np.ascontiguousarray(by_axis.transpose(order))
    return order, where, job.constant(), (strip_in, strip_out, [0] * ndim), strip_in, weights


def by_box(job: Job, in_strides: Shape, workers: int) -> Cut:
    """Sums in a box along one axis."""
    ndim = len(in_strides)
    (axis,) = job.filtered()
    i = job.axes.index(axis)
    taps, around = job.taps[i], [0] * ndim
    where: list[list[int]] = [[]] * ndim
    around[axis] = taps - 1
    where[axis] = _read_along(job, i).tolist()
    order = by_strides(in_strides)
    strips = 2 * workers if product(job.out_shape) >= LEAST_FOR_THREADS // 8 else 1
    strip_out = _cut(job.out_shape, around, order, _innermost(order, job.out_shape), strips)
    strip_in = [n + more for n, more in zip(strip_out, around)]
    return order, where, job.constant(), (strip_in, strip_out, [0] * ndim), strip_in, (axis, taps)


def by_matrix(job: Job, in_strides: Shape, workers: int) -> Cut:
    """Integers along a short axis: what its elements weigh by way of the border is added up.

    A matrix with a row for each output and a column for each element, and one for the constant around.
    """
    ndim = len(in_strides)
    (axis,) = job.filtered()
    i = job.axes.index(axis)
    n, taps = job.shape[axis], job.taps[i]
    found = _read_along(job, i)
    weights, lines = _factor_along(job, axis), n + (job.borders[i] == "constant")
    matrix = np.array([np.bincount(found[o : o + taps] % lines, weights, lines) for o in range(job.out_shape[axis])])
    where: list[list[int]] = [[]] * ndim
    where[axis] = [*range(n), -1][:lines]
    others = [other for other in by_strides(in_strides) if other != axis]
    order = [axis, *(_with_long_rows(others, job.out_shape, [0] * ndim, in_strides) if others else others)]
    alone = [1 if a == axis else extent for a, extent in enumerate(job.out_shape)]
    strips = 2 * workers if matrix.size // n * product(alone) >= LEAST_FOR_THREADS // 8 else 1
    row, most = _innermost(order, alone), max(1, STRIP_ELEMENTS // lines)
    strip_out = _cut(alone, [0] * ndim, by_strides(in_strides), row, strips, most)
    strip_out[axis] = job.out_shape[axis]
    strip_in = [lines if a == axis else extent for a, extent in enumerate(strip_out)]
    return order, where, job.constant(), (strip_in, strip_out, [0] * ndim), strip_out, (axis, np.ascontiguousarray(matrix))


def _factor_along(job: Job, axis: int) -> NDArray[np.float64]:
    """The weights of factors along the one axis that is filtered."""
    gain = 1.0
    for a, factor in zip(job.axes, job.filters[0]):
        gain *= 1.0 if a == axis else float(factor[0])
    return gain * job.filters[0][job.axes.index(axis)]


def _is_for_matrix(job: Job, dtype: DType) -> bool:
    """Whether integers are filtered along one axis that is short, and shorter than the filter."""
    if job.may_be_non_finite(dtype) or not isinstance(job.filters[0], tuple) or len(job.filtered()) != 1:
        return False
    (axis,) = job.filtered()
    taps = job.taps[job.axes.index(axis)]
    return job.method == "automatic" and job.has_one_constant() and job.shape[axis] <= min(taps, MOST_LINES)


def _box_weight(job: Job, dtype: DType) -> float | None:
    """The weight of all taps, where a job sums in a box along one axis; else None."""
    if not isinstance(job.filters[0], tuple) or not job.shape:
        return None
    if len(job.filtered()) != 1 or max(job.taps) < LEAST_BOX or not job.has_one_constant():
        return None
    if job.method not in ("automatic", "box"):
        return None
    factor = _factor_along(job, *job.filtered())
    weight = float(factor[0])
    if (factor != weight).any():
        return None
    # A box much longer than the axis reads all elements again and again, which a matrix saves, or a plan.
    longest = LONGEST_BOX * job.shape[job.filtered()[0]]
    longest = longest if dtype.kind in "iub" else max(FEW_TAPS, longest)
    return weight if np.isfinite(weight) and max(job.taps) <= longest else None


def _with_long_rows(order: list[int], shape: Sequence[int], around: Sequence[int], strides: Shape) -> list[int]:
    """The order of axes in strips: where rows would be short, a long axis becomes the innermost one."""
    long = [axis for axis in order if shape[axis] >= 4 * LEAST_ROW]
    row = long[-1] if long else max(order, key=shape.__getitem__)
    least = LEAST_ROW if abs(strides[row]) < PAGE else LEAST_ROW_OF_FAR
    if _length_of_rows(shape, around, order, strides) >= least:
        return order
    return [axis for axis in order if axis != row] + [row]


def _length_of_rows(shape: Sequence[int], around: Sequence[int], order: Sequence[int], strides: Shape) -> int:
    """Elements that are read one after another: along the innermost axes, as far as they lie one in the other, up to the first that
    has anything around."""
    length, step = 1, None
    for axis in reversed(order):
        if shape[axis] == 1 and not around[axis]:
            continue
        if step is not None and strides[axis] != step:
            break
        length *= shape[axis]
        step = strides[axis] * shape[axis]
        if around[axis]:
            break
    return length


def _innermost(order: Sequence[int], shape: Sequence[int]) -> int:
    """The innermost axis of more than one element; the last where there is none."""
    return next((axis for axis in reversed(order) if shape[axis] > 1), order[-1])


def _cut(
    shape: Sequence[int], around: Sequence[int], outermost_first: Sequence[int], row: int, strips: int, most: int | None = None
) -> list[int]:
    """Extents of strips that stay in the caches with what is around them, `strips` of them at least.

    The axis is halved that lies outermost in memory and leaves out nearly half, so that strips use cache lines whole; else the one
    that leaves out most. Rows, along the axis `row`, stay long.
    """
    cut, count = list(shape), 1
    while product([n + more for n, more in zip(cut, around)]) > (most or STRIP_ELEMENTS) or count < strips:
        halves = []
        for axis in outermost_first:
            half = -(-cut[axis] // 2)
            if half < cut[axis] and (axis != row or half >= 8 * LEAST_ROW):
                halves.append(((half + around[axis]) / (cut[axis] + around[axis]), axis, half))
        if not halves or min(halves)[0] > 0.8:
            break
        _, axis, cut[axis] = next((one for one in halves if one[0] <= 0.6), min(halves))
        count *= 2
    return cut


def _number_of_taps(weights: Taps) -> int:
    return weights.size if isinstance(weights, np.ndarray) else product([factor.size for factor in weights])


def _is_for_taps(job: Job, layout: Layout, out_layout: Layout, terms: Terms | None) -> bool:
    """Whether weights are summed tap by tap: dense ones along more than three axes, or where a plan's rows would be short; few, and
    dense ones, where a plan would go through f64 as well."""
    dense, count = isinstance(job.filters[0], np.ndarray), _number_of_taps(job.filters[0])
    if dense and len(job.filtered()) > 3:
        check_many_axes(job)
    elif not job.has_one_constant() or job.method not in ("automatic", "direct"):
        return False
    elif dense and count > MOST_TAPS or not dense and count > FEW_TAPS:
        if not dense or count > MOST_THIN or _row_of(job, layout, out_layout) >= THIN:
            return False
    elif terms is not None:
        # f64 for integers alone: what is of floats is summed in f32, and what i16 holds in that.
        copies = count == 1 and multiplied_out(job.filters[0]).flat[0] == 1  # bits, which f64 does not keep
        least = LONG if job.rounding == "truncate" and terms[1] == "f64" else THIN if dense and not copies else 0
        if _row_of(job, layout, out_layout) >= least:
            return False
    elif fits_i16(job, layout, out_layout.dtype) and _row_of(job, layout, out_layout) >= LONG:
        return False
    return True


def _refuse_as_plans_do(job: Job) -> None:
    """Refuses what a plan refuses, by one whose weights are these, along one axis."""
    weights = multiplied_out(job.filters[0]).ravel()
    anchors = [anchor if 0 <= anchor < taps else -1 for anchor, taps in zip(job.anchors[0], job.taps)]
    size, at = (1, 1, weights.size), (0, 0, min(anchors, default=0))
    borders = (("replicate", 0.0),) * 2 + (("constant", job.constant()),)
    words = ("same", "f64", job.scale, job.offset, "half_even", "f64", "exact", job.method, "estimate", job.threads)
    _native.make_plan((1, 1, 1, 1, 1), "f64", [(size, at, weights)], borders, *words, "cpu", False, "correlation", 0)


def _row_of(job: Job, layout: Layout, out_layout: Layout) -> int:
    """Elements of a row of a plan: of outputs, where these are more."""
    shape, strides = layout.shape or (1,), layout.strides or (1,)
    out_strides = out_layout.strides or (1,)
    if job.extent == "full":
        shape, strides = job.out_shape or (1,), out_strides
    return place(shape, strides, out_strides, job.filtered()).shape[3]
