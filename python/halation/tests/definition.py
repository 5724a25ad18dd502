"""definition.py: correlations by their definition, in f64, with what is known of each result: its value, its error, whether it is one.

    out[p] = sum_k(w[k] * in[p + k - anchor])

All weights count, those of 0 too (0 * NaN is NaN). SciPy leaves out dense weights of 0, and its running means keep a NaN: it is not asked.
"""

import dataclasses

import numpy as np

_SOURCES = {
    "reflect": lambda c, n: np.where(c % (2 * n) < n, c % (2 * n), 2 * n - 1 - c % (2 * n)),
    "mirror": lambda c, n: np.zeros_like(c) if n == 1 else np.where(c % (2 * n - 2) < n, c % (2 * n - 2), 2 * n - 2 - c % (2 * n - 2)),
    "nearest": lambda c, n: np.clip(c, 0, n - 1),
    "wrap": lambda c, n: c % n,
    "constant": lambda c, n: np.where((c < 0) | (c >= n), -1, c),
}
_SYNONYMS = {"grid-mirror": "reflect", "grid-constant": "constant", "grid-wrap": "wrap"}


@dataclasses.dataclass
class Known:
    """Of each output: its value in f64, the magnitudes that it is the sum of, and whether what lies between may overflow or, where it is
    rounded to an integer, go either way."""

    value: np.ndarray
    magnitude: np.ndarray
    open: np.ndarray
    squares: np.ndarray  # of what lies under its filter, summed up, beyond the range of f64
    weight_squares: float = 1.0  # of all weights, summed up
    taps: int = 1
    gain: float = 1.0  # what the magnitudes of all weights make of 1

    def __add__(self, other):
        with np.errstate(invalid="ignore", over="ignore"):
            value = self.value + other.value
            magnitude = self.magnitude + other.magnitude
        weight_squares = 2 * (self.weight_squares + other.weight_squares)
        return Known(value, magnitude, self.open | other.open, np.maximum(self.squares, other.squares), weight_squares, self.taps + other.taps,
                     self.gain + other.gain)  # fmt: skip


def known(array):
    """An array as it is given."""
    value = np.array(array, np.complex128 if array.dtype.kind == "c" else np.float64)
    return Known(value, _size(value), np.zeros(value.shape, bool), _square(_size(value)))


def _square(magnitude):
    return np.asarray(magnitude, np.longdouble) ** 2


def _size(value):
    """The magnitude of what is finite of a number."""
    parts = (value.real, value.imag) if np.iscomplexobj(value) else (value,)
    return sum(np.where(np.isfinite(part), np.abs(part), 0.0) for part in parts)


def widened(array, taps, anchors, axes, modes, cval):
    """An array with all that a filter reads around it."""
    for axis, n, anchor, mode in zip(axes, taps, anchors, modes):
        mode = _SYNONYMS.get(mode, mode)
        length = array.shape[axis]
        source = _SOURCES[mode](np.arange(-anchor, length - anchor + n - 1), length)
        array = np.take(array, source, axis=axis)
        if mode == "constant":
            array[(slice(None),) * axis + (source < 0,)] = cval
    return array


def _products(weights, values):
    """Each part of complex numbers by itself: an infinite real part leaves the imaginary one a number."""
    if weights.dtype.kind != "c" and values.dtype.kind != "c":
        return weights * values
    made = np.empty(values.shape, np.complex128)
    if weights.dtype.kind != "c":
        made.real, made.imag = weights * values.real, weights * values.imag
    elif values.dtype.kind != "c":
        made.real, made.imag = weights.real * values, weights.imag * values
    else:
        made.real = weights.real * values.real - weights.imag * values.imag
        made.imag = weights.real * values.imag + weights.imag * values.real
    return made


def correlated(given, weights, axes, anchors, modes, cval, most=np.inf):
    """Dense weights along some axes; `most` is the largest number of what lies between."""
    weights = np.asarray(weights)
    shape = given.value.shape

    def around(array, outside):
        return widened(array, weights.shape, anchors, axes, modes, outside)

    kind = np.complex128 if "c" in (weights.dtype.kind, given.value.dtype.kind) else np.float64
    values = around(given.value, cval)
    magnitudes = around(given.magnitude, _size(np.asarray(cval)))
    squares = around(given.squares, _square(_size(np.asarray(cval))))
    opens = around(given.open, False)
    made = Known(np.zeros(shape, kind), np.zeros(shape), np.zeros(shape, bool), np.zeros(shape, np.longdouble),
                 given.weight_squares * float((np.abs(weights) ** 2).sum()), given.taps * weights.size,
                 given.gain * float(np.abs(weights).sum()))  # fmt: skip
    with np.errstate(all="ignore"):
        for place in np.ndindex(weights.shape):
            part = [slice(None)] * len(shape)
            for axis, begin in zip(axes, place):
                part[axis] = slice(begin, begin + shape[axis])
            part = tuple(part)
            terms = _products(weights[place], values[part])
            made.value.real += terms.real
            if kind is np.complex128:
                made.value.imag += terms.imag
            made.magnitude += np.abs(weights[place]) * magnitudes[part]
            made.squares += squares[part]
            made.open |= opens[part]
    made.open |= made.magnitude >= most
    return made


def factored(given, factors, axes, anchors, modes, cval, most=np.inf, between=None, divisors=None):
    """Factors along one axis after another, as SciPy goes: the constant stands around what lies between as well."""
    for i, (factor, axis, anchor, mode) in enumerate(zip(factors, axes, anchors, modes)):
        given = correlated(given, factor, (axis,), (anchor,), (mode,), cval, most)
        if divisors is not None:
            given.value /= divisors[i]
            given.magnitude /= divisors[i]
            given.weight_squares /= divisors[i] ** 2
        if between is not None:
            given = between(given)
    return given


def root_of_squares(parts, most, least):
    """The root of the sum of squares, where these are numbers of what lies between: from `least` to `most`."""
    with np.errstate(over="ignore"):
        value = np.sqrt(sum(part.value**2 for part in parts))
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    is_open = total.open | (total.magnitude >= np.sqrt(most))
    return dataclasses.replace(total, value=value, magnitude=total.magnitude + np.sqrt(least) * 2.0**26, open=is_open)


def integers(given, dtype, is_whole):
    """Numbers as those of an integer type (of bool: as bytes): towards zero, wrapped as x86-64 converts. Those that rounding may have put across a whole
    number are open; none is where sums are whole."""
    dtype = np.dtype(np.uint8) if dtype.kind == "b" else dtype
    value = given.value
    is_wide = dtype.itemsize == 8 or dtype.kind == "u" and dtype.itemsize == 4
    limit = 2.0**63 if is_wide else 2.0**31
    with np.errstate(invalid="ignore"):
        is_held = np.abs(np.trunc(value)) < limit
        near = (np.abs(value - np.rint(value)) <= 2.0**-40 * (1 + given.magnitude)) & (not is_whole)
        near |= np.isfinite(value) & (np.abs(value) >= min(limit * 0.999, 2.0**52))
    whole = np.where(is_held, np.trunc(np.where(is_held, value, 0.0)), -limit).astype(np.int64).astype(dtype).astype(np.float64)
    return Known(whole, np.abs(whole), given.open | near, _square(whole))
