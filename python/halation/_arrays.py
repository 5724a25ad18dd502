"""_arrays.py: arrays of other libraries: what they are, where they lie, and how to make others of their kind.

On the CPU every array is read through NumPy, which shares its memory, and results go back the same way. On a GPU arrays stay what
and where they are: the library filters them there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from . import _native
from ._mapping import Layout
from ._traceback import warn

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from ._types import DType, Shape


class OnCpu:
    """A library whose arrays on the CPU NumPy can look at: `give` makes a result of NumPy's into one of its arrays."""

    def __init__(self, give: Callable[[NDArray[Any]], Any]) -> None:
        self.give = give


def _same(array: Any) -> Any:
    return array


NUMPY = OnCpu(_same)


class OnGpu:
    """A library whose arrays lie on a CUDA device."""

    def __init__(
        self,
        empty: Callable[[Shape, DType, Any], Any],
        astype: Callable[[Any, DType], Any],
        stream: Callable[[Any], int],
        sqrt: Callable[[Any], object],
        asarray: Callable[[Any], Any],
        parts: Callable[[Any], Any],
        add: Callable[..., object],
        subtract: Callable[..., object],
        divide: Callable[..., object],
    ) -> None:
        self.empty = empty  # (shape, dtype, like)
        self.astype = astype  # (array, dtype): always another array
        self.stream = stream  # (array) -> address of the caller's current stream
        self.sqrt = sqrt  # (array): in place
        self.asarray = asarray
        self.parts = parts  # (complex array): its real and imaginary parts, where they lie, as one more axis at the end
        self.add, self.subtract, self.divide = add, subtract, divide  # (array, array or number, out=array)

    @staticmethod
    def layout(array: Any) -> Layout:
        shape, strides, kind, device, _, _, _ = _native.describe(array)
        return Layout(shape, strides, np.dtype(kind), device)


Library = OnCpu | OnGpu
_found: dict[str, Library] = {}


def library_of(array: Any) -> Library:
    """The library of an array, by its type; NumPy for everything that NumPy makes arrays of."""
    kind = type(array)
    if kind is np.ndarray:
        return NUMPY
    package = kind.__module__.partition(".")[0]
    if package == "torch" and hasattr(array, "is_cuda"):
        return _library("torch gpu", _torch_on_gpu) if array.is_cuda else _library("torch", _torch_on_cpu)
    if package == "cupy":
        return _library("cupy", _cupy)
    if package in ("jax", "jaxlib") and hasattr(array, "devices"):
        on_cpu = all(device.platform == "cpu" for device in array.devices())
        return _library("jax", _jax_on_cpu) if on_cpu else _library("jax gpu", _jax_on_gpu)
    if package == "numba" and hasattr(array, "__cuda_array_interface__"):
        return _library("numba", _numba)
    if hasattr(array, "__cuda_array_interface__"):
        return _library("cupy", _cupy)
    if hasattr(array, "__array_namespace__") and package != "numpy":
        namespace = array.__array_namespace__()
        return OnCpu(namespace.asarray)
    return NUMPY


def gpu_library_of(array: Any) -> OnGpu:
    """The library of an array that is known to lie on a GPU."""
    return cast(OnGpu, library_of(array))


def empty(like: Any, shape: Shape, dtype: DType) -> Any:
    """A new array where another lies, of its library on a GPU and of NumPy on the CPU."""
    return np.empty(shape, dtype) if type(like) is np.ndarray else gpu_library_of(like).empty(shape, dtype, like)


def converted(array: Any, dtype: DType) -> Any:
    """A packed copy of a type, where the array lies."""
    if type(array) is np.ndarray:
        return array.astype(dtype, order="C")
    library = gpu_library_of(array)
    made = library.empty(array.shape, dtype, array)
    made[...] = library.astype(array, dtype)  # which may lie in another order
    return made


def arithmetic_of(array: Any) -> Any:
    """What has `add`, `subtract` and `divide` for an array."""
    return np if type(array) is np.ndarray else gpu_library_of(array)


def _library(name: str, make: Callable[[], Library]) -> Library:
    if name not in _found:
        _found[name] = make()
    return _found[name]


