"""test_cv_files.py: imread and imwrite of halation.cv beside OpenCV's: flags, types, channels, parameters, files that are none."""

import struct

import numpy as np
import pytest

import halation
import halation.cv as ours

theirs = pytest.importorskip("cv2")
pytest.importorskip("halation._codecs")

FLAGS = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 256, 258]
SHAPES = {"gray": (13, 17), "colour": (13, 17, 3), "alpha": (13, 17, 4)}


def pixels(shape, dtype):
    return np.random.default_rng(1).integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("ending, dtype", [("png", "u1"), ("png", "u2"), ("tif", "u1"), ("tif", "u2"), ("bmp", "u1")])
def test_reading(tmp_path, kind, ending, dtype):
    image = pixels(SHAPES[kind], dtype)
    file = tmp_path / f"image.{ending}"
    assert theirs.imwrite(str(file), image, [theirs.IMWRITE_TIFF_COMPRESSION, 1] if ending == "tif" else [])
    for flags in FLAGS:
        got, expected = ours.imread(file, flags), theirs.imread(str(file), flags)
        if flags == 258 and ending == "tif" and got.ndim == 3:  # OpenCV gives 16 bits of TIFF in the order BGR all the same
            expected = ours.imread(file, 3)[..., ::-1]
        assert got.shape == expected.shape and got.dtype == expected.dtype, flags
        # OpenCV leaves gray to libpng, has weights of its own in TIFF, and divides some 16 bits of TIFF by 257.
        is_gray = kind != "gray" and got.ndim == 2
        apart = np.abs(got.astype(np.int64) - expected).max()
        assert apart <= (is_gray or ending == "tif") * (4 if is_gray and dtype == "u2" and got.dtype == np.uint16 else 1), (flags, apart)
    assert theirs.IMREAD_COLOR_RGB == ours.IMREAD_COLOR_RGB
    np.testing.assert_array_equal(ours.imread(str(file)), ours.imread(str(file), ours.IMREAD_COLOR_RGB)[..., ::-1])


@pytest.mark.parametrize("dtype", ["u1", "u2", "f4"])
def test_gray_is_cvtColors(tmp_path, dtype):
    image = pixels((300, 301, 3), dtype) if dtype != "f4" else np.random.default_rng(2).random((300, 301, 3), np.float32)
    halation.imwrite(tmp_path / "image.tif", image)
    got = ours.imread(tmp_path / "image.tif", ours.IMREAD_ANYDEPTH)
    expected = theirs.cvtColor(image, theirs.COLOR_RGB2GRAY)
    assert got.dtype == expected.dtype
    if dtype == "f4":
        np.testing.assert_allclose(got, expected, rtol=1e-3)
    else:
        np.testing.assert_array_equal(got, expected)


def test_jpeg(tmp_path):
    smooth = theirs.GaussianBlur(pixels((60, 80, 3), "u1"), (0, 0), 3)
    for quality in (None, 30):
        there, here = tmp_path / "there.jpg", tmp_path / "here.jpg"
        params = [] if quality is None else [ours.IMWRITE_JPEG_QUALITY, quality]
        assert theirs.imwrite(str(there), smooth, params) and ours.imwrite(here, smooth, params)
        np.testing.assert_array_equal(ours.imread(there), theirs.imread(str(there)))
        lost = [np.abs(ours.imread(file).astype(int) - smooth).mean() for file in (here, there)]
        assert lost[0] <= 1.2 * lost[1] + 0.5
    assert ours.imread(there, 0).shape == (60, 80)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation(tmp_path, orientation):
    """Stored pixels are as OpenCV has them, and so are those turned upright, with every flag."""
    exif = b"II*\0\x08\0\0\0\x01\0" + struct.pack("<HHIHH", 0x0112, 3, 1, orientation, 0) + bytes(4)
    colour = theirs.GaussianBlur(pixels((16, 24, 3), "u1"), (0, 0), 3)
    for ending, image in (("jpg", colour), ("jpg", colour[..., 0]), ("png", pixels((13, 17, 4), "u1"))):
        file = tmp_path / f"image.{ending}"
        halation.imwrite(file, image, metadata=halation.Metadata(exif=exif))
        for flags in (-1, 0, 1, 2, 4, 7, 256, 128, 129, 132, 135, 128 | 256):
            got, expected = ours.imread(file, flags), theirs.imread(str(file), flags)
            assert got.shape == expected.shape, flags
            # OpenCV leaves the gray of colours to libjpeg and libpng.
            np.testing.assert_allclose(got, expected, atol=2 if got.ndim < image.ndim else 0, err_msg=f"{flags}")


