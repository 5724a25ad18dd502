"""scan_calls.py: random calls of scipy.ndimage's linear filters, each as the line of Python that makes it, and what is near.

A call is drawn from (seed, number) alone. Its text is what is run, over `np`, `m` (the module) and `a` (the array).
"""
import math

import numpy as np

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
# As often as they are met: half of the arrays are of the types that pictures and tables have.
DTYPES = ["uint8", "uint16", "float32", "float32", "float64"] * 2 + ["bool", *INTEGERS, "float16", *COMPLEX]
MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap"]
CVALS = [0.0, 0.0, 1.0, -3.0, 2.5, 7.0]
MOST_AXES, LONGEST, MOST_ELEMENTS, MOST_WORK = 6, 10_000, 4_000_000, 2_000_000_000
LEAST_SIGMA, MOST_SIGMA, MOST_SIZE = 0.3, 1000, 500
# Their results are squares, or differences that cancel: integers keep nothing of them.
NEED_FLOATS = ("gaussian_laplace", "gaussian_gradient_magnitude", "generic_gradient_magnitude")


class Call:
    """A call as text, what it costs SciPy at most, and what its result may be off by."""

    def __init__(self, name, array, shape, dtype, arguments, keywords, output, taps, magnitudes, whole, passes=1):
        self.name, self.array, self.shape, self.dtype = name, array, shape, np.dtype(dtype)
        self.arguments, self.keywords, self.output = arguments, keywords, output
        self.taps, self.magnitudes, self.whole, self.passes = taps, magnitudes, whole, passes

    @property
    def work(self):
        """Taps times elements."""
        return self.taps * math.prod(self.shape)

    def text(self, output):
        """The call alone."""
        given = [f"{key}={value!r}" for key, value in self.keywords.items()]
        if output is not None:
            given.append(f"output={output!r}")
        return f"m.{self.name}({', '.join(['a', *self.arguments, *given])})"

    def line(self):
        """What reproduces it, as one line of Python."""
        return f"import numpy as np, halation.ndimage as m; a = {self.array}; {self.text(self.output)}"

    def make(self):
        """The array."""
        return eval(self.array, {"np": np})

    def of(self, module, array, output=None):
        """The call of a module over an array, to be made any number of times; results of the call's type unless said."""
        names = {"np": np, "m": module}
        values = [eval(text, names) for text in self.arguments]
        keywords = dict(self.keywords)
        if output or self.output:
            keywords["output"] = output or self.output
        function = getattr(module, self.name)
        return lambda: function(array, *values, **keywords)

    @property
    def elements(self):
        """Of the array."""
        return math.prod(self.shape)

    def sides(self, ours, theirs):
        """The call by either module, the exact result for SciPy's, and what is wrong with one."""
        array = self.make()
        wide = array.astype(self.exact_type())
        given = array.astype(np.float32) if array.dtype == np.float16 else array

        def exact(wanted):
            if wanted.dtype == self.exact_type() or wanted.dtype.kind not in "fc":
                return wanted
            return self.of(theirs, wide, self.exact_type())()

        def wrong(got, exact, wanted):
            return self.wrong(got, exact, wanted, wide)

        return self.of(ours, array), self.of(theirs, given), exact, wrong

    def exact_type(self):
        """The type in which SciPy's results serve as exact."""
        return "complex128" if self.dtype.kind == "c" or "1j" in "".join(self.arguments) else "float64"

    def wrong(self, got, exact, truncated, array):
        """What is wrong with a result, or nothing. `truncated`: SciPy's own, of the same type, for integers."""
        if got.shape != exact.shape:
            return f"shape {got.shape}, not {exact.shape}"
        if got.dtype.kind in "fc":
            return self._floats_wrong(got, exact, array)
        if got.dtype != truncated.dtype:
            return f"dtype {got.dtype}, not {truncated.dtype}"
        if got.dtype.kind == "u" and (self.passes > 1 or got.dtype.itemsize == 8) and self._has_negative(array):
            return ""  # SciPy's next pass sums 2**32 or 2**64 for what rounding, by either, puts below 0
        if got.dtype.kind == "b":
            off = np.abs((got.view(np.uint8) != 0).astype(np.int8) - (truncated.view(np.uint8) != 0))
        else:
            unsigned = np.dtype(f"u{got.dtype.itemsize}")
            off = got.view(unsigned) - truncated.view(unsigned)
            off = np.minimum(off, np.zeros_like(off) - off)
        # Sums that are nearly whole may be truncated to either side, once along each axis.
        most = 0 if self.whole else self.passes
        return "" if not off.size or off.max() <= most else f"{np.count_nonzero(off > most)} of {off.size} differ, by {off.max()}"

    def _has_negative(self, array):
        return self.keywords.get("cval", 0) < 0 or np.less(array, 0).any()

    def _floats_wrong(self, got, exact, array):
        bits = {2: 11, 4: 24, 8: 53}[got.real.dtype.itemsize]
        largest = max(float(np.abs(array).max(initial=0)), abs(self.keywords.get("cval", 0.0)))
        bound = (self.taps + 16) * 2.0 ** -max(bits, 24) * max(1.0, self.magnitudes) * largest
        bound = bound + 2.0 ** (1 - bits) * np.abs(exact) + 2.0**-24 * (bits == 11)
        within = np.abs(exact) < 65000 if bits == 11 else np.full(exact.shape, True)  # f16 ends at 65504
        off = np.abs(got[within].astype(exact.dtype) - exact[within])
        over = ~(off <= bound[within])
        return f"{np.count_nonzero(over)} of {off.size} differ, by {off[over].max():.3g}" if over.any() else ""


