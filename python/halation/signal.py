"""halation.signal: the convolutions of scipy.signal, with their signatures and results.

``import halation.signal as signal`` in place of ``from scipy import signal`` runs existing code for `convolve`, `convolve2d`,
`correlate`, `fftconvolve`, `oaconvolve`, `sepfir2d` and `choose_conv_method`. What differs from SciPy:

- `method` 'direct' sums products by taps: each output is within ``taps * eps * sum(|a| * |b|)`` of its own products, and factors are
  summed where all weights are their product. 'auto' takes transforms where they are quicker and as good: outputs are within
  ``2 * taps * eps * sum(|a| * |b|)`` of theirs, and what decays, is mostly 0 or has an outlier is summed. `convolve2d` goes as 'auto' where
  zeros lie around the image, else as 'direct'. 'fft', `fftconvolve` and `oaconvolve` take what is quickest; transforms round each output
  by a share of the norms of the smaller array and of what it meets of the larger one (on a GPU: of all of it), so that an outlier
  elsewhere blurs nothing. Each part of a complex number is rounded by its own products only. On a GPU 'auto' takes what is quickest,
  and `convolve2d` sums.
- NaN and infinities, in either array, reach the outputs whose sums have them and no others, whatever the function, the method and the
  number of axes. A sum has a term for each pair of elements that meet; beyond the ends of both arrays nothing is multiplied, where SciPy's
  direct sums along several axes multiply by 0 (and 0 * NaN is NaN). What `boundary` puts around the image of `convolve2d` is part of
  it, `fillvalue` 0 excepted. Where an array lies on a GPU, the smaller of both holds the weights, and must be finite.
- Whole numbers are exact, and wrap where the result's type is too small. With `method` 'fft' sums that transforms in float64
  round are rounded, as in SciPy, where exact ones take longer.
- float16 and bool work in any number of dimensions; bool gives "or" of "and", as in one dimension. longdouble sums in
  float64.
- `sepfir2d` takes filters longer than the image.
- Empty inputs are those of `method` 'direct' whatever the method, and `convolve2d` refuses them (SciPy may crash).
- Arrays of objects are convolved exactly, as Python's numbers, along one axis; `fftconvolve` and `oaconvolve` take them as
  float64.
- The larger array is the one filtered. It may be of any library, on a GPU too (floats, and integers up to 16 bits); the other
  is copied to the CPU.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _engine, _signal_choice, _signal_inputs, _signal_integers, _signal_sums, _signal_values
from ._border import CHOICES, border_of
from ._signal_inputs import both, result_type
from ._signal_sums import as_weights, by_smaller, dtype_of, must_swap
from ._traceback import one_frame

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._types import Border, Extent, Indices, Number

__all__ = ["choose_conv_method", "convolve", "convolve2d", "correlate", "fftconvolve", "oaconvolve", "sepfir2d"]

_MODES = ("full", "valid", "same")


def _check_mode(mode):
    if mode not in _MODES:
        raise ValueError(f"Acceptable mode flags are 'valid', 'same', or 'full', not mode={mode}")


def _along_all_axes(in1, in2, mode, method, names, is_correlation, by="automatic"):
    in1, in2, give = both(in1, in2)
    if in1.ndim != in2.ndim:
        raise ValueError(f"{names} should have the same dimensionality")
    of_objects = dtype_of(in1).kind == "O" or dtype_of(in2).kind == "O"
    dtype = np.dtype(object) if of_objects else result_type(in1, in2)
    if is_correlation:
        in2 = np.flip(as_weights(in2))
        in2 = in2 if of_objects else in2.conj()  # as in SciPy
    if in1.ndim == 0:
        return give(in1 * in2)
    _check_mode(mode)
    if method not in ("auto", "direct", "fft"):
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    if 0 in in1.shape or 0 in in2.shape:
        return give(_signal_inputs.of_nothing(tuple(in1.shape), tuple(in2.shape), mode, dtype, names))
    if of_objects:
        return give(_signal_inputs.of_objects(in1, in2, mode))
    axes = tuple(range(in1.ndim))
    if method == "fft" and dtype.kind in "iu" and _signal_integers.are_rounded(in1, in2):
        return give(_signal_integers.wrapped(by_smaller(in1, in2, axes, mode, np.dtype(np.float64), by), dtype))
    if dtype.kind not in "fc":
        return give(by_smaller(in1, in2, axes, mode, dtype, by))

    def sums(in1, in2, fill, dtype=dtype, method=by if method == "fft" else method):
        if method == "auto":
            return _signal_choice.convolve(in1, in2, axes, mode, dtype)
        return by_smaller(in1, in2, axes, mode, dtype, method)

    return give(_signal_values.made(in1, in2, sums))


@one_frame
def convolve(
    in1: Any, in2: Any, mode: Extent = "full", method: Literal["auto", "direct", "fft"] = "auto"
) -> Any:
    """Convolution of two arrays with as many axes.

    Parameters
    ----------
    in1, in2 : array
        Each of any library. With `mode` 'valid' one must be at least as large as the other along every axis.
    mode : {'full', 'valid', 'same'}, optional
        All of the result, what needs no zeros outside, or the middle of the full result, of `in1`'s shape.
    method : {'auto', 'direct', 'fft'}, optional
        'direct' sums products by taps; 'fft' allows transforms, whose rounding grows with the norms of what meets, and integers to be
        rounded where float64 does not hold their sums; 'auto' takes transforms where they are quicker and, for every output, as
        good as sums.

    Returns
    -------
    array
        Of `in1`'s library and the type to which NumPy promotes both. Whole numbers wrap.

    Raises
    ------
    ValueError
        For inputs that do not fit each other, and unknown words.

    Examples
    --------
    >>> from halation.signal import convolve
    >>> convolve([1, 2, 3], [0, 1, 0.5])
    array([0. , 1. , 2.5, 4. , 1.5])
    >>> convolve([1, 2, 3], [0, 1, 0.5], mode='same')
    array([1. , 2.5, 4. ])
    >>> convolve([1, 2, 3], [0, 1, 0.5], mode='valid')
    array([2.5])
    """
    return _along_all_axes(in1, in2, mode, method, "volume and kernel", False)


@one_frame
def choose_conv_method(in1: Any, in2: Any, mode: Extent = "full", measure: bool = False) -> Any:
    """Which method `convolve` takes for two arrays under 'auto': direct sums, or transforms where these are as good.

    Parameters
    ----------
    in1, in2 : array
        As in `convolve`.
    mode : {'full', 'valid', 'same'}, optional
        As in `convolve`.
    measure : bool, optional
        Whether both are run and timed; else the answer follows from what is expected of them, which is what `convolve` goes by.

    Returns
    -------
    method : {'direct', 'fft'}
        The quicker one.
    times : dict
        With `measure`: seconds of both, by name.

    Raises
    ------
    ValueError
        For inputs that do not fit each other, and unknown words.

    Examples
    --------
    >>> import numpy as np
    >>> from halation.signal import choose_conv_method
    >>> choose_conv_method(np.ones(100_000), np.random.default_rng(1).random(10_000))
    'fft'
    >>> choose_conv_method(np.ones(100_000), [1.0, 2.0, 1.0])
    'direct'
    """
    names = "volume and kernel"
    if measure:
        times = {}
        for method in ("fft", "direct"):
            begin = time.perf_counter()
            _along_all_axes(in1, in2, mode, method, names, False, method)
            times[method] = time.perf_counter() - begin
        return min(times, key=lambda method: times[method]), times
    in1, in2, _ = both(in1, in2)
    if in1.ndim != in2.ndim:
        raise ValueError(f"{names} should have the same dimensionality")
    _check_mode(mode)
    if dtype_of(in1).kind == "O" or dtype_of(in2).kind == "O" or in1.ndim == 0 or 0 in in1.shape or 0 in in2.shape:
        return "direct"
    dtype = result_type(in1, in2)
    if dtype.kind in "fc" and isinstance(in1, np.ndarray) and isinstance(in2, np.ndarray):
        return "direct" if _signal_choice.ends_of(in1, in2, tuple(range(in1.ndim)), mode, dtype) is None else "fft"
    return "fft" if _signal_sums.is_transformed(in1, in2, mode, dtype) else "direct"


@one_frame
def correlate(
    in1: Any, in2: Any, mode: Extent = "full", method: Literal["auto", "direct", "fft"] = "auto"
) -> Any:
    """Cross-correlation of two arrays with as many axes: `convolve` with `in2` reversed and conjugated.

    Parameters
    ----------
    in1, in2 : array
        As in `convolve`.
    mode : {'full', 'valid', 'same'}, optional
        As in `convolve`.
    method : {'auto', 'direct', 'fft'}, optional
        As in `convolve`.

    Returns
    -------
    array
        Of `in1`'s library and the type to which NumPy promotes both.

    Examples
    --------
    >>> from halation.signal import correlate
    >>> correlate([1, 2, 3], [0, 1, 0.5])
    array([0.5, 2. , 3.5, 3. , 0. ])
    """
    return _along_all_axes(in1, in2, mode, method, "in1 and in2", True)


def _fill_of(fillvalue, dtype):
    """The value outside, as the result's type holds it."""
    value = np.asarray(fillvalue)
    if value.size != 1:
        raise ValueError("`fillvalue` must be scalar or an array with one element.")
    value = complex(value.reshape(-1)[0])
    if dtype.kind == "c":
        return value
    info = np.iinfo(dtype) if dtype.kind in "iu" else None
    if value.imag != 0 or (info is not None and not info.min <= value.real <= info.max):
        raise ValueError(f"could not cast `fillvalue` directly to the output type {dtype}, got {fillvalue}")
    return value.real if info is None else float(int(value.real))


