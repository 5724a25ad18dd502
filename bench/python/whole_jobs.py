"""whole_jobs.py: whole jobs of the program beside other programs and PyTorch, by turns, in one run.

    python whole_jobs.py --program build/release/halation --folder /somewhere/with/space --json jobs.json photographs huge video torch

photographs: JPEGs of 2 to 12 megapixels by a Gaussian of sigma 3: `halation batch`; decoding and encoding alone on all processors, by the
    same program (the filter identity); `vips gaussblur`, a file after the other, and of every tenth ImageMagick's `mogrify -gaussian-blur`.
huge: a .npy file of u8 by a Gaussian of sigma 8 under --memory, beside the same program without a filter; peak resident memory; rows of the
    result, those at seams among them, against sums in double.
video: files of 1920x1080, x264, by a Gaussian of sigma 2: `halation video`; ffmpeg's decoding and encoding alone; ffmpeg's gblur. And a
    source in its own pace, --rate frames a second.
torch: 2048x2048 f32 by 3x3 weights from pageable and pinned memory and back on a GPU.
What a machine lacks is left out, and named.
"""
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

import record


def seconds_of(words, **more):
    start = time.perf_counter()
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, **more)
    return time.perf_counter() - start


def by_turns(contenders, rounds):
    """Median seconds of each, run one after the other, `rounds` times; {name: seconds}."""
    times = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            times[name].append(run())
    return {name: statistics.median(all_of_one) for name, all_of_one in times.items()}


def make_photograph(i, program, folder):
    """Grain on slopes, JPEG of quality 90; its megapixels."""
    import numpy as np

    rng = np.random.default_rng(i)
    area = rng.uniform(2e6, 12e6)
    width = int((1.5 * area) ** 0.5)
    height = int(area / width)
    y, x = np.ogrid[:height, :width]
    slopes = 120 + 60 * np.sin(x / (90 + i % 7)) * np.cos(y / 130) + 30 * np.sin((x + y) / 11)
    photo = slopes[..., None].astype(np.float32) + 5 * rng.standard_normal((height, width, 3), np.float32)
    raw = folder.parent / f"photo{i}.npy"
    np.save(raw, np.clip(photo, 0, 255).astype(np.uint8))
    subprocess.run([program, "apply", "identity", raw, "-o", folder / f"p{i:03}.jpg", "--layout", "hwc", "--quality", "90"], check=True)
    raw.unlink()
    return width * height * 1e-6


def photographs(arguments, folder):
    inputs = folder / "photographs"
    inputs.mkdir()
    with ProcessPoolExecutor() as processes:
        megapixels = sum(processes.map(make_photograph, range(arguments.photographs), repeat(arguments.program), repeat(inputs)))
    files = sorted(inputs.iterdir())

    def batch(chain, where, *more):
        words = [arguments.program, "batch", chain, inputs, "-o", folder / where, "--quality", "90", "--quiet", *more]
        return lambda: seconds_of(words)

    contenders = {"halation batch": batch("gaussian sigma=3", "soft")}
    if arguments.gpu:
        contenders["halation batch, cpu"] = batch("gaussian sigma=3", "soft", "--device", "cpu")
        contenders["halation batch, cuda"] = batch("gaussian sigma=3", "soft_gpu", "--device", "cuda")
    by_turns(contenders, 1)
    # What it decodes and encodes: the photographs, and the blurred ones, with a filter that takes no time.
    soft = folder / "soft"
    decode = by_turns({"decode and encode photographs": batch("identity", "same"),
                       "decode and encode blurred": lambda: seconds_of(
                           [arguments.program, "batch", "identity", soft, "-o", folder / "again", "--quality", "90", "--quiet"])},
                      arguments.rounds)
    (folder / "vips").mkdir()
    (folder / "mogrify").mkdir()
    left_out = []
    if shutil.which("vips"):
        contenders["vips, one after the other"] = lambda: sum(
            seconds_of(["vips", "gaussblur", file, f"{folder / 'vips' / file.name}[Q=90]", "3"]) for file in files)
    else:
        left_out.append("vips")
    times = by_turns(contenders, arguments.rounds)
    if shutil.which("mogrify"):  # slow: once, over some of the files
        some = files[::10]
        times["mogrify, of every tenth"] = seconds_of(["mogrify", "-path", folder / "mogrify", "-gaussian-blur", "0x3", "-quality", "90",
                                                       *some])
        times["halation batch, of every tenth"] = seconds_of([arguments.program, "batch", "gaussian sigma=3", *some, "-o", folder / "some",
                                                              "--quality", "90", "--quiet"])
    else:
        left_out.append("mogrify")
    return {"job": "photographs", "files": len(files), "megapixels": megapixels, "seconds": {**decode, **times}, "left_out": left_out}


def write_header(file, n):
    import numpy as np

    np.lib.format.write_array_header_1_0(file, {"descr": "|u1", "fortran_order": False, "shape": (n, n)})


def blurred_rows(source, first, count, n, sigma):
    """Rows of the Gaussian in double, border reflect101, before rounding."""
    import numpy as np

    radius = int(4 * sigma + 0.5)
    taps = np.exp(-np.arange(-radius, radius + 1) ** 2 / (2 * sigma**2))
    taps /= taps.sum()
    rows = np.arange(first - radius, first + count + radius)
    rows = np.where(rows < 0, -rows, rows)
    rows = np.where(rows >= n, 2 * n - 2 - rows, rows)
    block = source[rows].astype(np.float64)
    down = sum(tap * block[k:k + count] for k, tap in enumerate(taps))
    padded = np.pad(down, ((0, 0), (radius, radius)), mode="reflect")
    return sum(tap * padded[:, k:k + n] for k, tap in enumerate(taps))


