"""_signal_integers.py: convolutions of whole numbers, exact, and wrapped where the result's type is too small.

Sums of f64 are exact up to 2^53. Transforms are off by a share of the largest sums there could be (core/transform.h): where that is less
than half, what is nearest is exact. Numbers too large for either are sums of smaller ones, convolved pair by pair.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from . import _native
from ._arrays import facts_of
from ._direct import Direct
from ._families import prepare
from ._figures import TAKES
from ._mapping import packed
from ._options import options_of
from ._signal_run import run
from ._weights import F64, MOST_KEPT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._types import DType, Entry, Shape

    Cuts: TypeAlias = list[tuple[int, int]]

FEW_TAPS = 32  # below which the library considers no transforms
MOST_PARTS = 16
# Borders of arrays that are padded here.
PADS = ("constant", "wrap", "reflect", "reflect101", "replicate")


def any_of(array: Any, weights: NDArray[Any], axes: Shape, extent: str, border: str, fill: bool, method: str) -> Any:
    """Where any product is not 0, of bool."""
    if not isinstance(array, np.ndarray) or weights.size < FEW_TAPS:
        return run(array, weights, axes, extent, np.dtype(bool), border, float(fill))
    counts = convolve(array.view(np.uint8), weights.view(np.uint8), axes, extent, np.dtype(np.int64), border, int(fill), method)
    return counts != 0


def convolve(
    array: Any, weights: NDArray[Any], axes: Shape, extent: str, dtype: DType, border: str, fill: Any, method: str = "automatic"
) -> Any:
    """As `_signal_sums.convolve`, of whole numbers alone."""
    options = {"rounding": "truncate", "overflow": "wrap", "sum": "f64"}
    if not isinstance(array, np.ndarray):
        if dtype.itemsize > 2:
            raise TypeError(f"on a GPU integers are convolved up to 16 bits, got {facts_of(array)[1]} to {dtype}; give floats")
        return run(array, weights, axes, extent, dtype, border, fill, **options)
    if weights.size == 1:
        return array.astype(dtype, copy=False) * weights.astype(dtype).reshape(-1)
    of_array, of_weights = _magnitude(array, fill), _magnitude(weights, 0)
    if weights.size < FEW_TAPS:
        largest = of_array * of_weights * weights.size
        if largest < 2**31:
            return run(array, weights, axes, extent, dtype, border, fill, **options)
        if largest < 2**53:
            return run(array, weights, axes, extent, np.dtype(np.int64), border, fill, **options).astype(dtype)
    bits = _bits_at_once(array, weights, axes, border == "constant" and fill == 0)
    cuts = _cuts(of_array.bit_length(), of_weights.bit_length(), math.floor(bits), 8 * dtype.itemsize)
    pairs = math.prod(count for _, count in cuts)
    if pairs > 1 and border in PADS and _is_quicker_by_products(array, weights, axes, extent, pairs, dtype.itemsize):
        return _by_products(array, weights, axes, extent, dtype, border, fill)
    plans: list[Entry] = []
    if weights.size * F64.itemsize > MOST_KEPT and border == "constant" and fill == 0 and method == "automatic" and len(axes) <= 3:
        cuts, plans = _planned(array, weights, (of_array, of_weights), cuts, axes, extent)
    sums: Any = None
    arrays, outsides = _parts(array, *cuts[0]), _parts(np.array([int(fill)]), *cuts[0])
    for j, high in enumerate(_parts(weights, *cuts[1])):
        entry = plans[j] if plans else None
        for i, low in enumerate(arrays):
            shift = i * cuts[0][0] + j * cuts[1][0]
            if shift >= 8 * dtype.itemsize:
                continue
            part = None if entry is None else entry.run(low.astype(F64, copy=False), None, 0)
            if part is None:
                part = run(low, high, axes, extent, F64, border, float(outsides[i][0]), sum="f64", method=method)
            whole = np.rint(part, out=part).astype(np.int64).view(np.uint64)
            if shift:
                whole <<= np.uint64(shift)
            sums = whole if sums is None else np.add(sums, whole, out=sums)
    return sums.view(np.int64).astype(dtype, copy=False)


def _planned(array: NDArray[Any], weights: NDArray[Any], magnitudes: Shape, cuts: Cuts, axes: Shape, extent: str) -> tuple[Cuts, list[Entry]]:
    """Large arrays in as few parts as the bounds of plans allow, which know their passes and weights, where `_bits_at_once` has the worst
    of all; and the plans, one for each part of the weights, which serve all parts of the array."""
    lengths = [array.shape[axis] + k - 1 for axis, k in zip(axes, weights.shape)]
    samples = math.prod(2.0 ** math.ceil(math.log2(n)) for n in lengths)
    roundings = 10 * math.log2(samples) + 17  # of passes of radix 8: there twice, and back
    found = [cuts]
    for counts in itertools.product(range(1, 4), repeat=2):
        if math.prod(counts) < math.prod(count for _, count in cuts):
            each = [(-(-(magnitude.bit_length() + 2) // count), count) for magnitude, count in zip(magnitudes, counts)]
            most = _largest_of_part(magnitudes[0], *each[0])
            if counts[1] == 1:
                norm = float(np.linalg.norm(weights.astype(np.float64).ravel()))
            else:
                norm = _largest_of_part(magnitudes[1], *each[1]) * math.sqrt(weights.size)
            if roundings * math.sqrt(samples) * most * norm < 2.0**52:
                found.append(each)
    for each in sorted(found, key=lambda each: math.prod(count for _, count in each)):
        most, layout = _largest_of_part(magnitudes[0], *each[0]), packed(array.shape, F64)
        options = options_of(axes, "constant", 0.0, None, extent, "half_even", "saturate", 1.0, 0.0, 1, "f64", "automatic", False, 0)
        plans = [prepare(layout, None, F64, np.flip(high).astype(np.float64), options) for high in _parts(weights, *each[1])]
        if each is cuts or all(isinstance(entry, Direct) and entry.plan.error_bound(float(most)) < 0.5 for entry in plans):
            return each, plans
    raise AssertionError("cuts are among those that were found")


def _largest_of_part(magnitude: int, bits: int, count: int) -> int:
    """The largest magnitude of a part of numbers."""
    return magnitude if count == 1 else 1 << bits - 1


def are_rounded(in1: Any, in2: Any) -> bool:
    """Whether sums are rounded by one transform in f64, and products not as quick."""
    if not (isinstance(in1, np.ndarray) and isinstance(in2, np.ndarray)) or all(1 in pair for pair in zip(in1.shape, in2.shape)):
        return False
    magnitudes, taps = (_magnitude(in1, 0), _magnitude(in2, 0)), min(in1.size, in2.size)
    if taps < FEW_TAPS and math.prod(magnitudes) * taps < 2**53:
        return False
    axes, (large, small) = tuple(range(in1.ndim)), sorted((in1, in2), key=np.size, reverse=True)
    is_exact = sum(each.bit_length() for each in magnitudes) <= _bits_at_once(large, small, axes, True)
    return not is_exact and not _is_quicker_by_products(large, small, axes, "full", 1, np.result_type(large, small).itemsize)


def wrapped(sums: NDArray[Any], dtype: DType) -> NDArray[Any]:
    """Sums in f64 as whole numbers, modulo 2^64."""
    whole = np.rint(sums)
    whole -= 2.0**64 * np.rint(whole * 2.0**-64)
    with np.errstate(invalid="ignore"):  # 2^63 itself
        made: NDArray[Any] = whole.astype(np.int64).astype(dtype, copy=False)
    return made


def _magnitude(array: NDArray[Any], fill: Any) -> int:
    return max([abs(int(end)) for end in (array.min(initial=0), array.max(initial=0), fill)])


def _bits_at_once(array: NDArray[Any], weights: NDArray[Any], axes: Shape, has_zeros_around: bool) -> float:
    """The most that the magnitudes of an array and of weights may have together, as a power of two, for sums to be off by less than
    half: roundings · 2^-53 · √taps · √samples times both, the samples being those of a tile, the roundings of its passes."""
    samples = 2.0 * math.prod(array.shape[axis] + k - 1 for axis, k in zip(axes, weights.shape))
    roundings = 26 * math.log2(samples) + 60
    if has_zeros_around:  # which are no part of a tile's norm
        samples = float(math.prod(array.shape[axis] for axis in axes))
    return 53 - 1 - math.log2(roundings * math.sqrt(samples * weights.size))


@functools.lru_cache(maxsize=1024)
def _cuts(of_array: int, of_weights: int, bits: float, limit: int) -> Cuts:
    """(bits of a part, number of parts) of an array and of weights whose magnitudes have so many bits: as few pairs as the bits there are
    for both allow."""
    found: list[tuple[int, Cuts]] = []
    for counts in itertools.product(range(1, MOST_PARTS + 1), repeat=2):
        sizes, taken = [], 0
        for magnitude, count in zip((of_array, of_weights), counts):
            # A part is at most half of its power of two, on both sides of 0, which takes two bits more.
            sizes.append(-(-min(magnitude + 2, limit) // count))
            taken += magnitude if count == 1 else sizes[-1] - 1
        if taken <= bits and min(sizes) > 1:
            found.append((math.prod(counts), list(zip(sizes, counts))))
    if not found:
        raise ValueError("whole numbers and arrays this large are not convolved exactly; give floats")
    return min(found)[1]


def _is_quicker_by_products(array: NDArray[Any], weights: NDArray[Any], axes: Shape, extent: str, pairs: int, itemsize: int) -> bool:
    """Whether products are added up one by one before so many pairs of parts are convolved."""
    more = {"full": 1, "same": 0, "valid": -1}[extent]
    lengths = {axis: n + more * (weights.shape[axes.index(axis)] - 1) if axis in axes else n for axis, n in enumerate(array.shape)}
    samples = math.prod(lengths.values())
    products = weights.size * (array.size if extent == "full" else samples)
    rows = samples / lengths[array.ndim - 1] * weights.size / (weights.shape[-1] if array.ndim - 1 in axes else 1)
    one_by_one = products * TAKES.integer_product / (1 if itemsize == 8 else 2) + rows * TAKES.integer_row
    return bool(one_by_one < pairs * (TAKES.pair + samples * TAKES.pair_sample))


def _by_products(
    array: NDArray[Any], weights: NDArray[Any], axes: Shape, extent: str, dtype: DType, border: str, fill: Any
) -> NDArray[Any]:
    """Products added up in whole numbers, which wrap."""
    kind = np.dtype(np.uint32 if dtype.itemsize <= 4 else np.uint64)
    turned = weights.astype(kind).transpose(np.argsort(axes))
    taps = [1] * array.ndim
    for axis, k in zip(sorted(axes), turned.shape):
        taps[axis] = k
    array = array.astype(kind, copy=False)
    if border != "constant" or fill != 0:
        array, extent = _padded(array, taps, extent, border, fill), "valid"
    first = [{"full": 0, "same": (k - 1) // 2, "valid": k - 1}[extent] for k in taps]
    more = {"full": 1, "same": 0, "valid": -1}[extent]
    made = np.empty([n + more * (k - 1) for n, k in zip(array.shape, taps)], kind)
    _native.sum_products(np.ascontiguousarray(array), np.ascontiguousarray(turned.reshape(taps)), made, first)
    return made.view(dtype) if dtype.itemsize == kind.itemsize else made.astype(dtype)


def _padded(array: NDArray[Any], taps: list[int], extent: str, border: str, fill: Any) -> NDArray[Any]:
    """An array with what the border puts around it."""
    around = []
    for k in taps:
        after = {"full": k - 1, "same": (k - 1) // 2, "valid": 0}[extent]
        around.append((after if extent != "same" else k - 1 - after, after))
    if border == "constant":
        padded = np.full([n + sum(more) for n, more in zip(array.shape, around)], np.array(int(fill)).astype(array.dtype))
        padded[tuple(slice(low, low + n) for n, (low, _) in zip(array.shape, around))] = array
        return padded
    for axis, (n, (low, high)) in enumerate(zip(array.shape, around)):
        if low or high:
            array = array.take(_indices(n, low, high, border), axis)
    return array


@functools.lru_cache(maxsize=256)
def _indices(n: int, low: int, high: int, border: str) -> NDArray[np.intp]:
    """Of an axis with so many elements before and behind it."""
    at = np.arange(-low, n + high)
    if border == "replicate" or n == 1:
        return np.clip(at, 0, n - 1)
    if border == "wrap":
        return at % n
    period = 2 * n if border == "reflect" else 2 * n - 2
    at %= period
    return np.minimum(at, (period - 1 if border == "reflect" else period) - at)


def _parts(array: NDArray[Any], bits: int, count: int) -> list[NDArray[Any]]:
    """Whole numbers as sums of parts, part i times 2^(bits · i), none larger than half of 2^bits: modulo 2^64."""
    if count == 1:
        return [array if array.dtype.char in "BHh" and array.dtype.isnative else array.astype(np.float64)]
    rest = array.astype(np.int64) if array.dtype.kind != "u" else array.astype(np.uint64).view(np.int64)
    half, parts = np.int64(1) << np.int64(bits - 1), []
    for _ in range(count):
        low = ((rest + half) & (2 * half - 1)) - half
        parts.append(low.astype(np.float64))
        rest = (rest - low) >> np.int64(bits)
    return parts
