"""_arguments.py: what the arguments of scipy.ndimage's filters mean: modes, sequences, axes, origins, outputs, arrays."""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from .. import _arrays, _cache, _channels, _engine
from .._arrays import facts_of
from .._border import CHOICES, border_of as border_named
from .._options import options_of
from .._traceback import shorten
from . import _calls

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._types import DType, Factors, Index, Shape

    _Function = TypeVar("_Function", bound=Callable[..., Any])

# Parameters that several functions have, as their descriptions name them in braces.
_COMMON = {
    "input": """input : array
        The array to filter: of any library (NumPy, CuPy, PyTorch, JAX, ...), or what NumPy makes one of.""",
    "output": """output : array or dtype, optional
        Where the result goes, or what it is an array of. By default a new array of the input's type. It may be the input.""",
    "mode": """mode : str, optional
        What lies outside: 'reflect' (c b a | a b c), 'constant' (`cval`), 'nearest' (a a a | a b c), 'mirror' (d c b | a b c d),
        'wrap'; or any other name of a border.""",
    "modes": """mode : str or sequence of str, optional
        What lies outside, for all axes or each: 'reflect' (c b a | a b c), 'constant' (`cval`), 'nearest' (a a a | a b c),
        'mirror' (d c b | a b c d), 'wrap'; or any other name of a border.""",
    "cval": """cval : scalar, optional
        The value outside where the mode is 'constant'.""",
    "axis": """axis : int, optional
        The axis to filter along; the last by default.""",
    "axes": """axes : tuple of int or None, optional
        The axes to filter along; all by default. Sequences given for other parameters then have one entry for each.""",
    "origin": """origin : int, optional
        Moves the filter over the input: of a correlation to the left, of a convolution to the right.""",
    "origins": """origin : int or sequence of int, optional
        Moves the filter over the input, along all axes or each: of a correlation to the left, of a convolution to the right.""",
    "truncate": """truncate : float, optional
        Radius of the filter in standard deviations.""",
    "extra": """extra_arguments : sequence, optional
        Positional arguments for the function.
    extra_keywords : dict, optional
        Keyword arguments for the function.""",
    "result": """array
        Of the input's shape and library.""",
}


def filters_arrays(function: _Function) -> _Function:
    """A filter of NumPy's and a GPU's arrays as one of any library's; common parameters are put into its description."""
    function.__doc__ = (function.__doc__ or "").format(**_COMMON)
    key_of = _calls.keys_of(function)

    @functools.wraps(function)
    def wrapped(input: Any, *args: Any, **keywords: Any) -> Any:
        try:
            if type(input) is np.ndarray:
                return _calls.call(function, key_of, None, input, args, keywords)
            library = _arrays.library_of(input)
            if isinstance(library, _arrays.OnGpu):
                return _calls.call(function, key_of, library, input, args, keywords)
            return _of_another_library(function, library, input, args, keywords)
        except Exception as error:
            shorten(error)
            raise

    return cast("_Function", wrapped)


