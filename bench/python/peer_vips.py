"""peer_vips.py: libvips through pyvips. Its gaussblur is convsep of weights that it cuts sooner than the jobs' are."""
import ctypes
import importlib

import numpy as np

from peer_job import DTYPES, CpuPeer, Way

FORMATS = {"u8": "uchar", "u16": "ushort", "i16": "short", "f32": "float", "f64": "double"}


class Vips(CpuPeer):
    name = "libvips"

    def __init__(self):
        super().__init__()
        self.pyvips = importlib.import_module("pyvips")
        self.version = ".".join(str(self.pyvips.version(part)) for part in range(3))
        self.pyvips.cache_set_max(0)  # else a second run would find the first one's result
        self.set_threads = concurrency_setter(self.pyvips)

    def ways(self, job):
        if job.dims != 2 or job.shape[0] > 1 or any(taps % 2 == 0 for taps in job.taps[1:]) or job.pixel not in FORMATS or job.output not in FORMATS:
            return []
        array = job.image()
        height, width = job.shape[2], job.shape[3]
        image = self.pyvips.Image.new_from_memory(array.data, width, height, job.shape[4], FORMATS[job.pixel])
        ways = []

        def add(how, run):
            def work():
                result = run()
                if result.format != FORMATS[job.output]:
                    result = (result if job.output in ("f32", "f64") else result.rint()).cast(FORMATS[job.output])
                return np.frombuffer(result.write_to_memory(), DTYPES[job.output])
            ways.append(Way(how, "replicate", work, array, job.window_of, lambda: self.set_threads(job.threads)))

        # The library's own correlation: weights from the other end.
        precisions = ("float",) if job.is_float else ("float", "integer")
        if job.dense():
            mask = self.pyvips.Image.new_from_list(job.weights[0, ::-1, ::-1].tolist())
            for precision in precisions:
                add(f"conv, {precision}", lambda precision=precision: image.conv(mask, precision=precision))
        if job.factors and np.array_equal(job.factors[1], job.factors[2]):
            line = self.pyvips.Image.new_from_list([job.factors[2][::-1].tolist()])
            for precision in precisions:
                add(f"convsep, {precision}", lambda precision=precision: image.convsep(line, precision=precision))
        elif job.factors:
            x = self.pyvips.Image.new_from_list([job.factors[2][::-1].tolist()])
            y = self.pyvips.Image.new_from_list([[weight] for weight in job.factors[1][::-1].tolist()])
            add("conv, float, an axis after the other", lambda: image.conv(x, precision="float").conv(y, precision="float"))
        return ways


def concurrency_setter(pyvips):
    """vips_concurrency_set, which pyvips does not have, from the library that it has loaded."""
    paths = [line.split()[-1] for line in open("/proc/self/maps", encoding="utf-8") if "libvips" in line and ".so" in line]
    for path in dict.fromkeys(paths):
        library = ctypes.CDLL(path)
        if hasattr(library, "vips_concurrency_set"):
            return library.vips_concurrency_set
    raise ImportError(f"pyvips {pyvips.__version__}: the library it loaded has no vips_concurrency_set")
