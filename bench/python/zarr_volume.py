"""zarr_volume.py: a chunked Zarr volume, larger than memory may be, filtered by halation.dask under a limit, and checked.

    python zarr_volume.py --gib 16 --limit-gib 4 --folder /somewhere/with/space

Makes a volume of u16 (made-up blobs and noise), filters it in a process of its own whose address space is limited (RLIMIT_AS,
which takes in more than what is resident), and compares sampled blocks of the result, the volume's corners among them, with
scipy.ndimage on the same part of the volume. Prints what it measured as JSON; exits with 1 where a block differs.
"""
import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import zarr

PLANE = 2048  # elements along the last two axes


def plane_pattern(z, rng):
    """One plane: blobs that move from plane to plane, and noise of twelve bits."""
    y, x = np.ogrid[:PLANE, :PLANE]
    blobs = 20000 * (1 + np.sin(x / 37 + z / 23)[0] * np.cos(y / 29 - z / 31))
    return (blobs + rng.integers(0, 4096, (PLANE, PLANE), np.uint16)).astype(np.uint16)


def create(path, shape, arguments):
    """An empty volume on disk."""
    return zarr.create_array(store=str(path), shape=shape, chunks=tuple(arguments.chunks), dtype=np.uint16,
                             compressors="auto" if arguments.compress else None)


def make_volume(path, arguments):
    """Writes a volume of so many GiB, a layer of chunks at a time."""
    depth = int(arguments.gib * 2**30) // (2 * PLANE * PLANE)
    volume = create(path, (depth, PLANE, PLANE), arguments)
    chunks = volume.chunks
    rng = np.random.default_rng(1)
    layer = np.empty((chunks[0], PLANE, PLANE), np.uint16)
    for begin in range(0, depth, chunks[0]):
        end = min(begin + chunks[0], depth)
        for z in range(begin, end):
            layer[z - begin] = plane_pattern(z, rng)
        volume[begin:end] = layer[:end - begin]
    return volume


def filter_volume(arguments):
    """Run in the process with the limit."""
    limit = int(arguments.limit_gib * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    import dask
    import dask.array as da

    import halation.dask

    begin = time.perf_counter()
    with dask.config.set(scheduler="threads", num_workers=arguments.threads):
        volume = da.from_zarr(str(arguments.folder / "in.zarr"), chunks=tuple(arguments.blocks))
        made = halation.dask.gaussian_filter(volume, arguments.sigma, mode=arguments.mode)
        made.to_zarr(create(arguments.folder / "out.zarr", made.shape, arguments))
    seconds = time.perf_counter() - begin
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    peaks = {name: round(int(status[key].split()[0]) / 2**20, 2) for name, key in
             (("peak_address_space_gib", "VmPeak"), ("peak_resident_gib", "VmHWM"))}
    print(json.dumps({"seconds": round(seconds, 1), **peaks}))


def sampled_blocks(shape, size, count):
    """Corners and seeded places, as the first element of each block."""
    rng = np.random.default_rng(2)
    last = [n - size for n in shape]
    corners = [(0, 0, 0), tuple(last), (0, last[1], 0), (last[0], 0, last[2])]
    return corners + [tuple(int(rng.integers(0, n + 1)) for n in last) for _ in range(count - len(corners))]


def compare(arguments):
    """Sampled blocks of the result beside SciPy's: (elements, how many differ, by how much at most)."""
    from scipy import ndimage

    source = zarr.open_array(str(arguments.folder / "in.zarr"), mode="r")
    made = zarr.open_array(str(arguments.folder / "out.zarr"), mode="r")
    size, reach = 64, int(4 * arguments.sigma + 0.5)
    elements, differ, most = 0, 0, 0
    for place in sampled_blocks(source.shape, size, arguments.samples):
        # With the reach around it; where the volume ends, the filter's own border is the volume's.
        low = [max(at - reach, 0) for at in place]
        high = [min(at + size + reach, n) for at, n in zip(place, source.shape)]
        part = source[tuple(slice(a, b) for a, b in zip(low, high))]
        expected = ndimage.gaussian_filter(part, arguments.sigma, mode=arguments.mode)
        inner = tuple(slice(at - a, at - a + size) for at, a in zip(place, low))
        block = made[tuple(slice(at, at + size) for at in place)]
        apart = np.abs(expected[inner].astype(np.int32) - block.astype(np.int32))
        elements, differ, most = elements + apart.size, differ + int((apart > 0).sum()), max(most, int(apart.max()))
    return elements, differ, most


def folder_gib(path):
    """What the files in a folder hold."""
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) / 2**30


def main():
    """Makes, filters, compares, reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gib", type=float, default=16.0, help="size of the volume")
    parser.add_argument("--limit-gib", type=float, default=4.0, help="address space of the process that filters")
    parser.add_argument("--folder", type=Path, help="where there is space for twice the volume; a temporary folder unless given")
    parser.add_argument("--chunks", type=int, nargs=3, default=(32, 512, 512), help="of the files")
    parser.add_argument("--blocks", type=int, nargs=3, default=(32, 512, 1024), help="what is filtered at once: whole chunks")
    parser.add_argument("--sigma", type=float, default=2.0)
    parser.add_argument("--mode", default="reflect", choices=("reflect", "constant", "nearest", "mirror"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--samples", type=int, default=24, help="how many blocks of 64 x 64 x 64 are compared")
    parser.add_argument("--compress", action="store_true", help="Zarr's default compression; else files are as large as arrays")
    parser.add_argument("--keep", action="store_true", help="keep the volumes")
    parser.add_argument("--reuse", action="store_true", help="filter the volume that an earlier run kept")
    parser.add_argument("--filter-only", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.gib < 0.5:
        parser.error(f"--gib must be at least 0.5, one block of 64 planes, got {arguments.gib}")
    if arguments.filter_only:
        return filter_volume(arguments)
    made_here = arguments.folder is None
    arguments.folder = Path(tempfile.mkdtemp()) if made_here else arguments.folder
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in ("out.zarr",) if arguments.reuse else ("in.zarr", "out.zarr"):
        shutil.rmtree(arguments.folder / name, ignore_errors=True)
    try:
        begin = time.perf_counter()
        source = arguments.folder / "in.zarr"
        volume = zarr.open_array(str(source), mode="r") if arguments.reuse else make_volume(source, arguments)
        making = time.perf_counter() - begin
        words = [sys.executable, __file__, *sys.argv[1:], "--filter-only", "--folder", str(arguments.folder)]
        # glibc keeps freed blocks for each thread; large ones are to go back to the system, whose limit counts them.
        environment = {**os.environ, "MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "1048576"}
        child = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, env=environment)
        elements, differ, most = compare(arguments)
        report = {
            "volume": {"shape": volume.shape, "dtype": "uint16", "gib": volume.nbytes / 2**30, "chunks": volume.chunks,
                       "files_gib": round(folder_gib(arguments.folder / "in.zarr"), 2),
                       "seconds_to_make": None if arguments.reuse else round(making, 1)},
            "filter": f"gaussian_filter, sigma {arguments.sigma}, mode {arguments.mode}, {arguments.threads} threads",
            "limit_gib": arguments.limit_gib,
            **json.loads(child.stdout),
            "compared": {"blocks": arguments.samples, "elements": elements, "differ": differ, "most": most},
        }
        print(json.dumps(report, indent=1))
        return 0 if differ == 0 else 1
    finally:
        if not arguments.keep:
            for name in ("in.zarr", "out.zarr"):
                shutil.rmtree(arguments.folder / name, ignore_errors=True)
            if made_here:
                shutil.rmtree(arguments.folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