def _of_another_library(
    function: Callable[..., Any], library: _arrays.OnCpu, input: Any, args: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    given = []

    def on_cpu(value: Any) -> Any:
        if (
            isinstance(value, (np.ndarray, type, np.dtype, str))
            or not hasattr(value, "__array__")
            and not hasattr(value, "__dlpack__")
        ):
            return value
        there = _arrays.on_cpu(value)
        given.append((there, value))
        return there

    made = function(_arrays.on_cpu(input), *map(on_cpu, args), **{name: on_cpu(value) for name, value in keywords.items()})
    for there, value in given:
        if made is there:
            return value
    return library.give(made)


def border_of(mode: Any) -> str:
    """The library's border for a mode."""
    try:
        return border_named(mode)
    except ValueError:
        raise RuntimeError(f"boundary mode not supported: {mode!r}; choose from {CHOICES}") from None


def each(value: Any, count: int) -> list[Any]:
    """One entry for each axis."""
    if isinstance(value, str) or not np.iterable(value):
        return [value] * count
    entries = list(value)
    if len(entries) != count:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return entries


def axis_of(axis: Index, ndim: int) -> int:
    """An axis counted from 0."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return axis % ndim


def axes_of(axes: Any, ndim: int) -> Shape:
    """Axes counted from 0; all of them for None."""
    if axes is None:
        return tuple(range(ndim))
    if np.isscalar(axes):
        axes = (axes,)
    elif not isinstance(axes, Iterable):
        raise ValueError("axes must be an integer, iterable of integers, or None")
    wanted = tuple(operator.index(axis) for axis in axes)
    for axis in wanted:
        if not -ndim <= axis < ndim:
            raise ValueError(f"specified axis: {axis} is out of range")
    wanted = tuple(axis % ndim for axis in wanted)
    if len(set(wanted)) != len(wanted):
        raise ValueError("axes must be unique")
    return wanted


def check_channels(input: Any, axes: Any, instead: str = "say axes=(0, 1), or axes=(0, 1, 2) if that is meant") -> None:
    """Warns where a filter runs along all axes of what looks like a photograph because nobody said along which; at each place in the
    caller's code, for which the call is not remembered."""
    if axes is None and _channels.look_like_channels(input.shape):
        _channels.warn(input.shape, instead)
        _cache.note_more()


def output_of(output: Any, array: Any, dtype: DType, complex_output: bool = False) -> tuple[Any, DType]:
    """(array or None, dtype) of what a filter writes. `dtype` is the input's."""
    if dtype.kind not in "biufc":
        raise RuntimeError(f"data type not supported: {dtype}")
    if output is None:
        if complex_output and dtype.kind != "c":
            dtype = np.promote_types(dtype, np.complex64)
        return None, dtype if dtype.isnative else dtype.newbyteorder("=")
    if isinstance(output, (type, np.dtype)):
        kind = np.dtype(output)
        if complex_output and kind.kind != "c":
            warnings.warn("promoting specified output dtype to complex", stacklevel=5)
            kind = np.promote_types(kind, np.complex64)
        return None, _number(kind)
    if isinstance(output, str):
        kind = np.dtype(output)
        if complex_output and kind.kind != "c":
            raise RuntimeError("output must have complex dtype")
        if not issubclass(kind.type, np.number):
            raise RuntimeError("output must have numeric dtype")
        return None, kind
    if type(output) is not np.ndarray and isinstance(_arrays.library_of(output), _arrays.OnCpu):
        output = np.asarray(output)
    kind = facts_of(output)[1]
    if tuple(output.shape) != tuple(array.shape):
        raise RuntimeError("output shape not correct")
    if complex_output and kind.kind != "c":
        raise RuntimeError("output must have complex dtype")
    return output, _number(kind)


def _number(kind: DType) -> DType:
    if kind.kind not in "biufc":
        raise RuntimeError(f"data type not supported: {kind}")
    return kind


def empty_like(array: Any, dtype: DType) -> Any:
    """A new array of the input's shape and library."""
    if type(array) is np.ndarray:
        return np.empty(array.shape, dtype)
    return _arrays.gpu_library_of(array).empty(tuple(array.shape), dtype, array)


def _is_quicker_by_pass(array: Any, dtype: DType) -> bool:
    """Whether a pass of the engine converts numbers as assigning them does, and sooner: of halves several times, and on a GPU, where
    it is one launch that is remembered, of all that f64 holds."""
    source = facts_of(array)[1]
    if type(array) is np.ndarray:
        return source.char == "e" and dtype.kind == "f"
    return dtype.kind in "iuf" and source.kind in "iufb" and (source.kind == "f" or source.itemsize < 8)


_ONE = np.ones(1)


def unfiltered(array: Any, out: Any, dtype: DType) -> Any:
    """What a filter along no axis gives."""
    if isinstance(array, np.generic):  # what NumPy makes of sums over arrays without axes
        array = np.asarray(array)
    if array.ndim and _is_quicker_by_pass(array, dtype):
        return run(array, (_ONE,), (array.ndim - 1,), "replicate", 0.0, (0,), out, dtype)
    if out is None and type(array) is not np.ndarray:
        return _arrays.gpu_library_of(array).astype(array, dtype)
    if out is None:
        out = np.empty(array.shape, dtype)
    out[...] = array
    return out


def run(
    array: Any,
    filters: Any,
    axes: Shape,
    borders: Any,
    cval: Any,
    anchors: Shape | None,
    out: Any,
    dtype: DType,
    divisor: int = 1,
    magnitude: bool = False,
) -> Any:
    """One pass of the engine with SciPy's rules for integers: towards zero, wrapped."""
    options = options_of(
        axes=axes,
        borders=borders,
        cvals=_scalar(cval),
        anchors=anchors,
        rounding="truncate",
        overflow="wrap",
        divisor=divisor,
        magnitude=magnitude,
    )
    return _engine.correlate_by(options, array, filters, out, None if out is not None else dtype)


def _scalar(cval: Any) -> complex:
    if type(cval) is float:
        return cval
    if isinstance(cval, (str, bytes)):  # which Python's float would read
        raise TypeError(f"cval must be a number, got {cval!r}")
    return complex(cval) if np.iscomplexobj(cval) else float(cval)


def separable(
    array: Any,
    factors: Factors,
    axes: Shape,
    borders: tuple[str, ...],
    cval: Any,
    anchors: Shape,
    out: Any,
    dtype: DType,
    divisors: Shape | None = None,
) -> Any:
    """Factors (a tuple) along one axis after another, as SciPy goes: results between the axes are of the output's type.

    Floats take one pass. Integers are truncated between the axes, and so take one for each, unless all weights are whole; so do
    constants that an earlier factor would have to change, because SciPy puts the same constant around what lies between.
    """
    cval = _scalar(cval)
    if divisors is None and (dtype.kind in "fc" or _all_integer(facts_of(array)[1], dtype, factors, cval)):
        if _one_pass(factors, borders, cval):
            return run(array, factors, axes, borders, cval, anchors, out, dtype)
    last = len(factors) - 1
    # SciPy keeps whole bytes in its arrays of bool; here they are kept between the axes, and the result is 0 or 1. Halves, which it
    # does not know, are f32 between them.
    wider: dict[str, DType] = {"?": np.dtype(np.uint8), "e": np.dtype(np.float32)}
    between = wider.get(dtype.char, dtype)
    for i, factor in enumerate(factors):
        divisor = 1 if divisors is None else divisors[i]
        array = run(
            array,
            (factor,),
            (axes[i],),
            borders[i],
            cval,
            (anchors[i],),
            out if i == last else None,
            dtype if i == last else between,
            divisor,
        )
    return array


def _all_integer(source: DType, dtype: DType, factors: Factors, cval: complex) -> bool:
    """Whether integers need not be put into the output's type between the axes: nothing is truncated, and what leaves the type's
    range keeps its low bits, on which the result's low bits depend alone."""
    if source.kind not in "iu" or dtype.kind not in "iu" or np.iscomplexobj(cval):
        return False
    return _stays_integer(source, dtype, tuple([np.asarray(factor, np.float64).tobytes() for factor in factors]), float(cval.real))


@functools.lru_cache(maxsize=256)
def _stays_integer(source: DType, dtype: DType, factors: tuple[bytes, ...], cval: float) -> bool:
    low, high = (float(end) for end in (np.iinfo(source).min, np.iinfo(source).max))
    low, high = min(low, cval), max(high, cval)
    limits = np.iinfo(dtype)
    if cval != np.rint(cval):
        return False
    for factor in map(np.frombuffer, factors):
        if not np.array_equal(factor, np.rint(factor)):
            return False
        up, down = float(factor[factor > 0].sum()), float(factor[factor < 0].sum())
        low, high = min(up * low + down * high, cval), max(up * high + down * low, cval)
        fits = limits.min <= low and high <= limits.max
        # A conversion of what leaves 8 and 16 bits keeps the low ones as long as 32 hold it.
        if not fits and (dtype.itemsize > 2 or low < -(2.0**31) or high >= 2.0**31):
            return False
    return True


def _one_pass(factors: Factors, borders: tuple[str, ...], cval: complex) -> bool:
    if "constant" not in borders or len(factors) == 1 or cval == 0:
        return True
    if not np.isfinite(cval):  # of which weights of both signs make NaN, whatever they sum to
        return False
    gain = 1.0
    for factor, border in zip(factors, borders):
        if border == "constant" and abs(gain - 1) > 1e-12:
            return False
        gain *= float(factor.sum())
    return True
