"""halation.dask: the functions of halation.ndimage on Dask arrays, for arrays larger than memory and for clusters.

Each function takes a Dask array where that of `halation.ndimage` takes an array, and gives a lazy one of the same shape and
chunks: blocks are filtered by `halation.ndimage` with as much of their neighbours as the filter reaches
(`dask.array.map_overlap`). Threads, processes, clusters, files (Zarr and others) and GPUs (blocks of CuPy) are Dask's to
arrange. Results are those for the whole array in memory, but that sums of floats may differ in their last bits.

- `output` is a dtype; arrays are written by Dask (`dask.array.store`, ``to_zarr``).
- Weights may be a Dask array; they are computed at once.
- At the array's ends each block has the border itself; 'wrap' fetches the other end's elements. Dask joins chunks that are
  shorter than what the filter reaches; an axis not twice as long becomes one chunk. So do all axes where `gaussian_laplace`,
  `gaussian_gradient_magnitude` and the generic filters mix 'wrap' with other modes.
- `generic_laplace` and `generic_gradient_magnitude` need `depth`: how many elements the caller's derivative reaches, for all
  of the array's axes or each.
- Memory: some layers of blocks, and what a block takes in each thread. Blocks of some 32 MiB do well.
"""
import functools
import inspect
import operator

import numpy as np

try:
    import dask.array as da
except ImportError as error:
    raise ImportError("halation.dask needs Dask: pip install 'dask[array]'") from error

from . import _channels, ndimage
from ._threads import LIMIT, threads
from ._traceback import shorten
from .ndimage._arguments import axes_of, axis_of, border_of, each

__all__ = list(ndimage.__all__)


# In place of a mode: along this axis the filter takes the array whole.
_ANY = object()


