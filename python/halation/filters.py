"""halation.filters: the library's named filters, a function each, on signals, images and volumes.

The functions, their parameters, defaults and descriptions are made from the library's own list of named filters
(docs/filters.md), and so is filters.pyi beside this file. All share these arguments, after the filter's own:

axes : int or tuple of int, optional
    The axes that the filter runs along, 1 to 3, in the order depth, height, width. By default the only axis of a signal, and the
    first two of an image, H x W or H x W x C with at most 4 channels; a volume needs them: ``axes=(0, 1, 2)``.
channel_axis : int, optional
    The axis of the channels, which are filtered one by one; the filter runs along all others unless `axes` says which.
border : str or tuple of str, optional
    What lies outside: 'reflect101' (d c b | a b c d), 'reflect' (c b a | a b c), 'replicate' (a a a | a b c), 'wrap', 'constant', or
    SciPy's and OpenCV's names for them; for all axes or each.
cval : float, optional
    The value outside where the border is 'constant'.
output : array or dtype, optional
    Where the result goes, or what it is an array of; the image's type by default.
alpha : bool, optional
    Whether the last axis is channels, the last of which is straight alpha (RGBA, or gray with alpha). Colours are then filtered
    premultiplied, so that transparent pixels do not bleed, and divided by the filtered alpha; filters that answer to change alone
    leave alpha as it is (halation/colour.h has the formulas). For arrays on the CPU.
view : {'signed', 'abs', 'stretch'}, optional
    Shows results that the output's type cannot hold. 'signed': zero is middle grey (128 of uint8), and all else as far from it as
    the weights make sure that nothing is lost, the same for every image; 'abs': magnitudes; 'stretch': from the smallest to the
    largest value found to the type's whole range. Floats are pictures of 0 to 1. docs/program.md has the formulas.

Weights are applied as a correlation, as in all of the library: derivatives are positive where brightness rises along their axis.
Results of integers are rounded half to even and saturate: give ``output=np.int16`` or a float for derivatives of unsigned images,
or a ``view``. Before that sums of uint8 may be off by 1/16 of a level (fixed point), others by what float32 rounds. Arrays may be
of any library, on a GPU too ('stretch' is for the CPU).

>>> import numpy as np
>>> from halation import filters
>>> ramp = np.tile(np.arange(0, 50, 10, dtype=np.uint8), (3, 1))
>>> filters.sobel(ramp, output=np.int16)[1]
array([ 0, 80, 80, 80,  0], dtype=int16)
>>> filters.box(ramp, size=(1, 3), border='constant')[0]
array([ 3, 10, 20, 30, 23], dtype=uint8)
>>> filters.sobel(ramp, view='signed')[1]
array([128, 138, 138, 138, 128], dtype=uint8)
"""
import operator
import textwrap

import numpy as np

from . import _alpha, _channels, _engine, _named, _view
from ._arrays import facts_of
from ._border import borders_of
from ._taps import by

__all__ = list(_named.FILTERS)


# An image has no more, and a volume has more elements along its last axis, unless it is said.
_MOST_CHANNELS = 4


def _axes_of(axes, shape):
    """The axes of the filter, counted from 0."""
    ndim = len(shape)
    if axes is None:
        if ndim not in (1, 2, 3):
            raise ValueError(f"axes must be given for an array of {ndim} axes, such as axes=(2, 3) for N x C x H x W")
        if ndim == 3 and shape[2] > _MOST_CHANNELS:
            raise ValueError(f"an array {by(shape)} is a volume, or an image of many channels: say axes=(0, 1, 2), or channel_axis=-1")
        return tuple(range(min(ndim, 2)))
    axes = tuple(operator.index(axis) for axis in (axes if np.iterable(axes) else (axes,)))
    if not all(-ndim <= axis < ndim for axis in axes):
        raise ValueError(f"axes must lie in [{-ndim}, {ndim}) for an array of {ndim} axes, got {axes}")
    axes = tuple(axis % ndim for axis in axes)
    if len(set(axes)) != len(axes):
        raise ValueError(f"axes must be unique, got {axes}")
    if not 1 <= len(axes) <= 3:
        raise ValueError(f"a filter runs along 1 to 3 axes, got {len(axes)}")
    return axes


