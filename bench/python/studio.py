"""studio.py: how long the page of `halation studio` waits for its picture, and what it bears.

    python studio.py --program build/release/halation --folder /somewhere/with/space --json studio.json steps burden huge

steps: pictures of 1, 12 and 50 megapixels, u8 RGB: a Gaussian whose sigma goes up by a slider's steps, each a request for 1,200 pixels' width; from the
    request to the last byte, of --steps steps, on each device.
burden: --requests requests drawn at random, 200 at a time, many of which have no meaning; what was answered, and resident memory meanwhile.
huge: a picture of 200 megapixels under --memory: what a step takes, and peak resident memory.
"""
import collections
import concurrent.futures
import contextlib
import http.client
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import record

SIZES = {1: (1224, 816), 12: (4240, 2832), 50: (8660, 5774)}  # width, height


def make_picture(folder, width, height):
    """Grain on slopes, as a PPM."""
    import numpy as np

    path = folder / f"{width}x{height}.ppm"
    rng = np.random.default_rng(width)
    x = np.arange(width, dtype=np.float32)
    with open(path, "wb") as file:
        file.write(f"P6 {width} {height} 255\n".encode())
        for y in range(0, height, 512):
            rows = np.arange(y, min(y + 512, height), dtype=np.float32)[:, None]
            slopes = 120 + 60 * np.sin(x / 90) * np.cos(rows / 130) + 30 * np.sin((x + rows) / 11)
            photo = slopes[..., None] + 8 * rng.standard_normal((*slopes.shape, 3), np.float32)
            file.write(np.clip(photo, 0, 255).astype(np.uint8).tobytes())
    return path


class Studio:
    """The program, serving."""

    def __init__(self, program, *arguments):
        self.process = subprocess.Popen([program, "studio", "--no-browser", *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        address = urlsplit(self.process.stdout.readline().split()[2])
        self.port, self.token = address.port, address.query.removeprefix("token=")

    def connection(self):
        return contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=600))

    def ask(self, connection, path, **words):
        """(response, bytes of the body)"""
        connection.request("GET", f"{path}?{urlencode(words)}", headers={"X-Halation-Token": self.token})
        response = connection.getresponse()
        return response, response.read()

    def memory(self, what):
        """VmRSS or VmHWM, in MB."""
        return int(Path(f"/proc/{self.process.pid}/status").read_text().split(what + ":")[1].split()[0]) * 1024e-6

    def end(self):
        self.process.send_signal(signal.SIGINT)
        if self.process.wait(120) != 0:
            raise RuntimeError("studio did not end well")


def step_times(studio, count, **words):
    """Milliseconds from request to last byte, and those of them that the program says it filtered."""
    whole, filtering = [], []
    with studio.connection() as connection:
        for step in range(-10, count):  # ten to begin with
            sigma = round(1 + 0.02 * (step + 10), 2)
            begin = time.perf_counter()
            response, body = studio.ask(connection, "/preview", chain=f"gaussian sigma={sigma}", w=1200, format="raw", client="bench", **words)
            taken = (time.perf_counter() - begin) * 1e3
            if response.status != 200 or len(body) < 1000 * 1200:
                raise RuntimeError(f"{response.status}: {body[:200]}")
            if step >= 0:
                whole.append(taken)
                filtering.append(float(response.headers["X-Halation-Milliseconds"]))
    return whole, filtering


def steps(arguments, folder):
    rows = []
    for megapixels, (width, height) in SIZES.items():
        picture = make_picture(folder, width, height)
        for device in arguments.devices:
            studio = Studio(arguments.program, picture, "--device", device)
            whole, filtering = step_times(studio, arguments.steps)
            studio.end()
            rows.append({"job": "steps", "megapixels": megapixels, "shape": [height, width, 3], "device": device, "steps": arguments.steps,
                         "ms": statistics.median(whole), "ms_slowest_of_20": sorted(whole)[len(whole) * 19 // 20], "ms_filtering": statistics.median(filtering)})
        picture.unlink()
    return rows


def random_request(rng):
    path = rng.choice(["/preview"] * 10 + ["/weights", "/explain", "/histogram", "/inspect", "/code", "/image", "/filters", "/save", "/nothing", "/"])
    chain = rng.choice(["gaussian sigma={}", "box size={}", "unsharp_mask sigma={}", "sobel", "edges | gaussian sigma={}", "custom weights='1 {}'", "nonsense {}",
                        "disk radius={}", "motion_blur angle={}", ""]).format(rng.choice([1, 2, 3, 5, 9, -1, "x", "2,3"]))
    words = {"chain": chain, "w": rng.choice([1, 100, 1200, 5000, -3, "a"]), "client": rng.choice(["", rng.randrange(500)]), "format": rng.choice(["raw", "raw", "png", "?"]),
             "x": rng.randrange(-5, 1300), "y": rng.randrange(900), "border": rng.choice(["", "wrap", "constant", "none"]),
             "crop": rng.choice(["", "1,2,30,40", "600,600,200,200", "0,0,1224,816", ",,,", "0,0,1,1", "-1,0,5,5"]), "view": rng.choice(["", "", "signed", "stretch"]),
             "linear": rng.choice(["", "", "1"]), "gray": rng.choice(["", "", "1"]), "as": rng.choice(["a.png", "a.jpg", "a.npy", "a", ""]), "output-pixel": rng.choice(["", "", "f32", "u16"])}
    return path, words


def burden(arguments, folder):
    picture = make_picture(folder, *SIZES[1])
    studio = Studio(arguments.program, picture, "--device", arguments.devices[-1])
    rng = random.Random(25)
    requests = [random_request(rng) for _ in range(arguments.requests)]

    def one(request):
        with studio.connection() as connection:
            return studio.ask(connection, request[0], **request[1])[0].status

    statuses, memory = collections.Counter(), []
    begin = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(200) as pool:
        for first in range(0, len(requests), 1000):
            statuses.update(pool.map(one, requests[first:first + 1000]))
            memory.append(round(studio.memory("VmRSS")))
    seconds = time.perf_counter() - begin
    studio.end()
    picture.unlink()
    return [{"job": "burden", "requests": arguments.requests, "at_once": 200, "device": arguments.devices[-1], "seconds": seconds,
             "statuses": {str(status): count for status, count in sorted(statuses.items())}, "resident_mb_after_each_1000": memory}]


def huge(arguments, folder):
    raw = make_picture(folder, 17320, 11547)
    picture = raw.with_suffix(".tif")  # which is read in parts
    subprocess.run([arguments.program, "apply", "identity", raw, "-o", picture], check=True)
    raw.unlink()
    rows = []
    for device in arguments.devices:
        studio = Studio(arguments.program, picture, "--device", device, "--memory", arguments.memory)
        whole, filtering = step_times(studio, 20)
        rows.append({"job": "huge", "megapixels": 200, "device": device, "memory": arguments.memory, "ms": statistics.median(whole), "ms_filtering": statistics.median(filtering),
                     "peak_mb": round(studio.memory("VmHWM"))})
        studio.end()
    picture.unlink()
    return rows


def main():
    parser = record.parser_of(__doc__, ["steps", "burden", "huge"])
    parser.add_argument("--devices", nargs="+", default=["cpu"])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--memory", default="1G")
    arguments = parser.parse_args()
    os.environ["HALATION_CACHE"] = ""
    rows = []
    for job in arguments.jobs:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            rows += {"steps": steps, "burden": burden, "huge": huge}[job](arguments, Path(folder))
        print(json.dumps(rows), file=sys.stderr)
    record.write_rows(arguments, "halation-studio-1", rows)


if __name__ == "__main__":
    main()
