"""_plan.py: plans for many arrays of one shape and type."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _arrays, _channels, _gpu, _picture
from ._direct import Direct
from ._filter import Filter, filter_of
from ._job import Job, Terms, aligned, any_pixel_of, check_writable
from ._mapping import Layout, packed
from ._options import Options
from ._taps import by
from ._threads import LIMIT, limited
from ._traceback import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from ._types import (
        A, Accuracy, Array, Borders, Extent, Index, Indices, Method, Operation, Real, Reals, Rounding, Shape, Sum, Taps, Tune,
    )  # fmt: skip

_OPERATIONS = ("correlation", "convolution")
_MOST_LAYOUTS = 4  # of arrays of other strides than packed ones, for which a plan of the library is kept


class Plan:
    """A filter for arrays of one shape and type, checked and prepared once; made by `halation.plan`.

    Immutable: any number of threads may run one, and so may children that are forked (on the CPU), also while others run it. The
    interpreter's lock is released while it computes. It pickles as what it was made from, and is prepared anew where it arrives: for
    that machine, and under the limit of threads there.
    """

    def __init__(self, job: Job, in_dtype: np.dtype[Any], out_dtype: np.dtype[Any], options: Options, words: dict[str, Any]) -> None:
        """`words`: what `plan` was called with."""
        self._job, self._options, self._dtype, self._words = job, options, in_dtype, words
        self._device: str = words["device"]
        self._limit = LIMIT.get()
        self._others: OrderedDict[tuple[Shape, Shape], Direct] = OrderedDict()  # by the strides of input and output
        self._entry = self._made_for(packed(job.shape, in_dtype).strides, packed(job.out_shape, out_dtype).strides, out_dtype)
        self._call = self._entry.call.run

    def _made_for(self, strides: Shape, out_strides: Shape, out_dtype: np.dtype[Any]) -> Direct:
        """The library's plan for arrays of these strides."""
        job, words, device = self._job, self._words, self._device
        layout, out_layout = Layout(job.shape, strides, self._dtype, device), Layout(job.out_shape, out_strides, out_dtype, device)
        with limited(self._limit):
            return Direct(job, layout, out_layout, Terms(job.scale, job.sum, "saturate"), words["accuracy"], words["tune"], words["operation"])

    @overload
    def run(self, input: NDArray[Any], out: NDArray[Any] | None = None, stream: int | None = None) -> NDArray[Any]: ...
    @overload
    def run(self, input: A, out: A | None = None, stream: int | None = None) -> A: ...
    @overload
    def run(self, input: ArrayLike | Array, out: Any = None, stream: int | None = None) -> Any: ...
    def run(self, input: Any, out: Any = None, stream: int | None = None) -> Any:
        """Filters an array.

        Parameters
        ----------
        input : array
            Of the plan's shape and dtype, of any strides, in memory of the plan's device.
        out : array, optional
            Where the result goes: of `output_shape` and `output_dtype`. It may overlap the input, by way of a temporary. A new
            array of the input's library unless given.
        stream : int, optional
            The address of a CUDA stream; the caller's current one unless given.

        Returns
        -------
        array
            `out`, or the new array.

        Notes
        -----
        Arrays that are not packed are filtered where they lie, with all that the plan was asked for. What that takes is prepared by the
        first run over such strides, and kept for the last four of them.

        Examples
        --------
        >>> import numpy as np
        >>> import halation
        >>> mean = halation.plan((3,), np.float32, np.ones(3) / 3, border="replicate")
        >>> mean.run(np.array([3, 0, 6], np.float32))
        array([2., 3., 4.], dtype=float32)
        """
        try:
            if out is None and type(input) is np.ndarray:
                out = np.empty(self._entry.shape, self._entry.dtype)
                if self._call(input, out, 0):
                    return out
                out = None
            return self._run_elsewhere(input, out, stream)
        except Exception as error:
            shorten(error)
            raise

    def _run_elsewhere(self, array: Any, out: Any, stream: int | None) -> Any:
        """Arrays of other strides than a packed one's, of other libraries, and outputs of the caller's."""
        library = _arrays.library_of(array)
        if isinstance(library, _arrays.OnCpu):
            there = _arrays.on_cpu(array)
            self._check(there.shape, there.dtype, "cpu")
            target = None if out is None else _arrays.on_cpu(out)
            if target is not None:
                self._check_output(target.shape, target.dtype)
                check_writable(target)
            made = np.empty(self._entry.shape, self._entry.dtype) if target is None or np.may_share_memory(there, target) else target
            if not self._ran(there, there.strides, made, made.strides, 0):  # elements between the multiples of their size
                packed_one = np.empty(self._entry.shape, self._entry.dtype)
                self._call(there.copy(order="C"), packed_one, 0)
                made[...] = packed_one
            if target is None:
                return library.give(made)
            if made is not target:
                target[...] = made
            return out
        layout = library.layout(array)
        self._check(layout.shape, layout.dtype, layout.device)
        stream = library.stream(array) if stream is None else stream
        target = library.empty(self._entry.shape, self._entry.dtype, array) if out is None else out
        target_layout = library.layout(target)
        self._check_output(target_layout.shape, target_layout.dtype)
        shares = out is not None and _gpu.overlap(array, out)
        made = library.empty(self._entry.shape, self._entry.dtype, array) if shares else target
        if not self._ran(array, layout.strides, made, library.layout(made).strides, stream):
            raise ValueError("the memory of an array on a GPU must begin at a multiple of its element's size")
        if shares:
            target[...] = made
        return target

    def _ran(self, array: Any, strides: Shape, out: Any, out_strides: Shape, stream: int) -> bool:
        """Filters arrays of any strides; False, with nothing done, where not all elements lie at multiples of their size."""
        if self._call(array, out, stream):
            return True
        if not aligned(strides, self._dtype) or not aligned(out_strides, self._entry.dtype):
            return False
        entry = self._others.get((strides, out_strides))
        if entry is None:
            entry = self._made_for(strides, out_strides, self._entry.dtype)
            self._others[strides, out_strides] = entry
            if len(self._others) > _MOST_LAYOUTS:
                self._others.popitem(last=False)
        return entry.call.run(array, out, stream)

    def _check(self, shape: Shape, dtype: np.dtype[Any], device: str) -> None:
        if shape != self._entry.job_shape or dtype != self._dtype:
            raise ValueError(f"the plan is for {self._dtype} of shape {self._entry.job_shape}, got {dtype} of shape {shape}")
        if device.partition(":")[0] != self._device.partition(":")[0].replace("reference", "cpu"):
            raise ValueError(f"the plan runs on {self._device}, the array lies on {device}")

    def _check_output(self, shape: Shape, dtype: np.dtype[Any]) -> None:
        if dtype != self._entry.dtype:
            raise ValueError(f"the plan's output is {self._entry.dtype}, got {dtype}")
        if shape != self._entry.shape:
            raise ValueError(f"output must have shape {self._entry.shape}, got {shape}")

    def explain(self) -> str:
        """What will be done with packed arrays and why: method, expected time, precision, tiles."""
        return self._entry.plan.explain()

    def error_bound(self, max_abs: Real) -> float:
        """Largest difference from exact arithmetic, before rounding, for inputs of magnitude at most `max_abs`."""
        return self._entry.plan.error_bound(float(max_abs))

    @property
    def output_shape(self) -> Shape:
        """The shape of the output."""
        return self._entry.shape

    @property
    def output_dtype(self) -> np.dtype[Any]:
        """The dtype of the output."""
        return self._entry.dtype

    @property
    def workspace_bytes(self) -> int:
        """Scratch bytes that one run takes from the library's pool."""
        return self._entry.plan.workspace_bytes

    @property
    def methods(self) -> list[str]:
        """The methods chosen, one a filter: "direct", "separable", "box", "fft"."""
        return self._entry.plan.methods

    @property
    def shape(self) -> Shape:
        """The shape of the arrays that it filters."""
        return self._entry.job_shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the arrays that it filters."""
        return self._dtype

    @property
    def device(self) -> str:
        """Where it runs: "cpu", "reference", "cuda:0"."""
        return self._device

    @property
    def filter(self) -> Filter:
        """The `Filter`."""
        filter_: Filter = self._words["weights"]
        return filter_

    @property
    def border(self) -> str | tuple[str, ...]:
        """What lies outside, by the library's name; a tuple of one for each axis where they differ."""
        borders = self._options.borders
        return borders[0] if isinstance(borders, tuple) and len(set(borders)) == 1 else borders

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_anew, (self._words,)

    def __repr__(self) -> str:
        facts = self._facts()
        return (
            f"<halation.Plan {facts['arrays']}, {facts['filter']}, border {facts['border']}, on {facts['device']}, "
            f"method {facts['method']}>"
        )

    def _repr_html_(self) -> str:
        return _picture.table("halation.Plan", self._facts()) + self.filter._repr_html_()

    def _facts(self) -> dict[str, str]:
        """What matters, in words."""
        entry, border = self._entry, self.border
        arrays = f"{self._dtype} {by(entry.job_shape)}"
        if (entry.dtype, entry.shape) != (self._dtype, entry.job_shape):
            arrays += f" -> {entry.dtype} {by(entry.shape)}"
        return {
            "arrays": arrays,
            "filter": f"{self._words['operation']} by {self.filter.in_words()} along {_axes_in_words(self._options.axes or ())}",
            "border": f"{border} {self._options.cvals}" if "constant" in border else str(border),
            "device": self._device,
            "method": ", ".join(self.methods),
        }