def on_cpu(array: Any) -> NDArray[Any]:
    """An array in host memory as NumPy's, without a copy where the object has memory of its own."""
    if type(array) is np.ndarray:
        return array
    if type(array).__module__.partition(".")[0] == "torch":
        there: NDArray[Any] = array.numpy()  # which refuses tensors that require a gradient, with a sentence
        return there
    if hasattr(array, "__dlpack__") and not hasattr(array, "__array__") and not hasattr(array, "__array_interface__"):
        return np.from_dlpack(array)
    if hasattr(array, "mask") and isinstance(array, np.ma.MaskedArray) and np.any(array.mask):
        warn("the mask of a masked array is not looked at, and what lies under it is filtered as well; say which values count there, as "
             "array.filled(0), or array.data if that is meant")  # fmt: skip
    return np.asarray(array)


def facts_of(array: Any) -> tuple[int, DType]:
    """(number of axes, dtype) of an array of any library."""
    if type(array) is np.ndarray:
        return array.ndim, array.dtype
    library = library_of(array)
    if isinstance(library, OnCpu):
        return array.ndim, np.asarray(array).dtype
    layout = library.layout(array)
    return len(layout.shape), layout.dtype


def _torch_dtype(torch: Any, dtype: DTypeLike) -> Any:
    names = {
        "b1": torch.bool,
        "u1": torch.uint8,
        "i1": torch.int8,
        "i2": torch.int16,
        "i4": torch.int32,
        "i8": torch.int64,
        "f2": torch.float16,
        "f4": torch.float32,
        "f8": torch.float64,
        "c8": torch.complex64,
        "c16": torch.complex128,
    }
    for wide in ("uint16", "uint32", "uint64"):
        if hasattr(torch, wide):
            names["u" + str(int(wide[4:]) // 8)] = getattr(torch, wide)
    name = np.dtype(dtype).str[1:]
    if name not in names:
        raise TypeError(f"PyTorch has no type for {np.dtype(dtype)}")
    return names[name]


def _torch_on_cpu() -> Library:
    import torch

    return OnCpu(torch.from_numpy)


def _torch_on_gpu() -> Library:
    import torch

    return OnGpu(
        empty=lambda shape, dtype, like: torch.empty(shape, dtype=_torch_dtype(torch, dtype), device=like.device),
        astype=lambda array, dtype: array.to(_torch_dtype(torch, dtype), copy=True),
        stream=lambda array: torch.cuda.current_stream(array.device).cuda_stream,
        sqrt=lambda array: array.copy_(array.to(torch.float64).sqrt()),
        asarray=_same,
        parts=lambda array: torch.view_as_real(array.resolve_conj()),
        add=torch.add,
        subtract=torch.subtract,
        divide=torch.divide,
    )


def _cupy() -> Library:
    try:
        import cupy
    except ImportError as error:
        raise TypeError("arrays on a GPU need CuPy, PyTorch, JAX or Numba for their results; install one of them") from error
    _native.know_cupy(cupy.ndarray)

    return OnGpu(
        empty=lambda shape, dtype, like: cupy.empty(shape, dtype=dtype),
        astype=lambda array, dtype: array.astype(dtype, copy=True),
        stream=lambda array: cupy.cuda.get_current_stream().ptr,
        sqrt=lambda array: cupy.sqrt(array, array, casting="unsafe"),
        asarray=cupy.asarray,
        parts=_cupy_parts(cupy.ndarray),
        add=cupy.add,
        subtract=cupy.subtract,
        divide=cupy.divide,
    )


def _cupy_parts(ndarray: Callable[..., Any]) -> Callable[[Any], Any]:
    def parts(array: Any) -> Any:
        part = array.dtype.itemsize // 2
        return ndarray((*array.shape, 2), np.float32 if part == 4 else np.float64, array.data, (*array.strides, part))

    return parts


def _jax_on_cpu() -> Library:
    import jax.numpy

    return OnCpu(jax.numpy.asarray)


def _jax_on_gpu() -> Library:
    raise TypeError("arrays of JAX are filtered on the CPU; hand one on a GPU over as CuPy's: cupy.from_dlpack(array)")


def _numba() -> Library:
    from numba import cuda

    def current(array: Any) -> int:
        return _native.describe(array)[6] or 0

    return OnGpu(
        empty=lambda shape, dtype, like: cuda.device_array(shape, dtype=dtype),
        astype=_refuse_numba,
        stream=current,
        sqrt=_refuse_numba,
        asarray=_same,
        parts=_refuse_numba,
        add=_refuse_numba,
        subtract=_refuse_numba,
        divide=_refuse_numba,
    )


def _refuse_numba(array: Any, *_: object, **__: object) -> NoReturn:
    raise TypeError("Numba's arrays are filtered as they are: real numbers along three axes at most, no integers of 64 bits")