def _axes_beside_channels(axes, shape):
    """Those of an image whose last axis is its channels."""
    ndim = len(shape)
    if axes is None and ndim not in (2, 3):
        raise ValueError(f"with alpha axes must be given for an array of {ndim} axes, such as axes=(0, 1, 2) for D x H x W x C")
    axes = tuple(range(ndim - 1)) if axes is None else _axes_of(axes, shape)
    if ndim - 1 in axes:
        raise ValueError(f"with alpha the last axis is channels, and no filter runs along it, got axes {axes}")
    return axes


def _run(name, image, arguments, axes, border, cval, output, alpha, view, channel_axis):
    if not hasattr(image, "ndim"):
        image = np.asarray(image)
    ndim, dtype = facts_of(image)
    shape = tuple(image.shape)
    if dtype.kind not in "biufc":
        raise TypeError(f"{name}: the image must be of numbers, got {dtype}")
    if channel_axis is not None:
        channel = _channels.channel_of(channel_axis, ndim)
        if alpha and channel != ndim - 1:
            raise ValueError(f"with alpha the channels are the last axis, got channel_axis={channel_axis}")
        axes = _axes_of(_channels.axes_beside(channel_axis, None if axes is None else _axes_of(axes, shape), ndim), shape)
    axes = _axes_beside_channels(axes, shape) if alpha else _axes_of(axes, shape)
    border = borders_of(border)
    if alpha and isinstance(border, tuple):
        raise ValueError(f"{name}: with alpha one border serves all axes, got {border}")
    dims = _named.FILTERS[name]["dims"]
    if len(axes) not in dims:
        raise ValueError(f"{name} runs along {' or '.join(map(str, dims))} axes, got {len(axes)}; choose them with axes=")
    values = _named.values_of(name, arguments)
    made, is_magnitude = _named.made(name, len(axes), values)
    # Of a magnitude, of derivatives, the anchors are the middles.
    filters, anchors = ([weights for weights, _, _ in made], None) if is_magnitude else made[0][:2]

    def filtered(out, kind):
        if alpha:
            given = {key: list(value) for key, value in values}
            return _alpha.run(name, image, given, axes, border, float(cval), out if out is not None else kind)
        return _engine.correlate(image, filters, axes=axes, borders=border, cvals=float(cval), anchors=anchors,
                                 magnitude=is_magnitude, out=out, dtype=kind)

    if view is not None:
        _view.check(name, view, dtype)
        largest = _view.largest_result(filters, dtype, [float(cval)] if "constant" in border else [])
        return _view.shown(name, image, dtype, view, output, largest, lambda kind: filtered(None, kind), alpha)
    if isinstance(output, (type, np.dtype, str)):
        return filtered(None, np.dtype(output))
    return filtered(output, None)


_SHARED = ["*", "axes=None", "channel_axis=None", "border='reflect101'", "cval=0.0", "output=None", "alpha=False", "view=None"]


def _description(facts):
    """A docstring in NumPy's style."""
    name = facts["name"]
    lines = _named.head_in_words(facts)
    lines += ["Parameters", "----------", "image : array", "    The image, or a signal, or a volume."]
    lines += _named.parameters_in_words(facts)
    lines += ["axes, channel_axis, border, cval, output, alpha, view", "    As in all filters: see `halation.filters`.", ""]
    lines += ["Returns", "-------", "array", "    Of the image's shape and library.", ""]
    lines += ["Notes", "-----", _named.wrapped(f"Source: {facts['source']}.", ""), ""]
    lines += ["Examples", "--------", ">>> import numpy as np", ">>> from halation import filters",
              ">>> photo = np.random.default_rng(1).integers(0, 256, (40, 60, 3), np.uint8)",
              f">>> filters.{name}(photo, border='replicate', output=np.float32).shape", "(40, 60, 3)"]
    return textwrap.indent("\n".join(lines), "    ").strip() + "\n    "


def _make(facts):
    """A filter's function."""
    call = "_run({name}, image, {given}, axes, border, cval, output, alpha, view, channel_axis)"
    function = _named.function(facts, ["image"], _SHARED, call, __name__, _run=_run)
    function.__doc__ = _description(facts)
    return function


globals().update((name, _make(facts)) for name, facts in _named.FILTERS.items())
