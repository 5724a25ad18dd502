"""test_filter_file.py: files filtered into files beside `convolve` and the program, whatever memory there is; runs that end early; refusals."""

import os
import signal
import subprocess
import sys
import threading
from contextvars import ContextVar
from pathlib import Path

import numpy as np
import pytest

import halation
from halation import Filter, Metadata, _files

pytestmark = pytest.mark.skipif(_files._read is None, reason="this build has no image formats")
RNG = np.random.default_rng(5)
CHAIN = "gaussian sigma=2 | unsharp_mask amount=0.5 | edges"
LARGE = RNG.integers(0, 256, (1900, 1500, 3), np.uint8)  # with its result more than is filtered whole


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Files that are filtered strip by strip."""
    folder = tmp_path_factory.mktemp("large")
    halation.imwrite(folder / "in.tif", LARGE)
    np.save(folder / "in.npy", LARGE[..., 0].astype(np.float32))
    return folder


def by_array(image, chain=CHAIN, **words):
    return halation.convolve(image, chain, **words)


@pytest.mark.parametrize("ending", ["png", "tif", "npy", "webp", "bmp"])
def test_small_files_beside_arrays(tmp_path, ending):
    for shape in ((41, 30), (41, 30, 3)):
        image = RNG.integers(0, 256, shape, np.uint8)
        if ending == "npy" and len(shape) == 3:
            continue  # a volume
        halation.imwrite(tmp_path / f"in.{ending}", image)
        halation.filter_file(CHAIN, tmp_path / f"in.{ending}", tmp_path / f"out.{ending}", border="wrap")
        there = halation.imread(tmp_path / f"in.{ending}")
        want = by_array(there, border="wrap", channel_axis=-1 if there.ndim == 3 else None)
        np.testing.assert_array_equal(halation.imread(tmp_path / f"out.{ending}"), want)


def test_options_beside_arrays(tmp_path):
    image, file = RNG.integers(0, 256, (33, 40), np.uint8), tmp_path / "in.npy"
    np.save(file, image)
    skew = Filter([[1, 2, -3], [0, 4, 1]])
    for words in ({"extent": "valid"}, {"extent": "full", "border": "constant", "cval": 9}, {"border": ("wrap", "reflect")}, {"view": "signed"},
                  {"scale": 0.5, "offset": 3, "rounding": "truncate"}, {"linear": True}, {"sum": "f64"}, {"threads": 1}, {"accuracy": "fast"},
                  {"device": "reference"}, {"method": "direct"}):  # fmt: skip
        for kind in (None, np.float32, np.int16):
            halation.filter_file([skew, "gaussian"], file, tmp_path / "out.npy", dtype=kind, **words)
            want = by_array(image, [skew, "gaussian"], output=kind, **words)
            np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), want)
    halation.filter_file([skew, "gaussian"], file, tmp_path / "out.npy", dtype="f4", tune="measure")  # which may choose anew each time
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), by_array(image, [skew, "gaussian"], output="f4"), rtol=1e-5, atol=1e-2)
    halation.filter_file(skew, file, str(tmp_path / "out.npy"), operation="correlation")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), halation.correlate(image, [skew]))
    halation.filter_file("edges", file, os.fsencode(tmp_path / "out.npy"))
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), halation.edges(image))


def test_volumes_signals_and_layouts(tmp_path):
    volume = RNG.random((5, 12, 14), np.float32)
    np.save(tmp_path / "in.npy", volume)
    halation.filter_file("gaussian sigma=0.8 | box", tmp_path / "in.npy", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), by_array(volume, "gaussian sigma=0.8 | box"))
    halation.filter_file("gaussian | box", tmp_path / "in.npy", tmp_path / "out.npy", layout="hwc")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), by_array(volume, "gaussian | box", channel_axis=-1))
    np.save(tmp_path / "in.npy", volume[0, 0])
    halation.filter_file("gaussian | box", tmp_path / "in.npy", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), by_array(volume[0, 0], "gaussian | box"))


def test_alpha_gray_and_metadata(tmp_path):
    image = RNG.integers(0, 256, (20, 24, 4), np.uint8)
    exif = b"II*\0\x08\0\0\0\0\0\0\0\0\0"
    halation.imwrite(tmp_path / "in.png", image, metadata=Metadata(exif=exif, xmp=b"<x/>", dots_per_inch=(300.0, 300.0)))
    halation.filter_file(CHAIN, tmp_path / "in.png", tmp_path / "out.tif")
    got, facts = halation.imread(tmp_path / "out.tif", metadata=True)
    np.testing.assert_array_equal(got, by_array(image, alpha=True))
    assert facts.alpha and facts.colour == "rgb" and facts.xmp == b"<x/>" and np.allclose(facts.dots_per_inch, 300, atol=0.1)
    halation.filter_file("gaussian | box", tmp_path / "in.png", tmp_path / "out.png", gray=True)
    got, facts = halation.imread(tmp_path / "out.png", metadata=True)
    np.testing.assert_array_equal(got, by_array(image, "gaussian | box", alpha=True, gray=True))
    assert facts.alpha and facts.colour == "gray"


def test_memory_and_threads_change_no_bit(tmp_path, large):
    for name in ("in.tif", "in.npy"):
        results = set()
        for words in ({}, {"memory": "64M"}, {"memory": 1 << 30}, {"memory": "40M", "threads": 1}):
            halation.filter_file(CHAIN, large / name, tmp_path / name, **words)
            results.add((tmp_path / name).read_bytes())
        assert len(results) == 1
    want = by_array(LARGE[:, :, 0].astype(np.float32))
    np.testing.assert_allclose(np.load(tmp_path / "in.npy"), want, rtol=0, atol=1e-2)
    got = halation.imread(tmp_path / "in.tif").astype(int)
    assert np.abs(got - by_array(LARGE, channel_axis=-1)).max() <= 1
    with halation.threads(1):
        halation.filter_file(CHAIN, large / "in.npy", tmp_path / "one.npy")
    assert (tmp_path / "one.npy").read_bytes() == (tmp_path / "in.npy").read_bytes()


def test_progress(tmp_path, large):
    seen, here = [], ContextVar("here", default=0)
    here.set(7)
    halation.filter_file("box", large / "in.tif", tmp_path / "out.tif",
                         progress=lambda *now: seen.append((*now, threading.current_thread(), here.get())))
    assert len(seen) > 1 and {(thread, value) for _, _, thread, value in seen} == {(threading.current_thread(), 7)}
    done = [now[0] for now in seen]
    assert done == sorted(set(done)) and {now[1] for now in seen} == {1900 * 1500} and done[-1] == 1900 * 1500
    halation.imwrite(tmp_path / "in.png", LARGE[:40])
    seen.clear()
    halation.filter_file("box", tmp_path / "in.png", tmp_path / "out.png", progress=lambda *now: seen.append(now))
    assert seen == [(40 * 1500, 40 * 1500)]


class Enough(ValueError):
    """One that the package raises itself, of a caller's own."""


