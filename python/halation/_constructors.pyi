"""_constructors.pyi: types; made by tests/test_stubs.py (HALATION_WRITE_DOCS=1)."""
from typing import Literal
from ._types import Index, Indices, Real, Reals

from ._filter import Filter

class Constructors:
    @classmethod
    def identity(
        cls,
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def sharpen(
        cls,
        strength: Real = 0.8,
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def high_pass(
        cls,
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def low_pass(
        cls,
        divisor: Real | None = None,
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def box(
        cls,
        size: Indices = 3,
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def gaussian(
        cls,
        sigma: Reals = 1.0,
        radius: Indices | None = None,
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def gaussian_derivative(
        cls,
        sigma: Reals = 1.0,
        radius: Indices | None = None,
        order_x: Index = 1,
        order_y: Index = 0,
        order_z: Index = 0,
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def sobel(
        cls,
        axis: Literal["x", "y", "z"] = "x",
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def scharr(
        cls,
        axis: Literal["x", "y", "z"] = "x",
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def prewitt(
        cls,
        axis: Literal["x", "y", "z"] = "x",
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def laplacian(
        cls,
        neighbours: Index = 4,
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def laplacian_of_gaussian(
        cls,
        sigma: Reals = 1.0,
        radius: Indices | None = None,
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def unsharp_mask(
        cls,
        sigma: Reals = 1.0,
        amount: Real = 1.0,
        radius: Indices | None = None,
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def emboss(
        cls,
        angle: Real = 45.0,
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def motion_blur(
        cls,
        length: Real = 9.0,
        angle: Real = 0.0,
        *,
        dims: Index | None = None,
    ) -> Filter: ...
    @classmethod
    def disk(
        cls,
        radius: Real = 5.0,
        *,
        dims: Index | None = None,
    ) -> Filter: ...
