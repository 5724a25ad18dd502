"""_gpu_pass.py: filters over arrays of any numbers and any axes on a GPU, in f64 (native/gpu_pass.cpp).

Few taps are summed one by one, in one launch; factors along many axes in one launch each, with f64 between; what is more goes through
packed f64, which the library filters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from . import _native
from ._job import filtered
from ._mapping import place
from ._strips import (
    by_strides,
    first_read,
    may_be_transformed,
    method_of_sums,
    name_of,
    packed_in,
    plan_in_f64,
    product,
    rule_of,
    sources,
)
from ._weights import F64, multiplied_out, sum_of_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._job import Job
    from ._mapping import Layout
    from ._types import DType, Shape, Taps

    Part: TypeAlias = tuple[Shape, Taps]  # weights and their axes
    Step: TypeAlias = tuple[Any, ...]  # as `_native.GpuPass` asks for it

# Launches of the library's kernels, a piece of an array each, that are worth their time.
MOST_RUNS = 2
# Taps of factors that are multiplied out, and so summed by one launch.
MOST_TAPS = 64
# Products of taps and outputs that are summed in the time that packing, a plan and unpacking take, however few outputs there are; taps
# that are so for each output; and the same where an axis that is filtered is thin, which plans are slow over.
MOST_PRODUCTS, TAPS_OF_OUTPUT = 1 << 24, 64
MOST_THIN_PRODUCTS, TAPS_OF_THIN_OUTPUT = 1 << 28, 512
THIN = 32
# Outputs, and products of them and taps, up to which sums of taps are quicker than a plan along an axis that is shorter than the filter.
FEW_OUTPUTS, MOST_FEW_PRODUCTS = 1 << 16, 1 << 27
# Elements of a row up to which plans of f64 along three axes are quicker than sums of few taps, and of a plane from which on any are.
NARROW, LEAST_PLANE = 64, 256


def is_for_library(job: Job, layout: Layout, out_layout: Layout) -> bool:
    """Whether a plan filters arrays as they lie, in few runs, and is quicker than sums of taps."""
    filtered = job.filtered()
    if len(filtered) > 3 or job.extent == "same" and any([job.shape[axis] == 1 for axis in filtered]):
        return False
    shape, item, out_item = layout.shape or (1,), layout.dtype.itemsize, out_layout.dtype.itemsize
    where = place(shape, layout.strides or (item,), out_layout.strides or (out_item,), filtered)
    if len(where.in_offsets) > MOST_RUNS or _has_gaps(out_layout):
        return False
    if job.magnitude or not job.has_one_constant() or job.method not in ("automatic", "direct"):
        return True
    shorter = any([job.shape[axis] < job.taps[job.axes.index(axis)] for axis in filtered])
    height, width = where.shape[2:4]
    odd = len(filtered) == 3 and (layout.dtype.itemsize == 8 and width > NARROW or height * width < LEAST_PLANE)
    taps, outputs = _taps_of_all(job, layout.dtype), product(job.out_shape)
    if shorter and outputs <= FEW_OUTPUTS and taps * outputs <= MOST_FEW_PRODUCTS:
        return False
    return not (shorter or odd) or taps > MOST_TAPS


def are_taps_summed(job: Job, layout: Layout, out_layout: Layout) -> bool:
    """Whether neither a plan over arrays as they lie nor one over packed f64 is quicker than sums of taps."""
    return not is_for_library(job, layout, out_layout) and _parts(job, layout.dtype) is not None


def _has_gaps(layout: Layout) -> bool:
    """Whether no two elements of an array lie side by side, as those of one part of a complex one."""
    steps = [abs(step) for n, step in zip(layout.shape, layout.strides) if n > 1]
    return min(steps, default=0) > layout.dtype.itemsize


class GpuPass:
    """Filters in f64 on a GPU, and writes the sums as what the output is."""

    def __init__(self, job: Job, layout: Layout, out_layout: Layout) -> None:
        for what, dtype in (("input", layout.dtype), ("output", out_layout.dtype)):
            if dtype.itemsize > 8 or not dtype.isnative:
                raise TypeError(f"on a GPU {what} must be of 64 bits at most in the machine's byte order, got {dtype}")
        self.shape, self.dtype = job.out_shape, out_layout.dtype
        strides = layout.strides or (layout.dtype.itemsize,)
        out_strides = out_layout.strides or (out_layout.dtype.itemsize,)
        parts = _parts(job, layout.dtype)
        if parts is None:
            steps = _by_library(job, layout, out_layout.dtype, strides, out_strides)
        else:
            steps = _by_taps(job, layout.dtype, strides, out_strides, parts)
        self.call = _native.GpuPass(
            (job.shape or (1,), strides, name_of(layout.dtype)),
            (job.out_shape or (1,), out_strides, name_of(out_layout.dtype)),
            steps,
            rule_of(job, layout.dtype, out_layout.dtype, job.scale),
            layout.device,
        )
        plans = [step[0].plan.constant_bytes for step in steps if isinstance(step[0], _native.Call)]
        self.kept_bytes = sum(plans) + 2 * sum_of_bytes(job.filters)  # weights of taps stay on the device

    def run(self, array: Any, out: Any, stream: int) -> Any:
        """The result, or None where the memory of an array begins at an address that is no multiple of its element's size."""
        given, to = (array, out) if self.shape else (array.reshape(1), out.reshape(1))
        return out if self.call.run(given, to, stream) else None


