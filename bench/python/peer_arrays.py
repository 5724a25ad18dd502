"""peer_arrays.py: CuPy, SciPy, NumPy and scikit-image: peers whose images are arrays."""
import importlib
import math

import numpy as np

from peer_job import DTYPES, CpuPeer, Strips, Way, random_block

LEAST_TRANSFORMED = 121  # weights of a filter
NDIMAGE_MODES = {"constant": "constant", "replicate": "nearest", "reflect": "reflect", "reflect101": "mirror", "wrap": "wrap"}


def ndimage_ways(job, array, module, arrays, out=None):
    """What scipy.ndimage and cupyx.scipy.ndimage have in common: `module`, on arrays made by numpy or cupy: `arrays`."""
    axes = job.axes()
    if out is None:
        out = arrays.empty(array.shape, DTYPES[job.output])
    taps = (1, *job.taps, 1)
    weight_type = np.float64 if job.pixel == "f64" else np.float32

    def window(result, slices):
        picked = result[tuple(slices[a] for a in axes)]
        return picked.reshape([1 if a not in axes else picked.shape[axes.index(a)] for a in range(5)])

    def add(how, run):
        # Constants cost CuPy less than other borders; SciPy extends lines alike for all.
        for border in dict.fromkeys((job.border, job.border if arrays is np else "constant")):
            mode = NDIMAGE_MODES[border]
            ways.append(Way(how, border, lambda mode=mode: (run(mode), out)[1], array, window))

    ways = []
    if job.dense():
        weights = arrays.asarray(job.weights.reshape([taps[a] for a in axes]).astype(weight_type))
        add("ndimage.convolve", lambda mode: module.convolve(array, weights, output=out, mode=mode))
    if job.factors and job.same_pixel:
        factors = [(axes.index(a + 1), arrays.asarray(job.factors[a].astype(weight_type))) for a in range(3) if job.taps[a] > 1]
        # What lies between two axes is not rounded to integers.
        between_type = DTYPES[job.output] if job.is_float else np.float32
        targets = [arrays.empty(array.shape, between_type) for _ in factors[1:]] + [out]

        def lines(mode):
            source = array
            for (axis, factor), target in zip(factors, targets):
                source = module.convolve1d(source, factor, axis=axis, output=target, mode=mode)
        add("ndimage.convolve1d, an axis after the other", lines)
    if job.kind == "box" and job.same_pixel:
        size = [taps[a] for a in axes]
        add("ndimage.uniform_filter", lambda mode: module.uniform_filter(array, size, output=out, mode=mode))
    return ways


class CuPy:
    name, device = "CuPy", "cuda"

    def __init__(self):
        self.cupy = importlib.import_module("cupy")
        self.ndimage = importlib.import_module("cupyx.scipy.ndimage")
        self.signal = importlib.import_module("cupyx.scipy.signal")
        self.version = self.cupy.__version__
        self.cupy.cuda.Device(0).use()
        self.image, self.image_of = None, None

    def batch(self, run, runs):
        before, after = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        before.record()
        for _ in range(runs):
            run()
        after.record()
        after.synchronize()
        return self.cupy.cuda.get_elapsed_time(before, after) * 1e-3

    def ways(self, job):
        shape = tuple(job.shape[a] for a in job.axes())
        if self.image_of != (shape, job.pixel):
            self.image = None
            self.cupy.get_default_memory_pool().free_all_blocks()
            count = math.prod(shape)
            block = self.cupy.asarray(random_block(job.pixel, count))
            self.image = self.cupy.tile(block, -(-count // block.size))[:count].reshape(shape)
            self.image_of = (shape, job.pixel)
        return self.transforms(job) + ndimage_ways(job, self.image, self.ndimage, self.cupy)

    def transforms(self, job):
        """By cuFFT: the whole image padded by the filter, or blocks of it. First, as sums over many taps take too long."""
        is_centred = all(taps % 2 == 1 for taps in job.taps)
        if job.pixel not in ("f32", "f64") or not job.same_pixel or not is_centred or job.weights.size < LEAST_TRANSFORMED:
            return []
        if job.shape[0] * job.shape[4] > 1:
            return []
        weights = self.cupy.asarray(job.weights.reshape(job.taps[3 - job.dims:]).astype(DTYPES[job.pixel]))

        def window(result, slices):
            return result.reshape(job.shape)[slices]

        def way(name):
            convolve = getattr(self.signal, name)
            return Way(f"signal.{name}", "constant", lambda: convolve(self.image, weights, mode="same"), self.image, window)

        return [way("fftconvolve"), way("oaconvolve")]

    def to_host(self, array):
        return self.cupy.asnumpy(array)


class SciPy(CpuPeer):
    name = "SciPy"

    def __init__(self):
        super().__init__()
        self.ndimage = importlib.import_module("scipy.ndimage")
        self.signal = importlib.import_module("scipy.signal")
        self.version = importlib.import_module("scipy").__version__

    def ways(self, job):
        if job.pixel == "f16" or job.output == "f16":
            return []
        ways = ndimage_ways(job, job.image(), self.ndimage, np)
        if job.threads > 1 and job.shape[0] == 1:
            ways += self.strips(job, ways)
        if job.dims == 1 and job.is_float and job.same_pixel and job.shape[0] == 1 and job.shape[4] == 1:
            taps = job.weights.ravel().astype(DTYPES[job.pixel])
            ways += self.whole_and_strips(job, "signal.oaconvolve", "constant",
                                          lambda part, out: self.signal.oaconvolve(part, taps, mode="same"))
        return ways

    def strips(self, job, ways):
        """The same ways on a strip a thread."""
        image = job.image()
        result = []
        for index, way in enumerate(ways):
            made = {}

            def call(part, out, index=index, made=made):
                # A way is made for an array: for each strip once.
                if id(out) not in made:
                    made[id(out)] = ndimage_ways(job, part, self.ndimage, np, out)[index]
                return made[id(out)].run()
            strips = Strips(job, image, 0, call)
            result.append(Way(way.how + ", a strip a thread", way.border, strips.run, image, job.window_of))
        return result


class NumPy(CpuPeer):
    name = "NumPy"

    def __init__(self):
        super().__init__()
        self.version = np.__version__

    def ways(self, job):
        if job.dims != 1 or not job.is_float or not job.same_pixel or job.shape[0] > 1 or job.shape[4] > 1:
            return []
        taps = job.weights.ravel().astype(DTYPES[job.pixel])
        return self.whole_and_strips(job, "convolve", "constant", lambda part, out: np.convolve(part, taps, "same"))


class ScikitImage(CpuPeer):
    """Its Gaussian alone: of integers it makes floats, and its other filters scale theirs in their own way."""
    name = "scikit-image"

    def __init__(self):
        super().__init__()
        self.filters = importlib.import_module("skimage.filters")
        self.version = importlib.import_module("skimage").__version__

    def ways(self, job):
        if job.kind != "gaussian" or job.pixel not in ("f32", "f64") or not job.same_pixel or job.shape[0] > 1:
            return []
        radius = (max(job.taps) - 1) / 2
        channel_axis = -1 if job.shape[4] > 1 else None
        mode = NDIMAGE_MODES[job.border]

        def call(part, out):
            return self.filters.gaussian(part, job.sigma, mode=mode, truncate=radius / job.sigma, preserve_range=True,
                                         channel_axis=channel_axis, out=out)
        return self.whole_and_strips(job, "filters.gaussian", job.border, call)
