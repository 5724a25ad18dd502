"""_complex.py: complex arrays and complex weights, by filters of real ones."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _cache
from ._job import Job, check_writable
from ._weights import multiplied_out

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from ._options import Options
    from ._types import DType, Entry, Filters

# Taps, of parts in f32 and in f64, and elements from which on packing each part by itself is the quicker way.
MANY_TAPS, MANY_SAMPLES = {2: 32, 4: 128, 8: 32}, 1 << 12
LARGE = 1 << 16  # elements from which on one pass over both parts and their edges is the quicker way


def correlate(array: NDArray[Any], filters: Filters, options: Options, out: NDArray[Any] | None, dtype: DTypeLike | None) -> NDArray[Any]:
    """`_engine.correlate` where the array or the weights are complex, on the CPU."""
    kind = kind_of_result(array.dtype, options, dtype if out is None else out.dtype)
    if out is not None and np.may_share_memory(array, out):
        check_writable(out)
        out[...] = correlate(array, filters, options, None, kind)
        return out
    if not kind.isnative or kind.char == "G":
        made = correlate(array, filters, options, None, np.dtype(np.complex128)).astype(kind)
        if out is None:
            return made
        out[...] = made
        return out
    array = array if array.dtype.isnative and array.dtype.char != "G" else array.astype(np.complex128)
    dense, given = as_dense(filters), out
    if out is None:
        shape = array.shape if options.extent == "same" else Job(array.shape, dense, around(options, 0.0)).out_shape
        out = np.empty(shape, kind)
    else:
        check_writable(out)
    if isinstance(dense, np.ndarray) and dense.dtype.kind == "c":
        _complex_weights(array, dense, options, out)
    elif (steps := _cache.STEPS.get()) is None:
        _real_weights(array, dense, options, out)
    else:
        with _cache.noting([]) as inner:
            _real_weights(array, dense, options, out)
        if array.size < LARGE:  # else results were added to
            steps.append((OfParts([entry for entry, *_ in inner], out), array, given, out if len(inner) <= 2 else None))
    return out


def kind_of_result(given: DType, options: Options, asked: DTypeLike | None) -> DType:
    """The type of a complex result: the one asked for, else that of the input, made complex."""
    if options.magnitude:
        raise TypeError("a magnitude is for real numbers")
    if options.divisor != 1 or options.offset != 0:
        raise TypeError("complex arrays take no offset and no divisor")
    kind = np.promote_types(np.complex64, given) if asked is None else np.dtype(asked)
    if kind.kind != "c":
        raise TypeError(f"output must be complex where the input or the weights are, got {kind}")
    return kind


def _real_weights(array: NDArray[Any], dense: Filters, options: Options, out: NDArray[Any]) -> None:
    cvals = options.cvals
    if parts_alike(options.borders, cvals):
        _cache.correlate(_pair(array), dense, over_axes(options, array.ndim, real_of(cvals)), _pair(out))
    elif array.size >= LARGE and (edges := _edges(array, dense, options)):
        _cache.correlate(_pair(array), dense, over_axes(options, array.ndim, 0.0), _pair(out))
        for where, sums in edges:
            out[where] += sums
    else:
        _cache.correlate(array.real, dense, around(options, real_of(cvals)), out.real)
        _cache.correlate(array.imag, dense, around(options, imag_of(cvals)), out.imag)


def _edges(array: NDArray[Any], filters: Filters, options: Options) -> list[tuple[tuple[slice, ...], NDArray[Any]]]:
    """Where a filter along one axis meets the constant around an array, and what that adds to sums around 0: pairs of places and
    additions; none where there are several axes, or constants that are not numbers."""
    axes = range(array.ndim) if options.axes is None else options.axes
    long = [i for i, factor in enumerate(filters) if len(factor) > 1] if isinstance(filters, tuple) else []
    if len(long) != 1 or options.extent != "same":
        return []
    given: tuple[Any, ...] = (options.borders, options.cvals, options.anchors)
    border, constant, anchor = (each[long[0]] if isinstance(each, tuple) else each for each in given)
    if border != "constant" or anchor is None or not np.isfinite(constant):
        return []
    axis, factor = axes[long[0]] % array.ndim, filters[long[0]]
    n, after = array.shape[axis], len(factor) - 1 - anchor
    gain = options.scale * np.prod([one[0] for i, one in enumerate(filters) if i != long[0]])
    sums = np.concatenate([[0.0], np.cumsum(factor)])
    at = np.arange(n)
    outside = sums[np.clip(anchor - at, 0, len(factor))] + (sums[-1] - sums[np.clip(n + anchor - at, 0, len(factor))])
    added = (constant * gain * outside).reshape([-1] + [1] * (array.ndim - 1 - axis)).astype(array.dtype)
    low = min(anchor, n)
    return [((slice(None),) * axis + (part,), added[part]) for part in (slice(0, low), slice(max(low, n - after), n))]


def _pair(array: NDArray[Any]) -> NDArray[Any]:
    """An array with its real and imaginary parts as one more axis at the end."""
    return array[..., np.newaxis].view(array.real.dtype)


class OfParts:
    """Complex arrays and real weights, by what filters both parts as channels, or one after the other."""

    def __init__(self, entries: list[Entry], out: NDArray[Any]) -> None:
        self.shape, self.dtype, self._entries = out.shape, out.dtype, entries
        self.kept_bytes = sum([entry.kept_bytes for entry in entries])

    def run(self, array: NDArray[Any], out: NDArray[Any] | None, stream: int) -> NDArray[Any] | None:
        if out is None:
            out = np.empty(self.shape, self.dtype)
        if len(self._entries) == 1:
            return None if self._entries[0].run(_pair(array), _pair(out), stream) is None else out
        for entry, part, twin in zip(self._entries, (array.real, array.imag), (out.real, out.imag)):
            if entry.run(part, twin, stream) is None:
                return None
        return out


def _complex_weights(array: NDArray[Any], dense: NDArray[Any], options: Options, out: NDArray[Any]) -> None:
    cvals = options.cvals
    real, imag = np.array(dense.real, order="C"), np.array(dense.imag, order="C")
    if array.dtype.kind != "c":
        check_real(cvals)
        for part, weights in ((out.real, real), (out.imag, imag)):  # by way of packed arrays: channels apart go one by one
            part[...] = _cache.correlate(array, weights, options, None, part.dtype)
        return
    kind = out.real.dtype
    alike = parts_alike(options.borders, cvals)
    if alike and (real.size < MANY_TAPS[kind.itemsize] or array.size < MANY_SAMPLES):  # both parts at once, packed
        pair, over = _pair(array), over_axes(options, array.ndim, real_of(cvals))
        by_real = _cache.correlate(pair, real, over, None, kind)
        by_imag = _cache.correlate(pair, imag, over, None, kind)
        np.subtract(by_real[..., 0], by_imag[..., 1], out=out.real)
        np.add(by_real[..., 1], by_imag[..., 0], out=out.imag)
        return
    # Four products, of parts packed by themselves: by three, of sums of parts, the larger part would round away the smaller one.
    of_real, of_imag = around(options, real_of(cvals)), around(options, imag_of(cvals))
    reals, imags = np.array(array.real, order="C"), np.array(array.imag, order="C")
    with np.errstate(invalid="ignore"):  # of infinities
        np.subtract(_cache.correlate(reals, real, of_real, None, kind), _cache.correlate(imags, imag, of_imag, None, kind), out=out.real)
        np.add(_cache.correlate(reals, imag, of_real, None, kind), _cache.correlate(imags, real, of_imag, None, kind), out=out.imag)


def check_real(cvals: complex | tuple[complex, ...]) -> None:
    if np.any(imag_of(cvals)):
        raise ValueError("cval must be real where the input is real")


def as_dense(filters: Filters) -> Filters:
    """Complex factors multiplied out; real ones as they are."""
    if not isinstance(filters, tuple) or all(factor.dtype.kind != "c" for factor in filters):
        return filters
    return multiplied_out(filters)


def parts_alike(borders: str | tuple[str, ...], cvals: complex | tuple[complex, ...]) -> bool:
    """Whether one constant stands outside the real and the imaginary parts."""
    if "constant" not in (borders if isinstance(borders, tuple) else (borders,)):
        return True
    return real_of(cvals) == imag_of(cvals)


@overload
def real_of(cvals: complex) -> float: ...
@overload
def real_of(cvals: tuple[complex, ...]) -> tuple[float, ...]: ...
def real_of(cvals: complex | tuple[complex, ...]) -> float | tuple[float, ...]:
    return tuple(map(real_of, cvals)) if isinstance(cvals, tuple) else float(np.real(cvals))


@overload
def imag_of(cvals: complex) -> float: ...
@overload
def imag_of(cvals: tuple[complex, ...]) -> tuple[float, ...]: ...
def imag_of(cvals: complex | tuple[complex, ...]) -> float | tuple[float, ...]:
    return tuple(map(imag_of, cvals)) if isinstance(cvals, tuple) else float(np.imag(cvals))


@functools.lru_cache(maxsize=256)
def around(options: Options, cvals: complex | tuple[complex, ...]) -> Options:
    """The options for one part of the numbers, around which the constants are these."""
    return dataclasses.replace(options, cvals=cvals)


@functools.lru_cache(maxsize=256)
def over_axes(options: Options, ndim: int, cvals: complex | tuple[complex, ...]) -> Options:
    """The options for an array with the two parts as one more axis at the end."""
    axes = range(ndim) if options.axes is None else [axis % ndim for axis in options.axes]
    return dataclasses.replace(options, axes=tuple(axes), cvals=cvals)
