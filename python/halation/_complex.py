"""_complex.py: complex arrays and complex weights, by filters of real ones."""

import numpy as np

from . import _engine

# Places of words in the tuple that `_engine.correlate` makes.
BORDERS, CVALS, ANCHORS, EXTENT, SCALE, MAGNITUDE = 1, 2, 3, 4, 7, 12
LARGE = 1 << 16  # elements from which on one pass over both parts and their edges is the quicker way


def correlate(array, filters, words, out, dtype):
    """`_engine.correlate` where the array or the weights are complex, on the CPU."""
    if words[MAGNITUDE]:
        raise TypeError("a magnitude is for real numbers")
    if words[9] != 1 or words[8] != 0:
        raise TypeError("complex arrays take no offset and no divisor")
    if dtype is None and out is None:
        dtype = np.promote_types(np.complex64, array.dtype)
    kind = np.dtype(dtype if out is None else out.dtype)
    if kind.kind != "c":
        raise TypeError(f"output must be complex where the input or the weights are, got {kind}")
    if out is not None and np.may_share_memory(array, out):
        _engine.check_writable(out)
        out[...] = correlate(array, filters, words, None, kind)
        return out
    if not kind.isnative or kind.char == "G":
        made = correlate(array, filters, words, None, np.dtype(np.complex128)).astype(kind)
        if out is None:
            return made
        out[...] = made
        return out
    array = array if array.dtype.isnative and array.dtype.char != "G" else array.astype(np.complex128)
    dense, given = _as_dense(filters), out
    if out is None:
        shape = array.shape if words[EXTENT] == "same" else _engine.Job(array.shape, dense, _real(words, 0.0)).out_shape
        out = np.empty(shape, kind)
    else:
        _engine.check_writable(out)
    cvals = words[CVALS]
    if isinstance(dense, np.ndarray) and dense.dtype.kind == "c":
        _complex_weights(array, dense, words, cvals, out)
    elif (steps := _engine.STEPS.get()) is None:
        _real_weights(array, dense, words, cvals, out)
    else:
        with _engine.noting([]) as inner:
            _real_weights(array, dense, words, cvals, out)
        if array.size < LARGE:  # else results were added to
            steps.append((OfParts([entry for entry, *_ in inner], out), array, given, out if len(inner) <= 2 else None))
    return out


def _real_weights(array, dense, words, cvals, out):
    if _parts_alike(words[BORDERS], cvals):
        _engine.correlate_words(_pair(array), dense, _over_axes(words, array.ndim, _real_of(cvals)), _pair(out), None, 0)
    elif array.size >= LARGE and (edges := _edges(array, dense, words)):
        _engine.correlate_words(_pair(array), dense, _over_axes(words, array.ndim, 0.0), _pair(out), None, 0)
        for where, sums in edges:
            out[where] += sums
    else:
        _engine.correlate_words(array.real, dense, _real(words, _real_of(cvals)), out.real, None, 0)
        _engine.correlate_words(array.imag, dense, _real(words, _imag_of(cvals)), out.imag, None, 0)


def _edges(array, filters, words):
    """Where a filter along one axis meets the constant around an array, and what that adds to sums around 0: pairs of places and
    additions; none where there are several axes, or constants that are not numbers."""
    axes = range(array.ndim) if words[0] is None else words[0]
    long = [i for i, row in enumerate(filters) if len(row) > 1] if isinstance(filters, tuple) else []
    if len(long) != 1 or words[EXTENT] != "same":
        return []
    border, constant, anchor = (
        words[place][long[0]] if isinstance(words[place], tuple) else words[place] for place in (BORDERS, CVALS, ANCHORS)
    )
    if border != "constant" or anchor is None or not np.isfinite(constant):
        return []
    axis, row = axes[long[0]] % array.ndim, filters[long[0]]
    n, after = array.shape[axis], len(row) - 1 - anchor
    gain = words[SCALE] * np.prod([one[0] for i, one in enumerate(filters) if i != long[0]])
    sums = np.concatenate([[0.0], np.cumsum(row)])
    at = np.arange(n)
    outside = sums[np.clip(anchor - at, 0, len(row))] + (sums[-1] - sums[np.clip(n + anchor - at, 0, len(row))])
    added = (constant * gain * outside).reshape([-1] + [1] * (array.ndim - 1 - axis)).astype(array.dtype)
    low = min(anchor, n)
    return [((slice(None),) * axis + (part,), added[part]) for part in (slice(0, low), slice(max(low, n - after), n))]


