"""_signal_sums.py: convolutions of any two arrays by the engine: which of them is the filter, axes joined where they are many, and
filters that differ from place to place."""

from __future__ import annotations

import functools
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _signal_integers, _signal_spectra
from ._arrays import facts_of
from ._direct import Direct
from ._families import prepare
from ._figures import TAKES
from ._mapping import packed
from ._options import options_of
from ._signal_run import run
from ._signal_spectra import kept_of, next_fast

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ._types import DType, Shape


def dtype_of(array: Any) -> DType:
    """The type of an array of any library."""
    return array.dtype if isinstance(array, np.ndarray) else facts_of(array)[1]


def as_weights(array: Any) -> NDArray[Any]:
    """A filter as NumPy's array: the library keeps weights on the CPU."""
    if isinstance(array, np.ndarray):
        return array
    return array.get() if hasattr(array, "get") else np.asarray(array.cpu() if hasattr(array, "cpu") else array.copy_to_host())


def must_swap(mode: str, shape1: Shape, shape2: Shape, axes: Shape) -> bool:
    """Whether the second input is the larger one, where the filter must lie inside the array."""
    if mode != "valid" or not axes:
        return False
    if all(shape1[axis] >= shape2[axis] for axis in axes):
        return False
    if not all(shape2[axis] >= shape1[axis] for axis in axes):
        raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")
    return True


