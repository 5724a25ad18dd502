"""_signal_choice.py: `method` 'auto' of halation.signal over floats: sums by taps, or transforms where these are as good for every output.

A transform rounds all outputs by a share of what is typical of them: of an output by some 9 u · Σ|w| · s at most where roundings are
independent, u half a unit in the last place of 1 and s the size of the samples, their root mean square or a quarter of the largest of
them. A sum by taps rounds each by u · taps · S, S = Σ|w|·|x| over its own products. So transforms are as good, within a few units, where
taps · S / (Σ|w| · s) is `REACH` or more for every output, which is found from below: of all samples in any box of the filter's size at
most b have magnitudes below t, wherever they lie; so S is at least t times the sum of the taps − b smallest weights. Signals of one
loudness pass; those that decay, masks, what is mostly zeros or has an outlier do not.

Outputs at the ends have few products. Where both arrays are even at the scale of `EVEN_BOX` elements, S is large enough from some
products on (`LEAST_OWN` to `MOST_OWN`), else where all taps meet samples: the outputs that have fewer are summed by taps (`_Ends`).
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _native
from ._figures import TAKES
from ._signal_spectra import kept_of
from ._signal_sums import by_smaller, must_swap, seconds_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._types import DType, Shape

# What taps · S must be of Σ|w| · s; weights count as large as their root mean square, which is larger than their mean.
REACH = 8.0
# Own products from which on S is large enough where both arrays are even: the root of all taps, within these.
LEAST_OWN, MOST_OWN = 16, 64
# The share of small magnitudes, in boxes of so many elements, up to which an array is even; what t is then, of the root mean square.
EVEN_SHARE, EVEN_BOX, EVEN_LEAST = 0.4, 128, 1 / 32
# Weights from which on transforms may be worth it.
LEAST_WEIGHTS = 32
# By what t is lowered where too many are below it, and how often it is tried.
LOWER, TIMES = 8.0, 2
# Weights up to which the smallest are sought out where it is not enough that they count as t or nothing.
SOUGHT = 1 << 14
# Least and largest norms whose products are numbers of a type, with digits to spare.
NORMS = {4: (1e-12, 1e12), 8: (1e-100, 1e100)}


def convolve(in1: Any, in2: Any, axes: Shape, mode: str, dtype: DType) -> Any:
    """`by_smaller` of floats or complex numbers along all axes, each output within a few u · taps · Σ|w|·|x| of its own products."""
    ends = ends_of(in1, in2, axes, mode, dtype)
    if ends is None:
        return by_smaller(in1, in2, axes, mode, dtype, "direct")
    made = by_smaller(in1, in2, axes, mode, dtype)
    if isinstance(made, np.ndarray):
        ends.sum(in1, in2, made)
    return made


def ends_of(in1: Any, in2: Any, axes: Shape, mode: str, dtype: DType) -> _Ends | None:
    """The outputs that are to be summed where transforms are quicker and make the others; None where they are not, or are no good."""
    if not (isinstance(in1, np.ndarray) and isinstance(in2, np.ndarray)):
        return _Ends([])
    if in1.size < LEAST_WEIGHTS or in2.size < LEAST_WEIGHTS:
        return None
    shape1, shape2 = in1.shape, in2.shape
    array, weights = (in2, in1) if in2.size > in1.size else (in1, in2)
    if any(n < k for n, k in zip(array.shape, weights.shape)):
        return None
    wide = 8 if dtype.itemsize == (16 if dtype.kind == "c" else 8) else 4
    by_sums, by_transforms = _expected(shape1, shape2, mode, (array.dtype.kind == "c", weights.dtype.kind == "c"), wide)
    saved = by_sums - by_transforms - TAKES.counts - TAKES.counted * (wide // 4) * array.size
    if saved <= 0:
        return None
    real = np.dtype(f"f{wide}")
    of_array, of_weights = ([part for part in _parts(each, real) if not _is_zero(part)] for each in (array, weights))
    few = _few(of_array, of_weights, mode)
    if few is None:
        return None
    ends = _Ends.of(shape1, shape2, mode, few)
    return ends if ends.seconds(wide) < saved else None


@functools.lru_cache(maxsize=1024)
def _expected(shape1: Shape, shape2: Shape, mode: str, are_complex: tuple[bool, bool], wide: int) -> tuple[float, float]:
    """Seconds of sums by taps, and of transforms."""
    axes = tuple(range(len(shape1)))
    if must_swap(mode, shape1, shape2, axes):
        shape1, shape2 = shape2, shape1
    parts = (1, 2, 4)[sum(are_complex)]
    ours, by_spectra, sums = seconds_of(shape1, shape2, axes, mode, parts, wide // 4)
    return sums, min(ours, by_spectra)


def _parts(array: NDArray[Any], real: DType) -> list[NDArray[Any]]:
    """The real arrays that an array is made of, packed."""
    parts = [array.real, array.imag] if array.dtype.kind == "c" else [array]
    with np.errstate(over="ignore"):
        return [np.ascontiguousarray(part, real) for part in parts]


def _is_zero(part: NDArray[Any]) -> bool:
    return not part[(0,) * part.ndim] and not part.any()


def _few(arrays: list[NDArray[Any]], weights: list[NDArray[Any]], mode: str) -> int | None:
    """Products below which outputs are to be summed by taps; None where no output is as good by transforms."""
    if not arrays or not weights:
        return 0
    box = weights[0].shape
    of_weights = [_Even.of(part, box) for part in weights]
    if any(each is None for each in of_weights):
        return None
    taps, are_even = weights[0].size, True
    for part in arrays:
        for lowered in range(TIMES):
            even = _Even.of(part, box, LOWER**-lowered)
            if even is None:
                return None
            if all(even.reaches(one, each) for one, each in zip(weights, of_weights) if each is not None):
                break
        else:
            return None
        are_even = are_even and even.is_even
    are_even = are_even and all(each.is_even for each in of_weights if each is not None)
    return 0 if mode == "valid" else min(max(LEAST_OWN, math.isqrt(taps)), MOST_OWN) if are_even else taps


@functools.lru_cache(maxsize=256)
def _boxes_of(box: Shape) -> tuple[Shape, Shape, float, int]:
    """Of a filter's box: tiles to count in; a box of some `EVEN_BOX` elements, as near to a cube as the filter allows; how many of the
    tiles that it meets may be small; and the taps."""
    side = next((side for side in range(1, EVEN_BOX) if math.prod(min(n, side) for n in box) >= EVEN_BOX), EVEN_BOX)
    small_box = tuple(min(n, side) for n in box)
    tile = [max(1, n // 2) for n in small_box]
    tile[-1] = max(tile[-1], min(8, box[-1] // 2))  # for vectors of eight
    met = [((k - 2) // m + 2) * m if k > 1 else 1 for k, m in zip(small_box, tile)]
    return tuple(tile), small_box, EVEN_SHARE * math.prod(map(min, met, box)), math.prod(box)


class _Even(NamedTuple):
    """What the magnitudes of an array are like."""

    least: float  # t
    size: float  # s, of samples
    mean: float  # the root mean square
    small: int  # at most so many in a filter's box are below t
    is_even: bool  # and few of any small box

    @staticmethod
    def of(part: NDArray[Any], box: Shape, lower: float = 1.0) -> _Even | None:
        """None where nothing can be said: a share of zeros, numbers that are not finite, products that could leave the type's range."""
        tile, small_box, most_small, taps = _boxes_of(box)
        least, largest, squares, small, in_small_boxes = _native.magnitudes(part, lower, tile, box, small_box)
        low, high = NORMS[part.itemsize]
        if not (low < least and squares < high * high):
            return None
        mean = math.sqrt(squares / part.size)
        is_even = in_small_boxes <= most_small and least >= EVEN_LEAST * mean
        return _Even(least, max(mean, largest / 4), mean, min(small, taps), is_even)

    def reaches(self, weights: NDArray[Any], of_weights: _Even) -> bool:
        """Whether taps · S is large enough for every output whose box lies in this array."""
        rest = weights.size - self.small
        enough = REACH * of_weights.mean * self.size
        if self.least * (rest - of_weights.small) * of_weights.least >= enough:  # were none of the small weights among them
            return True
        if rest <= 0 or weights.size > SOUGHT:
            return False
        return self.least * float(np.partition(np.abs(weights.reshape(-1)), rest - 1)[:rest].sum()) >= enough