def _axes_in_words(axes: Sequence[int]) -> str:
    return f"axis {axes[0]}" if len(axes) == 1 else f"axes {', '.join(map(str, axes))}"


def _made_anew(words: dict[str, Any]) -> Plan:
    with _channels.unwarned():  # who made it has been told
        return _make(**words)


def plan(
    shape: Sequence[Index],
    dtype: DTypeLike,
    weights: Filter | ArrayLike | tuple[ArrayLike, ...],
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    operation: Operation = "convolution",
    border: Borders = "reflect101",
    cval: Reals = 0.0,
    anchor: Indices | None = None,
    extent: Extent = "same",
    output: DTypeLike | None = None,
    scale: Real = 1.0,
    offset: Real = 0.0,
    rounding: Rounding = "half_even",
    sum: Sum = "automatic",
    accuracy: Accuracy = "exact",
    method: Method = "automatic",
    tune: Tune = "estimate",
    threads: Index = 0,
    device: str = "cpu",
) -> Plan:
    """Prepares a filter for arrays of one shape and dtype.

    ``out[p] = round(scale * sum_k(w[k] * in[p - (k - anchor)]) + offset)`` for a convolution; ``in[p + (k - anchor)]`` for a
    correlation. Integers saturate.

    Parameters
    ----------
    shape : tuple of int
        Of the arrays, up to any number of axes.
    dtype : dtype
        Of the arrays: integers of 8 to 64 bits, float16, float32 or float64. Sums of 64-bit integers are exact, by integer weights whose
        magnitudes sum up to 2^21 at most; others are refused.
    weights : Filter, array or tuple of 1-D arrays
        A filter, dense weights with an axis for each of `axes`, or the factors of a separable filter, one for each of `axes`.
    axes : int or tuple of int, optional
        The axes that the filter runs along, three with more than one tap at most; by default the last ones, as many as the
        weights have, `channel_axis` left out.
    channel_axis : int, optional
        The axis of the channels, which are filtered one by one: -1 for H x W x C.
    operation : {"convolution", "correlation"}
        Named filters (`Filter.gaussian` and its like) are correlations whatever it says.
    border : str or tuple of str
        What lies outside, for all axes or each: "constant", "replicate", "reflect" (c b a | a b c), "reflect101" (d c b | a b c
        d), "wrap", or SciPy's and OpenCV's names for them.
    cval : float or tuple of float
        The value outside a constant border.
    anchor : int or tuple of int, optional
        The tap that lies over the output, from 0; half of the taps, rounded down, unless given.
    extent : {"same", "valid", "full"}
        Which outputs exist.
    output : dtype, optional
        Of the result, one of these; the input's unless given.
    scale, offset : float
    rounding : {"half_even", "truncate"}
        Of integer results.
    sum : {"automatic", "f64"}
        The precision of sums: float32 or better, or of uint8 on the CPU fixed point, off by 1/16 of a level at most; or float64.
    accuracy : {"exact", "fast"}
        "fast" allows errors of up to 2^-10 of the largest pixel times the sum of the weights' magnitudes, where that is quicker: large
        smooth filters such as Gaussians, at a cost that hardly depends on their size; on a GPU also dense filters over float32 and float16, from
        9x9 to 17x17, in half precision. `Plan.error_bound` counts them.
    method : {"automatic", "direct", "separable", "box", "fft", "multirate"}
        "fft" is by transforms; "multirate", at a lower rate, approximates and needs accuracy "fast".
    tune : {"estimate", "measure"}
        "measure" times each method that fits, once a process.
    threads : int
        At most so many; 0: as many as `halation.threads` or HALATION_THREADS says, else as the machine has. A plan keeps what was
        said when it was made.
    device : str
        "cpu", "reference", "cuda:0".

    Returns
    -------
    Plan

    Raises
    ------
    ValueError, TypeError, RuntimeError, MemoryError
        With a sentence that says what was wrong and what would be right.

    Notes
    -----
    A plan is made in some 50 microseconds. Its `run` takes a few microseconds beside the filtering itself.

    Examples
    --------
    >>> import numpy as np
    >>> import halation
    >>> edges = halation.plan((4, 4), np.uint8, ([1, 2, 1], [1, 0, -1]), output=np.float32, border="replicate")
    >>> image = np.repeat(np.array([[0, 0, 10, 10]], np.uint8), 4, axis=0)
    >>> edges.run(image)[0]
    array([ 0., 40., 40.,  0.], dtype=float32)
    >>> edges.methods, edges.output_shape
    (['direct'], (4, 4))
    >>> halation.plan((4, 4), np.complex64, np.ones((3, 3)))
    Traceback (most recent call last):
    ...
    TypeError: a plan takes integers, float16, float32 or float64, got complex64
    """
    try:
        return _make(
            shape, dtype, weights, axes=axes, channel_axis=channel_axis, operation=operation, border=border, cval=cval, anchor=anchor,
            extent=extent, output=output, scale=scale, offset=offset, rounding=rounding, sum=sum, accuracy=accuracy, method=method,
            tune=tune, threads=threads, device=device,
        )  # fmt: skip
    except Exception as error:
        shorten(error)
        raise