def draw(seed, number):
    """A call: the first of those drawn that is within the limits."""
    rng = np.random.default_rng([seed, number])
    while True:
        call = _draw(rng)
        if call.work <= MOST_WORK:
            return call


def _log_uniform(rng, low, high):
    return float(math.exp(rng.uniform(math.log(low), math.log(high))))


def _shape(rng):
    """Axes of any length; some are thin."""
    shape = [int(rng.integers(1, 6)) if rng.random() < 0.3 else int(_log_uniform(rng, 1, LONGEST + 1))
             for _ in range(rng.integers(1, MOST_AXES + 1))]
    while math.prod(shape) > MOST_ELEMENTS:
        axis = int(rng.integers(len(shape)))
        shape[axis] = max(1, int(shape[axis] * rng.uniform(0.2, 1)))
    return tuple(shape)


def _array(rng, shape, dtype):
    """Text of an array of numbers of a size whose sums no f64 rounds."""
    kind, source = np.dtype(dtype), f"np.random.default_rng({rng.integers(2**31)})"
    if kind.kind == "b":
        return f"{source}.random({shape}) < 0.5"
    if kind.kind in "iu":
        low, high = (0 if kind.kind == "u" else -100), 100
        if kind.itemsize <= 2 and rng.random() < 0.5:
            low, high = np.iinfo(kind).min, int(np.iinfo(kind).max) + 1
        return f"{source}.integers({low}, {high}, {shape}, {dtype!r})"
    if kind.kind == "c":
        return f"(({source}.integers(-800, 800, {(*shape, 2)}) / 8).view('complex128')[..., 0]).astype({dtype!r})"
    return f"({source}.integers(-800, 800, {shape}) / 8).astype({dtype!r})"


def _output(rng, name, dtype):
    kind = np.dtype(dtype).kind
    if kind == "c":
        return None
    if name in NEED_FLOATS and kind not in "f":
        return str(rng.choice(["float32", "float64"]))
    if rng.random() < 0.7:
        return None
    return str(rng.choice(["float32", "float64"] if name in NEED_FLOATS else [*INTEGERS, "float32", "float64"]))


