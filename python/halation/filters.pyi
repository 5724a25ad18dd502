"""filters.pyi: types; made by tests/test_stubs.py (HALATION_WRITE_DOCS=1)."""
from typing import Any, Literal, overload
from numpy.typing import ArrayLike, NDArray
from ._types import A, Borders, Index, Indices, Output, Real, Reals

__all__ = [
    "identity",
    "sharpen",
    "high_pass",
    "low_pass",
    "box",
    "gaussian",
    "gaussian_derivative",
    "sobel",
    "scharr",
    "prewitt",
    "laplacian",
    "laplacian_of_gaussian",
    "unsharp_mask",
    "emboss",
    "motion_blur",
    "disk",
    "edges",
]

@overload
def identity(
    image: NDArray[Any],
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def identity(
    image: A,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def identity(
    image: ArrayLike,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def sharpen(
    image: NDArray[Any],
    strength: Real = 0.8,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def sharpen(
    image: A,
    strength: Real = 0.8,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def sharpen(
    image: ArrayLike,
    strength: Real = 0.8,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def high_pass(
    image: NDArray[Any],
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def high_pass(
    image: A,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def high_pass(
    image: ArrayLike,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def low_pass(
    image: NDArray[Any],
    divisor: Real | None = None,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def low_pass(
    image: A,
    divisor: Real | None = None,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def low_pass(
    image: ArrayLike,
    divisor: Real | None = None,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def box(
    image: NDArray[Any],
    size: Indices = 3,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def box(
    image: A,
    size: Indices = 3,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def box(
    image: ArrayLike,
    size: Indices = 3,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def gaussian(
    image: NDArray[Any],
    sigma: Reals = 1.0,
    radius: Indices | None = None,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def gaussian(
    image: A,
    sigma: Reals = 1.0,
    radius: Indices | None = None,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def gaussian(
    image: ArrayLike,
    sigma: Reals = 1.0,
    radius: Indices | None = None,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def gaussian_derivative(
    image: NDArray[Any],
    sigma: Reals = 1.0,
    radius: Indices | None = None,
    order_x: Index = 1,
    order_y: Index = 0,
    order_z: Index = 0,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def gaussian_derivative(
    image: A,
    sigma: Reals = 1.0,
    radius: Indices | None = None,
    order_x: Index = 1,
    order_y: Index = 0,
    order_z: Index = 0,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def gaussian_derivative(
    image: ArrayLike,
    sigma: Reals = 1.0,
    radius: Indices | None = None,
    order_x: Index = 1,
    order_y: Index = 0,
    order_z: Index = 0,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def sobel(
    image: NDArray[Any],
    axis: Literal["x", "y", "z"] = "x",
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def sobel(
    image: A,
    axis: Literal["x", "y", "z"] = "x",
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def sobel(
    image: ArrayLike,
    axis: Literal["x", "y", "z"] = "x",
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def scharr(
    image: NDArray[Any],
    axis: Literal["x", "y", "z"] = "x",
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def scharr(
    image: A,
    axis: Literal["x", "y", "z"] = "x",
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def scharr(
    image: ArrayLike,
    axis: Literal["x", "y", "z"] = "x",
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def prewitt(
    image: NDArray[Any],
    axis: Literal["x", "y", "z"] = "x",
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def prewitt(
    image: A,
    axis: Literal["x", "y", "z"] = "x",
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def prewitt(
    image: ArrayLike,
    axis: Literal["x", "y", "z"] = "x",
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def laplacian(
    image: NDArray[Any],
    neighbours: Index = 4,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def laplacian(
    image: A,
    neighbours: Index = 4,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def laplacian(
    image: ArrayLike,
    neighbours: Index = 4,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def laplacian_of_gaussian(
    image: NDArray[Any],
    sigma: Reals = 1.0,
    radius: Indices | None = None,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def laplacian_of_gaussian(
    image: A,
    sigma: Reals = 1.0,
    radius: Indices | None = None,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def laplacian_of_gaussian(
    image: ArrayLike,
    sigma: Reals = 1.0,
    radius: Indices | None = None,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def unsharp_mask(
    image: NDArray[Any],
    sigma: Reals = 1.0,
    amount: Real = 1.0,
    radius: Indices | None = None,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def unsharp_mask(
    image: A,
    sigma: Reals = 1.0,
    amount: Real = 1.0,
    radius: Indices | None = None,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def unsharp_mask(
    image: ArrayLike,
    sigma: Reals = 1.0,
    amount: Real = 1.0,
    radius: Indices | None = None,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def emboss(
    image: NDArray[Any],
    angle: Real = 45.0,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def emboss(
    image: A,
    angle: Real = 45.0,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def emboss(
    image: ArrayLike,
    angle: Real = 45.0,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def motion_blur(
    image: NDArray[Any],
    length: Real = 9.0,
    angle: Real = 0.0,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def motion_blur(
    image: A,
    length: Real = 9.0,
    angle: Real = 0.0,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def motion_blur(
    image: ArrayLike,
    length: Real = 9.0,
    angle: Real = 0.0,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def disk(
    image: NDArray[Any],
    radius: Real = 5.0,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def disk(
    image: A,
    radius: Real = 5.0,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def disk(
    image: ArrayLike,
    radius: Real = 5.0,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def edges(
    image: NDArray[Any],
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
@overload
def edges(
    image: A,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> A: ...
@overload
def edges(
    image: ArrayLike,
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Real = 0.0,
    output: Output = None,
    alpha: bool = False,
    view: Literal["signed", "abs", "stretch"] | None = None,
) -> NDArray[Any]: ...
