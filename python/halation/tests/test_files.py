"""test_files.py: image files there and back, beside OpenCV's and NumPy's, with what they carry; and what is refused."""

import os
import struct
import subprocess
import sys
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest

import halation
from halation import Metadata, _files

needs_codecs = pytest.mark.skipif(_files._read is None, reason="this build has no image formats")
RNG = np.random.default_rng(1)
RGB = RNG.integers(0, 256, (7, 9, 3), np.uint8)
# A TIFF header with one entry, the orientation: 6 says that the picture is to be turned by 90 degrees clockwise.
ORIENTED = b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x112, 3, 1, 6, 0, 0)
# The smallest profile that ICC.1 allows, for RGB on a screen, of one private tag.
PROFILE = struct.pack(">I4xI4s4s4s12x4s28xIII48x", 160, 0x02400000, b"mntr", b"RGB ", b"XYZ ", b"acsp", 0xF6D6, 0x10000, 0xD32D)
PROFILE += struct.pack(">I4sII", 1, b"priv", 144, 16) + RNG.bytes(16)


def numbers(dtype, shape):
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return RNG.integers(info.min, info.max, shape, dtype, endpoint=True)
    return RNG.random(shape).astype(dtype)


THERE_AND_BACK = [
    *((ending, "uint8", shape) for ending in ("png", "tif", "npy", "pnm") for shape in ((5, 6), (5, 6, 3))),
    *((ending, dtype, (5, 6, 3)) for ending in ("tif", "npy") for dtype in ("uint16", "int16", "float32", "float64")),
    *((ending, "uint8", (5, 6, channels)) for ending in ("png", "tif") for channels in (2, 4)),
    ("webp", "uint8", (5, 6, 3)), ("webp", "uint8", (5, 6, 4)), ("bmp", "uint8", (5, 6, 3)),
    ("png", "uint16", (5, 6, 3)), ("exr", "float16", (5, 6, 3)), ("exr", "float32", (5, 6)),
    ("pfm", "float32", (5, 6, 3)), ("npy", "float16", (4, 5, 6)), ("npy", "uint8", (6,)), ("npy", "uint8", (3, 4, 5, 2)),
    ("png", "uint8", (1, 1)), ("png", "uint8", (1, 6, 3)),
]  # fmt: skip


@needs_codecs
@pytest.mark.parametrize("ending, dtype, shape", THERE_AND_BACK)
def test_there_and_back(tmp_path, ending, dtype, shape):
    image, file = numbers(dtype, shape), tmp_path / f"image.{ending}"
    assert halation.imwrite(file, image) is None
    again = halation.imread(str(file))
    assert again.dtype == image.dtype and again.shape == image.shape and again.flags.writeable
    np.testing.assert_array_equal(again, image)
    halation.imwrite(os.fsencode(file), image[::-1][::-1].astype(image.dtype.newbyteorder(">")))
    np.testing.assert_array_equal(halation.imread(file), image)
    halation.imwrite(file, np.asfortranarray(image))
    np.testing.assert_array_equal(halation.imread(file), image)
    assert os.listdir(tmp_path) == [file.name]


@needs_codecs
def test_beside_opencv(tmp_path):
    cv2 = pytest.importorskip("cv2")
    for ending in ("png", "jpg", "tif", "webp", "bmp"):
        file = str(tmp_path / f"image.{ending}")
        cv2.imwrite(file, RGB[..., ::-1])
        there = cv2.imread(file)[..., ::-1]
        np.testing.assert_allclose(halation.imread(file), there, atol=2 if ending == "jpg" else 0)
        halation.imwrite(file, RGB, quality=100)
        np.testing.assert_array_equal(halation.imread(file), cv2.imread(file)[..., ::-1])


@needs_codecs
def test_npy_is_numpys(tmp_path):
    for shape in ((3,), (3, 4), (3, 4, 5), (3, 4, 5, 2)):
        image = numbers("float64", shape)
        np.save(tmp_path / "a.npy", image)
        np.testing.assert_array_equal(halation.imread(tmp_path / "a.npy"), image)
        halation.imwrite(tmp_path / "b.npy", image)
        np.testing.assert_array_equal(np.load(tmp_path / "b.npy"), image)


