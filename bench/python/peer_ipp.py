"""peer_ipp.py: Intel's IPP on its own, by its C functions, a strip a thread. Its package brings shared libraries alone."""
import ctypes
import importlib.metadata
import pathlib
import sys

import numpy as np

from instruction_set import ONLY_AVX2
from peer_job import CpuPeer, Way, pool_of

# Values of its headers.
DATA_TYPES = {"u8": 1, "u16": 5, "i16": 7, "f32": 13}
NAMES = {"u8": "8u", "u16": "16u", "i16": "16s", "f32": "32f"}
ROUND_NEAR = 1
BORDER_REPLICATE, IN_MEMORY_ABOVE, IN_MEMORY_BELOW = 1, 0x10, 0x20
MASK_3X3 = 33
WHOLE = 1 << 14  # 1 among whole weights
ALGORITHMS = {"direct": 1, "FFT": 2}
# The library for each kind of processor, best first, by the flag that Linux shows.
KINDS = (("k0", "avx512vl"), ("l9", "avx2"), ("y8", "sse4_2"))


class Size(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


class Volume(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int), ("depth", ctypes.c_int)]


def memory(size):
    """At least so many bytes, on a line of the cache."""
    block = np.zeros(size + 64, np.uint8)
    begin = -block.ctypes.data % 64
    return block[begin:begin + max(size, 1)]


def pointer(array, row=0):
    return ctypes.c_void_p(array.ctypes.data + row * array.strides[0])


def checked(status, function):
    if status < 0:
        raise RuntimeError(f"{function} returned {status}")