@one_frame
def convolve2d(
    in1: Any, in2: Any, mode: Extent = "full", boundary: Border = "fill", fillvalue: Number = 0
) -> Any:
    """Convolution of two 2-D arrays, with a choice of what lies outside the first.

    Parameters
    ----------
    in1, in2 : 2-D array
        The image and the filter. With `mode` 'valid' they change places where `in2` is the larger one.
    mode : {'full', 'valid', 'same'}, optional
        As in `convolve`.
    boundary : {'fill', 'wrap', 'symm'}, optional
        What lies outside: `fillvalue`, the other side, or the mirrored image (c b a | a b c); or by any other name of a border.
    fillvalue : scalar, optional
        The value outside where `boundary` is 'fill'; whole numbers drop its fraction.

    Returns
    -------
    array
        Of `in1`'s library and the type to which NumPy promotes both. Whole numbers wrap.

    Raises
    ------
    ValueError
        For inputs that do not fit each other, and unknown words.

    Examples
    --------
    >>> import numpy as np
    >>> from halation.signal import convolve2d
    >>> image = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    >>> convolve2d(image, [[1, 1, 1]], mode='same', boundary='symm')
    array([[ 4,  6,  8],
           [13, 15, 17],
           [22, 24, 26]])
    """
    in1, in2, give = both(in1, in2)
    if not in1.ndim == in2.ndim == 2:
        raise ValueError("convolve2d inputs must both be 2-D arrays")
    _check_mode(mode)
    try:
        border = border_of(boundary)
    except ValueError:
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm'), or other names "
                         f"of borders: {CHOICES}") from None
    dtype = result_type(in1, in2)
    fill = _fill_of(fillvalue, dtype)
    if must_swap(mode, in1.shape, in2.shape, (0, 1)):
        in1, in2 = in2, in1
    if 0 in in1.shape or 0 in in2.shape:
        raise ValueError(f"convolve2d inputs must have elements, got shapes {tuple(in1.shape)} and {tuple(in2.shape)}")

    def sums(in1, in2, fill, dtype=dtype, method="direct"):
        if border == "constant" and fill == 0:
            if dtype.kind in "fc" and isinstance(in1, np.ndarray) and isinstance(in2, np.ndarray):
                return _signal_choice.convolve(in1, in2, (0, 1), mode, dtype)
            return by_smaller(in1, in2, (0, 1), mode, dtype, method)
        return _signal_sums.convolve(in1, as_weights(in2), (0, 1), mode, dtype, border, fill, method)

    if dtype.kind not in "fc":
        return give(sums(in1, in2, fill))
    return give(_signal_values.made(in1, in2, sums, fill if border == "constant" and mode != "valid" else 0.0))