def _make(shape: Any, dtype: DTypeLike, weights: Any, **words: Any) -> Plan:
    operation, output = words["operation"], words["output"]
    if operation not in _OPERATIONS:
        raise ValueError(f"unknown operation '{operation}'; choose from {', '.join(_OPERATIONS)}")
    dtype = np.dtype(dtype)
    output = dtype if output is None else np.dtype(output)
    for kind in (dtype, output):
        if any_pixel_of(kind) is None:
            raise TypeError(f"a plan takes integers, float16, float32 or float64, got {kind}")
    shape = tuple(int(n) for n in shape)
    if any(n < 1 for n in shape) or not shape:
        raise ValueError(f"shape must have axes of at least one element each, got {shape}")
    filter_ = filter_of(weights, words["anchor"])
    filters, anchors = filter_.for_correlation(operation)
    cval = words["cval"]
    options = Options(
        axes=_channels.axes_for(shape, filter_.shape, words["axes"], words["channel_axis"]),
        borders=words["border"],
        cvals=tuple(cval) if isinstance(cval, list) else cval,
        anchors=anchors,
        extent=words["extent"],
        rounding=words["rounding"],
        scale=float(words["scale"]),
        offset=float(words["offset"]),
        sum=words["sum"],
        method=words["method"],
        threads=words["threads"],
    )
    job = Job(shape, filters, options)
    if len(job.filtered()) > 3:
        raise ValueError(f"a plan filters along three axes at most, got {len(job.filtered())}; halation.ndimage takes more")
    return Plan(job, dtype, output, options, {**words, "shape": shape, "dtype": dtype, "weights": filter_, "anchor": None})