@needs_codecs
@pytest.mark.parametrize("ending", ["png", "jpg", "tif", "webp"])
def test_metadata_are_kept(tmp_path, ending):
    given = Metadata(icc=PROFILE, xmp=b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>", dots_per_inch=(300.0, 150.0), colour="rgb")
    halation.imwrite(tmp_path / f"a.{ending}", RGB, metadata=given)
    image, facts = halation.imread(tmp_path / f"a.{ending}", metadata=True)
    assert facts.icc == PROFILE and facts.xmp.startswith(given.xmp[:20]) and facts.colour == "rgb" and not facts.alpha
    if ending != "webp":
        np.testing.assert_allclose(facts.dots_per_inch, given.dots_per_inch, rtol=0.01)
    soft = halation.gaussian(image, 1)
    halation.imwrite(tmp_path / f"b.{ending}", soft, metadata=facts)
    assert halation.imread(tmp_path / f"b.{ending}", metadata=True)[1].icc == PROFILE
    # Of another number of channels, what the file says of them does not count.
    if ending != "webp":
        halation.imwrite(tmp_path / f"c.{ending}", soft[..., 0], metadata=facts)
        gray, facts = halation.imread(tmp_path / f"c.{ending}", metadata=True)
        assert gray.shape == (7, 9) and facts.colour == "gray" and facts.icc == b""


@needs_codecs
def test_layout_resolution_and_iptc_are_kept(tmp_path):
    iptc = b"\x1c\x02\x19\x00\x03sun"
    given = Metadata(dots_per_inch=(4.0, 2.0), resolution_unit="unnamed", tiff_tiles=(16, 32), big_tiff=True, iptc=iptc, colour="rgb")
    halation.imwrite(tmp_path / "a.tif", RGB, metadata=given)
    facts = halation.imread(tmp_path / "a.tif", metadata=True)[1]
    assert facts == given
    halation.imwrite(tmp_path / "b.jpg", RGB, metadata=facts)
    facts = halation.imread(tmp_path / "b.jpg", metadata=True)[1]
    assert facts.iptc == iptc and facts.dots_per_inch == (4.0, 2.0) and facts.resolution_unit == "unnamed"
    with pytest.raises(ValueError, match="unknown resolution unit 'foot'; choose from inch, centimetre, unnamed"):
        halation.imwrite(tmp_path / "c.tif", RGB, metadata=Metadata(resolution_unit="foot"))


@needs_codecs
def test_geotiff_is_kept(tmp_path):
    no_data = b"II*\0\x08\0\0\0\x01\0" + (42113).to_bytes(2, "little") + b"\x02\0\x02\0\0\0" + b"7\0\0\0" + b"\0\0\0\0"
    halation.imwrite(tmp_path / "a.tif", RGB, metadata=Metadata(geotiff=no_data, colour="rgb"))
    facts = halation.imread(tmp_path / "a.tif", metadata=True)[1]
    assert no_data[10:22] in facts.geotiff
    for image, is_kept in ((RGB, True), (RGB[1:], False)):
        halation.imwrite(tmp_path / "b.tif", image, metadata=facts)
        assert bool(halation.imread(tmp_path / "b.tif", metadata=True)[1].geotiff) == is_kept


@needs_codecs
def test_texts_and_comments_are_kept(tmp_path):
    text = b"tEXtComment\0sun"
    chunks = (len(text) - 4).to_bytes(4, "big") + text + zlib.crc32(text).to_bytes(4, "big")
    given = Metadata(png_chunks=chunks, jpeg_comments=(b"one", b"two"), colour="rgb")
    for ending, kept in (("png", (chunks, ())), ("jpg", (b"", (b"one", b"two")))):
        halation.imwrite(tmp_path / f"a.{ending}", RGB, metadata=given)
        facts = halation.imread(tmp_path / f"a.{ending}", metadata=True)[1]
        assert (facts.png_chunks, facts.jpeg_comments) == kept


@needs_codecs
@pytest.mark.parametrize("ending", ["png", "jpg", "webp"])
def test_pictures_are_upright(tmp_path, ending):
    file = tmp_path / f"a.{ending}"
    halation.imwrite(file, RGB, metadata=Metadata(exif=ORIENTED), quality=100)
    image, facts = halation.imread(file, metadata=True)
    assert image.shape == (9, 7, 3)
    if ending != "jpg":
        np.testing.assert_array_equal(image, np.rot90(RGB, -1))
    halation.imwrite(file, image, metadata=facts, quality=100)
    assert halation.imread(file).shape == (9, 7, 3)  # and is not turned once more


@needs_codecs
@pytest.mark.parametrize("ending", ["png", "jpg", "webp", "tif", "avif"])
def test_pictures_as_stored(tmp_path, ending):
    file = tmp_path / f"a.{ending}"
    try:
        halation.imwrite(file, RGB, metadata=Metadata(exif=ORIENTED), quality=100)
    except ValueError as error:
        assert ending == "avif" and "AVIF" in str(error)
        pytest.skip("without AVIF")
    image, facts = halation.imread(file, metadata=True, upright=False)
    np.testing.assert_array_equal(halation.imread(file, upright=False), image)
    np.testing.assert_array_equal(np.rot90(image, -1), halation.imread(file))
    if ending != "jpg":
        np.testing.assert_array_equal(image, RGB)
    halation.imwrite(file, image, metadata=facts, quality=100)  # which says how it lies
    assert halation.imread(file).shape == (9, 7, 3)
    assert halation.imread(file, upright=False).shape == (7, 9, 3)


@needs_codecs
def test_animations(tmp_path):
    """Of which the first picture is read, as a warning says."""
    file = tmp_path / "two.gif"  # pictures of 1 x 1, of colour 1 and 2
    head = b"GIF89a\1\0\1\0\x91\0\0" + bytes([0, 0, 0, 200, 0, 0, 0, 200, 0, 0, 0, 200])
    picture = b",\0\0\0\0\1\0\1\0\0\2\2"
    file.write_bytes(head + picture + b"\x4c\1\0" + picture + b"\x54\1\0;")
    with pytest.warns(UserWarning, match=r"two\.gif has 2 pictures, of which this is the first; say page=1, or which, from 1 to 2$"):
        np.testing.assert_array_equal(halation.imread(file), [[[200, 0, 0]]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(halation.imread(file, page=1), [[[200, 0, 0]]])
        np.testing.assert_array_equal(halation.imread(file, page=2), [[[0, 200, 0]]])
        halation.filter_file("identity", file, tmp_path / "out.png", page=2)
    with pytest.warns(UserWarning, match=r"two\.gif has 2 pictures, of which the first was filtered; say page=1, or which, from 1 to 2$"):
        halation.filter_file("identity", file, tmp_path / "out.png")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        file.write_bytes(head + picture + b"\x4c\1\0;")
        halation.imread(file)


@needs_codecs
def test_pages_and_layouts(tmp_path):
    cv2 = pytest.importorskip("cv2")
    file = str(tmp_path / "pages.tif")
    pages = [RGB[:5], RGB[2:], RGB]
    cv2.imwritemulti(file, [page[..., ::-1] for page in pages])
    with pytest.warns(UserWarning, match=r"pages\.tif has 3 pages, of which this is the first; say page=1, or which, from 1 to 3$") as caught:
        np.testing.assert_array_equal(halation.imread(file), pages[0])
    assert [each.filename for each in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number, page in enumerate(pages, 1):
            np.testing.assert_array_equal(halation.imread(file, page=np.int64(number)), page)
        np.testing.assert_array_equal(halation.cv.imread(file), pages[0][..., ::-1])  # as OpenCV's says nothing
    many = numbers("uint8", (5, 6, 7))
    halation.imwrite(file, many, layout="hwc")
    np.testing.assert_array_equal(halation.imread(file), many)
    halation.imwrite(tmp_path / "a", RGB, format="png")
    np.testing.assert_array_equal(halation.imread(tmp_path / "a"), RGB)


@needs_codecs
def test_names_of_files_need_be_no_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (b"\xff\xfe.png", "ü ✓.png", "-"):
        halation.imwrite(name, RGB, format="png")
        np.testing.assert_array_equal(halation.imread(name), RGB)
    assert len(os.listdir(b".")) == 3
    Path(os.fsdecode(b"\xff.png")).write_bytes(b"")
    with pytest.raises(OSError, match="the file is empty"):
        halation.imread(b"\xff.png")


@needs_codecs
def test_quality(tmp_path):
    smooth = halation.gaussian(numbers("uint8", (64, 64)), 3)
    sizes = []
    for quality in (20, 60, 95):
        halation.imwrite(tmp_path / "a.jpg", smooth, quality=quality)
        sizes.append((tmp_path / "a.jpg").stat().st_size)
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]
    halation.imwrite(tmp_path / "a.webp", RGB, lossless=False, quality=30)
    assert not np.array_equal(halation.imread(tmp_path / "a.webp"), RGB)


@needs_codecs
def test_tensors(tmp_path):
    torch = pytest.importorskip("torch")
    halation.imwrite(tmp_path / "a.png", torch.from_numpy(RGB))
    np.testing.assert_array_equal(halation.imread(tmp_path / "a.png"), RGB)


@needs_codecs
@pytest.mark.parametrize("call, error, words", [
    (lambda d: halation.imread(d / "none.png"), FileNotFoundError, "none.png"),
    (lambda d: halation.imread(d), OSError, "is a folder; a file was expected"),
    (lambda d: halation.imread(d / "a.txt"), OSError, "a.txt: not an image that halation reads .*PNG, JPEG"),
    (lambda d: halation.imread(d / "cut.png"), OSError, "cut.png: "),
    (lambda d: halation.imread(d / "empty.png"), OSError, "empty.png: the file is empty"),
    (lambda d: halation.imread(d / "a.png", page=2), ValueError, "page 2 was asked for, the file has 1"),
    (lambda d: halation.imread(d / "a.png", page=0), ValueError, "pages are counted from 1, got 0"),
    (lambda d: halation.imread(d / "a.png", page="1"), TypeError, "page must be a whole number, counted from 1, got '1'"),
    (lambda d: halation.imread(3.5), TypeError, None),
    (lambda d: halation.imwrite(d / "b.jpg", np.zeros((3, 3), np.uint16)), ValueError,
     r"b.jpg: JPEG holds 8-bit pixels, got u16; use image.astype\(np.uint8\) \(values stay as they are; image \* 0.003891 makes 255 of 65535\) or write .png"),
    (lambda d: halation.imwrite(d / "b.jpg", np.zeros((3, 3, 4), np.uint8)), ValueError, "JPEG holds no transparency, got 4 channels"),
    (lambda d: halation.imwrite(d / "b.png", np.zeros((3, 3), np.int64)), TypeError,
     "imwrite takes uint8, .* got int64; convert it by astype"),
    (lambda d: halation.imwrite(d / "b.png", np.zeros((3, 3), bool)), TypeError, r"got bool; a mask is written as mask \* np.uint8"),
    (lambda d: halation.imwrite(d / "b.png", np.zeros((3, 0), np.uint8)), ValueError, r"the image is empty: its shape is \(3, 0\)"),
    (lambda d: halation.imwrite(d / "b.png", np.zeros((1,) * 5, np.uint8)), ValueError, "an image has 1 to 4 axes, got 5"),
    (lambda d: halation.imwrite(d / "b.png", np.zeros((5, 5, 5), np.uint8)), ValueError,
     "PNG holds flat pictures, got a volume of 5 slices"),
    (lambda d: halation.imwrite(d / "b.xyz", RGB), ValueError, "b.xyz: unknown format; endings known: .png"),
    (lambda d: halation.imwrite(d / "b.gif", RGB), ValueError, "GIF is read, not written"),
    (lambda d: halation.imwrite(d / "b.png", RGB, format="heic"), ValueError, "HEIC is left out"),
    (lambda d: halation.imwrite(d / "b.png", RGB, layout="chw"), ValueError, "unknown layout 'chw'; choose from w, hw, hwc, dhw, dhwc"),
    (lambda d: halation.imwrite(d / "b.png", RGB, layout="hw"), ValueError, "layout hw has 2 axes, the image 3"),
    (lambda d: halation.imwrite(d / "b.jpg", RGB, quality=101), ValueError, "quality must be 1 to 100, got 101"),
    (lambda d: halation.imwrite(d / "b.png", RGB, metadata={}), TypeError,
     r"metadata is what imread\(path, metadata=True\) returns second, got dict"),
    (lambda d: halation.imwrite(d / "no" / "b.png", RGB), OSError, "folder .*no does not exist"),
    (lambda d: halation.imwrite(d, RGB, format="png"), OSError, "is a folder; a file name was expected"),
])  # fmt: skip
def test_errors(tmp_path, call, error, words):
    halation.imwrite(tmp_path / "a.png", RGB)
    (tmp_path / "a.txt").write_text("no picture")
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "cut.png").write_bytes((tmp_path / "a.png").read_bytes()[:60])
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(error, match=words):
        call(tmp_path)
    assert sorted(os.listdir(tmp_path)) == before


def test_a_build_without_formats_says_so(monkeypatch):
    monkeypatch.setattr(_files, "_read", None)
    for call in (lambda: halation.imread("a.png"), lambda: halation.imwrite("a.png", RGB)):
        with pytest.raises(ImportError, match="is not in this build: it was made without the libraries of image formats"):
            call()


@needs_codecs
def test_codecs_are_loaded_when_first_asked_for():
    there = "print('halation._codecs' in sys.modules)"
    code = f"import sys, halation; halation.gaussian([1.0, 2]); {there}; halation.imread; {there}"
    path = os.pathsep.join([str(Path(halation.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path})
    assert made.stdout.split() == ["False", "True"]
