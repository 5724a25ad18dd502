"""test_engine.py: what modules build on: extents, many axes, odd memory, other libraries' arrays, the cache, errors."""

import array as standard
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halation import _cache, _engine, _native
from halation._mapping import place
from .arrays import arrays, numbers

theirs = pytest.importorskip("scipy.ndimage")
signal = pytest.importorskip("scipy.signal")

MODE_OF = {"constant": "constant", "replicate": "nearest", "reflect": "reflect", "reflect101": "mirror", "wrap": "wrap"}


def whole_weights(rng, shape):
    return rng.integers(-3, 4, shape).astype(float)


@given(
    st.data(), arrays(dtypes=("float64", "uint8", "int32", "float32"), most_axes=5, most_length=5), st.sampled_from(list(MODE_OF))
)
def test_dense_along_any_axes(data, array, border):
    axes = tuple(data.draw(st.permutations(range(array.ndim))))[: data.draw(st.integers(1, array.ndim))]
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    shape = tuple(data.draw(st.lists(st.integers(1, 3), min_size=len(axes), max_size=len(axes))))
    weights = whole_weights(rng, shape)
    anchors = tuple(int(rng.integers(0, n)) for n in shape)
    got = _engine.correlate(array, weights, axes=axes, borders=border, cvals=2.0, anchors=anchors, dtype=np.float64)
    order = np.argsort(axes)
    full = weights.transpose(order)
    places = [axes[i] for i in order]
    full = full.reshape([full.shape[places.index(a)] if a in places else 1 for a in range(array.ndim)])
    origin = [anchors[axes.index(a)] - shape[axes.index(a)] // 2 if a in places else 0 for a in range(array.ndim)]
    expected = theirs.correlate(array.astype(float), full, mode=MODE_OF[border], cval=2.0, origin=origin)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9)


@given(st.data(), arrays(dtypes=("float64", "int16"), most_axes=5, most_length=5), st.sampled_from(list(MODE_OF)))
def test_factors_along_many_axes(data, array, border):
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    rows = tuple(whole_weights(rng, int(rng.integers(1, 4))) for _ in range(array.ndim))
    got = _engine.correlate(array, rows, borders=border, cvals=-1.0, dtype=np.float64)
    dense = np.array(1.0)
    for row in rows:
        dense = np.multiply.outer(dense, row)
    expected = theirs.correlate(array.astype(float), dense, mode=MODE_OF[border], cval=-1.0)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9)


@given(st.data(), arrays(dtypes=("float64", "uint8", "int64"), most_axes=4, most_length=6), st.sampled_from(["full", "valid"]))
def test_extents(data, array, extent):
    shape = tuple(data.draw(st.integers(1, n if extent == "valid" else 4)) for n in array.shape)
    weights = whole_weights(np.random.default_rng(data.draw(st.integers(0, 99))), shape)
    got = _engine.correlate(array, weights, borders="constant", extent=extent, dtype=np.float64)
    expected = signal.correlate(array.astype(float), weights, mode=extent, method="direct")
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9)


@given(
    st.data(),
    arrays(dtypes=("int8", "int32", "uint64", "float32"), most_length=30),
    st.sampled_from(list(MODE_OF)),
    st.sampled_from(["same", "valid", "full"]),
    st.booleans(),
)
def test_sums_that_wrap(data, array, border, extent, dense):
    """As sums in f64 that NumPy converts."""
    shape = tuple(data.draw(st.integers(1, min(n, 4) if extent == "valid" else 4)) for n in array.shape)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    factors = tuple(whole_weights(rng, (n,)) for n in shape)
    weights = whole_weights(rng, shape) if dense else factors
    words = {"borders": border, "cvals": 3.0, "anchors": tuple(int(rng.integers(0, n)) for n in shape), "extent": extent}
    sums = _engine.correlate(array.astype(np.float64), weights, dtype=np.float64, **words)
    for dtype in (np.int8, np.uint16, np.int32):
        got = _engine.correlate(array, weights, dtype=dtype, rounding="truncate", overflow="wrap", **words)
        bits = np.trunc(np.where(np.abs(sums) < 2.0**31, sums, -(2.0**31))).astype(np.int64)
        np.testing.assert_array_equal(got, bits.astype(dtype))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("rounding", ["half_even", "truncate"])
