"""ndimage_draws.py: random calls of halation.ndimage beside the definition of what they give.

    python -m halation.tests.ndimage_draws SEED COUNT [large]

prints a line for each call whose result is not as it is defined, and each call before it is made where HALATION_DRAWS=trace. `large`
draws filters as long as are filtered by transforms.
"""

import dataclasses
import os
import sys
import warnings
from typing import Any

import numpy as np
import scipy.ndimage

from halation import ndimage

from . import definition
from .arrays import MODES

REALS = ["float16", "float32", "float32", "float64", "float64", "longdouble"]
COMPLEX = ["complex64", "complex128"]
INTEGERS = ["bool", "uint8", "int8", "uint16", "int16", "int32", "uint32", "int64"]
LAYOUTS = ["packed", "packed", "permuted", "reversed", "strided", "repeated", "unaligned", "read-only"]
VALUES = ["finite", "finite", "finite", "nan", "inf", "-inf", "several", "many", "all", "outlier", "speck", "large", "level", "zeros", "mask"]


@dataclasses.dataclass
class Draw:
    """A call, and what is known of its result where it is to be an array of floats or of `kind`."""

    name: str
    array: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    kind: np.dtype
    expected: definition.Known
    what: str

    def __str__(self):
        words = {name: value if not isinstance(value, np.ndarray) else f"array {value.dtype} {value.shape}" for name, value in self.keywords.items()}
        arguments = [value.tolist() if isinstance(value, np.ndarray) and value.size < 30 else getattr(value, "shape", value) for value in self.arguments]
        array = self.array
        return f"{self.name}({self.what} {array.dtype.str} {array.shape} strides {array.strides}, {arguments}, {words})"


def _chance(rng, share):
    return rng.random() < share


def _one_of(rng, values):
    return values[int(rng.integers(len(values)))]