class _Region(NamedTuple):
    """A box of outputs that all come of two boxes of samples and weights."""

    made: tuple[slice, ...]
    of_first: tuple[slice, ...]
    of_second: tuple[slice, ...]
    shape: Shape
    first: list[int]  # as `_native.sum_products` asks for it
    products: int


class _Ends(NamedTuple):
    """Outputs of two arrays with few products, at the ends of axes."""

    regions: list[_Region]

    @staticmethod
    @functools.lru_cache(maxsize=256)
    def of(shape1: Shape, shape2: Shape, mode: str, few: int) -> _Ends:
        """Those with less than `few` products, or less than there can be."""
        if few <= 1:
            return _Ends([])
        most = [min(n, k) for n, k in zip(shape1, shape2)]
        cut = [axis for axis, m in enumerate(most) if m > 1]
        all_taps = math.prod(most)
        # Along one axis after the other, from where on an output that has all products along the others has enough.
        alone = {axis: min(-(-few * most[axis] // all_taps) - 1, most[axis] - 1) for axis in cut}
        regions = []
        for axes in itertools.chain.from_iterable(itertools.combinations(cut, count) for count in range(1, len(cut) + 1)):
            for reach in _reaches(axes, alone, most, few):
                for at_end in itertools.product((False, True), repeat=len(axes)):
                    region = _region(shape1, shape2, mode, reach, dict(zip(axes, at_end)))
                    if region is not None:
                        regions.append(region)
        return _Ends(regions)

    def seconds(self, wide: int) -> float:
        """Seconds that their sums are expected to take."""
        return sum([TAKES.call + TAKES.product * (wide // 4) * region.products for region in self.regions])

    def sum(self, in1: NDArray[Any], in2: NDArray[Any], made: NDArray[Any]) -> None:
        """Puts sums by taps into a result."""
        if not self.regions:
            return
        real = np.dtype(np.float64 if made.real.dtype.itemsize == 8 else np.float32)
        first, second = _parts(in1, real), _parts(in2, real)
        for region in self.regions:
            sums = np.empty((len(first), len(second), *region.shape), real)
            for i, j in np.ndindex(len(first), len(second)):
                array, weights = (np.ascontiguousarray(each) for each in (first[i][region.of_first], second[j][region.of_second]))
                _native.sum_products(array, weights, sums[i, j], region.first)
            if made.dtype.kind != "c":
                made[region.made] = sums[0, 0]
                continue
            to = made[region.made]
            to.real = sums[0, 0] - sums[1, 1] if sums.shape[:2] == (2, 2) else sums[0, 0]
            to.imag = sums[0, 1] + sums[1, 0] if sums.shape[:2] == (2, 2) else sums[-1, -1]


def _reaches(axes: Shape, alone: dict[int, int], most: list[int], few: int) -> list[dict[int, int]]:
    """How many outputs along some axes are summed, where those along one of them, `alone`, are: boxes that hold all with too few products.
    Of lengths whose product is less than n, all but one are less than √n."""
    others = math.prod(m for axis, m in enumerate(most) if axis not in axes)
    least = [math.prod(alone[b] + 1 for b in axes if b != axis) * others for axis in axes]
    longest = [min(-(-few // n) - 1, most[axis] - 1) for axis, n in zip(axes, least)]
    root = math.isqrt(max(0, -(-few // others) - 1))
    found: list[dict[int, int]] = []
    for long in axes:
        reach = {axis: n if axis == long else min(n, root) for axis, n in zip(axes, longest)}
        if reach not in found and all(n > (0 if len(axes) == 1 else alone[axis]) for axis, n in reach.items()):
            found.append(reach)
    return found


def _region(shape1: Shape, shape2: Shape, mode: str, reach: dict[int, int], at_end: dict[int, bool]) -> _Region | None:
    """The first or last so many outputs along some axes, as many as a mode keeps; None where it keeps none."""
    full, kept = kept_of(shape1, shape2, tuple(range(len(shape1))), mode, shape1)
    made, of_first, of_second, shape, first = [], [], [], [], []
    products = 1
    for axis, (n, k) in enumerate(zip(shape1, shape2)):
        low, high, before = 0, full[axis], 0
        parts = slice(None), slice(None)
        terms = min(n, k)
        if axis in reach:
            terms = count = reach[axis]
            if at_end[axis]:
                low, before, parts = high - count, n + k - 2 * count, (slice(n - count, None), slice(k - count, None))
            else:
                high, parts = count, (slice(count), slice(count))
        low, high = max(low, kept[axis].start), min(high, kept[axis].stop)
        if low >= high:
            return None
        made.append(slice(low - kept[axis].start, high - kept[axis].start))
        of_first.append(parts[0])
        of_second.append(parts[1])
        shape.append(high - low)
        first.append(low - before)
        products *= terms * (high - low)
    return _Region(tuple(made), tuple(of_first), tuple(of_second), tuple(shape), first, products)
