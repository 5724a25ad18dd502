"""peer_job.py: a job of the benchmark as Python sees it: image, weights, ways to compute it, strips for threads."""
import concurrent.futures
import functools
import math
import os

import numpy as np

from stopwatch import wall_batch

PIECE = 1 << 16  # samples of a signal
MOST_DENSE_TAPS = 225  # of a filter that has factors
DTYPES = {"u8": np.uint8, "u16": np.uint16, "i16": np.int16, "f16": np.float16, "f32": np.float32, "f64": np.float64}
FLOATS = ("f16", "f32", "f64")


class Job:
    """One line: the image as (batch, depth, height, width, channels), its axes of one element dropped by `axes`."""

    def __init__(self, line):
        self.name, self.border, self.kind = line["job"], line["border"], line["filter"]
        self.dims, self.pixel, self.output = line["dims"], line["pixel"], line["output"]
        self.shape = (line["batch"], *line["extents"], line["channels"])
        self.taps = tuple(line["taps"])
        self.weights = np.array(line["weights"]).reshape(self.taps)
        self.factors = [np.array(factor) for factor in line["factors"]] if "factors" in line else None
        self.threads = line.get("threads") or os.cpu_count()  # of the CPU
        self.sigma = line.get("sigma")  # of a Gaussian
        self.is_float = self.pixel in FLOATS
        self.same_pixel = self.pixel == self.output

    def dense(self):
        """Whether it is worth while to run the filter with all its taps."""
        return self.factors is None or self.weights.size <= MOST_DENSE_TAPS

    def axes(self):
        """Batch and channels where there are several, and the axes that are filtered."""
        filtered = range(4 - self.dims, 4)
        return [a for a in range(5) if a in filtered or self.shape[a] > 1]

    def image(self):
        """The image on the CPU, its axes of one element dropped."""
        return cpu_image(self.shape, self.pixel).reshape([self.shape[a] for a in self.axes()])

    def output_like(self, array):
        return np.empty(array.shape, DTYPES[self.output])

    def window_of(self, result, slices):
        """What a peer is asked for of a whole result: a part, with all five axes."""
        whole = result.whole() if isinstance(result, Strips) else result
        return whole.reshape(self.shape)[slices]


def random_block(pixel, count):
    """Random values, at most 2^24 of them, for images to repeat: integers of the whole range, floats in [0, 1)."""
    generator = np.random.default_rng(1)
    count = min(count, (1 << 24) + 43)
    dtype = np.dtype(DTYPES[pixel])
    if dtype.kind == "f":
        return generator.random(count, dtype=np.float32).astype(dtype)
    limits = np.iinfo(dtype)
    return generator.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)


@functools.lru_cache(maxsize=1)
def cpu_image(shape, pixel):
    return np.resize(random_block(pixel, math.prod(shape)), shape)


class Way:
    """One way to compute a job: `run` returns the output; `window(array, slices)` reads one, as the image has its axes.
    `prepare` is called once before, and not timed: settings of a package, compilation."""

    def __init__(self, how, border, run, image, window, prepare=None):
        self.how, self.border, self.run, self.image, self.window = how, border, run, image, window
        self.prepare = prepare


class Strips:
    """An image cut along `axis` into `count` strips, one a thread unless said otherwise, each with the neighbours that its outputs
    see. `call(part, out)` filters one, and returns its result: into `out`, or an array of its own. Nothing is put together but for
    `whole`."""

    def __init__(self, job, array, axis, call, count=None):
        count = count or job.threads
        extent, halo = array.shape[axis], max(job.taps) // 2
        bounds = [extent * i // count for i in range(count + 1)]
        self.axis, self.call, self.parts = axis, call, []
        self.map = pool_of(job.threads).map if job.threads > 1 else map
        for begin, end in zip(bounds, bounds[1:]):
            first, last = max(begin - halo, 0), min(end + halo, extent)
            part = array[(slice(None),) * axis + (slice(first, last),)]
            kept = (slice(None),) * axis + (slice(begin - first, end - first),)
            self.parts.append((part, job.output_like(part), kept))
        self.results = []

    def run(self):
        self.results = list(self.map(lambda part: self.call(part[0], part[1]), self.parts))
        return self

    def whole(self):
        return np.concatenate([result.reshape(part.shape)[kept] for result, (part, _, kept) in zip(self.results, self.parts)],
                              self.axis)


@functools.lru_cache(maxsize=None)
def pool_of(threads):
    return concurrent.futures.ThreadPoolExecutor(threads)


class CpuPeer:
    """What peers on the CPU share."""
    device = "cpu"

    def __init__(self):
        self.batch = wall_batch

    def to_host(self, array):
        return array

    def whole_and_strips(self, job, how, border, call, prepare=None):
        """One call for the image, whatever threads the package has of its own, and where several are allowed a call a strip."""
        image = job.image()
        out = job.output_like(image)
        ways = [Way(how, border, lambda: call(image, out), image, job.window_of, lambda: prepare and prepare(job.threads))]
        if job.threads > 1 and job.shape[0] == 1:
            strips = Strips(job, image, 0, call)
            ways.append(Way(how + ", a strip a thread", border, strips.run, image, job.window_of,
                            lambda: prepare and prepare(1)))
        if job.dims == 1 and image.ndim == 1 and image.size > PIECE:
            # Packages that make passes over a whole row gain from rows that fit the caches.
            pieces = Strips(job, image, 0, call, -(-image.size // PIECE))
            ways.append(Way(how + ", in pieces", border, pieces.run, image, job.window_of, lambda: prepare and prepare(1)))
        return ways