@pytest.mark.parametrize("size", ["strips", "whole"])
def test_progress_that_raises_ends_the_run(tmp_path, large, size):
    calls = []

    def stop(done, total):
        calls.append(done)
        raise Enough("of it")

    if size == "whole":
        halation.imwrite(tmp_path / "in.png", LARGE[:40])
    source = large / "in.tif" if size == "strips" else tmp_path / "in.png"
    out = tmp_path / f"out{source.suffix}"
    for before in (None, b"what was there"):
        if before is not None:
            out.write_bytes(before)
        with pytest.raises(Enough, match="of it"):
            halation.filter_file(CHAIN, source, out, progress=stop)
        assert (out.read_bytes() if out.exists() else None) == before
    assert len(calls) == 2 and {path.name for path in tmp_path.iterdir()} <= {"in.png", out.name}


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_interrupt_ends_the_run(tmp_path, large):
    """As by Ctrl-C: while strips are computed by filters that take long, again and again on machines that are quick."""
    out = tmp_path / "out.tif"
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            while True:
                halation.filter_file("disk radius=25 | disk radius=25", large / "in.tif", out, method="direct")
    finally:
        timer.join()
        signal.signal(signal.SIGINT, handler)
    assert list(tmp_path.iterdir()) in ([], [out])
    assert not out.exists() or halation.imread(out).shape == LARGE.shape


