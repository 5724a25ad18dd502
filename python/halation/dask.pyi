"""dask.pyi: types; made by tests/test_stubs.py (HALATION_WRITE_DOCS=1)."""
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from numpy.typing import ArrayLike
from ._types import Border, Borders, Index, Indices, Number, Real, Reals

import dask.array as da
from numpy.typing import DTypeLike

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

def convolve(
    input: da.Array,
    weights: ArrayLike,
    output: DTypeLike | None = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> da.Array: ...
def convolve1d(
    input: da.Array,
    weights: ArrayLike,
    axis: Index = -1,
    output: DTypeLike | None = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> da.Array: ...
def correlate(
    input: da.Array,
    weights: ArrayLike,
    output: DTypeLike | None = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> da.Array: ...
def correlate1d(
    input: da.Array,
    weights: ArrayLike,
    axis: Index = -1,
    output: DTypeLike | None = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> da.Array: ...
def gaussian_filter(
    input: da.Array,
    sigma: Reals,
    order: Indices = 0,
    output: DTypeLike | None = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    truncate: Real = 4.0,
    *,
    radius: Indices | None = None,
    axes: Indices | None = None,
) -> da.Array: ...
def gaussian_filter1d(
    input: da.Array,
    sigma: Real,
    axis: Index = -1,
    order: Index = 0,
    output: DTypeLike | None = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    truncate: Real = 4.0,
    *,
    radius: Index | None = None,
) -> da.Array: ...
def gaussian_gradient_magnitude(
    input: da.Array,
    sigma: Reals,
    output: DTypeLike | None = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
    truncate: Real = 4.0,
    radius: Indices | None = None,
) -> da.Array: ...
def gaussian_laplace(
    input: da.Array,
    sigma: Reals,
    output: DTypeLike | None = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
    truncate: Real = 4.0,
    radius: Indices | None = None,
) -> da.Array: ...
def generic_gradient_magnitude(
    input: da.Array,
    derivative: Callable[..., Any],
    output: DTypeLike | None = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Indices | None = None,
    depth: Indices | None = None,
) -> da.Array: ...
def generic_laplace(
    input: da.Array,
    derivative2: Callable[..., Any],
    output: DTypeLike | None = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Indices | None = None,
    depth: Indices | None = None,
) -> da.Array: ...
def laplace(
    input: da.Array,
    output: DTypeLike | None = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
) -> da.Array: ...
def prewitt(
    input: da.Array,
    axis: Index = -1,
    output: DTypeLike | None = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
) -> da.Array: ...
def sobel(
    input: da.Array,
    axis: Index = -1,
    output: DTypeLike | None = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
) -> da.Array: ...
def uniform_filter(
    input: da.Array,
    size: Indices = 3,
    output: DTypeLike | None = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> da.Array: ...
def uniform_filter1d(
    input: da.Array,
    size: Index,
    axis: Index = -1,
    output: DTypeLike | None = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> da.Array: ...