def _pair(array):
    """An array with its real and imaginary parts as one more axis at the end."""
    return array[..., np.newaxis].view(array.real.dtype)


class OfParts:
    """Complex arrays and real weights, by what filters both parts as channels, or one after the other."""

    def __init__(self, entries, out):
        self.shape, self.dtype, self._entries = out.shape, out.dtype, entries
        self.weights_bytes = sum([entry.weights_bytes for entry in entries])

    def run(self, array, out, stream):
        if out is None:
            out = np.empty(self.shape, self.dtype)
        if len(self._entries) == 1:
            return None if self._entries[0].run(_pair(array), _pair(out), stream) is None else out
        for entry, part, twin in zip(self._entries, (array.real, array.imag), (out.real, out.imag)):
            if entry.run(part, twin, stream) is None:
                return None
        return out


def _complex_weights(array, dense, words, cvals, out):
    real, imag = np.ascontiguousarray(dense.real), np.ascontiguousarray(dense.imag)
    if array.dtype.kind != "c":
        if any(isinstance(value, complex) for value in (cvals if isinstance(cvals, tuple) else (cvals,))):
            raise ValueError("cval must be real where the input is real")
        for part, weights in ((out.real, real), (out.imag, imag)):  # by way of packed arrays: channels apart go one by one
            part[...] = _engine.correlate_words(array, weights, words, None, part.dtype, 0)
        return
    kind = out.real.dtype
    if _parts_alike(words[BORDERS], cvals):  # both parts at once, packed
        pair, over = _pair(array), _over_axes(words, array.ndim, _real_of(cvals))
        by_real = _engine.correlate_words(pair, real, over, None, kind, 0)
        by_imag = _engine.correlate_words(pair, imag, over, None, kind, 0)
        np.subtract(by_real[..., 0], by_imag[..., 1], out=out.real)
        np.add(by_real[..., 1], by_imag[..., 0], out=out.imag)
        return
    of_real, of_imag = _real(words, _real_of(cvals)), _real(words, _imag_of(cvals))
    out.real = _engine.correlate_words(array.real, real, of_real, None, kind, 0)
    out.real -= _engine.correlate_words(array.imag, imag, of_imag, None, kind, 0)
    out.imag = _engine.correlate_words(array.real, imag, of_real, None, kind, 0)
    out.imag += _engine.correlate_words(array.imag, real, of_imag, None, kind, 0)


class OfReal:
    """Real arrays and real weights with a complex result, whose imaginary parts are 0."""

    def __init__(self, job, filters, words, dtype):
        self.shape, self.dtype = job.out_shape, dtype
        self._filters, self._words, self.weights_bytes = filters, words, _engine.sum_of_bytes(job.filters)

    def run(self, array, out, stream):
        if out is None:
            out = np.empty(self.shape, self.dtype)
        _engine.check_writable(out)
        _engine.correlate_words(array, self._filters, self._words, out.real, None, stream)
        out.imag = 0
        return out


def _as_dense(filters):
    """Complex factors multiplied out; real ones as they are."""
    if not isinstance(filters, tuple) or all(row.dtype.kind != "c" for row in filters):
        return filters
    dense = filters[0]
    for row in filters[1:]:
        dense = np.multiply.outer(dense, row)
    return dense


def _parts_alike(borders, cvals):
    """Whether one constant stands outside the real and the imaginary parts."""
    if "constant" not in (borders if isinstance(borders, tuple) else (borders,)):
        return True
    return _real_of(cvals) == _imag_of(cvals)


def _real_of(cvals):
    return tuple(map(_real_of, cvals)) if isinstance(cvals, tuple) else float(np.real(cvals))


def _imag_of(cvals):
    return tuple(map(_imag_of, cvals)) if isinstance(cvals, tuple) else float(np.imag(cvals))


def _real(words, cvals):
    return words[:CVALS] + (cvals,) + words[CVALS + 1 :]


def _over_axes(words, ndim, cvals):
    """The words for an array with the two parts as one more axis at the end."""
    axes = tuple(range(ndim)) if words[0] is None else tuple(axis % ndim for axis in words[0])
    return (axes,) + _real(words, cvals)[1:]
