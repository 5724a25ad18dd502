"""__init__.pyi: types; made by tests/test_stubs.py (HALATION_WRITE_DOCS=1)."""
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload
from numpy.typing import ArrayLike, NDArray
from .._types import A, Border, Borders, Index, Indices, Number, Output, Real, Reals

__all__ = [
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "generic_gradient_magnitude",
    "generic_laplace",
    "laplace",
    "prewitt",
    "sobel",
    "uniform_filter",
    "uniform_filter1d",
]

@overload
def convolve(
    input: NDArray[Any],
    weights: ArrayLike,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def convolve(
    input: A,
    weights: ArrayLike,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> A: ...
@overload
def convolve(
    input: ArrayLike,
    weights: ArrayLike,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def convolve1d(
    input: NDArray[Any],
    weights: ArrayLike,
    axis: Index = -1,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> NDArray[Any]: ...
@overload
def convolve1d(
    input: A,
    weights: ArrayLike,
    axis: Index = -1,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> A: ...
@overload
def convolve1d(
    input: ArrayLike,
    weights: ArrayLike,
    axis: Index = -1,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> NDArray[Any]: ...
@overload
def correlate(
    input: NDArray[Any],
    weights: ArrayLike,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def correlate(
    input: A,
    weights: ArrayLike,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> A: ...
@overload
def correlate(
    input: ArrayLike,
    weights: ArrayLike,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def correlate1d(
    input: NDArray[Any],
    weights: ArrayLike,
    axis: Index = -1,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> NDArray[Any]: ...
@overload
def correlate1d(
    input: A,
    weights: ArrayLike,
    axis: Index = -1,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> A: ...
@overload
def correlate1d(
    input: ArrayLike,
    weights: ArrayLike,
    axis: Index = -1,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> NDArray[Any]: ...
@overload
def gaussian_filter(
    input: NDArray[Any],
    sigma: Reals,
    order: Indices = 0,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    truncate: Real = 4.0,
    *,
    radius: Indices | None = None,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def gaussian_filter(
    input: A,
    sigma: Reals,
    order: Indices = 0,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    truncate: Real = 4.0,
    *,
    radius: Indices | None = None,
    axes: Indices | None = None,
) -> A: ...
@overload
def gaussian_filter(
    input: ArrayLike,
    sigma: Reals,
    order: Indices = 0,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    truncate: Real = 4.0,
    *,
    radius: Indices | None = None,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def gaussian_filter1d(
    input: NDArray[Any],
    sigma: Real,
    axis: Index = -1,
    order: Index = 0,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    truncate: Real = 4.0,
    *,
    radius: Index | None = None,
) -> NDArray[Any]: ...
@overload
def gaussian_filter1d(
    input: A,
    sigma: Real,
    axis: Index = -1,
    order: Index = 0,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    truncate: Real = 4.0,
    *,
    radius: Index | None = None,
) -> A: ...
@overload
def gaussian_filter1d(
    input: ArrayLike,
    sigma: Real,
    axis: Index = -1,
    order: Index = 0,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    truncate: Real = 4.0,
    *,
    radius: Index | None = None,
) -> NDArray[Any]: ...
@overload
def gaussian_gradient_magnitude(
    input: NDArray[Any],
    sigma: Reals,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
    truncate: Real = 4.0,
    radius: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def gaussian_gradient_magnitude(
    input: A,
    sigma: Reals,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
    truncate: Real = 4.0,
    radius: Indices | None = None,
) -> A: ...
@overload
def gaussian_gradient_magnitude(
    input: ArrayLike,
    sigma: Reals,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
    truncate: Real = 4.0,
    radius: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def gaussian_laplace(
    input: NDArray[Any],
    sigma: Reals,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
    truncate: Real = 4.0,
    radius: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def gaussian_laplace(
    input: A,
    sigma: Reals,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
    truncate: Real = 4.0,
    radius: Indices | None = None,
) -> A: ...
@overload
def gaussian_laplace(
    input: ArrayLike,
    sigma: Reals,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
    truncate: Real = 4.0,
    radius: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def generic_gradient_magnitude(
    input: NDArray[Any],
    derivative: Callable[..., Any],
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def generic_gradient_magnitude(
    input: A,
    derivative: Callable[..., Any],
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Indices | None = None,
) -> A: ...
@overload
def generic_gradient_magnitude(
    input: ArrayLike,
    derivative: Callable[..., Any],
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def generic_laplace(
    input: NDArray[Any],
    derivative2: Callable[..., Any],
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def generic_laplace(
    input: A,
    derivative2: Callable[..., Any],
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Indices | None = None,
) -> A: ...
@overload
def generic_laplace(
    input: ArrayLike,
    derivative2: Callable[..., Any],
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def laplace(
    input: NDArray[Any],
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def laplace(
    input: A,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
) -> A: ...
@overload
def laplace(
    input: ArrayLike,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def prewitt(
    input: NDArray[Any],
    axis: Index = -1,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
) -> NDArray[Any]: ...
@overload
def prewitt(
    input: A,
    axis: Index = -1,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
) -> A: ...
@overload
def prewitt(
    input: ArrayLike,
    axis: Index = -1,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
) -> NDArray[Any]: ...
@overload
def sobel(
    input: NDArray[Any],
    axis: Index = -1,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
) -> NDArray[Any]: ...
@overload
def sobel(
    input: A,
    axis: Index = -1,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
) -> A: ...
@overload
def sobel(
    input: ArrayLike,
    axis: Index = -1,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
) -> NDArray[Any]: ...
@overload
def uniform_filter(
    input: NDArray[Any],
    size: Indices = 3,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def uniform_filter(
    input: A,
    size: Indices = 3,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> A: ...
@overload
def uniform_filter(
    input: ArrayLike,
    size: Indices = 3,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> NDArray[Any]: ...
@overload
def uniform_filter1d(
    input: NDArray[Any],
    size: Index,
    axis: Index = -1,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> NDArray[Any]: ...
@overload
def uniform_filter1d(
    input: A,
    size: Index,
    axis: Index = -1,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> A: ...
@overload
def uniform_filter1d(
    input: ArrayLike,
    size: Index,
    axis: Index = -1,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> NDArray[Any]: ...