def test_alpha_of_gray(tmp_path):
    pair = pixels((5, 6, 2), "u1")
    halation.imwrite(tmp_path / "pair.png", pair)
    for flags in FLAGS:
        np.testing.assert_array_equal(ours.imread(tmp_path / "pair.png", flags), theirs.imread(str(tmp_path / "pair.png"), flags))


def test_floats(tmp_path):
    image = (np.random.default_rng(3).random((9, 8, 3)) * 300 - 20).astype(np.float32)
    halation.imwrite(tmp_path / "image.pfm", image)
    for flags in (-1, 1, 3, 4, 6, 7):
        np.testing.assert_array_equal(ours.imread(tmp_path / "image.pfm", flags), theirs.imread(str(tmp_path / "image.pfm"), flags))
    halation.imwrite(tmp_path / "half.exr", image.astype(np.float16))
    got = ours.imread(tmp_path / "half.exr", -1)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, image.astype(np.float16)[..., ::-1])
    halation.imwrite(tmp_path / "signed.tif", np.array([[-5, 300, 32767]], np.int16))
    assert ours.imread(tmp_path / "signed.tif", 0).tolist() == [[0, 1, 127]]
    assert ours.imread(tmp_path / "signed.tif", -1).tolist() == [[-5, 300, 32767]]


