"""test_signal_calls.py: random calls of halation.signal beside the definition, in long double: each output within a bound of its own
products, NaN and infinities where the definition has them.

`HALATION_EXAMPLES=2000` draws so many calls, anew. A call follows from (seed, number), which a failure names.
"""

import itertools
import math
import os
import warnings

import numpy as np
import pytest

import halation.signal as ours

signal = pytest.importorskip("scipy.signal")

SEED = 20 if "HALATION_EXAMPLES" not in os.environ else int.from_bytes(os.urandom(4), "little")
CALLS = int(os.environ.get("HALATION_EXAMPLES", 400))
GROUPS = 16
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64", ">f4", ">f8", "complex64", "complex128", ">c8", ">c16"]
MODES = ["full", "same", "valid"]
LONGEST = {1: 3000, 2: 120, 3: 24, 4: 9}
MOST_PRODUCTS = 1_000_000
VALUES = ["normal", "positive", "ones", "huge", "nan", "inf", "-inf", "many", "all", "outlier", "speck", "faint", "zeros", "decaying", "mask"]
OWN_BOX = 4  # own_box_factor of core/own_box.h


def real_values(rng, shape, dtype, kind):
    """Numbers of one kind, as f64 that a real float type holds."""
    n = math.prod(shape)
    made = rng.standard_normal(n)
    if kind == "positive":
        made = rng.random(n)
    elif kind == "ones":
        made = np.ones(n)
    elif kind == "huge":  # whose sums overflow
        made = rng.uniform(0.5, 1, n) * float(np.finfo(dtype).max) ** rng.choice([0.45, 0.5])
    elif kind in ("nan", "inf", "-inf"):
        made[rng.integers(n)] = float(kind)
    elif kind in ("outlier", "speck"):
        made[rng.integers(n)] = 1e30 if kind == "outlier" else 1e-30
    elif kind == "faint":
        made *= np.where(np.arange(n) == rng.integers(n), 1, 1e-30)
    elif kind == "many":
        made[rng.random(n) < 0.3] = np.nan
        made[rng.random(n) < 0.1] = np.inf
        made[rng.random(n) < 0.1] = -np.inf
        made[rng.random(n) < 0.1] = 0
    elif kind == "all":
        made[:] = rng.choice([np.nan, np.inf, -np.inf])
    elif kind == "zeros":
        made[rng.random(n) < 0.97] = 0
    elif kind == "decaying":
        made = np.exp(-np.arange(n) / rng.uniform(1, 20))
    elif kind == "mask":
        made = (rng.random(n) < 0.5).astype(float)
    return made.reshape(shape)


def values(rng, shape, dtype, kind):
    if dtype.kind == "b":
        return rng.random(shape) < (0.02 if kind == "zeros" else 0.4)
    if dtype.kind in "iu":
        whole = kind in ("huge", "outlier")
        low, high = (np.iinfo(dtype).min, np.iinfo(dtype).max) if whole else (0 if dtype.kind == "u" else -9, 9)
        return rng.integers(low, high, shape, dtype=dtype.newbyteorder("="), endpoint=True)
    with np.errstate(over="ignore"):
        real = np.empty(0, dtype).real.dtype
        parts = [real_values(rng, shape, real, kind)]
        if dtype.kind == "c":
            parts.append(real_values(rng, shape, real, kind if rng.random() < 0.5 or kind == "huge" else "normal"))
            parts[1] *= rng.choice([1, 1, 1e-4, 1e-7])
        made = np.empty(shape, dtype)
        made.real = parts[0]
        if dtype.kind == "c":
            made.imag = parts[1]
        return made


def laid_out(rng, array):
    """The same numbers, lying in memory in another way."""
    how = rng.choice(["packed", "packed", "reversed", "strided", "fortran"])
    if how == "reversed":
        return array[(slice(None, None, -1),) * array.ndim].copy()[(slice(None, None, -1),) * array.ndim]
    if how == "strided":
        wide = np.zeros([2 * n for n in array.shape], array.dtype)
        wide[(slice(None, None, 2),) * array.ndim] = array
        return wide[(slice(None, None, 2),) * array.ndim]
    return np.asfortranarray(array) if how == "fortran" else array


