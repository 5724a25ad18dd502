"""_job.py: a call made regular and checked, and what follows for its sums: ranges, exactness, how the library rounds them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._options import Options
    from ._types import DType, Factors, Filters, Shape, Taps

_PIXELS = {"B": "u8", "H": "u16", "h": "i16", "e": "f16", "f": "f32", "d": "f64"}


def pixel_of(dtype: DType) -> str | None:
    """The library's pixel of a NumPy type, one that its kernels read and write; None where it has none."""
    return _PIXELS.get(dtype.char) if dtype.isnative else None


def any_pixel_of(dtype: DType) -> str | None:
    """The library's pixel of a type of real numbers, also of one that goes by way of f64; None where it has none."""
    if pixel := pixel_of(dtype):
        return pixel
    return f"{dtype.kind}{8 * dtype.itemsize}" if dtype.kind in "iu" and dtype.isnative else None


class Job:
    """The options of a call made regular: one border, constant, anchor and number of taps for each axis of the filter."""

    extent: str
    method: str
    threads: int
    scale: float
    offset: float
    divisor: int
    rounding: str
    overflow: str
    sum: str
    magnitude: bool
    filters: list[Taps]
    axes: Shape
    borders: tuple[str, ...]
    cvals: tuple[float, ...]
    lengths: list[Shape]
    taps: Shape  # of the longest filter along each axis
    anchors: list[Shape]
    shape: Shape
    out_shape: Shape

    def __init__(self, shape: Shape, filters: Filters, options: Options) -> None:
        self.extent, self.method, self.threads = options.extent, options.method, options.threads
        self.scale, self.offset, self.divisor = options.scale, options.offset, options.divisor
        self.rounding, self.overflow, self.sum = options.rounding, options.overflow, options.sum
        self.magnitude = options.magnitude
        ndim = len(shape)
        self.filters = filters if isinstance(filters, list) else [filters]
        self.axes = tuple(range(ndim)) if options.axes is None else tuple(options.axes)
        if not all(-ndim <= axis < ndim for axis in self.axes):
            raise ValueError(f"axes must lie in [{-ndim}, {ndim}) for an array of {ndim} axes, got {self.axes}")
        self.axes = tuple(axis % ndim for axis in self.axes)
        if len(set(self.axes)) != len(self.axes):
            raise ValueError(f"axes must be unique, got {self.axes}")
        self.borders = self._each("borders", options.borders)
        self.cvals = tuple(_real(value) for value in self._each("cvals", options.cvals))
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
        if options.anchors is None:
            self.anchors = [tuple(n // 2 for n in each) for each in self.lengths]
        else:
            self.anchors = [self._each("anchors", options.anchors)] * len(self.filters)
        self.shape = shape
        self.out_shape = self._output_shape()

    def _each(self, name: str, value: Any) -> tuple[Any, ...]:
        if isinstance(value, (tuple, list)):
            if len(value) != len(self.axes):
                raise ValueError(f"{name} must be one or as many as axes ({len(self.axes)}), got {len(value)}")
            return tuple(value)
        return (value,) * len(self.axes)

    def _lengths(self, one: Taps) -> Shape:
        lengths = tuple(len(factor) for factor in one) if isinstance(one, tuple) else one.shape
        if len(lengths) != len(self.axes):
            raise ValueError(f"a filter along {len(self.axes)} axes is needed, got one along {len(lengths)}")
        return lengths

    def _output_shape(self) -> Shape:
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
        if 0 in self.shape and 0 not in shape:
            raise ValueError(f"extent full: an array without elements has no outputs, got shape {self.shape}")
        return tuple(max(n, 0) for n in shape)

    def fold(self, dtype: DType) -> None:
        """Weights along axes of one element become one, for pixels of a type: the element stands for all around it.

        Not where that could hide NaN or infinity: positive weights pass them on, those that cancel exactly multiply them by 0.
        """
        if self.magnitude or self.extent != "same":
            return
        filter_ = self.filters[0]
        if not isinstance(filter_, tuple):
            return self._fold_dense(filter_, dtype)
        factors, taps, anchors = list(filter_), list(self.taps), list(self.anchors[0])
        for i, axis in enumerate(self.axes):
            factor = factors[i]
            if self.shape[axis] != 1 or taps[i] == 1:
                continue
            if self.borders[i] == "constant":
                if self.cvals[i] != 0:
                    continue
                weight = factor[anchors[i]]
            else:
                weight = factor.sum()
                if weight != 0 and not np.all(factor > 0) and self.may_be_non_finite(dtype):
                    continue
            factors[i], taps[i], anchors[i] = np.array([weight]), 1, 0
        self.filters, self.taps, self.anchors = [tuple(factors)], tuple(taps), [tuple(anchors)]

    def _fold_dense(self, weights: NDArray[Any], dtype: DType) -> None:
        if self.may_be_non_finite(dtype) and np.any(weights <= 0):
            return
        taps, anchors = list(self.taps), list(self.anchors[0])
        for i, axis in enumerate(self.axes):
            if self.shape[axis] != 1 or taps[i] == 1 or not 0 <= anchors[i] < taps[i]:
                continue
            if self.borders[i] == "constant" and self.cvals[i] != 0:
                continue
            if self.borders[i] == "constant":
                weights = weights.take([anchors[i]], axis=i)
            else:
                weights = weights.sum(axis=i, keepdims=True)
            taps[i], anchors[i] = 1, 0
        self.filters, self.taps, self.anchors = [weights], tuple(taps), [tuple(anchors)]

    def filtered(self) -> Shape:
        """The axes along which there is more than one tap."""
        return tuple(axis for axis, taps in zip(self.axes, self.taps) if taps > 1)

    def sums_of_signs(self) -> tuple[float, float]:
        """Sums of the positive and of the negative weights, over one filter."""
        low, high = 0.0, 1.0
        if isinstance(self.filters[0], tuple):
            for factor in self.filters[0]:
                up, down = float(factor[factor > 0].sum()), float(factor[factor < 0].sum())
                low, high = min(low * up, high * down), max(high * up, low * down)
            return low, high
        dense = self.filters[0]
        return float(dense[dense < 0].sum()), float(dense[dense > 0].sum())

    def constants(self) -> list[float]:
        """The values outside constant borders, an axis each."""
        return [value for value, border in zip(self.cvals, self.borders) if border == "constant"]

    def constant(self) -> float:
        """The value outside constant borders, where they have one; 0 where none is constant."""
        return next(iter(self.constants()), 0.0)

    def may_be_non_finite(self, dtype: DType) -> bool:
        """Whether an input of a type, or a constant around it, may be infinite or no number: of such all weights count, those of 0 too."""
        return dtype.kind not in "iub" or not all(map(math.isfinite, self.constants()))

    def has_one_constant(self) -> bool:
        return len(set(self.constants())) <= 1

    def most_input(self, dtype: DType) -> tuple[float, float]:
        """Least and largest value of an integer input or a constant around it."""
        info = np.iinfo(dtype)
        return min([info.min, *self.constants()]), max([info.max, *self.constants()])

    def range_of(self, dtype: DType) -> tuple[float, float]:
        """The range of results of integer inputs of a type."""
        low, high = self.most_input(dtype)
        down, up = self.sums_of_signs()
        ends = [up * high + down * low, up * low + down * high]
        ends = [self.scale * end / self.divisor + self.offset for end in ends]
        return min(ends), max(ends)

    def is_integer(self) -> bool:
        """Whether weights and constants are whole numbers."""
        weights = self.filters[0] if isinstance(self.filters[0], tuple) else (self.filters[0],)
        return all(bool(np.all(one == np.rint(one))) for one in weights) and all(c == np.rint(c) for c in self.constants())

    def largest_sum(self, dtype: DType) -> float:
        """The largest sum of magnitudes that integer inputs of a type give."""
        down, up = self.sums_of_signs()
        return (up - down) * max(abs(end) for end in self.most_input(dtype))


def filtered(constant: float, factors: Factors) -> float:
    """What factors, one after the other, make of a constant: of an infinite one NaN, where weights differ in sign or are 0."""
    for factor in factors:
        with np.errstate(invalid="ignore"):
            constant = float(constant * factor.sum() if math.isfinite(constant) else (constant * factor).sum())
    return constant


def _real(value: Any) -> float:
    """A number as float, one of complex type too where it has no imaginary part: equal numbers make equal calls."""
    return float(value.real if isinstance(value, complex) and value.imag == 0 else value)


def share_of(job: Job) -> float:
    """The share of themselves by which sums grow before they are truncated.

    Weights such as a Gaussian's sum to 1 but for rounding, and so a flat area of 14 to 13.999999999999998 or 14.000000000000002:
    all sums that rounding can have put below a whole number count as that number. Whole weights need none.
    """
    return 0.0 if job.rounding != "truncate" or job.is_integer() else 2.0**-44


class Terms(NamedTuple):
    """How the library turns sums into elements."""

    scale: float
    sum: str  # "automatic" or "f64"
    overflow: str


def terms_of(job: Job, dtype: DType, out_dtype: DType) -> Terms | None:
    """What the library itself gives a job's result by, from numbers of one type to another; None where sums have to be divided before
    they are rounded."""
    scale, total = job.scale, job.sum
    if out_dtype.kind == "f":
        return Terms(scale / job.divisor, total, "saturate")
    integers = dtype.kind in "iub"
    overflow = "wrap" if _may_overflow(job, dtype, out_dtype) else "saturate"
    if pixel_of(out_dtype) is None:
        total = "f64"
    if job.rounding == "half_even" and job.divisor == 1:
        return Terms(scale, total, overflow)
    is_exact = integers and job.is_integer() and scale == 1 and job.offset == 0
    if job.divisor == 1:
        if is_exact and job.largest_sum(dtype) <= 2.0**24:
            return Terms(scale, total, overflow)
        is_native = pixel_of(out_dtype) is not None and overflow == "saturate"
        return Terms(scale * (1 + share_of(job)) if integers and is_native else scale, "f64", overflow)
    if not is_exact or job.rounding != "truncate":
        return None
    # A quotient of integers that is no integer lies 1/divisor or more below the next one: a scale too large by less
    # than that, and by more than rounding takes, gives the exact quotient's integer part.
    largest = job.largest_sum(dtype)
    if largest * (2.0**-21 + 2.0**-23) < 0.5:
        return Terms((1 + 2.0**-21) / job.divisor, total, overflow)
    if largest < 2.0**46:
        return Terms((1 + 2.0**-48) / job.divisor, "f64", overflow)
    return None


def _may_overflow(job: Job, dtype: DType, out_dtype: DType) -> bool:
    """Whether results are to be wrapped that an integer type may not hold."""
    if job.overflow != "wrap":
        return False
    if job.may_be_non_finite(dtype):
        return True
    low, high = job.range_of(dtype)
    info = np.iinfo(out_dtype)
    past = 1.0 if job.rounding == "truncate" else 0.5
    return not (info.min - past < low and high < info.max + past)


def aligned(strides: Shape, dtype: DType) -> bool:
    """Whether each element begins at a multiple of its size, where the first does."""
    return all(step % dtype.itemsize == 0 for step in strides)


def fits_i16(job: Job, dtype: DType, out_dtype: DType) -> bool:
    """Whether sums over native pixels are integers that i16 holds, for integers that the library would make by way of f64."""
    if dtype.kind not in "iu" or pixel_of(dtype) is None or out_dtype.kind not in "iu" or job.magnitude:
        return False
    if job.scale != 1 or job.offset != 0 or job.divisor != 1 or job.overflow != "wrap" or not job.is_integer():
        return False
    low, high = job.range_of(dtype)
    return -(2**15) <= low and high < 2**15


def check_many_axes(job: Job) -> None:
    """Refuses what is not there along more than three axes."""
    if job.magnitude:
        raise ValueError("a magnitude is possible along three axes at most")
    if not job.has_one_constant():
        raise ValueError("filters along more than three axes need one cval for all constant borders")
    if not all(0 <= at < taps for at, taps in zip(job.anchors[0], job.taps)):
        raise ValueError(f"anchor must lie inside the filter, got {job.anchors[0]} for {job.taps} taps")


def check_writable(out: NDArray[Any]) -> None:
    """Refuses read-only arrays of NumPy's."""
    if not out.flags.writeable:
        raise ValueError("output is read-only; give one that can be written")