def _parts(job: Job, dtype: DType) -> list[Part] | None:
    """The sums of taps that make up a filter, one after another; None where the library is quicker over packed f64."""
    many_axes = len(job.filtered()) > 3
    if job.magnitude or not job.has_one_constant() or (job.method not in ("automatic", "direct") and not many_axes):
        return None
    parts = _cut(job)
    outputs = product(job.out_shape)
    most = MOST_PRODUCTS + TAPS_OF_OUTPUT * outputs
    if any([job.shape[axis] < THIN for axis in job.filtered()]):
        most = MOST_THIN_PRODUCTS + TAPS_OF_THIN_OUTPUT * outputs
    return parts if many_axes or outputs * _taps_of_all(job, dtype) <= most else None


def _cut(job: Job) -> list[Part]:
    """Weights as they are summed: all of them at once, or factors of many taps one after another."""
    weights = job.filters[0]
    if not isinstance(weights, tuple) or math.prod(job.taps) <= MOST_TAPS:
        return [(job.axes, weights)]
    gain = float(np.prod([factor[0] for factor in weights if len(factor) == 1]))
    parts: list[Part] = [((axis,), (factor,)) for axis, factor in zip(job.axes, weights) if len(factor) > 1]
    axes, last = parts[-1]
    return [*parts[:-1], (axes, (last[0] * gain,))]


def _taps_of_all(job: Job, dtype: DType) -> int:
    return sum([_taps_of(job, dtype, *part) for part in _cut(job)])


def _taps_of(job: Job, dtype: DType, axes: Shape, weights: Taps) -> int:
    """The taps that are summed for an output: at most one for each element along an axis; of infinite ones three: of each sign, and 0."""
    each = math.prod([min(job.shape[axis], job.taps[job.axes.index(axis)]) for axis in axes])
    if job.may_be_non_finite(dtype):
        return min(math.prod([job.taps[job.axes.index(axis)] for axis in axes]), 3 * each)
    return min(int(np.count_nonzero(multiplied_out(weights))), each)


def _by_taps(job: Job, dtype: DType, strides: Shape, out_strides: Shape, parts: list[Part]) -> list[Step]:
    shape, constant = list(job.shape or (1,)), job.constant()
    order = by_strides(strides)
    steps = []
    for number, (axes, weights) in enumerate(parts, 1):
        for axis in axes:
            shape[axis] = job.out_shape[axis]
        to = out_strides if number == len(parts) else packed_in(order, shape)
        steps.append((tuple(shape), to, *_read_by(job, axes, weights, len(shape)), constant, not job.may_be_non_finite(dtype)))
        if isinstance(weights, tuple):  # what lies outside along the other axes has been filtered along these
            constant = filtered(constant, weights)
    return steps


def _read_by(job: Job, axes: Shape, weights: Taps, ndim: int) -> tuple[NDArray[np.float64], list[int], list[list[int]]]:
    """Weights with an axis for each of the arrays'; where the first tap of the first output reads along each; what stands for what
    lies outside."""
    taps, lows = [1] * ndim, [0] * ndim
    outsides: list[list[int]] = [[]] * ndim
    for axis in axes:
        i = job.axes.index(axis)
        n, taps[axis] = job.shape[axis], job.taps[i]
        lows[axis] = low = first_read(job, i)
        high = low + job.out_shape[axis] + taps[axis] - 1
        outsides[axis] = [*sources(low, 0, n, job.borders[i]).tolist(), *sources(n, max(high, n), n, job.borders[i]).tolist()]
    by_axis = multiplied_out(weights).transpose(sorted(range(len(axes)), key=axes.__getitem__)).reshape(taps)
    return np.ascontiguousarray(by_axis, F64), lows, outsides


def _by_library(job: Job, layout: Layout, out_dtype: DType, strides: Shape, out_strides: Shape) -> list[Step]:
    """Packed f64, in which filtered axes lie innermost, a plan over it, and its sums unpacked."""
    filtered = job.filtered()
    order = sorted(range(len(strides)), key=lambda axis: (axis in filtered, -abs(strides[axis])))
    shape, out_shape = job.shape or (1,), job.out_shape or (1,)
    direct = plan_in_f64(job, job.shape, order, job.threads, layout.device)
    if not may_be_transformed(job, layout.dtype, out_dtype, direct.call):
        job.method = method_of_sums(job)
        direct = plan_in_f64(job, job.shape, order, job.threads, layout.device)
    sums = packed_in(order, out_shape)
    return [_copied(shape, packed_in(order, shape)), (direct.call, out_shape, sums), _copied(out_shape, out_strides)]


def _copied(shape: Shape, strides: Shape) -> Step:
    """One tap of weight 1: numbers of one layout and type as those of another."""
    return shape, strides, np.ones((1,) * len(shape)), [0] * len(shape), [[]] * len(shape), 0.0, True