def shapes(rng, mode):
    while True:
        ndim = int(rng.choice([1, 1, 1, 2, 2, 3, 4]))
        lengths = [[max(1, int(LONGEST[ndim] ** rng.random())) for _ in range(ndim)] for _ in range(2)]
        if rng.random() < 0.15:
            lengths[1] = lengths[0]
        if mode == "valid":
            pairs = [sorted(pair, reverse=True) for pair in zip(*lengths)]
            lengths = [list(each) for each in zip(*pairs)]
            lengths = lengths[::-1] if rng.random() < 0.3 else lengths
        if math.prod(map(math.prod, lengths)) <= MOST_PRODUCTS:
            return tuple(lengths[0]), tuple(lengths[1])


class Call:
    """One call, drawn."""

    def __init__(self, seed, number):
        rng = np.random.default_rng([seed, number])
        self.name = str(rng.choice(["convolve", "convolve", "correlate", "correlate", "convolve2d", "fftconvolve", "oaconvolve"]))
        self.mode = str(rng.choice(MODES))
        self.first, self.second = shapes(rng, self.mode)
        if self.name == "convolve2d":
            while len(self.first) != 2:
                self.first, self.second = shapes(rng, self.mode)
        dtypes = [np.dtype(str(rng.choice(FLOATS if rng.random() < 0.75 else [*INTEGERS, "bool"]))) for _ in range(2)]
        if rng.random() < 0.6:
            dtypes[1] = dtypes[0]
        self.kinds = [str(rng.choice(VALUES)) if rng.random() < 0.7 else "normal" for _ in range(2)]
        self.words = {"mode": self.mode}
        if self.name in ("convolve", "correlate"):
            self.words["method"] = str(rng.choice(["auto", "auto", "direct", "fft"]))
        if self.name == "convolve2d":
            self.words |= {"boundary": str(rng.choice(["fill", "fill", "wrap", "symm"])), "fillvalue": int(rng.choice([0, 0, 2]))}
        self.axes = None
        if self.name in ("fftconvolve", "oaconvolve") and len(self.first) > 1 and rng.random() < 0.5:
            self.axes = tuple(int(axis) for axis in rng.permutation(len(self.first))[: rng.integers(1, len(self.first))])
            self.second = tuple(
                k if axis in self.axes else int(rng.choice([1, n])) for axis, (n, k) in enumerate(zip(self.first, self.second))
            )
        self.a, self.b = (
            laid_out(rng, values(rng, shape, dtype, kind)) for shape, dtype, kind in zip((self.first, self.second), dtypes, self.kinds)
        )
        if self.axes is not None:
            self.words["axes"] = self.axes

    @property
    def is_transformed(self):
        return self.words.get("method") == "fft" or self.is_by_name

    @property
    def is_by_name(self):
        return self.name in ("fftconvolve", "oaconvolve")

    def __str__(self):
        return f"{self.name} {self.first} {self.a.dtype} {self.kinds[0]}, {self.second} {self.b.dtype} {self.kinds[1]}, {self.words}"


def summed(a, b, axes, kind):
    """Σ_k a[p − k] b[k] along some axes, over what there is of both: the full result."""
    pairs = list(zip(a.shape, b.shape))
    made = np.zeros([n + k - 1 if axis in axes else max(n, k) for axis, (n, k) in enumerate(pairs)], kind)
    if math.prod(a.shape[axis] for axis in axes) < math.prod(b.shape[axis] for axis in axes):
        a, b = b, a
    for index in itertools.product(*(range(b.shape[axis]) for axis in axes)):
        to, tap = [slice(None)] * a.ndim, [slice(None)] * a.ndim
        for axis, at in zip(axes, index):
            to[axis], tap[axis] = slice(at, at + a.shape[axis]), slice(at, at + 1)
        made[tuple(to)] += a * b[tuple(tap)]
    return made


def around(call, a, b):
    """Both, the first with what lies outside of it where that is a term of sums, and how much was put before each axis."""
    fill = call.words.get("fillvalue", 0)
    if call.name != "convolve2d" or call.mode == "valid" or call.words["boundary"] == "fill" and fill == 0:
        return a, b, None
    how = {"fill": "constant", "wrap": "wrap", "symm": "symmetric"}[call.words["boundary"]]
    more = {"constant_values": fill} if how == "constant" else {}
    return np.pad(a, [(k - 1, k - 1) for k in b.shape], how, **more), b, [k - 1 for k in b.shape]


