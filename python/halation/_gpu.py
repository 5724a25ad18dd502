"""_gpu.py: arrays on a GPU that the library does not take as they are: by conversions of the array's own library."""

import numpy as np

from . import _engine, _native


def overlap(array, out):
    """Whether two arrays may share memory: whether the bytes from the first to the last of each do."""

    def ends(described):
        shape, strides, kind, _, _, address, _ = described
        reach = [step * (n - 1) for n, step in zip(shape, strides)]
        low = address + sum(r for r in reach if r < 0)
        return low, address + sum(r for r in reach if r > 0) + int(kind[1:])

    a, b = ends(_native.describe(array)), ends(_native.describe(out))
    return a[0] < b[1] and b[0] < a[1]


def is_direct(layout, there, dtype, filters, words):
    """Whether the library filters arrays of these types as they are."""
    out_dtype = there.dtype if there is not None else layout.dtype if dtype is None else np.dtype(dtype)
    if _engine.pixel_of(layout.dtype) is None or _engine.pixel_of(out_dtype) is None:
        return False
    return _engine.direct_terms(_engine.Job(layout.shape, filters, words), layout.dtype, out_dtype) is not None


def correlate(library, array, layout, filters, words, out, there, dtype, stream):
    """`_engine.correlate` by way of other types; whole numbers by truncation alone."""
    out_dtype = there.dtype if there is not None else layout.dtype if dtype is None else np.dtype(dtype)
    if layout.dtype.kind == "c" or out_dtype.kind == "c":
        raise TypeError("complex numbers are filtered on the CPU; on a GPU filter real and imaginary parts by themselves")
    if out_dtype.kind in "biu" and words[5] != "truncate":
        raise TypeError(f"on a GPU results are rounded to u8, u16 and i16 from such pixels, got {layout.dtype} to {out_dtype}")
    divisor = words[9]
    plain = words[:5] + ("half_even", "saturate") + words[7:9] + (1,) + words[10:]
    sums = _engine.correlate_words(library.astype(array, _engine.F64), filters, plain, None, None, stream, library, stream)
    if divisor != 1:
        sums = sums / divisor
    if out_dtype.kind in "biu":
        # A GPU's conversions of floats saturate; those of whole numbers wrap.
        whole = library.astype(sums * (1 + _engine.share_of(_engine.Job(layout.shape, filters, words))), np.dtype(np.int64))
        made = library.astype(whole, np.dtype(np.uint8) if out_dtype.kind == "b" else out_dtype)
        made = library.astype(made, out_dtype)
    else:
        made = library.astype(sums, out_dtype)
    if out is None:
        return made
    out[...] = made
    return out