def test_in_place(tmp_path, large):
    file = tmp_path / "photo.tif"
    file.write_bytes((large / "in.tif").read_bytes())
    halation.filter_file("box", file, tmp_path / "out.tif")
    halation.filter_file("box", file, file)
    assert file.read_bytes() == (tmp_path / "out.tif").read_bytes()


def program():
    """The program, where it came with the package, or the environment says which is to stand for it."""
    named = os.environ.get("HALATION_PROGRAM")
    return Path(named) if named else Path(halation.__file__).parent / "bin" / "halation"


@pytest.mark.skipif(not program().exists(), reason="this build has no program (HALATION_PROGRAM names one)")
def test_the_programs_files(tmp_path, large):
    halation.imwrite(tmp_path / "in.png", LARGE[:200])
    halation.imwrite(tmp_path / "in.jpg", LARGE[:200])
    for source, out, words, arguments in [
        (large / "in.tif", "tif", {}, []),
        (large / "in.tif", "tif", {"border": "wrap", "linear": True}, ["--border", "wrap", "--linear"]),
        (large / "in.tif", "npy", {"dtype": "f4", "gray": True}, ["--output-pixel", "f32", "--gray"]),
        (large / "in.tif", "tif", {"view": "stretch", "extent": "valid"}, ["--view", "stretch", "--extent", "valid"]),
        (large / "in.npy", "npy", {}, []),
        (tmp_path / "in.png", "png", {"linear": True}, ["--linear"]),
        (tmp_path / "in.png", "jpg", {"quality": 80}, ["--quality", "80"]),
        (tmp_path / "in.jpg", "webp", {"view": "signed"}, ["--view", "signed"]),
    ]:
        halation.filter_file(CHAIN, source, tmp_path / f"ours.{out}", **words)
        subprocess.run([program(), "apply", CHAIN, source, "-o", tmp_path / f"its.{out}", "--device", "cpu", *arguments], check=True,
                       capture_output=True)  # fmt: skip
        assert (tmp_path / f"ours.{out}").read_bytes() == (tmp_path / f"its.{out}").read_bytes(), (source, words)


