"""package_rows.py: what package.py runs on any device: a row of its table, and what counts as the same result."""
import numpy as np


class Row:
    """A job: `ours()` and each of `theirs` {peer: call} return arrays; `near(ours, theirs)` is empty, or says what is wrong."""

    def __init__(self, name, dtype, taps, ours, theirs, near, pixels, same_as=None):
        self.name, self.dtype, self.taps, self.ours, self.theirs = name, dtype, taps, ours, theirs
        self.near, self.pixels, self.same_as = near, pixels, same_as


def near(share):
    """Integers: at most one off, in that share of all elements; floats: 1e-5 of the largest."""
    def compare(got, expected):
        if got.shape != expected.shape:
            return f"shape {got.shape}, not {expected.shape}"
        if got.dtype.kind == "f":
            worst = float(np.abs(got - expected).max() / max(float(np.abs(expected).max()), 1e-30))
            return "" if worst <= 1e-5 else f"off by {worst:.2g} of the largest"
        off = np.abs(got.astype(np.int32) - expected.astype(np.int32))
        off = np.minimum(off, np.iinfo(got.dtype).max - np.iinfo(got.dtype).min + 1 - off)  # sums of SciPy's wrap
        differing = np.count_nonzero(off)
        if off.max() <= 1 and differing <= share * off.size:
            return ""
        return f"{differing} of {off.size} differ, the largest by {off.max()}"
    return compare
