#!/usr/bin/env python3
"""peers.py: Python packages that compute the same filters, verified and timed for `halation bench`.

Reads lines of JSON: first {"device": "cuda" or "cpu", "repeats": N}, then a job a line. Prints lines of JSON: for each
package {"peer", "version"}, and for each job and package that has it {"job", "peer", "version", "how", "border",
"status": "verified", "times_s": [...]} or "differs" or "failed" with a "reason".

Weights come as a convolution has them: out[p] = sum of w[k] in[p - k + a], a = taps // 2. Each result is compared with
plain sums in double on a window in the middle of the image before it is timed; the fastest of a package's right ways is
its row.
"""
import importlib
import json
import math
import sys
import time

import numpy as np

BATCH_S = 2e-3  # least length of what is timed at once
BUDGET_S = 0.05  # for batches beyond the least number
PATIENCE_S = 0.2  # of one run: slower ones are timed once
LEAST_REPEATS = 3
MOST_DENSE_TAPS = 225  # of a filter that has factors
DTYPES = {"u8": np.uint8, "u16": np.uint16, "i16": np.int16, "f16": np.float16, "f32": np.float32, "f64": np.float64}
TOLERANCES = {"f16": 4e-3, "f32": 1e-4, "f64": 1e-4}  # times sum |w| max |x|; integers may be a level off
NDIMAGE_MODES = {"constant": "constant", "replicate": "nearest", "reflect": "reflect", "reflect101": "mirror", "wrap": "wrap"}


class Job:
    """One line: the image as (batch, depth, height, width, channels), its axes of one element dropped by `axes`."""

    def __init__(self, line):
        self.name, self.border, self.kind = line["job"], line["border"], line["filter"]
        self.dims, self.pixel, self.output = line["dims"], line["pixel"], line["output"]
        self.shape = (line["batch"], *line["extents"], line["channels"])
        self.taps = tuple(line["taps"])
        self.weights = np.array(line["weights"]).reshape(self.taps)
        self.factors = [np.array(factor) for factor in line["factors"]] if "factors" in line else None
        self.is_float = self.pixel in TOLERANCES
        self.same_pixel = self.pixel == self.output

    def dense(self):
        """Whether it is worth while to run the filter with all its taps."""
        return self.factors is None or self.weights.size <= MOST_DENSE_TAPS

    def axes(self):
        """Batch and channels where there are several, and the axes that are filtered."""
        filtered = range(4 - self.dims, 4)
        return [a for a in range(5) if a in filtered or self.shape[a] > 1]


def random_block(pixel, count):
    """Random values, at most 2^24 of them, for images to repeat: integers of the whole range, floats in [0, 1)."""
    generator = np.random.default_rng(1)
    count = min(count, (1 << 24) + 43)
    dtype = np.dtype(DTYPES[pixel])
    if dtype.kind == "f":
        return generator.random(count, dtype=np.float32).astype(dtype)
    limits = np.iinfo(dtype)
    return generator.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)