@one_frame
def fftconvolve(in1: Any, in2: Any, mode: Extent = "full", axes: Indices | None = None) -> Any:
    """Convolution of two arrays along some of their axes, in floats, by direct sums or transforms, whichever is quicker.

    Parameters
    ----------
    in1, in2 : array
        With as many axes. Along axes that are not convolved, each of one length or broadcast.
    mode : {'full', 'valid', 'same'}, optional
        As in `convolve`.
    axes : int or sequence of int, optional
        The axes to convolve along; all by default.

    Returns
    -------
    array
        Of `in1`'s library: float32, float64, or complex; whole numbers give float64.

    Raises
    ------
    ValueError
        For inputs that do not fit each other, axes out of range or named twice, and unknown words.

    Examples
    --------
    >>> import numpy as np
    >>> from halation.signal import fftconvolve
    >>> fftconvolve([[1, 2, 3], [4, 5, 6]], [[1, 1], [0, 2]], axes=1)
    array([[ 1.,  3.,  5.,  3.],
           [ 0.,  8., 10., 12.]])
    """
    in1, in2, give = both(in1, in2)
    if in1.ndim != in2.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    dtype = np.promote_types(_signal_inputs.float_type(in1), _signal_inputs.float_type(in2))
    if in1.ndim == 0:
        return give(in1 * in2)
    if 0 in in1.shape or 0 in in2.shape:
        return give(np.array([]))
    given, (in1, in2, axes) = tuple(in1.shape), _signal_inputs.convolved_axes(in1, in2, mode, axes)
    if mode not in _MODES:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if not axes:  # nothing is summed, and so nothing becomes a float
        dtype = np.result_type(dtype_of(in1), dtype_of(in2))
    elif dtype_of(in1).kind == "O" or dtype_of(in2).kind == "O":
        in1, in2 = (array.astype(np.float64) if dtype_of(array).kind == "O" else array for array in (in1, in2))

    def sums(in1, in2, fill, dtype=dtype, method="automatic"):
        return _signal_sums.along(in1, in2, axes, mode, given, dtype)

    return give(_signal_values.made(in1, in2, sums) if axes else sums(in1, in2, 0.0))