class Ipp(CpuPeer):
    name = "IPP"

    def __init__(self):
        super().__init__()
        self.version = importlib.metadata.version("ipp")
        flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
        kind = next((kind for kind, flag in KINDS if flag in flags and not (ONLY_AVX2 and kind == "k0")), None)
        if kind is None:
            raise ImportError("it has no library for this processor")
        folder = pathlib.Path(sys.prefix) / "lib"
        self.libraries = {}
        # The parts for one kind are opened by themselves: those that would choose look for them in the system's folders.
        for part in ("core", f"vm{kind}", f"s{kind}", f"i{kind}", f"cv{kind}"):
            found = sorted(folder.glob(f"libipp{part}.so*"))
            if not found:
                raise ImportError(f"libipp{part}.so is not in {folder}")
            self.libraries[part.removesuffix(kind)] = ctypes.CDLL(str(found[-1]), ctypes.RTLD_GLOBAL)

    def call(self, library, function, *arguments):
        checked(getattr(self.libraries[library], function)(*arguments), function)

    def ways(self, job):
        if job.shape[0] > 1 or job.pixel not in NAMES:
            return []
        if job.dims == 1:
            return self.signal_ways(job)
        if job.dims == 3:
            return self.volume_ways(job)
        if job.shape[4] not in (1, 3):
            return []
        ways = []
        if job.same_pixel:
            if job.dense():
                ways.append(self.image_way(job, "ippiFilterBorder", self.dense_of(job)))
            if job.factors and job.pixel in ("f32", "u8"):
                ways.append(self.image_way(job, "ippiFilterSeparable", self.separable_of(job)))
            if job.kind == "gaussian":
                ways.append(self.image_way(job, "ippiFilterGaussian", self.gaussian_of(job)))
            if job.kind == "box":
                ways.append(self.image_way(job, "ippiFilterBoxBorder", self.box_of(job)))
        elif job.kind == "sobel" and (job.pixel, job.output, job.shape[4]) == ("u8", "i16", 1):
            ways.append(self.image_way(job, "ippiFilterSobelNegVertBorder", self.sobel_of))
        return ways

    def image_way(self, job, how, prepared):
        """`prepared(size, in_step, out_step)` gives a call for images of that size."""
        image = job.image()
        out = job.output_like(image)
        _, _, height, width, _ = job.shape
        bounds = [height * i // job.threads for i in range(job.threads + 1)]
        works = []
        for begin, end in zip(bounds, bounds[1:]):
            border = BORDER_REPLICATE | (IN_MEMORY_ABOVE if begin > 0 else 0) | (IN_MEMORY_BELOW if end < height else 0)
            call = prepared(Size(width, end - begin), image.strides[0], out.strides[0], border)
            works.append(lambda call=call, begin=begin: call(pointer(image, begin), pointer(out, begin)))
        # What `prepared` holds must stay: the library may keep pointers to weights.
        return Way(how, "replicate", in_parallel(works, out, prepared), image, job.window_of)

    def dense_of(self, job):
        channels, data_type = job.shape[4], DATA_TYPES[job.pixel]
        taps = Size(job.taps[2], job.taps[1])
        weights = np.ascontiguousarray(job.weights[0, ::-1, ::-1].astype(np.float32))
        function = f"ippiFilterBorder_{NAMES[job.pixel]}_C{channels}R"
        outside = np.zeros(4, np.float32)

        def prepared(size, in_step, out_step, border):
            spec_size, buffer_size = ctypes.c_int(), ctypes.c_int()
            self.call("i", "ippiFilterBorderGetSize", taps, size, data_type, DATA_TYPES["f32"], channels,
                      ctypes.byref(spec_size), ctypes.byref(buffer_size))
            spec, buffer = memory(spec_size.value), memory(buffer_size.value)
            self.call("i", "ippiFilterBorderInit_32f", pointer(weights), taps, data_type, channels, ROUND_NEAR, pointer(spec))
            return lambda source, target: self.call("i", function, source, in_step, target, out_step, size, border,
                                                    pointer(outside), pointer(spec), pointer(buffer))
        return prepared

    def separable_of(self, job):
        """Of bytes it takes whole weights alone, and divides after each axis."""
        channels = job.shape[4]
        taps = Size(job.taps[2], job.taps[1])
        x, y = (job.factors[axis][::-1].astype(np.float32) for axis in (2, 1))
        whole = job.pixel == "u8"
        if whole:
            x, y = (np.rint(factor * WHOLE).astype(np.int16) for factor in (x, y))
        weight_type = DATA_TYPES["i16" if whole else "f32"]
        function = f"ippiFilterSeparable_{NAMES[job.pixel]}_C{channels}R"
        several = np.zeros(4, np.float32)
        outside = pointer(several) if channels > 1 else 0 if whole else ctypes.c_float(0)

        def prepared(size, in_step, out_step, border):
            spec_size, buffer_size = ctypes.c_int(), ctypes.c_int()
            self.call("cv", "ippiFilterSeparableGetSpecSize", taps, weight_type, channels, ctypes.byref(spec_size))
            self.call("cv", "ippiFilterSeparableGetBufferSize", size, taps, DATA_TYPES[job.pixel], weight_type, channels,
                      ctypes.byref(buffer_size))
            spec, buffer = memory(spec_size.value), memory(buffer_size.value)
            if whole:
                self.call("cv", "ippiFilterSeparableInit_16s", pointer(x), pointer(y), taps, WHOLE, 0, weight_type, channels,
                          pointer(spec))
            else:
                self.call("cv", "ippiFilterSeparableInit_32f", pointer(x), pointer(y), taps, weight_type, channels,
                          pointer(spec))
            return lambda source, target: self.call("cv", function, source, in_step, target, out_step, size, border,
                                                    outside, pointer(spec), pointer(buffer))
        return prepared

    def gaussian_of(self, job):
        channels, data_type, taps = job.shape[4], DATA_TYPES[job.pixel], max(job.taps)
        function = f"ippiFilterGaussian_{NAMES[job.pixel]}_C{channels}R"
        outside = np.zeros(4, np.float32)

        def prepared(size, in_step, out_step, border):
            spec_size, buffer_size, init_size = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
            self.call("cv", "ippiFilterGaussianGetSpecSize", taps, data_type, channels, ctypes.byref(spec_size),
                      ctypes.byref(init_size))
            spare = ctypes.c_int()
            self.call("cv", "ippiFilterGaussianGetBufferSize", size, taps, data_type, channels, ctypes.byref(spare),
                      ctypes.byref(buffer_size))
            spec = memory(max(spec_size.value, spare.value))
            buffer = memory(max(buffer_size.value, init_size.value))
            self.call("cv", "ippiFilterGaussianInit", size, taps, ctypes.c_float(job.sigma), border, data_type, channels,
                      pointer(spec), pointer(buffer))
            return lambda source, target: self.call("cv", function, source, in_step, target, out_step, size, border,
                                                    pointer(outside), pointer(spec), pointer(buffer))
        return prepared

    def box_of(self, job):
        channels, taps = job.shape[4], Size(job.taps[2], job.taps[1])
        function = f"ippiFilterBoxBorder_{NAMES[job.pixel]}_C{channels}R"
        outside = np.zeros(4, np.float32)

        def prepared(size, in_step, out_step, border):
            buffer_size = ctypes.c_int()
            self.call("i", "ippiFilterBoxBorderGetBufferSize", size, taps, DATA_TYPES[job.pixel], channels,
                      ctypes.byref(buffer_size))
            buffer = memory(buffer_size.value)
            return lambda source, target: self.call("i", function, source, in_step, target, out_step, size, taps, border,
                                                    pointer(outside), pointer(buffer))
        return prepared

    def sobel_of(self, size, in_step, out_step, border):
        buffer_size = ctypes.c_int()
        self.call("i", "ippiFilterSobelNegVertBorderGetBufferSize", size, MASK_3X3, DATA_TYPES["u8"], DATA_TYPES["i16"], 1,
                  ctypes.byref(buffer_size))
        buffer = memory(buffer_size.value)
        return lambda source, target: self.call("i", "ippiFilterSobelNegVertBorder_8u16s_C1R", source, in_step, target, out_step,
                                                size, MASK_3X3, border, 0, pointer(buffer))

    def signal_ways(self, job):
        """A filter of a delay line: outputs come taps // 2 later, so each part begins that much later too."""
        if job.pixel != "f32" or not job.same_pixel or job.shape[4] > 1:
            return []
        signal = job.image()
        out = job.output_like(signal)
        count, taps = signal.size, max(job.taps)
        weights = np.ascontiguousarray(job.weights.ravel().astype(np.float32))
        later = taps // 2
        ways = []
        for how, algorithm in ALGORITHMS.items():
            spec_size, buffer_size = ctypes.c_int(), ctypes.c_int()
            self.call("s", "ippsFIRSRGetSize", taps, DATA_TYPES["f32"], ctypes.byref(spec_size), ctypes.byref(buffer_size))
            bounds = [(count - later) * i // job.threads for i in range(job.threads + 1)]
            works = []
            for begin, end in zip(bounds, bounds[1:]):
                spec, buffer = memory(spec_size.value), memory(buffer_size.value)
                self.call("s", "ippsFIRSRInit_32f", pointer(weights), taps, algorithm, pointer(spec))
                before = np.zeros(taps - 1, np.float32)
                seen = signal[max(begin + later - taps + 1, 0):begin + later]
                before[taps - 1 - seen.size:] = seen

                def work(begin=begin, end=end, spec=spec, buffer=buffer, before=before):
                    self.call("s", "ippsFIRSR_32f", pointer(signal, begin + later), pointer(out, begin), end - begin,
                              pointer(spec), pointer(before), None, pointer(buffer))
                works.append(work)
            ways.append(Way(f"ippsFIRSR, {how}", "constant", in_parallel(works, out, weights), signal, job.window_of))
        return ways

    def volume_ways(self, job):
        """Strips of planes, each with the planes around it: what lies outside it would else be its border."""
        if not job.same_pixel or job.shape[4] > 1 or not job.dense():
            return []
        image = job.image()
        depth, height, width = image.shape
        data_type, halo = DATA_TYPES[job.pixel], job.taps[0] // 2
        taps = Volume(job.taps[2], job.taps[1], job.taps[0])
        weights = np.ascontiguousarray(job.weights[::-1, ::-1, ::-1].astype(np.float32))
        outside = np.zeros(4, np.float32)
        bounds = [depth * i // job.threads for i in range(job.threads + 1)]
        works, parts = [], []
        for begin, end in zip(bounds, bounds[1:]):
            first, last = max(begin - halo, 0), min(end + halo, depth)
            out = job.output_like(image[first:last])
            size = Volume(width, height, last - first)
            spec_size, buffer_size = ctypes.c_int(), ctypes.c_int()
            self.call("i", "ipprFilterBorderGetSize", taps, size, data_type, DATA_TYPES["f32"], 1, ctypes.byref(spec_size),
                      ctypes.byref(buffer_size))
            spec, buffer = memory(spec_size.value), memory(buffer_size.value)
            self.call("i", "ipprFilterBorderInit_32f", pointer(weights), taps, data_type, 1, pointer(spec))

            def work(first=first, size=size, out=out, spec=spec, buffer=buffer):
                self.call("i", f"ipprFilterBorder_{NAMES[job.pixel]}_C1V", pointer(image, first), image.strides[0],
                          image.strides[1], pointer(out), out.strides[0], out.strides[1], size, BORDER_REPLICATE,
                          pointer(outside), pointer(spec), pointer(buffer))
            works.append(work)
            parts.append(out[begin - first:end - first])

        def window(result, slices):
            return job.window_of(image if result is image else np.concatenate(parts), slices)
        return [Way("ipprFilterBorder", "replicate", in_parallel(works, parts, weights), image, window)]


def in_parallel(works, result, kept):
    """All of them at once, one by the caller itself. `kept` lives as long as what is returned."""
    pool = pool_of(len(works))

    def run(_kept=kept):
        if len(works) == 1:
            works[0]()
        else:
            list(pool.map(lambda work: work(), works))
        return result
    return run