@pytest.mark.parametrize("ending", ["png", "jpg", "bmp", "tif", "webp", "ppm", "pfm", "avif"])
@pytest.mark.parametrize("kind", ["u1", "u2", "f4", "f8", "?"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_writing(tmp_path, ending, kind, shape):
    """What OpenCV reads of a file of ours is what it reads of its own, where it writes one and compression loses nothing."""
    if ending == "ppm" and len(shape) != 3 or ending in ("ppm", "pfm") and shape[-1] == 4 or (ending, kind) == ("avif", "u2"):
        return  # what OpenCV does not write
    image = np.random.default_rng(4).normal(128, 100, shape)
    image = image > 100 if kind == "?" else np.maximum(image, 0).astype(kind) if kind[0] == "u" else image.astype(kind)
    image = np.ascontiguousarray(image[::-1])[::-1]
    there, here = str(tmp_path / f"there.{ending}"), str(tmp_path / f"here.{ending}")
    try:
        assert ours.imwrite(here, image)
    except ours.error as error:
        assert "AVIF" in str(error) and ending == "avif"
        pytest.skip("without AVIF")
    assert theirs.imwrite(there, image.astype(np.uint8) if kind == "?" else image)
    read = ours.imread if ending == "tif" else theirs.imread  # OpenCV premultiplies alpha of TIFF
    got, expected = read(here, -1), read(there, -1)
    assert got.shape == expected.shape
    if ending in ("jpg", "avif"):
        return
    if ending == "webp" and shape[-1:] == (4,):  # colours of clear pixels are OpenCV's to choose
        got, expected = got[..., 3], expected[..., 3]
    np.testing.assert_array_equal(got, expected)


def test_webp_with_loss(tmp_path):
    smooth = theirs.GaussianBlur(pixels((64, 64, 3), "u1"), (0, 0), 2)
    sizes = {}
    for quality in (20, 90, 101):
        file = tmp_path / f"{quality}.webp"
        assert ours.imwrite(file, smooth, [ours.IMWRITE_WEBP_QUALITY, quality])
        sizes[quality] = file.stat().st_size
    assert sizes[20] < sizes[90] < sizes[101]
    np.testing.assert_array_equal(ours.imread(tmp_path / "101.webp"), smooth)


def test_cmyk(tmp_path):
    ink = pixels((4, 5, 4), "u1")
    halation.imwrite(tmp_path / "ink.tif", ink, metadata=halation.Metadata(colour="cmyk"))
    c, m, y, k = np.moveaxis(255 - ink.astype(float), -1, 0)
    np.testing.assert_allclose(ours.imread(tmp_path / "ink.tif"), np.stack([y * k, m * k, c * k], -1) / 255, atol=0.5)


def test_params_that_lose_nothing(tmp_path):
    image = pixels((5, 6, 3), "u1")
    for ending, params in (("png", [ours.IMWRITE_PNG_COMPRESSION, 9]), ("tif", [ours.IMWRITE_TIFF_COMPRESSION, 5])):
        assert ours.imwrite(tmp_path / f"image.{ending}", image, params)
        np.testing.assert_array_equal(ours.imread(tmp_path / f"image.{ending}"), image)


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "garbage.png").write_bytes(b"garbage")
    (tmp_path / "empty.png").write_bytes(b"")
    np.save(tmp_path / "volume.npy", np.zeros((3, 4, 5), np.float32))
    for name in ("missing.png", "garbage.png", "empty.png", ""):
        with pytest.warns(RuntimeWarning, match=f"imread: .*{name}") as said:
            assert ours.imread(tmp_path / name) is None
        assert said[0].filename == __file__
        assert theirs.imread(str(tmp_path / name)) is None
    with pytest.warns(RuntimeWarning, match="holds no image, but an array of shape"):
        assert ours.imread(tmp_path / "volume.npy") is None
    with pytest.warns(RuntimeWarning, match="imread: "):
        assert ours.imread(None) is None


def test_files_that_cannot_be_written(tmp_path):
    with pytest.warns(RuntimeWarning, match="imwrite: .*nowhere") as said:
        assert ours.imwrite(tmp_path / "nowhere" / "image.png", np.zeros((2, 2), np.uint8)) is False
    assert said[0].filename == __file__


IMAGE = np.zeros((2, 3), np.uint8)


@pytest.mark.parametrize("call, words", [
    (lambda file: ours.imread(file, 16), "has IMREAD_UNCHANGED, COLOR, .* and IGNORE_ORIENTATION, got 16; OpenCV's is cv2.imread"),
    (lambda file: ours.imread(3), "expected str, bytes or os.PathLike object, not int"),
    (lambda file: ours.imwrite(file.with_suffix(".foo"), IMAGE), "foo"),
    (lambda file: ours.imwrite(file, np.zeros((2, 3, 2), np.uint8)), "img must have 1, 3 or 4 channels, got 2"),
    (lambda file: ours.imwrite(file, IMAGE[:0]), "empty"),
    (lambda file: ours.imwrite(file, None), "real numbers"),
    (lambda file: ours.imwrite(file, IMAGE, [1]), "params must be pairs of a parameter and its value, got 1 numbers"),
    (lambda file: ours.imwrite(file, IMAGE, [12345, 1]), "halation.cv.imwrite has no parameter 12345; OpenCV's is cv2.imwrite"),
    (lambda file: ours.imwrite(file.with_suffix(".tif"), IMAGE.astype(np.int64)), "imwrite takes uint8, .* got int64; convert it by astype"),
])
def test_errors(tmp_path, call, words):
    with pytest.raises(ours.error, match=words):
        call(tmp_path / "image.png")
    assert not list(tmp_path.iterdir())
