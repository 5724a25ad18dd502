"""scan_signal_calls.py: random calls of scipy.signal's convolutions, each as the line of Python that makes it, and what is near.

A call is drawn from (seed, number) alone. Its text is what is run, over `np`, `m` (the module) and the arrays `a` and `b`.
"""
import math

import numpy as np
import scipy.signal

from scan_calls import DTYPES

MODES = ["full", "same", "valid"]
BOUNDARIES = ["fill", "wrap", "symm"]
class Sizes:
    """How large the arrays of a call are: axes by their number, elements, and products that SciPy adds up one by one."""

    def __init__(self, share, longest, elements, summed):
        self.share, self.longest, self.elements, self.summed = share, dict(enumerate(longest, 1)), elements, summed


# Small and middle calls are most, so that a hundred thousand are done in an hour or two.
SIZES = [Sizes(0.4, (2_000, 60, 16, 8), 10_000, 300_000), Sizes(0.585, (100_000, 400, 50, 16), 200_000, 3_000_000),
         Sizes(0.015, (1_000_000, 2000, 150, 40), 2_000_000, 100_000_000)]
SMALL = 100  # magnitude of numbers whose sums by transforms in f64 are exact when rounded


class Call:
    """A call as text, the arrays that it is made of, and what its result may be off by."""

    def __init__(self, name, arrays, shapes, arguments, axes):
        self.name, self.arrays, self.shapes, self.arguments, self.axes = name, arrays, shapes, arguments, axes
        self.elements = math.prod(shapes[0])
        self.taps = math.prod(shapes[1])

    def text(self):
        given = [f"{key}={value!r}" for key, value in self.arguments.items()]
        taken = ["a", "b", "c"] if self.name == "sepfir2d" else ["a", "b"]
        return f"m.{self.name}({', '.join([*taken, *given])})"

    def line(self):
        """What reproduces it, as one line of Python."""
        made = "; ".join(f"{name} = {text}" for name, text in zip("abc", self.arrays))
        return f"import numpy as np, halation.signal as m; {made}; {self.text()}"

    def sides(self, ours, theirs):
        """The call by either module, the exact result for SciPy's, and what is wrong with one."""
        arrays = [eval(text, {"np": np}) for text in self.arrays]
        given = [array.astype(np.float32) if array.dtype == np.float16 else array for array in arrays]

        def call_of(module, arrays):
            function = getattr(module, self.name)
            return lambda: function(*arrays, **self.arguments)

        def exact(wanted):
            return self._exact(arrays, wanted)

        def wrong(got, exact, wanted):
            return self._wrong(got, exact, arrays)

        return call_of(ours, arrays), call_of(theirs, given), exact, wrong

    def is_of_integers(self, arrays):
        """Whether the result is of whole numbers or bool."""
        named = self.name in ("convolve", "correlate", "convolve2d")
        return named and np.result_type(*arrays).kind in "biu"

    def _exact(self, arrays, wanted):
        if wanted.dtype.kind in "biu" and self.name in ("fftconvolve", "oaconvolve"):
            return wanted  # nothing is summed, and so nothing becomes a float
        function = getattr(scipy.signal, self.name)
        if not self.is_of_integers(arrays):
            wide = [array.astype(np.complex128 if array.dtype.kind == "c" else np.float64) for array in arrays]
            return function(*wide, **self.arguments)
        kind = np.result_type(*arrays)
        if self.name != "convolve2d" and _is_small(arrays):
            whole = function(*(array.astype(np.float64) for array in arrays), self.arguments["mode"], "fft")
            whole = np.rint(whole).astype(np.int64)
            return whole != 0 if kind.kind == "b" else whole.astype(kind)
        unsigned = [array.astype(np.uint64 if kind.kind != "b" else np.int64) for array in arrays]  # modulo 2**64
        arguments = self.arguments if self.name == "convolve2d" else {"mode": self.arguments["mode"], "method": "direct"}
        whole = function(*unsigned, **arguments)
        return whole != 0 if kind.kind == "b" else whole.astype(kind)

    def _differs(self, got, exact, arrays):
        """Where whole numbers differ: transforms that the caller asked for by name may round sums, which wrap then."""
        if self.arguments.get("method") != "fft" or got.dtype != exact.dtype or got.dtype.kind == "b" or _is_small(arrays):
            return got != exact
        apart = np.abs((got - exact).view(f"i{got.dtype.itemsize}").astype(np.float64))
        return apart > 2.0**-53 * (16 + 4 * math.log2(self.elements * self.taps + 1)) * math.prod(_norm(array) for array in arrays)

    def _wrong(self, got, exact, arrays):
        if got.shape != exact.shape:
            return f"shape {got.shape}, not {exact.shape}"
        if got.dtype.kind in "biu":
            differ = np.count_nonzero(self._differs(got, exact, arrays))
            return f"{differ} of {got.size} differ" if differ or got.dtype != exact.dtype else ""
        bits = {2: 11, 4: 24, 8: 53}[got.real.dtype.itemsize]
        norm = math.prod(_norm(array) for array in arrays)
        if "boundary" in self.arguments:
            around = abs(self.arguments["fillvalue"]) * math.sqrt(math.prod(n + m for n, m in zip(*self.shapes)))
            norm = (_norm(arrays[0]) * 3 + around) * _norm(arrays[1])
        # Of transforms and of sums alike: a share of the norms of both.
        bound = 2.0 ** -max(bits, 24) * (16 + 4 * math.log2(self.elements * self.taps + 1)) * norm
        bound = bound + 2.0 ** (1 - bits) * np.abs(exact) + 2.0**-24 * (bits == 11)
        within = np.abs(exact) < 65000 if bits == 11 else np.full(exact.shape, True)  # f16 ends at 65504
        off = np.abs(got[within].astype(exact.dtype) - exact[within])
        over = ~(off <= bound[within])
        return f"{np.count_nonzero(over)} of {off.size} differ, by {off[over].max():.3g}" if over.any() else ""