@pytest.mark.parametrize("words, error, sentence", [
    ({"chain": "gausian"}, ValueError, None),
    ({"chain": []}, ValueError, "a chain needs at least one filter"),
    ({"chain": 3}, TypeError, "a stage of a chain is a Filter or a text such as 'gaussian sigma=2', got int"),
    ({"chain": [Filter(np.ones((1, 1, 1, 1)))]}, ValueError, "a filter of a chain runs along 1 to 3 axes, got one along 4"),
    ({"output": "a.xyz"}, ValueError, None),
    ({"output": "a.jpg", "dtype": np.uint16}, ValueError, "a.jpg: JPEG holds 8-bit pixels, got u16; use dtype=np.uint8 (values stay as they are; scale=0.003891 makes 255 of 65535) or write .png, .tif, ..."),
    ({"output": "none/a.png"}, OSError, "none/a.png: folder none does not exist"),
    ({"memory": "lots"}, ValueError, "memory is a number of bytes, at least 1, such as 512M or 1.5G, got 'lots'"),
    ({"memory": 0}, ValueError, "memory is a number of bytes, at least 1, such as 512M or 1.5G, got 0"),
    ({"memory": 1.5}, ValueError, "memory is a number of bytes, at least 1, such as 512M or 1.5G, got 1.5"),
    ({"memory": "1K"}, MemoryError, None),
    ({"page": 0}, ValueError, "pages are counted from 1, got 0"),
    ({"page": 2}, ValueError, None),
    ({"layout": "xy"}, ValueError, "unknown layout 'xy'; choose from w, hw, hwc, dhw, dhwc"),
    ({"dtype": np.int32}, TypeError, "a chain gives uint8, uint16, int16, float16, float32 or float64, got int32"),
    ({"progress": 3}, TypeError, "progress is a function of (done, total), got int"),
    ({"border": ("wrap",) * 4}, ValueError, "border is one name or one for each of up to 3 axes, got 4"),
    ({"border": ("wrap", "reflect"), "cval": (1, 2, 3)}, ValueError, "border must be one or as many as axes (3), got 2"),
    ({"border": "reflct"}, ValueError, None),
    ({"operation": "folding"}, ValueError, "unknown operation 'folding'; choose from correlation, convolution"),
    ({"device": "gpu"}, ValueError, None),
    ({"gray": True}, ValueError, "gray needs 3 colours, got 2"),
])  # fmt: skip
def test_errors(tmp_path, monkeypatch, words, error, sentence):
    monkeypatch.chdir(tmp_path)
    image = np.zeros((30, 40, 2), np.float32) if "gray" in words else np.zeros((30, 40), np.uint8)
    np.save("in.npy", image)
    given = {"chain": "gaussian | edges", "input": "in.npy", "output": "out.npy", **words}
    if "gray" in words:
        given["layout"] = "hwc"
    with pytest.raises(error) as caught:
        halation.filter_file(**given)
    if sentence is not None:
        assert str(caught.value)[: len(sentence) - 3] == sentence[:-3] if sentence.endswith("...") else str(caught.value) == sentence
    assert os.listdir(tmp_path) == ["in.npy"]


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        halation.filter_file("box", tmp_path / "none.tif", tmp_path / "out.tif")
    (tmp_path / "empty.tif").write_bytes(b"")
    (tmp_path / "other.tif").write_bytes(b"no picture at all")
    for name in ("empty.tif", "other.tif"):
        with pytest.raises(OSError):
            halation.filter_file("box", tmp_path / name, tmp_path / "out.tif")
    with pytest.raises(OSError):
        halation.filter_file("box", tmp_path, tmp_path / "out.tif")
    assert sorted(os.listdir(tmp_path)) == ["empty.tif", "other.tif"]


def test_not_even_one_strip(tmp_path, large):
    with pytest.raises(MemoryError, match="needs .* are available"):
        halation.filter_file(CHAIN, large / "in.tif", tmp_path / "out.tif", memory="1M")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.gpu
@pytest.mark.skipif(not any(info["device"].startswith("cuda") for info in halation.devices()), reason="no CUDA device, or a build without CUDA")
def test_on_a_gpu(tmp_path, large):
    halation.imwrite(tmp_path / "in.png", LARGE[:100])
    for source, words in ((large / "in.tif", {}), (large / "in.tif", {"linear": True, "view": "signed"}), (large / "in.npy", {"memory": "256M"}),
                          (tmp_path / "in.png", {}), (tmp_path / "in.png", {"gray": True})):
        halation.filter_file(CHAIN, source, tmp_path / f"gpu{source.suffix}", device="cuda:0", **words)
        halation.filter_file(CHAIN, source, tmp_path / f"cpu{source.suffix}", **words)
        got, want = (halation.imread(tmp_path / f"{name}{source.suffix}").astype(float) for name in ("gpu", "cpu"))
        assert np.abs(got - want).max() <= 1


def test_a_volume_takes_shorter_strips_where_memory_is_short(tmp_path):
    volume = np.random.default_rng(9).integers(0, 256, (160, 150, 140), np.uint8)
    np.save(tmp_path / "in.npy", volume)
    expected = halation.gaussian(volume, sigma=2, axes=(0, 1, 2)).astype(int)
    for memory in ("40M", "20M", "12M"):
        halation.filter_file("gaussian sigma=2", tmp_path / "in.npy", tmp_path / "out.npy", memory=memory)
        assert np.abs(np.load(tmp_path / "out.npy") - expected).max() <= 1
    with pytest.raises(MemoryError, match=r"^filtering in strips of \d+x150x140 u8 needs \d+\.\d MB of memory, 5\.2 MB are available$"):
        halation.filter_file("gaussian sigma=2", tmp_path / "in.npy", tmp_path / "out.npy", memory="5M")
