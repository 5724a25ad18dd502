"""signal.pyi: types; made by tests/test_stubs.py (HALATION_WRITE_DOCS=1)."""
from typing import Any, Literal, overload
from numpy.typing import ArrayLike, NDArray
from ._types import A, Array, Border, Extent, Indices, Number

__all__ = [
    "choose_conv_method",
    "convolve",
    "convolve2d",
    "correlate",
    "fftconvolve",
    "oaconvolve",
    "sepfir2d",
]

@overload
def choose_conv_method(
    in1: NDArray[Any],
    in2: NDArray[Any],
    mode: Extent = "full",
    measure: bool = False,
) -> NDArray[Any]: ...
@overload
def choose_conv_method(
    in1: A,
    in2: A,
    mode: Extent = "full",
    measure: bool = False,
) -> A: ...
@overload
def choose_conv_method(
    in1: ArrayLike | Array,
    in2: ArrayLike | Array,
    mode: Extent = "full",
    measure: bool = False,
) -> Any: ...
@overload
def convolve(
    in1: NDArray[Any],
    in2: NDArray[Any],
    mode: Extent = "full",
    method: Literal['auto', 'direct', 'fft'] = "auto",
) -> NDArray[Any]: ...
@overload
def convolve(
    in1: A,
    in2: A,
    mode: Extent = "full",
    method: Literal['auto', 'direct', 'fft'] = "auto",
) -> A: ...
@overload
def convolve(
    in1: ArrayLike | Array,
    in2: ArrayLike | Array,
    mode: Extent = "full",
    method: Literal['auto', 'direct', 'fft'] = "auto",
) -> Any: ...
@overload
def convolve2d(
    in1: NDArray[Any],
    in2: NDArray[Any],
    mode: Extent = "full",
    boundary: Border = "fill",
    fillvalue: Number = 0,
) -> NDArray[Any]: ...
@overload
def convolve2d(
    in1: A,
    in2: A,
    mode: Extent = "full",
    boundary: Border = "fill",
    fillvalue: Number = 0,
) -> A: ...
@overload
def convolve2d(
    in1: ArrayLike | Array,
    in2: ArrayLike | Array,
    mode: Extent = "full",
    boundary: Border = "fill",
    fillvalue: Number = 0,
) -> Any: ...
@overload
def correlate(
    in1: NDArray[Any],
    in2: NDArray[Any],
    mode: Extent = "full",
    method: Literal['auto', 'direct', 'fft'] = "auto",
) -> NDArray[Any]: ...
@overload
def correlate(
    in1: A,
    in2: A,
    mode: Extent = "full",
    method: Literal['auto', 'direct', 'fft'] = "auto",
) -> A: ...
@overload
def correlate(
    in1: ArrayLike | Array,
    in2: ArrayLike | Array,
    mode: Extent = "full",
    method: Literal['auto', 'direct', 'fft'] = "auto",
) -> Any: ...
@overload
def fftconvolve(
    in1: NDArray[Any],
    in2: NDArray[Any],
    mode: Extent = "full",
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def fftconvolve(
    in1: A,
    in2: A,
    mode: Extent = "full",
    axes: Indices | None = None,
) -> A: ...
@overload
def fftconvolve(
    in1: ArrayLike | Array,
    in2: ArrayLike | Array,
    mode: Extent = "full",
    axes: Indices | None = None,
) -> Any: ...
@overload
def oaconvolve(
    in1: NDArray[Any],
    in2: NDArray[Any],
    mode: Extent = "full",
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def oaconvolve(
    in1: A,
    in2: A,
    mode: Extent = "full",
    axes: Indices | None = None,
) -> A: ...
@overload
def oaconvolve(
    in1: ArrayLike | Array,
    in2: ArrayLike | Array,
    mode: Extent = "full",
    axes: Indices | None = None,
) -> Any: ...
@overload
def sepfir2d(
    input: NDArray[Any],
    hrow: ArrayLike,
    hcol: ArrayLike,
) -> NDArray[Any]: ...
@overload
def sepfir2d(
    input: A,
    hrow: ArrayLike,
    hcol: ArrayLike,
) -> A: ...
@overload
def sepfir2d(
    input: ArrayLike,
    hrow: ArrayLike,
    hcol: ArrayLike,
) -> NDArray[Any]: ...