def defined(call):
    """The result by its definition, and Σ|a||b| of each output; as complex numbers of both parts where there are such."""
    a, b = call.a, call.b
    if call.name == "correlate":
        b = np.flip(b).conj()
    axes = tuple(range(a.ndim)) if call.axes is None else call.axes
    if call.mode == "valid" and not all(a.shape[axis] >= b.shape[axis] for axis in axes):
        a, b = b, a
    is_complex = "c" in (a.dtype.kind, b.dtype.kind)
    wide = np.clongdouble if is_complex else np.longdouble
    a, b = a.astype(wide), b.astype(wide)
    shapes = a.shape, b.shape
    a, b, before = around(call, a, b)
    full = summed(a, b, axes, wide)
    kept = kept_of(call, *shapes, axes, before)
    parts = [[np.where(np.isfinite(part), np.abs(part), 0) for part in ((each.real, each.imag) if is_complex else (each,))] for each in (a, b)]
    norms = of_norms(parts, axes, call)[kept] if call.is_transformed else 0
    gone = vanishing(call, parts, axes)
    return full[kept], [size[kept] for size in magnitudes(*parts, axes)], [0, 0] if gone is None else [size[kept] for size in gone], norms


def magnitudes(of_first, of_second, axes):
    """Σ|a||b| of each part."""
    (ar, *ai), (br, *bi) = of_first, of_second
    if not ai:
        return [summed(ar, br, axes, np.longdouble)]
    return [summed(ar, br, axes, np.longdouble) + summed(*ai, *bi, axes, np.longdouble),
            summed(ar, *bi, axes, np.longdouble) + summed(*ai, br, axes, np.longdouble)]  # fmt: skip


def vanishing(call, parts, axes):
    """The same of products with numbers below the normal ones of a type, which may count as 0."""
    tiny = np.finfo(np.float64 if "d" in np.result_type(call.a, call.b, np.float32).char.lower() else np.float32).tiny
    low = [[np.where(part < tiny, part, 0) for part in each] for each in parts]
    if not any(part.any() for each in low for part in each):
        return None
    return [one + other for one, other in zip(magnitudes(low[0], parts[1], axes), magnitudes(parts[0], low[1], axes))]


def of_norms(parts, axes, call):
    """What transforms round a share of, over each output's own box: the norm of the filter times that of all samples, or OWN_BOX * the root
    of their number * the norm of those under the filter, where that is less. The larger array is filtered, as a whole or along the axes; of
    one of which 'same' needs a part only, either may be."""
    arrays = [np.sqrt(sum(part**2 for part in each)) for each in parts]
    summed_along = [axis for axis in axes if all(each.shape[axis] > 1 for each in arrays)]
    lengths = [math.prod(each.shape[axis] for axis in summed_along) for each in arrays]
    filtered = {int(arrays[0].size < arrays[1].size), int(lengths[0] < lengths[1])}
    bound = 0
    for which in {0, 1} if call.mode == "same" and lengths[0] < lengths[1] else filtered:
        array, weights = arrays[which], arrays[1 - which]
        samples = math.prod(array.shape[axis] + weights.shape[axis] for axis in axes)
        under = OWN_BOX * math.sqrt(samples) * np.sqrt(summed(array**2, np.ones(weights.shape), axes, np.longdouble))
        bound = np.maximum(bound, np.sqrt(np.sum(weights**2)) * np.minimum(np.sqrt(np.sum(array**2)), under))
    return bound