def _weights(rng, shape, is_complex):
    """(text, sum of magnitudes, whether all are whole) of weights."""
    source = f"np.random.default_rng({rng.integers(2**31)})"
    whole = bool(rng.random() < 0.3)
    text = f"{source}.integers(-3, 4, {shape}).astype(float)" if whole else f"({source}.random({shape}) - 0.3)"
    if is_complex:
        text = f"({text} + 1j * {source}.random({shape}))"
    return text, float(np.abs(eval(text, {"np": np})).sum()), whole and not is_complex


def _each(rng, count, one):
    """A parameter for all axes, or a list of one for each: (what to write, one for each)."""
    if rng.random() < 0.7:
        value = one()
        return value, [value] * count
    values = [one() for _ in range(count)]
    return values, values


def _draw(rng):
    name = str(rng.choice(list(_DRAWN)))
    shape, dtype = _shape(rng), str(rng.choice(DTYPES))
    if name.endswith("gradient_magnitude") and dtype in COMPLEX:
        dtype = "float64"  # of the two roots of a sum of complex squares rounding chooses one
    output = _output(rng, name, dtype)
    keywords = {}
    is_whole = np.dtype(output or dtype).kind in "biu"
    arguments, taps, magnitudes, whole, passes = _DRAWN[name](rng, name, shape, dtype, is_whole, keywords)
    if "constant" in str(keywords.get("mode")):
        keywords["cval"] = float(rng.choice(CVALS))
    return Call(name, _array(rng, shape, dtype), shape, dtype, arguments, keywords, output, taps, magnitudes, whole, passes)


def _axes(rng, shape, keywords):
    """The axes to filter along: at times some of them."""
    if rng.random() < 0.7:
        return list(range(len(shape)))
    chosen = sorted(int(axis) for axis in rng.permutation(len(shape))[: rng.integers(1, len(shape) + 1)])
    keywords["axes"] = tuple(chosen)
    return chosen


def _mode(rng):
    return str(rng.choice(MODES))


def _modes(rng, count, keywords):
    if rng.random() < 0.7:  # else the default
        keywords["mode"] = _each(rng, count, lambda: _mode(rng))[0]


def _axis(rng, shape, keywords):
    keywords["axis"] = int(rng.integers(len(shape)))
    keywords["mode"] = _mode(rng)


def _is_complex(rng, dtype):
    return dtype in ("float32", "float64", *COMPLEX) and rng.random() < 0.15


def _rows(rng, name, shape, dtype, is_whole, keywords):
    _axis(rng, shape, keywords)
    taps = int(_log_uniform(rng, 1, MOST_SIZE + 1))
    text, magnitudes, whole = _weights(rng, (taps,), _is_complex(rng, dtype) and not is_whole)
    return [text], taps, magnitudes, whole, 1


def _dense(rng, name, shape, dtype, is_whole, keywords):
    axes = _axes(rng, shape, keywords)
    most = 600 ** (1 / len(axes))
    # SciPy reflects wrongly where dense weights reach four times an axis beyond it.
    size = tuple(min(int(_log_uniform(rng, 1, most + 1)), 7 * shape[axis]) for axis in axes)
    keywords["mode"] = _mode(rng)
    text, magnitudes, whole = _weights(rng, size, _is_complex(rng, dtype) and not is_whole)
    return [text], math.prod(size), magnitudes, whole, 1


def _sigma(rng):
    return float(f"{_log_uniform(rng, LEAST_SIGMA, MOST_SIGMA):.3g}")


def _radius(rng, sigma, keywords):
    """Of each axis, by `truncate` where it is given."""
    if rng.random() < 0.2:
        keywords["truncate"] = round(float(rng.uniform(1, 6)), 1)
    return [int(keywords.get("truncate", 4.0) * one + 0.5) for one in sigma]


