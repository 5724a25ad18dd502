"""peer_halide.py: Halide, compiled for this processor before the clock starts, by schedules written by hand.

Each filters the interior alone, where no output sees the border. Images of several channels are rows of samples whose taps
lie as many samples apart. A way is tried with several sizes of tile, of which the fastest counts.
"""
import importlib
import importlib.metadata

import numpy as np

from instruction_set import ONLY_AVX2
from peer_job import CpuPeer, Way

INTERIOR = "none: the interior alone"
LANES = 16  # of 32 bits


class Halide(CpuPeer):
    name = "Halide"

    def __init__(self):
        super().__init__()
        self.hl = importlib.import_module("halide")
        self.version = importlib.metadata.version("halide")
        self.types = {"u8": self.hl.UInt(8), "u16": self.hl.UInt(16), "i16": self.hl.Int(16), "f32": self.hl.Float(32)}
        self.target = self.hl.get_host_target()
        for feature in dir(self.hl.TargetFeature):
            if ONLY_AVX2 and feature.startswith(("AVX512", "AVX10")):
                self.target = self.target.without_feature(getattr(self.hl.TargetFeature, feature))

    def ways(self, job):
        if job.shape[0] > 1 or job.pixel not in self.types or job.output not in self.types or (
                job.dims != 2 and job.shape[4] > 1):
            return []
        picture = Picture(self.hl, job)
        if picture.empty():
            return []
        ways = []

        def add(how, width, rows, scheduled):
            if not picture.holds(width, rows):
                return
            out = Compiled(self, picture, scheduled)
            ways.append(Way(how, INTERIOR, out.run, picture.image, job.window_of, out.compile))

        if job.dense():
            for width, rows in ((2, 4), (4, 4), (2, 8)) if job.dims > 1 else ((4, 1), (8, 1)):
                add(f"direct, {width} vectors by {rows} rows", width * LANES, rows,
                    lambda width=width, rows=rows: self.direct(picture, width, rows))
            if job.pixel == "u8" and job.dims == 2:
                for width, rows in ((2, 4), (4, 4), (2, 8)):
                    add(f"direct, products of 16 bits in pairs, {width} vectors by {rows} rows",
                        width * LANES, rows,
                        lambda width=width, rows=rows: self.direct_in_pairs(picture, width, rows))
        if job.factors and job.dims == 2:
            for width in (128, 256, 1024):
                for rows in (4, 8):
                    add(f"separable, columns first, tiles of {width} by {rows}", width, rows,
                        lambda width=width, rows=rows: self.separable(picture, width, rows))
        return ways

    def rounded(self, total, pixel):
        """Sums in f32 as the output's pixel."""
        hl = self.hl
        if pixel == "f32":
            return total
        limits = np.iinfo({"u8": np.uint8, "u16": np.uint16, "i16": np.int16}[pixel])
        return hl.cast(self.types[pixel], hl.clamp(hl.round(total), float(limits.min), float(limits.max)))

    def blocks(self, picture, out, width, rows):
        """Splits the output into strips for threads, and each into blocks; returns the loop over blocks of a row."""
        hl = self.hl
        xo, yo, xi, yi = (hl.Var(name) for name in ("xo", "yo", "xi", "yi"))
        outermost = picture.vars[-1]
        threads = picture.job.threads
        if picture.job.dims == 1:
            strip = hl.Var("strip")
            if threads > 1:
                out.split(picture.vars[0], strip, xo, -(-picture.extents[0] // threads)).parallel(strip)
                out.split(xo, xo, xi, width * LANES)
            else:
                out.split(picture.vars[0], xo, xi, width * LANES)
            out.vectorize(xi, LANES).unroll(xi)
            return xo
        x, y = picture.vars[:2]
        if picture.job.dims == 3 and threads > 1:
            strip = hl.Var("strip")
            out.split(outermost, strip, outermost, -(-picture.extents[2] // threads)).parallel(strip)
        elif threads > 1:
            strip = hl.Var("strip")
            out.split(y, strip, y, -(-picture.extents[1] // threads)).parallel(strip)
        out.tile(x, y, xo, yo, xi, yi, width * LANES, rows)
        out.vectorize(xi, LANES).unroll(xi).unroll(yi)
        return xo

    def direct(self, picture, width, rows):
        """Sums of a block in registers, tap by tap."""
        hl, job = self.hl, picture.job
        total, out = hl.Func("total"), hl.Func("out")
        weights = picture.buffer_of(job.weights[::-1, ::-1, ::-1].astype(np.float32))
        taps = hl.RDom([(0, job.taps[2]), (0, job.taps[1]), (0, job.taps[0])])
        place = picture.shifted([taps.x, taps.y, taps.z])
        total[picture.vars] = 0.0
        total[picture.vars] += weights[taps.x, taps.y, taps.z] * hl.cast(hl.Float(32), picture.buffer[place])
        out[picture.vars] = self.rounded(total[picture.vars], job.output)
        at = self.blocks(picture, out, width, rows)
        inner = picture.vars[:2]
        total.compute_at(out, at).vectorize(inner[0], LANES).unroll(inner[0])
        update = total.update()
        update.reorder(*inner, taps.x, taps.y, taps.z).vectorize(inner[0], LANES).unroll(inner[0])
        if len(inner) > 1:
            total.unroll(inner[1])
            update.unroll(inner[1])
        if job.taps[2] <= 17:
            update.unroll(taps.x)
        return out

    def direct_in_pairs(self, picture, width, rows):
        """Whole weights of 16 bits over a power of two, as fine as sums of 32 bits allow; two products an instruction."""
        hl, job = self.hl, picture.job
        _, height, taps_x = job.taps
        shift = 0
        while (np.abs(job.weights).max() * 2 ** (shift + 1) < 2 ** 15 and
               255 * np.abs(job.weights).sum() * 2 ** (shift + 1) < 2 ** 30):
            shift += 1
        pairs = (taps_x + 1) // 2
        whole = np.zeros((height, 2 * pairs), np.int16)
        whole[:, :taps_x] = np.rint(job.weights[0, ::-1, ::-1] * 2.0 ** shift)
        first, second = (picture.buffer_of(whole[:, i::2]) for i in (0, 1))
        total, out = hl.Func("total"), hl.Func("out")
        taps = hl.RDom([(0, pairs), (0, height)])
        # The last weight of an odd row is 0, and its pixel any that there is.
        here, there = (picture.shifted([hl.min(2 * taps.x + i, taps_x - 1), taps.y, 0]) for i in (0, 1))
        i16, i32 = hl.Int(16), hl.Int(32)
        total[picture.vars] = hl.cast(i32, 2 ** shift // 2)

        def product(weights, place):
            return hl.cast(i32, weights[taps.x, taps.y]) * hl.cast(i32, hl.cast(i16, picture.buffer[place]))
        total[picture.vars] += product(first, here) + product(second, there)
        limits = np.iinfo(np.uint8 if job.output == "u8" else np.int16)
        out[picture.vars] = hl.cast(self.types[job.output],
                                    hl.clamp(total[picture.vars] >> shift, int(limits.min), int(limits.max)))
        at = self.blocks(picture, out, width, rows)
        inner = picture.vars[:2]
        total.compute_at(out, at).vectorize(inner[0], LANES).unroll(inner[0]).unroll(inner[1])
        total.update().reorder(*inner, taps.x, taps.y).vectorize(inner[0], LANES).unroll(inner[0]).unroll(inner[1])
        if pairs <= 8:
            total.update().unroll(taps.x)
        return out

    def separable(self, picture, width, rows):
        """A tile's columns, its rows sharing loads, then its rows from the cache."""
        hl, job = self.hl, picture.job
        x, y = picture.vars
        columns, out = hl.Func("columns"), hl.Func("out")
        step = job.shape[4]
        down, across = (job.factors[axis][::-1] for axis in (1, 2))
        before = [taps - 1 - taps // 2 for taps in job.taps]
        taps_of_box = job.taps[1] * job.taps[2]
        whole = job.pixel == "u8" and (job.kind == "sobel" or job.kind == "box" and 255 * taps_of_box < 2 ** 15)
        if whole:
            # Sums of whole numbers stay whole; the mean's share comes at the end.
            scale = 1.0
            if job.kind == "box":
                scale = 1.0 / taps_of_box
                down, across = np.ones(job.taps[1]), np.ones(job.taps[2])
            number, of = hl.Int(16), int
        else:
            number, of = hl.Float(32), float

        def weighted(weights, value_at):
            terms = [value_at(i) if weight == 1 else value_at(i) * hl.cast(number, of(weight))
                     for i, weight in enumerate(weights) if weight != 0]
            total = terms[0]
            for term in terms[1:]:
                total = total + term
            return total
        columns[x, y] = weighted(down, lambda i: hl.cast(number, picture.buffer[x, y + i - before[1]]))
        total = weighted(across, lambda i: columns[x + (i - before[2]) * step, y])
        if whole and job.kind == "sobel":
            out[x, y] = total
        elif whole:
            out[x, y] = self.rounded(hl.cast(hl.Float(32), total) * scale, job.output)
        else:
            out[x, y] = self.rounded(total, job.output)
        tile(picture, columns, out, width, rows, 2 * LANES if whole else LANES)
        return out


def tile(picture, columns, out, width, rows, lanes):
    """Strips for threads, tiles of rows, columns of a tile before its rows."""
    hl, job = picture.hl, picture.job
    x, y = picture.vars
    xo, yo, xi, yi, strip = (hl.Var(name) for name in ("xo", "yo", "xi", "yi", "strip"))
    if job.threads > 1:
        out.split(y, strip, y, -(-picture.extents[1] // job.threads)).parallel(strip)
    out.tile(x, y, xo, yo, xi, yi, width, rows)
    out.vectorize(xi, lanes)
    columns.compute_at(out, xo).reorder(y, x).vectorize(x, lanes).unroll(y)


class Picture:
    """Input and output as Halide's buffers, x first; the output's is the interior."""

    def __init__(self, hl, job):
        self.hl, self.job, self.kept = hl, job, []
        self.image = job.image()
        self.out = job.output_like(self.image)
        channels = job.shape[4]
        rows = self.image.reshape(job.shape[4 - job.dims:3] + (-1,))
        target = self.out.reshape(rows.shape)
        # Axes as numpy has them: the last is x.
        self.reach = [taps // 2 for taps in job.taps[3 - job.dims:]]
        self.reach[-1] *= channels
        inside = tuple(slice(reach, extent - reach) for reach, extent in zip(self.reach, rows.shape))
        self.extents = [part.stop - part.start for part in reversed(inside)]
        self.vars = [hl.Var(name) for name in ("x", "y", "z")[:job.dims]]
        if self.empty():
            return
        self.buffer = hl.Buffer(rows)
        self.interior = hl.Buffer(target[inside])
        self.interior.set_min(list(reversed(self.reach)))

    def empty(self):
        return min(self.extents) < 1

    def holds(self, width, rows):
        """Whether a tile fits into the strip of a thread."""
        extents = self.extents + [1]
        threads = self.job.threads
        strips = [threads if axis == len(self.extents) - 1 else 1 for axis in range(2)]
        return extents[0] // strips[0] >= width and extents[1] // strips[1] >= rows

    def buffer_of(self, array):
        """A buffer of weights; they live as long as the picture, for Halide keeps no hold of them."""
        self.kept.append(np.ascontiguousarray(array))
        return self.hl.Buffer(self.kept[-1])

    def shifted(self, taps):
        """Where tap k of each axis, the weights from the other end, reads."""
        steps = [self.job.shape[4], 1, 1]
        before = [taps - 1 - taps // 2 for taps in reversed(self.job.taps)]
        return [var + (tap - reach) * step for var, tap, reach, step in zip(self.vars, taps, before, steps)]


class Compiled:
    """A function that is compiled when it is asked for."""

    def __init__(self, peer, picture, scheduled):
        self.peer, self.picture, self.scheduled, self.function = peer, picture, scheduled, None

    def compile(self):
        self.function = self.scheduled()
        self.function.compile_jit(self.peer.target)

    def run(self):
        self.function.realize(self.picture.interior, self.peer.target)
        return self.picture.out