def _norm(array):
    return float(np.linalg.norm(array.astype(np.complex128).ravel()))


def _is_small(arrays):
    return all(int(array.max()) <= SMALL and int(array.min()) >= -SMALL for array in arrays)


def _log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def _length(rng, most):
    return max(1, min(most, int(_log_uniform(rng, 1, most + 1))))


def _array(rng, shape, dtype, full_range):
    """Text of an array of numbers of a size whose sums no f64 rounds."""
    kind, source = np.dtype(dtype), f"np.random.default_rng({rng.integers(2**31)})"
    if kind.kind == "b":
        return f"{source}.random({shape}) < 0.1"
    if kind.kind in "iu":
        low, high = (0 if kind.kind == "u" else -SMALL), SMALL
        if full_range:
            low, high = np.iinfo(kind).min, int(np.iinfo(kind).max)
        return f"{source}.integers({low}, {high}, {shape}, {dtype!r}, endpoint=True)"
    if kind.kind == "c":
        return f"(({source}.integers(-800, 800, {(*shape, 2)}) / 8).view('complex128')[..., 0]).astype({dtype!r})"
    return f"({source}.integers(-800, 800, {shape}) / 8).astype({dtype!r})"


def draw(seed, number):
    """A call: the first of those drawn that is within the limits."""
    rng = np.random.default_rng([seed, number])
    while True:
        sizes = SIZES[rng.choice(len(SIZES), p=[each.share for each in SIZES])]
        call = _DRAWN[str(rng.choice(list(_DRAWN)))](rng, sizes)
        if call is not None:
            return call