def test_saturation(dtype, rounding):
    sums = np.array([-1e30, -70000.5, -129.5, -2.5, -0.5, 0.5, 1.5, 2.5, 127.5, 65536.5, 1e30, np.nan])
    got = _engine.correlate(sums, (np.ones(1),), dtype=dtype, rounding=rounding)
    info = np.iinfo(dtype)
    whole = np.rint(sums) if rounding == "half_even" else np.trunc(sums)
    expected = [
        0 if np.isnan(v) else int(min(max(v, info.min), info.max)) if abs(v) < 1e29 else (info.max if v > 0 else info.min)
        for v in whole
    ]
    assert got.tolist() == expected


def test_means_of_whole_numbers_are_exact():
    rng = np.random.default_rng(1)
    for dtype in ("uint8", "uint16", "int16"):
        info = np.iinfo(dtype)
        array = rng.integers(info.min, info.max, 4000, dtype=dtype, endpoint=True)
        array[::7] = info.max
        for size in (*range(1, 40), 255, 256, 1023):
            got = _engine.correlate(array, (np.ones(size),), borders="wrap", divisor=size, rounding="truncate", overflow="wrap")
            padded = np.concatenate([array[-(size // 2) :], array, array[:size]] if size > 1 else [array]).astype(np.int64)
            sums = np.convolve(padded, np.ones(size, np.int64), "valid")[: len(array)]
            np.testing.assert_array_equal(got, np.trunc(sums / size).astype(dtype), err_msg=f"{dtype} {size}")


def test_odd_memory():
    rng = np.random.default_rng(2)
    plain = numbers(rng, (7, 9), np.float32)
    weights = whole_weights(rng, (3, 3))
    expected = _engine.correlate(plain, weights)
    raw = np.zeros(plain.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(plain.shape)  # begins on no multiple of 4
    raw[...] = plain
    np.testing.assert_array_equal(_engine.correlate(raw, weights), expected)
    out = np.zeros(plain.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(plain.shape)
    assert _engine.correlate(plain, weights, out=out) is out
    np.testing.assert_array_equal(out, expected)
    swapped = plain.astype(">f4")
    np.testing.assert_array_equal(_engine.correlate(swapped, weights, dtype=np.float32), expected)
    record = np.zeros(plain.shape, [("pad", "u1"), ("value", "f4")])  # strides that are no multiple of 4
    record["value"] = plain
    np.testing.assert_array_equal(_engine.correlate(record["value"], weights), expected)
    strided = np.zeros((14, 27), np.float32)[::-2, ::3]
    _engine.correlate(plain, weights, out=strided)
    np.testing.assert_array_equal(strided, expected)
    repeated = np.broadcast_to(plain[0], (7, 9))  # a stride of 0
    np.testing.assert_array_equal(_engine.correlate(repeated, weights), _engine.correlate(repeated.copy(), weights))
    assert _engine.correlate(np.zeros((0, 5), np.float32), weights).shape == (0, 5)
    assert _engine.correlate(np.array(3.0), 2.0 * np.ones(())).shape == ()


def test_overlap():
    rng = np.random.default_rng(3)
    base = numbers(rng, (20,), np.float64)
    row = (whole_weights(rng, 5),)
    expected = _engine.correlate(base[:-3].copy(), row)
    _engine.correlate(base[:-3], row, out=base[3:])
    np.testing.assert_array_equal(base[3:], expected)


class Interface:
    """An array of somebody's who knows NumPy's array interface alone."""

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


def test_objects_with_memory():
    values = np.array([1.0, 5.0, 2.0, 8.0], np.float32)
    expected = _engine.correlate(values, (np.ones(3),))
    for given_ in (memoryview(values), standard.array("f", values), Interface(values), values.tolist()):
        np.testing.assert_allclose(_engine.correlate(given_, (np.ones(3),)), expected)
    for given_ in (values, memoryview(values), standard.array("f", values), Interface(values)):
        shape, strides, kind, device, *_ = _native.describe(given_)
        assert (shape, strides, kind, device) == ((4,), (4,), "f4", "cpu")
    swapped = values.astype(">f4")
    assert _native.describe(swapped)[2] == "?4"
    strided = np.zeros((6, 4), np.int16)[::2, ::-1]
    assert _native.describe(Interface(strided))[:3] == ((3, 4), (16, -2), "i2")
    with pytest.raises(TypeError, match="an array is needed"):
        _native.describe(object())


class Refusing:
    """An array whose library refuses, as CUDA's do after a fork."""

    @property
    def __cuda_array_interface__(self):
        raise RuntimeError("initialization error")


def test_what_an_arrays_library_says_is_said():
    with pytest.raises(RuntimeError, match="^initialization error$"):
        _native.describe(Refusing())


class Namespaced:
    """An array of the array API's that speaks DLPack alone."""

    def __init__(self, array):
        self.array = np.asarray(array)

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self, api_version=None):
        class namespace:
            asarray = Namespaced

        return namespace


def test_dlpack():
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert _native.describe(Namespaced(values))[:4] == ((3, 4), (16, 4), "f4", "cpu")
    made = _engine.correlate(Namespaced(values), (np.ones(3),), axes=(1,))
    assert isinstance(made, Namespaced)
    np.testing.assert_array_equal(made.array, _engine.correlate(values, (np.ones(3),), axes=(1,)))


def test_cache_is_bounded():
    _cache.entries.clear()
    for n in range(1, 2 * _cache.MOST_ENTRIES):
        _engine.correlate(np.zeros(n, np.float32), (np.ones(3),))
    assert len(_cache.entries) == _cache.MOST_ENTRIES
    before = set(_cache.entries)
    _engine.correlate(np.zeros(4, np.float32), (np.ones(_cache.MOST_BYTES // 16 + 1),))
    assert set(_cache.entries) == before


def test_cache_counts_what_plans_hold(monkeypatch):
    """Transforms keep the spectrum of a filter, which is larger than its weights."""
    rng = np.random.default_rng(5)
    image, whole = rng.random((300, 300)), rng.integers(0, 99, (300, 300), np.int32)
    _cache.entries.clear()
    calls = [
        lambda: _engine.correlate(image, rng.random((31, 31)), method="fft"),
        lambda: _engine.correlate(whole, rng.random((31, 31)), method="fft", dtype=np.float64),
        lambda: _engine.correlate(image + 1j, rng.random((31, 31)), method="fft"),
        lambda: _engine.correlate(image, rng.random((31, 31)), method="fft", dtype=np.complex128),
    ]
    for call in calls:
        call()
    assert min(entry.kept_bytes for entry in _cache.entries.values()) > 8 * 31 * 31 * 8
    largest = max(entry.kept_bytes for entry in _cache.entries.values())
    monkeypatch.setattr(_cache, "MOST_BYTES", 5 * largest)
    for _ in range(5):
        for call in calls:
            call()
    assert 4 * largest <= sum(entry.kept_bytes for entry in _cache.entries.values()) <= 5 * largest
    monkeypatch.setattr(_cache, "MOST_BYTES", largest)
    before = set(_cache.entries)
    calls[0]()
    assert not set(_cache.entries) - before


@pytest.mark.parametrize("shape, filter_, words", [
    ((40, 50), np.ones((3, 3)), {}), ((40, 50), (np.ones(3), np.ones(5)), {}), ((40, 50), (np.ones(31), np.ones(1)), {"sum": "f64"}),
    ((6, 7, 8, 9), (np.ones(3),) * 4, {}), ((6, 7, 8, 9), np.ones((3, 3, 3, 3)), {}), ((40, 50), np.arange(9.0).reshape(3, 3), {"overflow": "wrap"}),
    ((0, 5), np.ones((3, 3)), {}), ((4, 500), (np.ones(31),), {"axes": (0,)}),
])  # fmt: skip
@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float32, np.complex64])
def test_entries_tell_what_they_keep(shape, filter_, words, dtype):
    _cache.entries.clear()
    _engine.correlate(np.ones(shape, dtype), filter_, **words)
    for entry in _cache.entries.values():
        assert type(entry.kept_bytes) is int and (entry.kept_bytes > 0 or 0 in shape)


def test_threads_share_plans():
    rng = np.random.default_rng(4)
    inputs = [numbers(rng, (64, 64), np.float32) for _ in range(8)]
    weights = whole_weights(rng, (5, 5))
    expected = [_engine.correlate(array, weights) for array in inputs]
    wrong = []

    def work(index):
        for _ in range(50):
            if not np.array_equal(_engine.correlate(inputs[index], weights), expected[index]):
                wrong.append(index)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_interpreter_runs_meanwhile():
    array = np.zeros((2048, 2048), np.float32)
    weights = np.random.default_rng(5).random((9, 9))
    _engine.correlate(array, weights, threads=1)
    counted = []

    def count():
        while not done.is_set():
            counted.append(None)
            done.wait(0.0002)

    done = threading.Event()
    thread = threading.Thread(target=count)
    thread.start()
    most = 0
    for _ in range(50):  # the other thread gets no core at times, where other programs have them
        before = len(counted)
        _engine.correlate(array, weights, threads=1)
        most = max(most, len(counted) - before)
        if most >= 3:
            break
    done.set()
    thread.join()
    assert most >= 3


@pytest.mark.parametrize(
    "keywords, error, words",
    [
        ({"borders": "mirrored"}, ValueError, "unknown border 'mirrored'; choose from constant"),
        ({"borders": ("wrap",)}, ValueError, "borders must be one or as many as axes"),
        ({"axes": (0, 2)}, ValueError, "axes must lie in"),
        ({"axes": (0, 0)}, ValueError, "axes must be unique"),
        ({"anchors": (3, 0)}, ValueError, "anchor must lie inside the filter"),
        ({"extent": "most"}, ValueError, "unknown extent 'most'"),
        ({"rounding": "up"}, ValueError, "unknown rounding 'up'"),
        ({"overflow": "raise"}, ValueError, "unknown overflow"),
        ({"method": "banded"}, RuntimeError, "method banded is not available on cpu"),
        ({"method": "quick"}, ValueError, "quick"),
        ({"scale": float("nan")}, ValueError, "scale must be finite"),
        ({"out": np.zeros((3, 4), np.float32)}, ValueError, r"output must have shape \(5, 6\)"),
        ({"dtype": "U3"}, TypeError, "output must be of numbers"),
        ({"threads": -1}, ValueError, "threads must be at least 0"),
    ],
)
def test_errors(keywords, error, words):
    with pytest.raises(error, match=words):
        _engine.correlate(np.zeros((5, 6), np.float32), np.ones((3, 3)), **keywords)


def test_more_errors():
    array = np.zeros((5, 6), np.float32)
    with pytest.raises(ValueError, match="along 2 axes is needed"):
        _engine.correlate(array, np.ones(3))
    with pytest.raises(ValueError, match="weights must be finite"):
        _engine.correlate(array, np.full((3, 3), np.inf))
    with pytest.raises(ValueError, match="weights are empty"):
        _engine.correlate(array, np.ones((0, 3)))
    with pytest.raises(ValueError, match="larger than the array"):
        _engine.correlate(array, np.ones((7, 1)), extent="valid")
    with pytest.raises(TypeError, match="weights must be numbers"):
        _engine.correlate(array, np.array([["a"]]))
    with pytest.raises(TypeError, match="input must be of numbers"):
        _engine.correlate(np.array(["a", "b"]), (np.ones(1),))
    out = np.zeros_like(array)
    out.flags.writeable = False
    for dtype in ("float32", "int32"):
        with pytest.raises(ValueError, match="read-only"):
            _engine.correlate(array.astype(dtype), np.ones((3, 3)), out=out)
    with pytest.raises(ValueError, match="several filters need magnitude"):
        _engine.correlate(array, [np.ones((3, 3)), np.ones((3, 3))])


@pytest.mark.parametrize("taps", [3, 20, 40])
def test_numbers_of_any_type_are_refused_as_well(taps):
    array = np.ones((30, 5), np.int32)
    for axis in (0, 1):
        row, words = (np.ones(taps),), {"axes": (axis,), "borders": "reflect"}
        with pytest.raises(ValueError, match="weights must be finite"):
            _engine.correlate(array, (np.full(taps, np.inf),), **words)
        with pytest.raises(ValueError, match="anchor must lie inside the filter"):
            _engine.correlate(array, row, anchors=(taps,), **words)
        with pytest.raises(ValueError, match="threads must be at least 0"):
            _engine.correlate(array, row, threads=-1, **words)
        with pytest.raises(ValueError, match="scale must be finite"):
            _engine.correlate(array, row, scale=np.nan, **words)


@pytest.mark.parametrize("axis", [0, 3])
def test_anchors_along_many_axes_lie_in_the_filter(axis):
    anchors = tuple(2 if i == axis else 0 for i in range(4))
    for weights in (np.ones((2,) * 4), (np.ones(2),) * 4):
        with pytest.raises(ValueError, match=r"anchor must lie inside the filter, got \(.*2.*\) for \(2, 2, 2, 2\) taps"):
            _engine.correlate(np.ones((3, 4, 5, 6)), weights, anchors=anchors)


def test_memory_error():
    """More than the machine has: a plan's output of 2**60 bytes."""
    with pytest.raises((MemoryError, ValueError)):
        _engine.correlate(np.broadcast_to(np.float64(1), (1 << 30, 1 << 27)), (np.ones(3),), axes=(0,))


def test_rows_of_what_is_not_filtered_are_long():
    """Numbers of a complex Fortran array as a plan sees them: two channels a pixel, and many pixels a row."""
    where = place((26, 571, 2), (16, 416, 8), (9136, 16, 8), ())
    assert where.shape == (1, 1, 26, 571, 2) and where.in_strides == (0, 0, 16, 416, 8) and len(where.in_offsets) == 1


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32", "uint8"])
def test_one_tap_of_arrays_that_lie_anyhow(dtype):
    """Copies of bits where the weight is 1, zeros of either sign among them."""
    rng = np.random.default_rng(5)
    for shape in [(3, 4, 5), (4, 7, 3, 2), (2, 3, 2, 3, 2, 3), (26, 57)]:
        for weight in (1.0, -2.0):
            array = rng.integers(0, 50, shape).astype(dtype)
            array[rng.random(shape) < 0.3] *= array.dtype.type(-0.0)
            order = rng.permutation(len(shape))
            turned = array.transpose(order).copy().transpose(np.argsort(order))
            got = _engine.correlate(turned, np.full((1,) * len(shape), weight), dtype="int32" if weight < 0 and dtype == "uint8" else dtype)
            if weight == 1:
                assert got.tobytes() == array.tobytes()
            np.testing.assert_array_equal(got, array.astype(got.dtype) * got.dtype.type(weight))


def test_halves_are_rounded_once():
    """Every half, the middle between each two, and what lies beside it; through strips, where the output is wrapped."""
    halves = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float64)
    finite = np.unique(halves[np.isfinite(halves)])
    middle = (finite[1:] + finite[:-1]) / 2
    others = [65519.9, 65520.0, 1e300, -1e300, 5e-324]
    values = np.concatenate([halves, middle, np.nextafter(middle, 1e9), np.nextafter(middle, -1e9), others])
    thin = values.repeat(5).reshape(-1, 5)
    got = _engine.correlate(thin, np.array([[0.0, 1.0, 0.0]]), borders="replicate", dtype=np.float16)[:, 2]
    values, halves = (np.where(np.isinf(each), np.nan, each) for each in (values, halves))  # which weights of 0 make of infinity
    with np.errstate(over="ignore", invalid="ignore"):
        expected = values.astype(np.float16)
    np.testing.assert_array_equal(got, expected)
    whole = thin[: halves.size].astype(np.float16)
    np.testing.assert_array_equal(_engine.correlate(whole, np.array([[0.0, 1.0, 0.0]]), dtype=np.float64)[:, 2], halves)