def centred(full: Any, shape: Shape) -> Any:
    """The middle of a full result."""
    return full[tuple(slice((n - m) // 2, (n - m) // 2 + m) for n, m in zip(full.shape, shape))]


# Elements that one of many filters runs over, below which calling the library for each costs more than transforms of all at once.
LEAST_OF_FILTER = 1 << 14
# Taps of each of many filters up to which these may be added up one by one.
FEW_TAPS = 32
# Times as long as each of many rows that a filter may be.
LONG = 8
# Weights along four axes and more from which on they are worth being joined to three.
JOINED = 64
# Weights from which on transforms of whole arrays by NumPy are considered, and elements up to which.
SPECTRAL, MOST_SPECTRAL = 32, 1 << 18
# Products from which on factors are looked for in weights that are summed directly, and weights.
FACTORED, FEWEST_OF_FACTORS = 1 << 20, 17
# Weights from which on an array with rows so short, and with an axis so many times as long, is worth being turned.
TURNED, SHORT_ROW, TIMES_AS_LONG = 16, 48, 4


def convolve(
    array: Any,
    weights: NDArray[Any],
    axes: Shape,
    extent: str,
    dtype: DType,
    border: str = "constant",
    fill: Any = 0.0,
    method: str = "automatic",
) -> Any:
    """A convolution of any numbers: exact, and wrapped, where these are whole. `method` is the engine's."""
    if isinstance(fill, complex) and dtype_of(array).kind != "c":
        if fill.imag == 0:
            fill = fill.real
        else:  # what lies outside is complex, and so is the array
            array = array.astype(dtype)
    if _is_worth_joining(array, weights, axes, border, fill, method):
        return _joined(array, weights, axes, extent, dtype, method)
    if (long := _worth_turning(array, weights, axes)) is not None:
        return _turned(array, weights, axes, long, extent, dtype, border, fill, method)
    if dtype.kind in "fc":
        if isinstance(array, np.ndarray) and array.dtype.kind in "iu" and array.dtype.char not in "BHh":
            array = array.astype(np.empty(0, dtype).real.dtype)  # as the library reads it
        elif isinstance(array, np.ndarray) and array.dtype.kind in "fc" and array.real.itemsize < np.empty(0, dtype).real.itemsize:
            array = array.astype(np.promote_types(array.dtype, np.empty(0, dtype).real.dtype))  # numbers below f32's normal ones, too
        total = "f64" if dtype.itemsize >= (16 if dtype.kind == "c" else 8) else "automatic"
        if method == "direct" and isinstance(array, np.ndarray) and array.size * weights.size >= FACTORED:
            factors, by = _factors_of(weights)
            if factors is not None:
                made = run(array, factors, axes, extent, dtype, border, fill, sum=total, method=by)
                # What overflows along one axis could meet a small weight along the other.
                if by == "box" or np.isfinite(made).all():
                    return made
        return run(array, weights, axes, extent, dtype, border, fill, sum=total, method=method)
    if dtype.kind == "b":
        return _signal_integers.any_of(array, weights, axes, extent, border, bool(fill), method)
    return _signal_integers.convolve(array, weights, axes, extent, dtype, border, fill, method)


def _factors_of(weights: NDArray[Any]) -> tuple[tuple[NDArray[Any], ...] | None, str]:
    """Factors whose product each weight is, within its own rounding, and the method that sums by them; None where there are none."""
    if weights.dtype.kind == "c" or weights.size < FEWEST_OF_FACTORS or weights.size == max(weights.shape) and not _are_equal(weights):
        return None, ""
    rows = weights.astype(np.float64)
    if _are_equal(rows):
        return (*(np.ones(n) for n in rows.shape[:-1]), np.full(rows.shape[-1], rows.flat[0])), "box"
    peak = np.unravel_index(np.abs(rows).argmax(), rows.shape)
    factors = [rows[tuple(slice(None) if a == axis else at for a, at in enumerate(peak))] for axis in range(rows.ndim)]
    with np.errstate(all="ignore"):
        factors[1:] = [factor / rows[peak] for factor in factors[1:]]
        apart = np.abs(functools.reduce(np.multiply.outer, factors) - rows)
        if not (apart <= 2.0**-50 * np.abs(rows)).all():
            return None, ""
    return tuple(factors), "separable"


def _are_equal(weights: NDArray[Any]) -> bool:
    return bool((weights == weights.flat[0]).all())


def _is_worth_joining(array: Any, weights: NDArray[Any], axes: Shape, border: str, fill: Any, method: str) -> bool:
    """Whether there are more axes than transforms take, and zeros outside, by which two of them can be made one."""
    if sum(taps > 1 for taps in weights.shape) <= 3 or method == "direct" or (method == "automatic" and weights.size < JOINED):
        return False
    if border != "constant" or fill != 0 or not isinstance(array, np.ndarray):
        return False
    return dtype_of(array).kind not in "fc" or bool(np.isfinite(array).all())  # NaN would reach along a whole axis


def _worth_turning(array: Any, weights: NDArray[Any], axes: Shape) -> int | None:
    """The axis that should be the last one, where the last is too short for vectors and many products are summed."""
    if weights.size < TURNED or not isinstance(array, np.ndarray) or array.shape[-1] > SHORT_ROW or array.ndim - 1 not in axes:
        return None
    long = max(axes, key=lambda axis: array.shape[axis])
    return long if array.shape[long] >= TIMES_AS_LONG * array.shape[-1] else None


def _turned(
    array: NDArray[Any],
    weights: NDArray[Any],
    axes: Shape,
    long: int,
    extent: str,
    dtype: DType,
    border: str,
    fill: Any,
    method: str,
) -> NDArray[Any]:
    """A convolution with a long axis in the place of the last one."""
    order = [axis for axis in range(array.ndim) if axis != long] + [long]
    turned = [axes.index(axis) for axis in order if axis in axes]
    places = tuple(place for place, axis in enumerate(order) if axis in axes)
    made = convolve(
        np.ascontiguousarray(array.transpose(order)), weights.transpose(turned), places, extent, dtype, border, fill, method
    )
    return np.ascontiguousarray(made.transpose(np.argsort(order)))


def _joined(array: NDArray[Any], weights: NDArray[Any], axes: Shape, extent: str, dtype: DType, method: str) -> NDArray[Any]:
    """A convolution along one axis less: the shortest two in a row, the inner one with zeros behind for the filter's reach."""
    order = [axis for axis in range(array.ndim) if axis not in axes] + list(axes)
    array, others = array.transpose(order), array.ndim - len(axes)
    full = [n + k - 1 for n, k in zip(array.shape[others:], weights.shape)]
    at = min(range(len(axes) - 1), key=lambda i: full[i] * full[i + 1])
    outer, inner = others + at, others + at + 1
    row = full[at + 1]
    made = convolve(
        _as_one(array, outer, row), _as_one(weights, at, row), tuple(range(others, array.ndim - 1)), "full", dtype, method=method
    )
    shape = [*made.shape[:outer], full[at], row, *made.shape[outer + 1 :]]
    made = made[(slice(None),) * outer + (slice(full[at] * row),)].reshape(shape)
    last, weights = tuple(range(others, array.ndim)), weights.reshape([1] * others + list(weights.shape))
    lengths, kept = kept_of(array.shape, weights.shape, last, extent, array.shape)
    made = np.ascontiguousarray(made[kept])
    if dtype.kind in "fc":  # under a filter that is one row lie others' numbers as well
        mended = _signal_spectra.by_own_boxes(made, array, _signal_spectra.parts_of(array, made.real.dtype), weights, last, lengths, kept)
        made = run(array, weights[(0,) * others], last, extent, dtype, method="direct") if mended is None else mended
    return np.ascontiguousarray(made.transpose(np.argsort(order)))


def _as_one(array: NDArray[Any], outer: int, row: int) -> NDArray[Any]:
    """An array with two axes as one, in rows of so many elements, zeros behind."""
    shape = array.shape
    padded = np.zeros((*shape[: outer + 1], row, *shape[outer + 2 :]), array.dtype)
    padded[(slice(None),) * (outer + 1) + (slice(shape[outer + 1]),)] = array
    return padded.reshape(*shape[:outer], -1, *shape[outer + 2 :])


def _middle(in1: Any, in2: Any, axes: Shape, full: Callable[[Any, Any], Any]) -> Any:
    """The middle of a full result, of the first array's lengths, by the full result of that part of the second that reaches it."""
    reaching, kept = [slice(None)] * in1.ndim, [slice(None)] * in1.ndim
    for axis in axes:
        n, m = in1.shape[axis], in2.shape[axis]
        first = (m - 1) // 2
        low = max(0, first - n + 1)
        reaching[axis], kept[axis] = slice(low, min(m, first + n)), slice(first - low, first - low + n)
    made = full(in1, in2[tuple(reaching)])[tuple(kept)]
    return np.ascontiguousarray(made) if isinstance(made, np.ndarray) else made


def _products(in1: NDArray[Any], in2: NDArray[Any]) -> NDArray[Any]:
    """Of float16 by one number as the library makes them, which has instructions for it; others as NumPy does."""
    if max(in1.size, in2.size) > LEAST_OF_FILTER and min(in1.size, in2.size) == 1:
        kind = np.result_type(in1.dtype, in2.dtype)
        array, number = (in1, in2) if in2.size == 1 else (in2, in1)
        if kind.char == "e" and np.isfinite(number).all():
            halves: NDArray[Any] = run(
                array.astype(kind, copy=False), number.astype(kind, copy=False), tuple(range(array.ndim)), "same", kind
            )
            return halves
    made: NDArray[Any] = in1 * in2
    return made


def by_smaller(in1: Any, in2: Any, axes: Shape, mode: str, dtype: DType, method: str = "automatic") -> Any:
    """A convolution along `axes` (all axes of the second input), with the smaller of the two as the filter."""
    shape1 = tuple(in1.shape)
    if must_swap(mode, shape1, in2.shape, axes):
        in1, in2 = in2, in1
    if method == "automatic" and _are_worth_spectra(in1, in2, axes, mode, dtype):
        summed = tuple(axis for axis in axes if in1.shape[axis] > 1 and in2.shape[axis] > 1)
        if (made := _signal_spectra.convolve(in1, in2, summed, mode, dtype, shape1)) is not None:
            return made
    if mode == "valid":
        return convolve(in1, as_weights(in2), axes, mode, dtype, method=method)
    if isinstance(in1, np.ndarray) and all(1 in pair for pair in zip(shape1, in2.shape)):
        made = _products(in1.astype(dtype, copy=False), as_weights(in2).astype(dtype, copy=False))
        return made if mode == "full" else np.ascontiguousarray(centred(made, shape1))
    if math.prod(in2.shape) > math.prod(shape1):

        def full(in1: Any, in2: Any) -> Any:
            if isinstance(in2, np.ndarray) and min(in2.strides) < 0:  # reversed by a correlation: NumPy is the quicker one to turn it
                in2 = in2.copy()
            return convolve(in2, as_weights(in1), axes, "full", dtype, method=method)

        return full(in1, in2) if mode == "full" else _middle(in1, in2, axes, full)
    return convolve(in1, as_weights(in2), axes, mode, dtype, method=method)


def is_transformed(in1: Any, in2: Any, mode: str, dtype: DType) -> bool:
    """Whether `by_smaller` takes transforms for numbers of such a type."""
    axes = tuple(range(in1.ndim))
    if must_swap(mode, tuple(in1.shape), tuple(in2.shape), axes):
        in1, in2 = in2, in1
    if _are_worth_spectra(in1, in2, axes, mode, dtype):
        return True
    if math.prod(in2.shape) > math.prod(in1.shape):
        in1, in2 = in2, in1
    weights = as_weights(in2)
    if sum(taps > 1 for taps in weights.shape) > 3:
        return weights.size >= JOINED
    real = np.dtype(np.float32 if dtype.kind in "fc" and dtype.itemsize <= (8 if dtype.kind == "c" else 4) else np.float64)
    weights = np.ascontiguousarray(weights.real, np.float64)
    options = options_of(None, "constant", 0.0, None, mode, "half_even", "saturate", 1.0, 0.0, 1, "automatic", "automatic", False, 0)
    entry = prepare(packed(tuple(in1.shape), real), None, None, weights, options)
    return isinstance(entry, Direct) and "fft" in entry.plan.methods


def along(in1: Any, in2: Any, axes: Shape, mode: str, given: Shape, dtype: DType) -> Any:
    """Convolutions along `axes`, with a filter for each place along the others."""
    ndim = in1.ndim
    if not axes and isinstance(in1, np.ndarray):
        made: Any = _products(in1, as_weights(in2)).astype(dtype, copy=False)
        return np.ascontiguousarray(centred(made, given)) if mode == "same" else made
    others = [axis for axis in range(ndim) if axis not in axes]
    sizes = [math.prod(each.shape[axis] for axis in axes) for each in (in1, in2)]
    varies = [any(each.shape[axis] != 1 for axis in others) for each in (in1, in2)]
    are_both_here = isinstance(in1, np.ndarray) and isinstance(in2, np.ndarray)
    is_outer = all(1 in (in1.shape[axis], in2.shape[axis]) for axis in others)
    if is_outer and (all(varies) or len(axes) > 2) and mode != "valid" and are_both_here:
        return by_smaller(in1, in2, tuple(range(ndim)), mode, dtype)  # products of one element and many are sums of one term
    if not all(varies) and _are_worth_spectra(in1, in2, axes, mode, dtype):
        if (made := _signal_spectra.convolve(in1, in2, axes, mode, dtype, given)) is not None:
            return made
    if mode == "same" and sizes[1] > sizes[0]:
        made = _middle(in1, in2, axes, lambda in1, in2: along(in1, in2, axes, "full", given, dtype))
        return np.ascontiguousarray(centred(made, given))
    if mode == "full" and (varies[1] and not varies[0] or sizes[1] > sizes[0] and varies[0] == varies[1]):
        in1, in2, sizes, varies = in2, in1, sizes[::-1], varies[::-1]
    is_long = sizes[1] > LONG * sizes[0] and mode == "full"
    if axes and (is_long or varies[1] and sizes[0] < LEAST_OF_FILTER) and are_both_here:
        if min(sizes) <= FEW_TAPS and _are_worth_adding(in1, in2, axes, sizes, dtype):
            return _tap_by_tap(in1, in2, axes, mode, dtype, given)
        if (made := _signal_spectra.convolve(in1, in2, axes, mode, dtype, given)) is not None:
            return made
    if not isinstance(in1, np.ndarray):
        if any(in2.shape[axis] != 1 for axis in others):
            raise ValueError("on a GPU one filter serves the whole array: in2 must have length 1 along the other axes")
        weights = as_weights(in2)
        return convolve(in1, weights.reshape([weights.shape[axis] for axis in axes]), axes, mode, dtype)
    in2 = as_weights(in2)
    lengths = [in2.shape[axis] for axis in axes]
    if all(in2.shape[axis] == 1 for axis in others):
        made = _run_along(in1, in2.reshape(lengths), axes, mode, dtype)
    else:
        shape = [max(n, m) for n, m in zip(in1.shape, in2.shape)]
        made = None
        for index in itertools.product(*(range(in2.shape[axis]) for axis in others)):
            at = dict(zip(others, index))
            # Where the filter varies the array is cut to the place it is for; where it does not, the array is taken whole.
            varies = [axis in at and in2.shape[axis] > 1 for axis in range(ndim)]
            place = tuple(slice(at[axis], at[axis] + 1) if varies[axis] else slice(None) for axis in range(ndim))
            source = tuple(slice(None) if in1.shape[axis] == 1 else part for axis, part in enumerate(place))
            weights = in2[tuple(at[axis] if axis in at else slice(None) for axis in range(ndim))]
            part = _run_along(in1[source], weights, axes, mode, dtype)
            if made is None:
                made = np.empty([part.shape[axis] if axis in axes else shape[axis] for axis in range(ndim)], dtype)
            made[place] = part
    return np.ascontiguousarray(centred(made, given)) if mode == "same" else made


def _are_worth_spectra(in1: Any, in2: Any, axes: Shape, mode: str, dtype: DType) -> bool:
    """Whether NumPy's transforms of both arrays as they are take less than what the library does for each real and imaginary part."""
    if dtype.kind not in "fc" or not (isinstance(in1, np.ndarray) and isinstance(in2, np.ndarray)) or min(in1.size, in2.size) < SPECTRAL:
        return False
    parts = (1, 2, 4)[(in1.dtype.kind == "c") + (in2.dtype.kind == "c")]
    wide = dtype.itemsize // (8 if dtype.kind == "c" else 4)
    ours, by_spectra, _ = seconds_of(in1.shape, in2.shape, axes, mode, parts, wide)
    return by_spectra < ours


@functools.lru_cache(maxsize=1024)
def seconds_of(shape1: Shape, shape2: Shape, axes: Shape, mode: str, parts: int, wide: int) -> tuple[float, float, float]:
    """What convolutions of so many real parts in f32, or f64 where `wide` is 2, are expected to take by the library, by NumPy's
    transforms, and by sums only."""
    pairs = list(zip(shape1, shape2))
    summed = [axis for axis in axes if 1 not in pairs[axis]]
    full = [n + k - 1 if axis in axes else max(n, k) for axis, (n, k) in enumerate(pairs)]
    taps, array = sorted((shape1, shape2), key=math.prod)
    samples = math.prod({"full": m, "same": n, "valid": 2 * n - m}[mode] for n, m in zip(shape1, full))
    products = samples * math.prod(taps)
    sums = products * TAKES.summed * wide + products / array[-1] / taps[-1] * TAKES.summed_row
    transforms = math.prod(full) * math.log2(math.prod(full) + 1) * TAKES.transformed * wide
    ndim, is_complex = sum(m > 1 for m in full), parts > 1
    more = TAKES.times_volumes if ndim > 2 else TAKES.times_pictures if ndim == 2 and is_complex else 1
    begun = (TAKES.of_volumes if ndim > 2 else 0) + is_complex * TAKES.of_complex
    ours, by_sums = (parts * (TAKES.part + each * more) for each in (min(sums, transforms + begun), sums))
    # Both are as long as the result along the axes that are summed along, and transformed there; so is the result.
    lengths = [next_fast(m) if axis in summed else m for axis, m in enumerate(full)]
    if not summed or math.prod(lengths) > MOST_SPECTRAL:
        return ours, math.inf, by_sums
    transformed = math.prod(lengths)
    for given in (shape1, shape2):
        transformed += math.prod(lengths[axis] if axis in summed else n for axis, n in enumerate(given))
    work = transformed * math.log2(math.prod(lengths[axis] for axis in summed))
    if summed[-1] < max(axis for axis, m in enumerate(full) if m > 1):
        work *= TAKES.numpy_apart
    a_sample = TAKES.numpy_real if parts == 1 else TAKES.numpy_complex
    return ours, TAKES.numpy + TAKES.numpy_axis * len(summed) + work * a_sample, by_sums


def _are_worth_adding(in1: NDArray[Any], in2: NDArray[Any], axes: Shape, taps: list[int], dtype: DType) -> bool:
    """Whether products with one tap of all filters after the other take less than NumPy's transforms."""
    products = math.prod(max(n, k) for n, k in zip(in1.shape, in2.shape)) * dtype.itemsize
    _, by_spectra, _ = seconds_of(in1.shape, in2.shape, axes, "full", 4 if dtype.kind == "c" else 1, 1)
    return bool(min(taps) * (TAKES.numpy_product + products * TAKES.numpy_byte) < by_spectra)


def _tap_by_tap(in1: NDArray[Any], in2: NDArray[Any], axes: Shape, mode: str, dtype: DType, given: Shape) -> NDArray[Any]:
    """Convolutions with few taps, which may differ from place to place along the other axes."""
    full, kept = kept_of(in1.shape, in2.shape, axes, mode, given)
    array, weights = (each.astype(dtype, copy=False) for each in (in1, in2))
    if math.prod(in1.shape[axis] for axis in axes) < math.prod(in2.shape[axis] for axis in axes):
        array, weights = weights, array
    made = np.zeros(full, dtype)
    tap, reached = [slice(None)] * made.ndim, [slice(None)] * made.ndim
    for index in np.ndindex(*(weights.shape[axis] for axis in axes)):
        for axis, at in zip(axes, index):
            tap[axis], reached[axis] = slice(at, at + 1), slice(at, at + array.shape[axis])
        made[tuple(reached)] += array * weights[tuple(tap)]
    return np.ascontiguousarray(made[kept])


def _run_along(array: Any, weights: NDArray[Any], axes: Shape, mode: str, dtype: DType) -> Any:
    if not axes:
        return (array * weights).astype(dtype)
    return convolve(array, weights, axes, mode, dtype)