def kept_of(call, first, second, axes, before):
    """What a mode keeps of a full result, before which so much more was summed."""
    kept = []
    for axis, (n, k) in enumerate(zip(first, second)):
        low, count = 0, max(n, k)
        if axis in axes:
            low, count = {"full": (0, n + k - 1), "same": ((k - 1) // 2, n), "valid": (k - 1, n - k + 1)}[call.mode]
            low += 0 if before is None else before[axis]
        elif call.mode == "same":
            count = call.first[axis]
            low = (max(n, k) - count) // 2
        kept.append(slice(low, low + count))
    return tuple(kept)


def check(call):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        got = getattr(ours, call.name)(call.a, call.b, **call.words)
        kind = np.result_type(call.a, call.b)
        if call.name in ("convolve", "correlate", "convolve2d") and kind.kind in "biu":
            check_whole(call, got, kind)
            return
        if got.dtype.kind in "biu":
            np.testing.assert_array_equal(got, getattr(signal, call.name)(call.a, call.b, **call.words))
            return
        check_floats(call, got, *defined(call))
        if call.name == "convolve":
            assert ours.choose_conv_method(call.a, call.b, call.mode) in ("direct", "fft")


def check_whole(call, got, kind):
    """Whole numbers, exact modulo 2**64, and bool."""
    if call.words.get("method") == "fft":
        return  # which may round sums
    wide = np.int64 if kind.kind == "b" else np.uint64
    a, b, axes = call.a.astype(wide), call.b.astype(wide), tuple(range(call.a.ndim))
    b = np.flip(b) if call.name == "correlate" else b
    if call.mode == "valid" and not all(n >= k for n, k in zip(a.shape, b.shape)):
        a, b = b, a
    shapes = a.shape, b.shape
    a, b, before = around(call, a, b)
    expected = summed(a, b, axes, wide)[kept_of(call, *shapes, axes, before)]
    assert got.dtype == kind
    np.testing.assert_array_equal(got, expected != 0 if kind.kind == "b" else expected.astype(kind))


def check_floats(call, got, exact, sizes, gone, norms):
    assert got.shape == exact.shape
    real = got.real.dtype
    bits = {2: 11, 4: 24, 8: 53}[real.itemsize] if got.dtype.kind in "fc" else 53
    unit = 2.0 ** -max(bits, 24)
    reaches_over = around(call, call.a, call.b)[2] is not None  # all taps meet samples, more of them than there are
    terms = call.b.size if reaches_over else min(call.a.size, call.b.size)
    parts = [(got.real, exact.real), (got.imag, exact.imag)] if got.dtype.kind == "c" else [(got, exact.real)]
    for (part, wanted), size, vanished in zip(parts, sizes, gone):
        rounded = wanted.astype(real if got.dtype.kind in "fc" else np.float64)
        bound = unit * (4 * terms + 16) * size
        if call.is_transformed:
            bound = bound + unit * (16 + 4 * math.log2(terms * max(call.a.size, call.b.size))) * norms
        bound = bound + 2.0 ** (1 - bits) * np.abs(wanted) + vanished + float(np.finfo(real).tiny) * 2 * terms
        edge = np.abs(np.abs(wanted) - np.finfo(real).max) <= bound  # where rounding says whether a sum overflows
        edge |= np.isfinite(wanted) & (bound > np.finfo(real).max) & np.isinf(part)
        if got.dtype.kind == "c":  # a difference of two sums that overflow
            edge |= np.isfinite(wanted) & (size > 0.49 * np.finfo(real).max)
        assert np.array_equal(np.isnan(part)[~edge], np.isnan(rounded)[~edge]), "NaN"
        assert np.array_equal(part[np.isinf(rounded) & ~edge], rounded[np.isinf(rounded) & ~edge]), "infinities"
        finite = np.isfinite(rounded) & ~edge
        apart = np.abs(part[finite].astype(np.longdouble) - wanted[finite])
        assert np.all(apart <= bound[finite]), f"off by up to {float(np.max(apart / np.maximum(bound[finite], 1e-4000))):.3g} of the bound"
        assert not part[((norms if call.is_transformed else size) == 0) & np.isfinite(wanted)].any(), "a box of zeros"
        if not call.is_transformed and all(each.dtype.kind in "fiub" and not (each < 0).any() for each in (call.a, call.b)):
            assert not (part < 0).any(), "negative"


@pytest.mark.parametrize("group", range(GROUPS))
def test_calls(group):
    for number in range(group, CALLS, GROUPS):
        call = Call(SEED, number)
        try:
            check(call)
        except Exception as error:
            raise AssertionError(f"call {number} of seed {SEED}: {call}: {error}") from error