def _shapes(rng, mode, sizes, dims=(1, 1, 1, 1, 2, 2, 2, 3, 3, 4)):
    """Two shapes that fit a mode, the second at times the larger one."""
    ndim = int(rng.choice(dims))
    longest = sizes.longest[ndim]
    first = tuple(_length(rng, longest) for _ in range(ndim))
    second = tuple(_length(rng, longest if rng.random() < 0.3 else max(1, longest // 20)) for _ in range(ndim))
    if mode == "valid":
        first, second = (tuple(each) for each in zip(*(sorted(pair, reverse=True) for pair in zip(first, second))))
        first, second = (second, first) if rng.random() < 0.1 else (first, second)
    return first, second


def _dtypes(rng):
    first = str(rng.choice(DTYPES))
    return first, first if rng.random() < 0.7 else str(rng.choice(DTYPES))


def _is_too_large(shapes, sizes):
    return math.prod(n + m for n, m in zip(*shapes)) > sizes.elements


def _all_axes(name):
    def drawn(rng, sizes):
        mode, method = str(rng.choice(MODES)), str(rng.choice(["auto", "auto", "fft", "direct"]))
        shapes, dtypes = _shapes(rng, mode, sizes), _dtypes(rng)
        summed = math.prod(shapes[0]) * math.prod(shapes[1])
        if _is_too_large(shapes, sizes) or (method == "direct" and summed > sizes.summed):
            return None
        full_range = rng.random() < 0.2 and summed <= sizes.summed
        arrays = [_array(rng, shape, dtype, full_range) for shape, dtype in zip(shapes, dtypes)]
        return Call(name, arrays, shapes, {"mode": mode, "method": method}, None)

    return drawn


def _some_axes(name):
    def drawn(rng, sizes):
        mode = str(rng.choice(MODES))
        first, second = _shapes(rng, mode, sizes)
        axes = None
        if rng.random() < 0.4:
            axes = sorted(int(axis) for axis in rng.permutation(len(first))[: rng.integers(1, len(first) + 1)])
            whole = rng.random() < 0.3  # a filter for each place
            second = tuple(m if axis in axes else n if whole else 1 for axis, (n, m) in enumerate(zip(first, second)))
            if whole and math.prod(n for axis, n in enumerate(first) if axis not in axes) > 200:
                return None
        shapes, dtypes = (first, second), _dtypes(rng)
        if _is_too_large(shapes, sizes):
            return None
        arrays = [_array(rng, shape, dtype, False) for shape, dtype in zip(shapes, dtypes)]
        return Call(name, arrays, shapes, {"mode": mode} if axes is None else {"mode": mode, "axes": axes}, axes)

    return drawn


def _two_axes(rng, sizes):
    mode, boundary = str(rng.choice(MODES)), str(rng.choice(BOUNDARIES))
    shapes, dtypes = _shapes(rng, mode, sizes, (2,)), _dtypes(rng)
    if math.prod(shapes[0]) * math.prod(shapes[1]) > sizes.summed or "float16" in dtypes or dtypes == ("bool", "bool"):
        return None
    arguments = {"mode": mode, "boundary": boundary, "fillvalue": int(rng.choice([0, 0, 1, 3]))}
    arrays = [_array(rng, shape, dtype, rng.random() < 0.2) for shape, dtype in zip(shapes, dtypes)]
    return Call("convolve2d", arrays, shapes, arguments, None)


def _by_rows_and_columns(rng, sizes):
    shape = tuple(_length(rng, sizes.longest[2]) for _ in range(2))
    taps = [2 * int(rng.integers(0, (min(n, 200) - 1) // 2 + 1)) + 1 for n in shape]
    dtype = str(rng.choice(["float32", "float64", "complex64", "complex128"]))
    weights = [f"np.random.default_rng({rng.integers(2**31)}).random({n})" for n in reversed(taps)]
    return Call("sepfir2d", [_array(rng, shape, dtype, False), *weights], (shape, (taps[0] * taps[1],)), {}, None)


_DRAWN = {"convolve": _all_axes("convolve"), "correlate": _all_axes("correlate"), "fftconvolve": _some_axes("fftconvolve"),
          "oaconvolve": _some_axes("oaconvolve"), "convolve2d": _two_axes, "sepfir2d": _by_rows_and_columns}