@one_frame
def oaconvolve(in1: Any, in2: Any, mode: Extent = "full", axes: Indices | None = None) -> Any:
    """Convolution of two arrays along some of their axes, in floats: `fftconvolve` under its other name.

    Parameters
    ----------
    in1, in2 : array
        As in `fftconvolve`.
    mode : {'full', 'valid', 'same'}, optional
        As in `convolve`.
    axes : int or sequence of int, optional
        The axes to convolve along; all by default.

    Returns
    -------
    array
        As from `fftconvolve`.

    Examples
    --------
    >>> from halation.signal import oaconvolve
    >>> oaconvolve([1.0, 2.0, 3.0, 4.0], [0.5, 0.5], mode='valid')
    array([1.5, 2.5, 3.5])
    """
    return fftconvolve(in1, in2, mode, axes)


@one_frame
def sepfir2d(input: Any, hrow: ArrayLike, hcol: ArrayLike) -> Any:
    """Convolution of an image with a row and a column of weights, the image mirrored outside (c b a | a b c).

    Parameters
    ----------
    input : 2-D array
        The image.
    hrow, hcol : 1-D array
        Weights along each row and along each column, of odd lengths.

    Returns
    -------
    array
        Of `input`'s library: float32 (of integers up to 16 bits and bool, too), float64 or complex.

    Raises
    ------
    ValueError
        Unless the image has two axes and each filter one, of odd length.

    Examples
    --------
    >>> import numpy as np
    >>> from halation.signal import sepfir2d
    >>> sepfir2d(np.array([[0.0, 0.0, 4.0, 0.0]]), [0.25, 0.5, 0.25], [1.0])
    array([[0., 1., 2., 1.]])
    """
    input, hrow, give = both(input, hrow)
    hrow, hcol = as_weights(hrow), np.asarray(as_weights(both(hcol, 0)[0]))
    kind = dtype_of(input)
    if kind.kind not in "biufc":
        raise TypeError(f"the image must be of numbers, got {kind}")
    if input.ndim != 2:
        raise ValueError(f"sepfir2d filters images of two axes, got {input.ndim}")
    for name, row in (("hrow", hrow), ("hcol", hcol)):
        if row.ndim != 1:
            raise ValueError(f"{name} must have one axis, got {row.ndim}")
        if row.dtype.kind == "c" and kind.kind != "c":
            raise TypeError(f"{name} is complex and the image is not: give a complex image")
    if hrow.size % 2 == 0 or hcol.size % 2 == 0:
        raise ValueError("hrow and hcol must be odd length")
    dtype = np.promote_types(kind, np.float32)
    if not _signal_values.are_finite(hrow, hcol):
        return give(_by_rows(input, hrow, hcol, dtype))
    factors = (hcol[::-1], hrow[::-1])
    return give(_engine.correlate(input, factors, axes=(0, 1), borders="reflect", dtype=dtype))


def _by_rows(image, hrow, hcol, dtype):
    """Along rows and then along columns, as SciPy goes, where weights are not finite."""
    for axis, name, weights in ((1, "hrow", hrow), (0, "hcol", hcol)):
        if not isinstance(image, np.ndarray):
            _signal_values.check_weights(weights, name)

        def sums(in1, in2, fill, dtype=dtype, method="automatic", axis=axis):
            return _signal_sums.convolve(in1, in2, (axis,), "same", dtype, "reflect", 0.0, method)

        image = _signal_values.made(image, weights, sums)
    return image
