"""peer_torch.py: PyTorch, on the GPU or on the CPU."""
import importlib
import math

import numpy as np

from peer_job import Way, random_block
from stopwatch import wall_batch


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
        if not self.cuda:
            self.torch.set_num_threads(job.threads)
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