def peak_bytes(pid):
    """The most memory that a running process has had, 0 once it has gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def huge(arguments, folder):
    import numpy as np

    n, sigma = arguments.side, 8
    path, out = folder / "huge.npy", folder / "soft.npy"
    rng = np.random.default_rng(1)
    tile = rng.integers(0, 256, (1000, n), dtype=np.uint8)
    with open(path, "wb") as file:
        write_header(file, n)
        for i in range(0, n, 1000):
            file.write(np.roll(tile, 37 * i // 1000, axis=1)[:min(1000, n - i)].tobytes())
    rows = []
    for device in ["cpu", "cuda"] if arguments.gpu else ["cpu"]:
        peak = {}

        def run(chain, where, name):
            words = [arguments.program, "apply", chain, path, "-o", where, "--memory", arguments.memory, "--device", device, "--quiet"]
            start = time.perf_counter()
            process = subprocess.Popen([str(word) for word in words])
            while process.poll() is None:  # what the system tells at the end takes in the parent's memory
                peak[name] = max(peak.get(name, 0), peak_bytes(process.pid))
                time.sleep(0.02)
            if process.returncode != 0:
                raise RuntimeError(f"{name} failed")
            return time.perf_counter() - start

        times = by_turns({"gaussian": lambda: run("gaussian sigma=8", out, "gaussian"),
                          "identity": lambda: run("custom weights=1", folder / "same.npy", "identity")}, arguments.rounds)
        source, result = np.load(path, mmap_mode="r"), np.load(out, mmap_mode="r")
        worst = 0.0
        starts = [0, n - 16, *range(97, n - 16, max(1, n // 40))]
        for first in starts:
            exact = blurred_rows(source, first, 4, n, sigma)
            worst = max(worst, float(np.abs(result[first:first + 4] - exact).max()))
        rows.append({"job": "huge", "device": device, "side": n, "memory": arguments.memory, "seconds": times, "peak_bytes": peak,
                     "rows_compared": 4 * len(starts), "largest_difference": worst})
    return rows


def video(arguments, folder):
    if not shutil.which("ffmpeg"):
        return {"job": "video", "left_out": ["ffmpeg"]}
    source, ffmpeg = folder / "in.mp4", ["ffmpeg", "-v", "error", "-nostdin", "-y"]
    x264 = ["-c:v", "libx264", "-preset", "medium", "-crf", "23"]
    frames = arguments.frames
    subprocess.run([*ffmpeg, "-f", "lavfi", "-i", f"testsrc2=size=1920x1080:rate={arguments.rate}", "-vf", "noise=alls=8:allf=t", "-frames:v", str(frames), *x264,
                    "-pix_fmt", "yuv420p", str(source)], check=True)
    times = by_turns({
        "halation video": lambda: seconds_of([arguments.program, "video", "gaussian sigma=2", source, "-o", folder / "out.mp4", "--crf", "23",
                                              "--quiet"]),
        "ffmpeg, decode and encode": lambda: seconds_of([*ffmpeg, "-i", source, *x264, folder / "same.mp4"]),
        "ffmpeg gblur": lambda: seconds_of([*ffmpeg, "-i", source, "-vf", "gblur=sigma=2", *x264, folder / "gblur.mp4"])}, arguments.rounds)
    paced = subprocess.run([arguments.program, "video", "gaussian sigma=2", str(source), "-o", str(folder / "paced.mkv"), "--realtime", "--codec",
                            "rawvideo", "--json", "--quiet"], check=True, capture_output=True, text=True)
    report = json.loads(paced.stdout)
    for name in ["input", "output"]:
        report[name] = Path(report[name]).name
    return {"job": "video", "frames": frames, "rate": arguments.rate, "fps": {name: frames / spent for name, spent in times.items()}, "paced": report}


def torch_rows(arguments, _):
    del arguments
    import torch

    weights = torch.tensor([[1., 2, 1], [2, 4, 2], [1, 2, 1]], device="cuda").reshape(1, 1, 3, 3) / 16
    rows = {}
    for kind in ["pageable", "pinned"]:
        image = torch.rand(1, 1, 2048, 2048)
        image = image.pin_memory() if kind == "pinned" else image
        out = torch.empty_like(image, pin_memory=kind == "pinned")

        def run():
            there = image.to("cuda", non_blocking=True)
            done = torch.nn.functional.conv2d(there, weights, padding=1)
            out.copy_(done, non_blocking=True)
            torch.cuda.synchronize()

        for _ in range(5):
            run()
        times = []
        for _ in range(41):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        rows[kind] = statistics.median(times) * 1e3
    return {"job": "torch", "torch": torch.__version__, "ms": rows}


def main():
    parser = record.parser_of(__doc__, ["photographs", "huge", "video", "torch"])
    parser.add_argument("--gpu", action="store_true", help="the machine has a GPU")
    parser.add_argument("--photographs", type=int, default=500)
    parser.add_argument("--side", type=int, default=100_000)
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--frames", type=int, default=600)
    parser.add_argument("--rate", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    rows = []
    for job in arguments.jobs:
        run = {"photographs": photographs, "huge": huge, "video": video, "torch": torch_rows}[job]
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            made = run(arguments, Path(folder))
        rows += made if isinstance(made, list) else [made]
        print(json.dumps(rows[-1]), file=sys.stderr)
    record.write_rows(arguments, "halation-whole-jobs-1", rows)


if __name__ == "__main__":
    main()