def _reach_of_taps(taps, origins):
    return [n // 2 + abs(operator.index(at)) for n, at in zip(taps, origins)]


def _of_row(given, ndim):
    axis = axis_of(given["axis"], ndim)
    return {axis: _reach_of_taps([len(given["weights"])], [given["origin"]])[0]}, {axis: given["mode"]}


def _of_weights(given, ndim):
    axes = axes_of(given["axes"], ndim)
    weights = given["weights"]
    if weights.ndim != len(axes):
        raise RuntimeError(f"weights.ndim ({weights.ndim}) must match len(axes) ({len(axes)})")
    origins = each(given["origin"], len(axes))
    if len(axes) < ndim:  # as in SciPy: axes of the weights go with the array's in rising order, origins with `axes`
        origins = [at for _, at in sorted(zip(axes, origins), key=operator.itemgetter(0))]
    axes = sorted(axes)
    return dict(zip(axes, _reach_of_taps(weights.shape, origins))), dict.fromkeys(axes, given["mode"])


def _of_window(given, ndim):
    axis = axis_of(given["axis"], ndim)
    return {axis: _reach_of_taps([operator.index(given["size"])], [given["origin"]])[0]}, {axis: given["mode"]}


def _of_windows(given, ndim):
    axes = axes_of(given["axes"], ndim)
    count = len(axes)
    reach = _reach_of_taps(map(int, each(given["size"], count)), each(given["origin"], count))
    return dict(zip(axes, reach)), dict(zip(axes, each(given["mode"], count)))


def _radius(sigma, truncate, radius):
    if sigma <= 1e-15:
        return 0
    return int(truncate * float(sigma) + 0.5) if radius is None else operator.index(radius)


def _of_gaussian1d(given, ndim):
    axis = axis_of(given["axis"], ndim)
    return {axis: _radius(given["sigma"], given["truncate"], given["radius"])}, {axis: given["mode"]}


def _of_gaussians(given, ndim):
    axes = axes_of(given["axes"], ndim)
    count = len(axes)
    reach = map(_radius, each(given["sigma"], count), [given["truncate"]] * count, each(given["radius"], count))
    return dict(zip(axes, reach)), dict(zip(axes, each(given["mode"], count)))


def _of_gaussian_laplace(given, ndim):
    axes = axes_of(given["axes"], ndim)
    sigmas = dict(zip(axes, each(given["sigma"], len(axes))))
    return _of_derivatives(given, ndim, [sigmas.get(axis, 0) for axis in range(ndim)])


def _of_gaussian_gradient(given, ndim):
    return _of_derivatives(given, ndim, each(given["sigma"], ndim))


def _of_derivatives(given, ndim, sigmas):
    options = given["kwargs"]
    reach = map(_radius, sigmas, [options.get("truncate", 4.0)] * ndim, each(options.get("radius"), ndim))
    return dict(enumerate(reach)), _mode_everywhere(given, ndim)


def _mode_everywhere(given, ndim):
    """Modes where the derivative along each axis has that axis' mode along all: where these mix with 'wrap', no block may end."""
    modes = each(given["mode"], len(axes_of(given["axes"], ndim)))
    borders = {border_of(mode) for mode in modes}
    return dict.fromkeys(range(ndim), _ANY if len(borders) > 1 and "wrap" in borders else modes[0] if modes else "reflect")


def _of_derivative(given, ndim):
    axis_of(given["axis"], ndim)
    return dict.fromkeys(range(ndim), 1), dict(enumerate(each(given["mode"], ndim)))


def _of_laplacian(given, ndim):
    axes = axes_of(given["axes"], ndim)
    return dict.fromkeys(axes, 1), dict(zip(axes, each(given["mode"], len(axes))))


def _of_depth(given, ndim):
    depth = given["depth"]
    if depth is None:
        raise ValueError("give depth: how many elements the derivative reaches, for all axes or each")
    reach = [operator.index(n) for n in each(depth, ndim)]
    if min(reach, default=0) < 0:
        raise ValueError(f"depth must be at least 0, got {depth}")
    return dict(enumerate(reach)), _mode_everywhere(given, ndim)


# What each function's filter reaches along which axes, and the modes there.
_REACH = {
    "convolve": _of_weights, "convolve1d": _of_row, "correlate": _of_weights, "correlate1d": _of_row,
    "gaussian_filter": _of_gaussians, "gaussian_filter1d": _of_gaussian1d, "gaussian_gradient_magnitude": _of_gaussian_gradient,
    "gaussian_laplace": _of_gaussian_laplace, "generic_gradient_magnitude": _of_depth, "generic_laplace": _of_depth,
    "laplace": _of_laplacian, "prewitt": _of_derivative, "sobel": _of_derivative, "uniform_filter": _of_windows,
    "uniform_filter1d": _of_window,
}


def _output_dtype(output, array, weights):
    """The dtype of the result."""
    is_complex = array.dtype.kind == "c" or (weights is not None and weights.dtype.kind == "c")
    if output is None:
        kind = array.dtype.newbyteorder("=")
    elif isinstance(output, (type, np.dtype, str)):
        kind = np.dtype(output)
    else:
        raise TypeError("output must be a dtype: a Dask array is lazy; write it with dask.array.store or to_zarr")
    return np.promote_types(kind, np.complex64) if is_complex and kind.kind != "c" else kind


def _overlap(array, reach, modes):
    """The array with axes in one chunk that must be, and what map_overlap needs: depths and boundaries."""
    depth, boundary, whole = {}, {}, {}
    for axis in range(array.ndim):
        n, mode = reach.get(axis, 0), modes.get(axis)
        if n and array.numblocks[axis] > 1 and (mode is _ANY or array.shape[axis] <= 2 * n):
            whole[axis] = -1
        depth[axis] = 0 if axis in whole or array.numblocks[axis] == 1 else n
        boundary[axis] = "periodic" if depth[axis] and border_of(mode) == "wrap" else "none"
    return (array.rechunk(whole) if whole else array), depth, boundary


def _filtered(block, function, keywords, most_threads):
    with _channels.unwarned():  # the caller has been told
        if most_threads == 0:
            return function(block, **keywords)
        with threads(most_threads):  # Dask's threads do not have the caller's limit
            return function(block, **keywords)


def _wrap(name):
    function = getattr(ndimage, name)
    signature = inspect.signature(function)
    reach_of = _REACH[name]
    if reach_of is _of_depth:
        depth = inspect.Parameter("depth", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Indices | None")
        lazy = signature.replace(parameters=[*signature.parameters.values(), depth])
    else:
        lazy = signature

    def made_lazy(input, args, keywords):
        if not isinstance(input, da.Array):
            raise TypeError(f"halation.dask.{name} filters Dask arrays, got {type(input).__name__}; "
                            "dask.array.from_array makes one")
        bound = lazy.bind(input, *args, **keywords)
        bound.apply_defaults()
        given = dict(bound.arguments)
        given.pop("input")
        if "weights" in given:
            given["weights"] = np.asarray(given["weights"])
        kind = _output_dtype(given["output"], input, given.get("weights"))
        reach, modes = reach_of(given, input.ndim)
        unknown = [axis for axis in range(input.ndim)
                   if reach.get(axis, 0) and input.numblocks[axis] > 1 and input.shape[axis] != input.shape[axis]]
        if unknown:
            raise ValueError(f"{name}: chunks along axis {unknown[0]} are of unknown size, {input.chunks[unknown[0]]}, and the filter reaches "
                             "into the next; call compute_chunk_sizes() on the array first")  # fmt: skip
        array, depth, boundary = _overlap(input, reach, modes)
        given.pop("depth", None)
        given.update(given.pop("kwargs", {}))
        given["output"] = kind
        if reach_of is not _of_depth:  # which refuses what it would refuse in each block, and warns of channels
            small = [min(n, 16) if n == n else 1 for n in input.shape] if input.ndim == 3 else (1,) * input.ndim
            function(np.zeros(small, input.dtype), **given)
        made = da.map_overlap(_filtered, array, depth=depth, boundary=boundary, dtype=kind, meta=array._meta.astype(kind),
                              function=function, keywords=given, most_threads=LIMIT.get())
        return made if made.chunks == input.chunks else made.rechunk(input.chunks)

    @functools.wraps(function)
    def filtered(input, *args, **keywords):
        try:
            return made_lazy(input, args, keywords)
        except Exception as error:
            shorten(error)
            raise

    filtered.__module__ = __name__
    filtered.__signature__ = lazy
    filtered.__doc__ = _describe(name, function.__doc__)
    return filtered


def _describe(name, text):
    """The description of the function for arrays in memory, about Dask's, with an example of its own."""
    head = text.split("    Examples\n")[0].rstrip()
    head = head.replace("The array to filter: of any library (NumPy, CuPy, PyTorch, JAX, ...), or what NumPy makes one of.",
                        "The Dask array to filter.")
    head = head.replace("output : array or dtype, optional", "output : dtype, optional")
    head = head.replace("Where the result goes, or what it is an array of. By default a new array of the input's\n        type. "
                        "It may be the input.", "Of the result; the input's by default.")
    head = head.replace("Of the input's shape and library.", "A lazy array of the input's shape and chunks.")
    arguments = {"convolve": "np.ones((3, 3))", "correlate": "np.ones((3, 3))",
                 "convolve1d": "[1, 2, 1]", "correlate1d": "[1, 2, 1]",
                 "gaussian_filter": "1", "gaussian_filter1d": "1", "gaussian_gradient_magnitude": "1", "gaussian_laplace": "1",
                 "generic_gradient_magnitude": "ndimage.sobel, depth=1", "generic_laplace": "ndimage.sobel, depth=1",
                 "uniform_filter1d": "3"}.get(name, "")
    call = f"x, {arguments}" if arguments else "x"
    there = call.replace("x", "x.compute()", 1).replace(", depth=1", "")
    return f"""{head}

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from halation import dask, ndimage
    >>> x = da.random.default_rng(1).random((40, 30), chunks=(16, 16))
    >>> bool(np.allclose(dask.{name}({call}), ndimage.{name}({there})))
    True
    """


for _name in __all__:
    globals()[_name] = _wrap(_name)
del _name
