"""_gpu.py: arrays on a GPU: by the library as they are, or by conversions of the array's own library."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cache, _native
from ._families import prepare
from ._job import Job, direct_terms, pixel_of, share_of
from ._weights import F64, weights_and_key

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ._arrays import OnGpu
    from ._mapping import Layout
    from ._options import Options
    from ._types import DType, Filters, Shape


def correlate(
    library: OnGpu, array: Any, filters: Any, options: Options, out: Any, dtype: DTypeLike | None, given_stream: int | None = None
) -> Any:
    """`_engine.correlate` for arrays of a `library` on a GPU."""
    filters, key, is_complex = weights_and_key(filters)
    stream = library.stream(array) if given_stream is None else given_stream
    layout = library.layout(array)
    out_layout = None if out is None else library.layout(out)
    if out_layout is not None and overlap(array, out):
        out[...] = correlate(library, array, filters, options, None, out_layout.dtype, stream)
        return out
    key = (layout, dtype, out_layout, key, options)
    entry = _cache.find(key)
    if entry is None:
        out_dtype = out_layout.dtype if out_layout is not None else layout.dtype if dtype is None else np.dtype(dtype)
        if is_complex or layout.dtype.kind == "c" or out_dtype.kind == "c":
            raise TypeError("complex numbers are filtered on the CPU; on a GPU filter real and imaginary parts by themselves")
        if not _is_direct(layout, out_dtype, filters, options):
            return _by_conversions(library, array, layout, filters, options, out, out_dtype, stream)
        entry = prepare(layout, out_layout, dtype, filters, options)
        _cache.keep(key, entry)
    if out is None:
        out = library.empty(entry.shape, entry.dtype, array)
    made = entry.run(array, out, stream)
    if made is None:
        raise ValueError("the memory of an array on a GPU must begin at a multiple of its element's size")
    return made


def overlap(array: Any, out: Any) -> bool:
    """Whether two arrays may share memory: whether the bytes from the first to the last of each do."""

    def ends(described: tuple[Shape, Shape, str, str, bool, int, int | None]) -> tuple[int, int]:
        shape, strides, kind, _, _, address, _ = described
        reach = [step * (n - 1) for n, step in zip(shape, strides)]
        low = address + sum(r for r in reach if r < 0)
        return low, address + sum(r for r in reach if r > 0) + int(kind[1:])

    a, b = ends(_native.describe(array)), ends(_native.describe(out))
    return a[0] < b[1] and b[0] < a[1]


def _is_direct(layout: Layout, out_dtype: DType, filters: Filters, options: Options) -> bool:
    """Whether the library filters arrays of these types as they are."""
    if pixel_of(layout.dtype) is None or pixel_of(out_dtype) is None:
        return False
    return direct_terms(Job(layout.shape, filters, options), layout.dtype, out_dtype) is not None


@functools.lru_cache(maxsize=256)
def _of_sums(options: Options) -> Options:
    """The options by which sums are had before they are divided and rounded."""
    return dataclasses.replace(options, rounding="half_even", overflow="saturate", divisor=1)


def _by_conversions(
    library: OnGpu, array: Any, layout: Layout, filters: Filters, options: Options, out: Any, out_dtype: DType, stream: int
) -> Any:
    """Sums in f64, and what the output is by conversions: whole numbers by truncation alone."""
    if out_dtype.kind in "biu" and options.rounding != "truncate":
        raise TypeError(f"on a GPU results are rounded to u8, u16 and i16 from such pixels, got {layout.dtype} to {out_dtype}")
    sums = correlate(library, library.astype(array, F64), filters, _of_sums(options), None, None, stream)
    if options.divisor != 1:
        sums = sums / options.divisor
    if out_dtype.kind in "biu":
        # A GPU's conversions of floats saturate; those of whole numbers wrap.
        whole = library.astype(sums * (1 + share_of(Job(layout.shape, filters, options))), np.dtype(np.int64))
        made = library.astype(whole, np.dtype(np.uint8) if out_dtype.kind == "b" else out_dtype)
        made = library.astype(made, out_dtype)
    else:
        made = library.astype(sums, out_dtype)
    if out is None:
        return made
    out[...] = made
    return out