def _shape(rng, ndim, is_large):
    if is_large:
        long = {1: 4000, 2: 90, 3: 20}[ndim]
        return tuple(int(rng.integers(long // 4, long)) for _ in range(ndim))
    most = {1: 300, 2: 40, 3: 14, 4: 7, 5: 5, 6: 4}[ndim]
    return tuple(int(rng.integers(1, 4)) if _chance(rng, 0.3) else int(rng.integers(1, most + 1)) for _ in range(ndim))


def _values(rng, shape, dtype, what):
    """Numbers of a type; of complex ones some parts."""
    if dtype.kind == "c":
        part = np.empty(0, dtype).real.dtype
        made = np.empty(shape, dtype)
        made.real, made.imag = _values(rng, shape, part, what), _values(rng, shape, part, _one_of(rng, ["finite", what]))
        return made
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = (info.min, info.max) if dtype.itemsize <= 2 and what == "large" else (max(info.min, -100), 100)
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)
    limits = np.finfo(dtype if dtype.itemsize <= 8 else np.float64)
    made = rng.normal(size=shape).astype(dtype)
    flat = made.reshape(-1)
    some = rng.integers(0, flat.size, max(1, flat.size // 50) if what == "several" else 1)
    if what in ("nan", "inf", "-inf"):
        flat[some] = float(what)
    elif what == "several":
        flat[some] = rng.choice([np.nan, np.inf, -np.inf], some.size)
    elif what == "many":
        flat[:] = np.where(rng.random(flat.size) < 0.3, rng.choice([np.nan, np.inf, -np.inf], flat.size), flat)
    elif what == "all":
        flat[:] = _one_of(rng, [np.nan, np.inf, -np.inf])
    elif what == "outlier":
        flat[some] = min(1e30, float(limits.max) / 2)
    elif what == "speck":
        flat[some] = max(1e-30, float(limits.tiny))
    elif what == "large":
        flat *= limits.max / 8
    elif what == "level":  # so that sums overflow, and means do not
        flat[:] = limits.max / 16
    elif what in ("zeros", "mask"):
        flat[:] = np.where(rng.random(flat.size) < (0.02 if what == "zeros" else 0.5), flat if what == "zeros" else 1, 0)
    return made


def _laid_out(rng, values, layout):
    """An array of the same values (of some of them, repeated) that lies otherwise."""
    shape, dtype = values.shape, values.dtype
    if layout == "permuted":
        order = rng.permutation(values.ndim)
        return values.transpose(order).copy().transpose(np.argsort(order))
    if layout == "reversed":
        turned = tuple(slice(None, None, _one_of(rng, [1, -1])) for _ in shape)
        return values[turned].copy()[turned]
    if layout == "strided":
        steps = [int(rng.integers(1, 4)) for _ in shape]
        room = np.zeros([n * step for n, step in zip(shape, steps)], dtype)
        view = room[tuple(slice(None, None, step) for step in steps)]
        view[...] = values
        return view
    if layout == "repeated":
        axis = int(rng.integers(len(shape)))
        return np.broadcast_to(values.take([0], axis), shape)
    if layout == "unaligned":
        room = np.zeros(values.nbytes + 1, np.uint8)
        view = room[1:].view(dtype).reshape(shape)
        view[...] = values
        return view
    values.flags.writeable = layout != "read-only"
    return values


def _weights(rng, shape):
    what = _one_of(rng, ["both signs", "both signs", "positive", "zeros", "whole", "faint"])
    made = rng.uniform(-1, 1, shape)
    if what in ("positive", "zeros"):
        return np.abs(made) + 0.01 if what == "positive" else made * (rng.random(shape) < 0.5)
    if what == "whole":
        return rng.integers(-2, 3, shape).astype(np.float64)
    if what == "faint":  # but for some that lie in a box
        made *= 10.0 ** rng.integers(-30, -8)
        made[tuple([slice(rng.integers(n), n) for n in made.shape])] = 1
    return made


def _gaussian(sigma, order, radius):
    """Weights of a correlation, by SciPy's answer to an impulse."""
    impulse = np.zeros(2 * radius + 1)
    impulse[radius] = 1
    return scipy.ndimage.gaussian_filter1d(impulse, sigma, order=order, radius=radius, mode="constant")[::-1]


class _Drawing:
    """One call, drawn piece by piece."""

    def __init__(self, rng, is_large):
        self.rng, self.is_large = rng, is_large
        self.ndim = int(rng.integers(1, 4)) if is_large else _one_of(rng, [1, 2, 2, 2, 3, 3, 4, 5, 6])
        self.shape = _shape(rng, self.ndim, is_large)
        dtypes = REALS[:5] if is_large else [*REALS, *REALS, *COMPLEX, *INTEGERS]
        self.dtype = np.dtype(_one_of(rng, dtypes))
        self.what = _one_of(rng, VALUES)
        self.layout = "packed" if is_large else _one_of(rng, LAYOUTS)
        values = _values(rng, self.shape, self.dtype, self.what)
        if self.dtype.itemsize > 1 and _chance(rng, 0.25):
            values = values.astype(values.dtype.newbyteorder())
        self.array = _laid_out(rng, values, self.layout)
        self.keywords: dict[str, Any] = {}

    def weights(self, shape):
        made = _weights(self.rng, shape)
        return made + 1j * _weights(self.rng, shape) if not self.is_large and _chance(self.rng, 0.1) else made

    def modes(self, count, for_each):
        """One for each of so many axes, given as one, or each where the function takes that."""
        rng = self.rng
        given = [_one_of(rng, MODES) for _ in range(count)] if for_each and _chance(rng, 0.3) else _one_of(rng, MODES)
        self.keywords["mode"] = given
        return given if isinstance(given, list) else [given] * count

    def cval(self):
        rng = self.rng
        value = float(_one_of(rng, [0.0, 0.0, 1.5, -3.0, np.nan, np.inf, -np.inf]))
        if self.array.dtype.kind == "c" and _chance(rng, 0.3):
            value = complex(value, _one_of(rng, [0.0, 2.0]))
        if value != 0:
            self.keywords["cval"] = value
        return value

    def axes(self):
        """Some axes, in any order; all where the keyword is left out."""
        rng = self.rng
        if _chance(rng, 0.6):
            return tuple(range(self.ndim))
        chosen = tuple(int(axis) for axis in rng.permutation(self.ndim)[: int(rng.integers(1, self.ndim + 1))])
        self.keywords["axes"] = tuple(axis - self.ndim * int(rng.integers(2)) for axis in chosen)
        return chosen

    def output(self, is_complex=False, integers=True):
        """The type of the result; at times an array for it, or the input itself."""
        rng, own = self.rng, self.array.dtype
        is_complex = is_complex or own.kind == "c"
        natural = np.promote_types(own, np.complex64) if is_complex and own.kind != "c" else own
        kinds = COMPLEX if is_complex else ["float32", "float64", "float16", *(["uint8", "int16", "int32", "bool"] if integers else [])]
        kind = np.dtype(_one_of(rng, kinds)) if _chance(rng, 0.4) or natural.kind in "biu" and not integers else natural
        where = _one_of(rng, ["new", "new", "array", "input"])
        if where == "array":
            out = _laid_out(rng, np.zeros(self.shape, kind), _one_of(rng, ["packed", "permuted", "reversed", "strided", "unaligned"]))
            self.keywords["output"] = out
        elif where == "input" and kind == own and self.array.flags.writeable:
            self.keywords["output"] = self.array
        else:
            kind = kind.newbyteorder("=")
            if kind != natural.newbyteorder("="):
                self.keywords["output"] = kind.type
        return kind

    def between(self, kind, is_whole):
        """(largest number of what lies between, what each pass makes of its sums)."""
        if kind.kind in "biu":
            return np.inf, lambda given: definition.integers(given, kind, is_whole)
        wide = self.dtype.char in "dDgG" and kind.char in "dDgG"
        return float(np.finfo(np.float64 if wide else np.float32).max) / 4, None

    def origin_and_anchor(self, taps, convolution):
        rng = self.rng
        origin = int(rng.integers(-(taps // 2), (taps - 1) // 2 + 1)) if _chance(rng, 0.3) else 0
        return origin, taps // 2 - origin - (taps % 2 == 0) if convolution else taps // 2 + origin

    def made(self, name, arguments, kind, expected):
        return Draw(name, self.array, arguments, self.keywords, kind, expected, f"{self.what} {self.layout}")


def _dense(drawing, name):
    rng = drawing.rng
    convolution = name == "convolve"
    axes = sorted(drawing.axes())
    if drawing.is_large:
        size = tuple({1: 130, 2: 13, 3: 6}[len(axes)] + int(rng.integers(12)) for _ in axes)
    else:
        size = tuple(int(rng.integers(1, {1: 40, 2: 6, 3: 4}.get(len(axes), 3) + 1)) for _ in axes)
    weights = drawing.weights(size)
    pairs = [drawing.origin_and_anchor(n, convolution) for n in size]
    if any(origin for origin, _ in pairs):
        drawing.keywords["origin"] = tuple(origin for origin, _ in pairs)
        if "axes" in drawing.keywords:  # with which origins go as they are given
            drawing.keywords["axes"] = tuple(axes)
    taken = weights if not convolution else weights[(slice(None, None, -1),) * weights.ndim]
    if weights.dtype.kind == "c" and not convolution:
        taken = weights.conj()
    taken = np.where(np.abs(taken) > np.finfo(np.float64).eps, taken, 0)  # SciPy leaves out the others
    modes = drawing.modes(len(axes), False)
    kind = drawing.output(weights.dtype.kind == "c")
    is_whole = drawing.dtype.kind in "biu" and bool(np.all(weights == np.rint(weights.real)))
    cval = drawing.cval()
    most, as_integers = drawing.between(kind, is_whole and cval == np.rint(np.real(cval)))
    known = definition.correlated(definition.known(drawing.array), taken, axes, [anchor for _, anchor in pairs], modes, cval, most)
    return drawing.made(name, (weights,), kind, known if as_integers is None else as_integers(known))


def _row(drawing, name):
    rng = drawing.rng
    convolution = name == "convolve1d"
    taps = int(rng.integers(129, 400)) if drawing.is_large else int(rng.integers(1, 40 if drawing.ndim == 1 else 12))
    weights = drawing.weights(taps)
    axis = int(rng.integers(drawing.ndim))
    drawing.keywords["axis"] = axis - drawing.ndim * int(rng.integers(2))
    origin, anchor = drawing.origin_and_anchor(taps, convolution)
    if origin:
        drawing.keywords["origin"] = origin
    taken = weights[::-1] if convolution else weights.conj()
    modes = drawing.modes(1, False)
    kind = drawing.output(weights.dtype.kind == "c")
    cval = drawing.cval()
    is_whole = drawing.dtype.kind in "biu" and bool(np.all(weights == np.rint(weights.real))) and cval == np.rint(np.real(cval))
    most, as_integers = drawing.between(kind, is_whole)
    known = definition.factored(definition.known(drawing.array), (taken,), (axis,), (anchor,), modes, cval, most, as_integers)
    return drawing.made(name, (weights,), kind, known)


def _sigma(drawing):
    rng = drawing.rng
    sigma = float(rng.uniform(45, 70)) if drawing.is_large else float(_one_of(rng, [0.4, 0.8, 1.3, 2.5]))
    return sigma, int(4.0 * sigma + 0.5)


def _gaussian1d(drawing, name):
    axis = int(drawing.rng.integers(drawing.ndim))
    drawing.keywords["axis"] = axis
    sigma, radius = _sigma(drawing)
    order = _one_of(drawing.rng, [0, 0, 1, 2, 3])
    drawing.keywords["order"] = order
    modes, cval, kind = drawing.modes(1, False), drawing.cval(), drawing.output()
    most, as_integers = drawing.between(kind, False)
    factors = (_gaussian(sigma, order, radius),)
    known = definition.factored(definition.known(drawing.array), factors, (axis,), (radius,), modes, cval, most, as_integers)
    return drawing.made(name, (sigma,), kind, known)


def _gaussian_nd(drawing, name):
    rng = drawing.rng
    axes = drawing.axes()
    sigmas = [_sigma(drawing) for _ in axes] if _chance(rng, 0.3) else [_sigma(drawing)] * len(axes)
    orders = [_one_of(rng, [0, 0, 1, 2]) for _ in axes] if _chance(rng, 0.4) else [0] * len(axes)
    if any(orders):
        drawing.keywords["order"] = orders
    modes, cval, kind = drawing.modes(len(axes), True), drawing.cval(), drawing.output()
    most, as_integers = drawing.between(kind, False)
    factors = [_gaussian(sigma, order, radius) for (sigma, radius), order in zip(sigmas, orders)]
    known = definition.factored(
        definition.known(drawing.array), factors, axes, [len(factor) // 2 for factor in factors], modes, cval, most, as_integers
    )
    return drawing.made(name, ([sigma for sigma, _ in sigmas],), kind, known)


def _uniform(drawing, name):
    rng = drawing.rng
    one = name == "uniform_filter1d"
    axes = (int(rng.integers(drawing.ndim)),) if one else drawing.axes()
    if one:
        drawing.keywords["axis"] = axes[0]
    longest = 400 if drawing.is_large else {1: 60, 2: 12}.get(drawing.ndim, 6)
    sizes = [int(rng.integers(1, longest)) for _ in axes]
    pairs = [drawing.origin_and_anchor(n, False) for n in sizes]
    if any(origin for origin, _ in pairs):
        origins = [origin for origin, _ in pairs]
        drawing.keywords["origin"] = origins[0] if one else origins
    modes, cval, kind = drawing.modes(len(axes), not one), drawing.cval(), drawing.output()
    done = [i for i, n in enumerate(sizes) if n > 1 or one]
    is_whole = drawing.dtype.kind in "biu" and cval == np.rint(np.real(cval))
    most, as_integers = drawing.between(kind, is_whole)
    rows = [np.full(sizes[i], 1.0 if as_integers else 1 / sizes[i]) for i in done]
    divisors = [sizes[i] for i in done] if as_integers else None
    known = definition.factored(definition.known(drawing.array), rows, [axes[i] for i in done], [pairs[i][1] for i in done],
                                [modes[i] for i in done], cval, most, as_integers, divisors)  # fmt: skip
    if as_integers and not done and kind.kind != "b":  # a cast makes True of 0.5
        known = as_integers(known)
    return drawing.made(name, (sizes[0] if one else sizes,), kind, known)


def _derivative(axis, ndim, middle):
    """Axes and factors of a difference along one and sums along the others."""
    axes = [axis, *(other for other in range(ndim) if other != axis)]
    return axes, [np.array([-1.0, 0.0, 1.0]), *[np.array([1.0, middle, 1.0])] * (ndim - 1)]


def _edge(drawing, name):
    axis = int(drawing.rng.integers(drawing.ndim))
    drawing.keywords["axis"] = axis
    modes, cval, kind = drawing.modes(drawing.ndim, True), drawing.cval(), drawing.output()
    axes, factors = _derivative(axis, drawing.ndim, 2.0 if name == "sobel" else 1.0)
    most, as_integers = drawing.between(kind, drawing.dtype.kind in "biu" and cval == np.rint(np.real(cval)))
    known = definition.factored(definition.known(drawing.array), factors, axes, [1] * len(axes), [modes[a] for a in axes], cval, most, as_integers)
    return drawing.made(name, (), kind, known)


def _laplace(drawing, name):
    axes = drawing.axes()
    modes, cval, kind = drawing.modes(len(axes), True), drawing.cval(), drawing.output(integers=False)
    weights = np.zeros((3,) * len(axes))
    for i in range(len(axes)):
        weights[tuple(slice(None) if j == i else 1 for j in range(len(axes)))] += [1.0, -2.0, 1.0]
    most, _ = drawing.between(kind, False)
    known = definition.correlated(definition.known(drawing.array), weights, axes, [1] * len(axes), modes, cval, most)
    return drawing.made(name, (), kind, known)


def _combined(name, parts, most):
    """What a function makes of derivatives: their sum, or the root of the sum of their squares."""
    if name.endswith("laplace"):
        return sum(parts[1:], parts[0])
    return definition.root_of_squares(parts, most, float(np.finfo(np.float32 if most < 1e100 else np.float64).tiny))


def _of_gaussians(drawing, name):
    """gaussian_laplace and gaussian_gradient_magnitude."""
    axes = sorted(drawing.axes()) if name == "gaussian_laplace" else tuple(range(drawing.ndim))
    sigma, radius = _sigma(drawing)
    modes, cval, kind = drawing.modes(len(axes), False), drawing.cval(), drawing.output(integers=False)
    most, _ = drawing.between(kind, False)
    parts = []
    for along in axes:
        factors = [_gaussian(sigma, (2 if name == "gaussian_laplace" else 1) if axis == along else 0, radius) for axis in axes]
        parts.append(definition.factored(definition.known(drawing.array), factors, axes, [radius] * len(axes), modes, cval, most))
    return drawing.made(name, (sigma,), kind, _combined(name, parts, most))


def _generic(drawing, name):
    ndim = drawing.ndim
    modes, cval, kind = drawing.modes(ndim, True), drawing.cval(), drawing.output(integers=False)
    most, _ = drawing.between(kind, False)
    given, parts = definition.known(drawing.array), []
    for axis in range(ndim):
        if name == "generic_laplace":
            parts.append(definition.factored(given, ([1.0, -2.0, 1.0],), (axis,), (1,), (modes[axis],), cval, most))
        else:
            axes, factors = _derivative(axis, ndim, 1.0)
            parts.append(definition.factored(given, factors, axes, [1] * ndim, [modes[axis]] * ndim, cval, most))
    return drawing.made(name, (_second if name == "generic_laplace" else ndimage.prewitt,), kind, _combined(name, parts, most))


def _second(input, axis, output, mode, cval):
    return ndimage.correlate1d(input, [1, -2, 1], axis, output, mode, cval)


FUNCTIONS = {
    "correlate": _dense,
    "convolve": _dense,
    "correlate1d": _row,
    "convolve1d": _row,
    "gaussian_filter1d": _gaussian1d,
    "gaussian_filter": _gaussian_nd,
    "uniform_filter1d": _uniform,
    "uniform_filter": _uniform,
    "sobel": _edge,
    "prewitt": _edge,
    "laplace": _laplace,
    "gaussian_laplace": _of_gaussians,
    "gaussian_gradient_magnitude": _of_gaussians,
    "generic_laplace": _generic,
    "generic_gradient_magnitude": _generic,
}
FEWEST_TAPS_OF_TRANSFORMS = 32
LARGE = ["correlate", "convolve", "correlate1d", "convolve1d", "gaussian_filter1d", "gaussian_filter", "uniform_filter", "uniform_filter1d"]


def draw(rng, is_large=False):
    name = _one_of(rng, LARGE if is_large else list(FUNCTIONS))
    drawing = _Drawing(rng, is_large)
    while "gradient" in name and drawing.dtype.kind == "c":  # whose squares are no magnitudes
        drawing = _Drawing(rng, is_large)
    return FUNCTIONS[name](drawing, name)


def _wrong_parts(got, value, bound, is_open):
    """Where floats are not what is known of them."""
    with np.errstate(invalid="ignore", over="ignore"):
        same = (np.isnan(got) & np.isnan(value)) | (got == value)
        near = np.isfinite(value) & np.isfinite(got) & (np.abs(got.astype(np.float64) - value) <= bound)
    return ~(same | near | is_open)


def wrong(one, got):
    """Where a result is not as defined."""
    known, kind = one.expected, one.kind
    if got.shape != known.value.shape or got.dtype != kind:
        return np.ones(known.value.shape, bool)
    if kind.kind in "biu":
        return (got.astype(np.float64) != (known.value != 0 if kind.kind == "b" else known.value)) & ~known.open
    part = np.empty(0, kind).real.dtype
    source = one.array.dtype
    is_f64 = "d" in (part.char, np.empty(0, source).real.dtype.char) or source.char in "gG" or source.kind in "iu" and source.itemsize > 2
    sums = np.finfo(np.float64 if is_f64 and part.itemsize >= 8 else np.float32)
    own = np.finfo(part if part.itemsize <= 8 else np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        bound = (known.taps + 16) * float(sums.eps) * known.magnitude
        bound = bound + float(own.eps) * np.abs(np.where(np.isfinite(known.value), known.value, 0))
        if known.taps >= FEWEST_TAPS_OF_TRANSFORMS:  # bounded by the norms of weights and of what lies under them (src/core/own_box.h)
            bound = bound + 64 * float(sums.eps) * np.sqrt(4 * one.array.size * known.weight_squares) * np.sqrt(known.squares).astype(np.float64)
        bound = bound + (float(sums.tiny) * 8 * (1 + known.gain) + float(own.smallest_subnormal)) + (2.0**-24 if part.itemsize == 2 else 0)
        past = known.magnitude + bound >= 0.99 * float(own.max)
    is_open = known.open | past
    if kind.kind == "c":
        value = known.value.astype(np.complex128)
        return _wrong_parts(got.real, value.real, bound, is_open) | _wrong_parts(got.imag, value.imag, bound, is_open)
    return _wrong_parts(got, known.value, bound, is_open)


def failures(seed, count, is_large=False):
    """A sentence for each of so many calls that is not as defined."""
    trace = os.environ.get("HALATION_DRAWS") == "trace"
    for number in range(count):
        one = draw(np.random.default_rng((seed, number)), is_large)
        if trace:
            print(f"{number}: {one}", flush=True)
        given = one.array.copy()
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(2 if one.keywords.get("output") is not one.array else 1):  # what an earlier call prepared is run again
                try:
                    got = getattr(ndimage, one.name)(one.array, *one.arguments, **one.keywords)
                except Exception as error:  # noqa: BLE001: of any call that fails the rest are still made
                    yield f"{number}: {type(error).__name__}: {error}: {one}"
                    break
                places = wrong(one, got)
                if places.any():
                    at = tuple(np.argwhere(places)[0])
                    yield (f"{number}: {places.sum()} of {places.size} wrong, at {tuple(map(int, at))} {got[at]} instead of "
                           f"{one.expected.value[at]} (magnitude {one.expected.magnitude[at]:.3g}, {got.dtype}, wanted {one.kind}): {one}")  # fmt: skip
                    break
                if one.keywords.get("output") is not one.array and not np.array_equal(one.array.view(), given, equal_nan=given.dtype.kind in "fc"):
                    yield f"{number}: the input was changed: {one}"
                    break


def main():
    seed, count, is_large = int(sys.argv[1]), int(sys.argv[2]), "large" in sys.argv[3:]
    found = 0
    for sentence in failures(seed, count, is_large):
        print(sentence, flush=True)
        found += 1
    print(f"{found} of {count} calls are not as defined")


if __name__ == "__main__":
    main()
