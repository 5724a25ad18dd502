"""package_gpu.py: what package.py runs on a GPU: halation.ndimage beside cupyx.scipy.ndimage on CuPy's arrays, and beside
torch.nn.functional.conv2d on PyTorch's; plans on both. For each row what it allocates on the device, and whether it copies."""
import gc
import json
import subprocess
import time

import cupy
import cupyx.scipy.ndimage
import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile

import halation
import halation.ndimage
from package_rows import Row, near

SIDES = {"float32": 8192, "uint8": 16384}  # as the program's jobs have them
# Share of integers that may be one off: cupyx sums them so that results truncate otherwise than SciPy's and these do, of means one
# in forty.
CUPY = 0.05
# Of a batch, beside which the first call's start is little, and of all batches of a call: later the clock drops.
LEAST_S, BUDGET_S = 8e-3, 0.05
SETTLE_S = 0.25
WINDOW = 512  # of each corner and of the middle, which are compared
RUNS = 8  # that are watched


def facts():
    """Versions and device for the record."""
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    with profile(activities=[ProfilerActivity.CUDA]):  # what the profiler itself takes is taken by now
        torch.zeros(1, device="cuda")
    names = [info["description"] for info in halation.devices() if info["device"] == "cuda:0"]
    driver = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True,
                            check=False).stdout.strip()
    return {"device": "cuda", "gpu": names[0], "driver": driver,
            "versions": {"halation": halation.__version__, "cupy": cupy.__version__, "torch": torch.__version__}}


def settle():
    """Lets the clock recover from what was run before."""
    torch.cuda.synchronize()
    time.sleep(SETTLE_S)


def batch(run, runs):
    before, after = cupy.cuda.Event(), cupy.cuda.Event()
    before.record()
    for _ in range(runs):
        run()
    after.record()
    after.synchronize()
    return cupy.cuda.get_elapsed_time(before, after) * 1e-3


def to_host(array):
    """The corners and the middle."""
    array = array.reshape(array.shape[-2:])
    side = array.shape[0]
    parts = [array[y:y + WINDOW, x:x + WINDOW] for y, x in ((0, 0), (0, side - WINDOW), (side - WINDOW, 0),
                                                            (side - WINDOW, side - WINDOW), (side // 2, side // 2))]
    return np.stack([part.cpu().numpy() if isinstance(part, torch.Tensor) else cupy.asnumpy(part) for part in parts])


class Allocations(cupy.cuda.MemoryHook):
    """Counts what CuPy's pool is asked for."""
    name = "halation bench"

    def __init__(self):
        self.count = 0

    def malloc_preprocess(self, device_id, size, mem_size):
        self.count += 1


def extra(row):
    """Allocations and device-to-device copies of a few runs, by CuPy, PyTorch, the driver's free memory and PyTorch's profiler."""
    row.ours()
    torch.cuda.synchronize()
    before = torch.cuda.memory_stats().get("allocation.all.allocated", 0)
    free = torch.cuda.mem_get_info()[0]
    with Allocations() as counted, profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(RUNS):
            row.ours()
        torch.cuda.synchronize()
    events = {event.key: event.count for event in profiler.key_averages()}
    return {"watched_runs": RUNS, "cupy_allocations": counted.count,
            "torch_allocations": torch.cuda.memory_stats().get("allocation.all.allocated", 0) - before,
            "driver_bytes": free - torch.cuda.mem_get_info()[0],
            "copies": sum(count for key, count in events.items() if "memcpy" in key.lower()),
            "kernels": {key[:120]: count for key, count in events.items() if "memcpy" not in key.lower() and count >= RUNS}}


def rate_of(program, job):
    """GPix/s of one of the program's own jobs, now: the clock depends on what ran before."""
    settle()
    done = subprocess.run([program, "bench", "--device", "cuda", "--peers", "none", "--json", "-", "--jobs", job],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["rows"][0]["gpix_per_s"]


def weights(taps):
    """Random, positive, with sum 1."""
    drawn = np.random.default_rng(taps).uniform(0, 1, (taps, taps))
    return drawn / drawn.sum()


def ndimage_jobs(image, prefix):
    """(name, taps, the program's job, call of a module like cupyx.scipy.ndimage)."""
    out = cupy.empty_like(image)
    for taps in (3, 5, 9, 15):
        w = cupy.asarray(weights(taps))
        host = weights(taps)
        same = f"{prefix} {taps}x{taps}" if prefix == "f32" else None
        yield (f"correlate {taps}x{taps}", taps, same,
               lambda m, w=w, host=host: m.correlate(image, host if m is halation.ndimage else w, output=out, mode="mirror"))
    for sigma in (1, 2, 4):
        same = f"{prefix} gaussian {8 * sigma + 1} taps" if prefix == "f32" else None
        yield (f"gaussian_filter sigma {sigma}", 8 * sigma + 1, same,
               lambda m, sigma=sigma: m.gaussian_filter(image, sigma, output=out, mode="mirror"))
    for size in (3, 9):
        same = f"{prefix} box {size}" if prefix == "f32" else None
        yield f"uniform_filter {size}", size, same, lambda m, size=size: m.uniform_filter(image, size, output=out, mode="mirror")
    wide = out if prefix == "f32" else cupy.empty(image.shape, np.int16)
    yield "sobel", 3, None, lambda m: m.sobel(image, output=wide, mode="mirror")


def plan_row(image, out, library, dtype, taps, theirs, compare):
    """A plan on arrays of a library."""
    plan = halation.plan(tuple(image.shape), dtype, weights(taps), operation="correlation", device="cuda:0")
    same = f"f32 {taps}x{taps}" if dtype == "float32" else f"u8 {taps}x{taps} float" if taps <= 5 else None
    return Row(f"plan {taps}x{taps}, {library}", dtype, taps, lambda: plan.run(image, out), theirs, compare, SIDES[dtype]**2, same)


def rows():
    """All rows, in turn."""
    rng = np.random.default_rng(0)
    for dtype, prefix in (("float32", "f32"), ("uint8", "u8")):
        side = SIDES[dtype]
        host = rng.random((side, side), np.float32) if dtype == "float32" else rng.integers(0, 256, (side, side), np.uint8)
        image = cupy.asarray(host)
        for name, taps, same, call in ndimage_jobs(image, prefix):
            yield Row(f"ndimage.{name}, CuPy", dtype, taps, lambda call=call: call(halation.ndimage),
                      {"cupyx": lambda call=call: call(cupyx.scipy.ndimage)}, near(CUPY), image.size, same)
        for taps in (3, 5, 9):
            yield plan_row(image, cupy.empty_like(image), "CuPy", dtype, taps, {}, near(1))
        tensor = torch.as_tensor(image, device="cuda")
        for taps in (3, 5, 9, 15):
            theirs = {}
            if dtype == "float32":
                kernel = torch.as_tensor(weights(taps)[None, None], dtype=torch.float32, device="cuda")
                theirs["torch conv2d"] = lambda kernel=kernel, taps=taps: torch.nn.functional.conv2d(
                    tensor[None, None], kernel, padding=taps // 2)
            yield plan_row(tensor, torch.empty_like(tensor), "PyTorch", dtype, taps, theirs, inside(taps))
        del image, tensor
        gc.collect()
        cupy.get_default_memory_pool().free_all_blocks()
        torch.cuda.empty_cache()


def inside(taps):
    """Compares the middle alone: conv2d has zeros outside."""
    compare = near(0)
    return lambda got, expected: compare(got[-1], expected[-1])