def _order(rng, is_whole):
    return 0 if is_whole or rng.random() < 0.7 else int(rng.integers(1, 4))


def _gaussian1d(rng, name, shape, dtype, is_whole, keywords):
    _axis(rng, shape, keywords)
    sigma, order = _sigma(rng), _order(rng, is_whole)
    if order:
        keywords["order"] = order
    return [repr(sigma)], 2 * _radius(rng, [sigma], keywords)[0] + 1, 8.0**order, False, 1


def _gaussian(rng, name, shape, dtype, is_whole, keywords):
    axes = _axes(rng, shape, keywords)
    sigma, each = _each(rng, len(axes), lambda: _sigma(rng))
    if (order := _order(rng, is_whole)) and len(axes) < 4:
        keywords["order"] = order
    _modes(rng, len(axes), keywords)
    taps = sum(2 * radius + 1 for radius in _radius(rng, each, keywords))
    return [repr(sigma)], taps, 8.0 ** (len(axes) * keywords.get("order", 0)), False, len(axes)


def _gaussian_derivatives(rng, name, shape, dtype, is_whole, keywords):
    axes = _axes(rng, shape, keywords)
    sigma, each = _each(rng, len(axes), lambda: _sigma(rng))
    _modes(rng, len(axes), keywords)
    taps = sum(2 * radius + 1 for radius in _radius(rng, each, keywords)) * len(axes)
    return [repr(sigma)], taps, 100.0 * len(axes), False, len(axes)


def _size(rng):
    return int(_log_uniform(rng, 1, MOST_SIZE + 1))


def _uniform1d(rng, name, shape, dtype, is_whole, keywords):
    _axis(rng, shape, keywords)
    size = _size(rng)
    return [repr(size)], size + max(shape), 1.0, False, 1  # running sums of SciPy's round once an element


def _uniform(rng, name, shape, dtype, is_whole, keywords):
    axes = _axes(rng, shape, keywords)
    size, each = _each(rng, len(axes), lambda: _size(rng))
    _modes(rng, len(axes), keywords)
    return [repr(size)], sum(each) + max(shape), 1.0, False, len(axes)


def _edges(rng, name, shape, dtype, is_whole, keywords):
    keywords["axis"] = int(rng.integers(len(shape)))
    _modes(rng, len(shape), keywords)
    return [], 3 * len(shape), 2 * 4.0 ** (len(shape) - 1), True, 1


def _laplace(rng, name, shape, dtype, is_whole, keywords):
    axes = _axes(rng, shape, keywords)
    _modes(rng, len(axes), keywords)
    return [], 3 * len(axes), 4.0 * len(axes), True, 1


def _generic_laplace(rng, name, shape, dtype, is_whole, keywords):
    made = _laplace(rng, name, shape, dtype, is_whole, keywords)
    return ["lambda a, axis, to, mode, cval: m.correlate1d(a, [1, -2, 1], axis, to, mode, cval)"], *made[1:]


def _generic_gradient(rng, name, shape, dtype, is_whole, keywords):
    axes = _axes(rng, shape, keywords)
    _modes(rng, len(axes), keywords)
    return (["lambda a, axis, to, mode, cval: m.correlate1d(a, [-1, 0, 1], axis, to, mode, cval)"], 3 * len(axes) + 16,
            2.0 * len(axes), False, 1)


_DRAWN = {
    "correlate": _dense, "convolve": _dense, "correlate1d": _rows, "convolve1d": _rows, "gaussian_filter": _gaussian,
    "gaussian_filter1d": _gaussian1d, "uniform_filter": _uniform, "uniform_filter1d": _uniform1d, "sobel": _edges,
    "prewitt": _edges, "laplace": _laplace, "generic_laplace": _generic_laplace, "gaussian_laplace": _gaussian_derivatives,
    "gaussian_gradient_magnitude": _gaussian_derivatives, "generic_gradient_magnitude": _generic_gradient,
}