def middle(job):
    """Slices of a window in the middle of the image and of what the filter sees around it; None where there is no room."""
    side = {1: 4096, 2: 64, 3: 16}[job.dims]
    side = max(1, min(side, int((2e7 / job.weights.size) ** (1 / job.dims))))
    window, around = [slice(0, 1)], [slice(0, 1)]
    for extent, taps in zip(job.shape[1:4], job.taps):
        size = min(side, extent - 2 * (taps // 2))
        if size < 1:
            return None
        begin = (extent - size) // 2
        before = taps - 1 - taps // 2
        window.append(slice(begin, begin + size))
        around.append(slice(begin - before, begin + size + taps // 2))
    return (*window, slice(None)), (*around, slice(None))


def expected(job, around):
    """Plain sums in double over what lies around the window."""
    flipped = job.weights[::-1, ::-1, ::-1]
    sizes = [extent - taps + 1 for extent, taps in zip(around.shape[1:4], job.taps)]
    around = around.astype(np.float64)
    total = np.zeros((1, *sizes, around.shape[4]))
    for z, y, x in np.ndindex(*job.taps):
        total += flipped[z, y, x] * around[:, z:z + sizes[0], y:y + sizes[1], x:x + sizes[2]]
    return total


def difference(job, got, sums):
    """What is wrong with a window of outputs, or an empty text."""
    if job.output in TOLERANCES:
        largest = 1 if job.is_float else np.iinfo(DTYPES[job.pixel]).max
        allowed, right = TOLERANCES[job.output] * np.abs(job.weights).sum() * largest, sums
    else:
        limits = np.iinfo(DTYPES[job.output])
        allowed, right = 1, np.clip(np.rint(sums), limits.min, limits.max)
    errors = np.abs(got.astype(np.float64) - right)
    wrong = np.count_nonzero(~(errors <= allowed))
    return f"{wrong} of {errors.size} outputs are wrong, the largest by {errors.max():.3g}" if wrong else ""


class Way:
    """One way to compute a job: `run` returns the output; `window(array, slices)` reads one, as the image has its axes."""

    def __init__(self, how, border, run, image, window):
        self.how, self.border, self.run, self.image, self.window = how, border, run, image, window


def wall_batch(run, runs):
    start = time.perf_counter()
    for _ in range(runs):
        run()
    return time.perf_counter() - start


def times_of(batch, run, repeats):
    """Seconds of single runs, each the mean over a batch; `batch(run, n)` makes n runs and tells their seconds."""
    runs = 1
    while (spent := batch(run, runs)) < BATCH_S:
        runs *= 2
    least = 1 if spent / runs > PATIENCE_S else min(LEAST_REPEATS, repeats)
    times, start = [], time.perf_counter()
    while len(times) < least or (len(times) < repeats and time.perf_counter() - start < BUDGET_S):
        times.append(batch(run, runs) / runs)
    return times


def ndimage_ways(job, array, module, arrays):
    """What scipy.ndimage and cupyx.scipy.ndimage have in common: `module`, on arrays made by numpy or cupy: `arrays`."""
    axes = job.axes()
    out = arrays.empty(array.shape, DTYPES[job.output])
    taps = (1, *job.taps, 1)
    weight_type = np.float64 if job.pixel == "f64" else np.float32

    def window(result, slices):
        picked = result[tuple(slices[a] for a in axes)]
        return picked.reshape([1 if a not in axes else picked.shape[axes.index(a)] for a in range(5)])

    def add(how, run):
        # Constants cost CuPy less than other borders.
        for border in dict.fromkeys((job.border, "constant")):
            mode = NDIMAGE_MODES[border]
            ways.append(Way(how, border, lambda mode=mode: (run(mode), out)[1], array, window))

    ways = []
    if job.dense():
        weights = arrays.asarray(job.weights.reshape([taps[a] for a in axes]).astype(weight_type))
        add("ndimage.convolve", lambda mode: module.convolve(array, weights, output=out, mode=mode))
    if job.factors and job.same_pixel:
        factors = [(axes.index(a + 1), arrays.asarray(job.factors[a].astype(weight_type))) for a in range(3) if job.taps[a] > 1]
        between = arrays.empty_like(out)
        # Turn about, so that the last axis ends in `out`.
        targets = [(out, between)[(len(factors) - 1 - i) % 2] for i in range(len(factors))]

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
        return ndimage_ways(job, self.image, self.ndimage, self.cupy)

    def to_host(self, array):
        return self.cupy.asnumpy(array)


class Torch:
    """On planes: batch and channels are the first axis, of planes one behind the other."""
    name, device = "PyTorch", "cuda or cpu"

    def __init__(self, device):
        self.torch = importlib.import_module("torch")
        self.version = self.torch.__version__
        self.cuda = device == "cuda"
        if self.cuda and not self.torch.cuda.is_available():
            raise ImportError("it sees no GPU")
        self.place = device
        self.image, self.image_of = None, None
        self.torch.backends.cudnn.benchmark = True
        self.torch.backends.cudnn.allow_tf32 = False
        self.torch.backends.cuda.matmul.allow_tf32 = False

    def batch(self, run, runs):
        if not self.cuda:
            return wall_batch(run, runs)
        before, after = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        before.record()
        for _ in range(runs):
            run()
        after.record()
        after.synchronize()
        return before.elapsed_time(after) * 1e-3

    def planes(self, job):
        """(batch · channels, 1, axes that are filtered)."""
        shape = (job.shape[0] * job.shape[4], 1, *job.shape[4 - job.dims:4])
        if self.image_of != (shape, job.pixel):
            self.image = None
            if self.cuda:
                self.torch.cuda.empty_cache()
            count = math.prod(shape)
            block = self.torch.from_numpy(random_block(job.pixel, count)).to(self.place)
            self.image = block.repeat(-(-count // len(block)))[:count].reshape(shape)
            self.image_of = (shape, job.pixel)
        return self.image

    def ways(self, job):
        if not job.is_float or not job.same_pixel or any(taps % 2 == 0 for taps in job.taps):
            return []
        functional, planes = self.torch.nn.functional, self.planes(job)
        convolve = [functional.conv1d, functional.conv2d, functional.conv3d][job.dims - 1]

        def window(result, slices):
            # The first image's channels are its first planes.
            picked = result.reshape(-1, *planes.shape[2:])[:job.shape[4]][(slice(None), *slices[4 - job.dims:4])]
            return picked.reshape(job.shape[4], *(1,) * (3 - job.dims), *picked.shape[1:]).movedim(0, -1)[None]

        def weights_of(array, channels=1):
            flipped = self.torch.from_numpy(np.ascontiguousarray(np.flip(array))).to(self.place, planes.dtype)
            return flipped.reshape(1, 1, *array.shape[3 - job.dims:]).repeat(channels, *(1,) * (job.dims + 1))

        def padding(weights):
            return tuple(size // 2 for size in weights.shape[2:])

        ways = []
        name = f"conv{job.dims}d"
        if job.dense():
            weights = weights_of(job.weights)
            ways.append(Way(name, "constant", lambda: convolve(planes, weights, padding=padding(weights)), planes, window))
            channels = job.shape[4]
            if channels > 1:
                grouped = planes.reshape(job.shape[0], channels, *planes.shape[2:])
                each = weights_of(job.weights, channels)
                ways.append(Way(name + ", a group a channel", "constant",
                                lambda: convolve(grouped, each, padding=padding(each), groups=channels), planes, window))
        if job.factors and job.dims > 1:
            lines = []
            for axis in range(3 - job.dims, 3):
                shape = [1, 1, 1]
                shape[axis] = job.taps[axis]
                lines.append(weights_of(job.factors[axis].reshape(shape)))

            def an_axis_after_the_other():
                result = planes
                for line in lines:
                    result = convolve(result, line, padding=padding(line))
                return result
            ways.append(Way(name + ", an axis after the other", "constant", an_axis_after_the_other, planes, window))
        if job.kind == "box":
            pool = [functional.avg_pool1d, functional.avg_pool2d, functional.avg_pool3d][job.dims - 1]
            size = job.taps[3 - job.dims:]
            ways.append(Way(f"avg_pool{job.dims}d", "constant",
                            lambda: pool(planes, size, stride=1, padding=tuple(s // 2 for s in size)), planes, window))
        return ways

    def to_host(self, array):
        return array.cpu().numpy()


class OpenCV:
    name, device = "OpenCV", "cpu"

    def __init__(self):
        self.cv2 = importlib.import_module("cv2")
        self.version = self.cv2.__version__
        self.batch = wall_batch

    def ways(self, job):
        cv2 = self.cv2
        if job.dims != 2 or job.shape[0] > 1 or job.shape[4] > 4 or job.pixel not in ("u8", "u16", "i16", "f32"):
            return []
        image = np.resize(random_block(job.pixel, math.prod(job.shape)), job.shape)[0, 0]
        borders = {"constant": cv2.BORDER_CONSTANT, "replicate": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT}
        border = borders.get(job.border, cv2.BORDER_REFLECT_101)
        used = job.border if job.border in borders else "reflect101"
        depth = {"u8": cv2.CV_8U, "u16": cv2.CV_16U, "i16": cv2.CV_16S, "f32": cv2.CV_32F}[job.output]
        out = np.empty(image.shape, DTYPES[job.output])

        def window(result, slices):
            return result.reshape(job.shape)[slices]

        def add(how, run):
            ways.append(Way(how, used, run, image, window))

        ways = []
        _, height, width = job.taps
        if job.dense():
            weights = np.ascontiguousarray(job.weights[0, ::-1, ::-1])
            add("filter2D", lambda: cv2.filter2D(image, depth, weights, out, borderType=border))
        if job.factors:
            x, y = (np.ascontiguousarray(job.factors[axis][::-1]) for axis in (2, 1))
            add("sepFilter2D", lambda: cv2.sepFilter2D(image, depth, x, y, out, borderType=border))
        if job.kind == "gaussian" and job.same_pixel:
            sigma = 0.3 * ((width - 1) / 2 - 1) + 0.8
            add("GaussianBlur", lambda: cv2.GaussianBlur(image, (width, height), sigma, out, sigma, borderType=border))
        if job.kind == "box" and job.same_pixel:
            add("blur", lambda: cv2.blur(image, (width, height), out, borderType=border))
        if job.kind == "sobel":
            add("Sobel", lambda: cv2.Sobel(image, depth, 1, 0, out, 3, borderType=border))
        return ways

    def to_host(self, array):
        return array


class SciPy:
    name, device = "SciPy", "cpu"

    def __init__(self):
        self.ndimage = importlib.import_module("scipy.ndimage")
        self.version = importlib.import_module("scipy").__version__
        self.batch = wall_batch

    def ways(self, job):
        if job.pixel == "f16" or job.output == "f16":
            return []
        image = np.resize(random_block(job.pixel, math.prod(job.shape)), [job.shape[a] for a in job.axes()])
        return ndimage_ways(job, image, self.ndimage, np)

    def to_host(self, array):
        return array


def emit(**fields):
    print(json.dumps(fields), flush=True)


def row_of(peer, job, way, repeats):
    """The fields of one way's row."""
    row = {"how": way.how, "border": way.border}
    slices = middle(job)
    if slices is None:
        return {**row, "status": "differs", "reason": "no output lies away from the border"}
    window, around = slices
    try:
        got = peer.to_host(way.window(way.run(), window))
        sums = expected(job, peer.to_host(way.window(way.image, around)))
        reason = difference(job, got, sums)
        if reason:
            return {**row, "status": "differs", "reason": reason}
        return {**row, "status": "verified", "times_s": times_of(peer.batch, way.run, repeats)}
    except Exception as error:  # whatever a package throws, the others go on
        return {**row, "status": "failed", "reason": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}


def best_row(rows):
    """The fastest of those that are verified, else the first."""
    verified = [row for row in rows if row["status"] == "verified"]
    return min(verified, key=lambda row: sorted(row["times_s"])[len(row["times_s"]) // 2]) if verified else rows[0]


def main():
    header = json.loads(sys.stdin.readline())
    device, repeats = header["device"], header["repeats"]
    peers = []
    for make in (CuPy, Torch, OpenCV, SciPy):
        if device not in make.device:
            emit(peer=make.name, version=f"not run: it has no {'GPU' if device == 'cuda' else 'CPU'} to run these on")
            continue
        try:
            peers.append(make(device) if make is Torch else make())
            emit(peer=make.name, version=peers[-1].version)
        except Exception as error:  # a package may be missing, or fail to find its own libraries
            emit(peer=make.name, version=f"not found: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
    for line in sys.stdin:
        job = Job(json.loads(line))
        for peer in peers:
            try:
                rows = [row_of(peer, job, way, repeats) for way in peer.ways(job)]
            except Exception as error:
                rows = [{"how": "", "border": "", "status": "failed", "reason": str(error).splitlines()[0] if str(error) else ""}]
            if rows:
                emit(job=job.name, peer=peer.name, version=peer.version, **best_row(rows))


if __name__ == "__main__":
    main()
