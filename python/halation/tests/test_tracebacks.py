"""test_tracebacks.py: of the caller's mistakes a traceback shows the caller's line and one frame of the package."""

import inspect
import os
import pickle
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

import halation
from halation import Filter, _traceback, cv, ndimage, signal

PHOTO = np.zeros((20, 24, 3), np.uint8)
PLAN = halation.plan((4, 4), "u1", np.ones((3, 3)))
CALLS = {
    "convolve": lambda: halation.convolve(PHOTO, np.ones((3, 3)), axes=(0, 7)),
    "correlate": lambda: halation.correlate(PHOTO, [b"weights"]),
    "chain": lambda: halation.correlate(PHOTO[..., 0], "gaussian | weights"),
    "filter_file": lambda: halation.filter_file("gaussian", "there is none.png", "nor any other.png"),
    "filter_file's progress": lambda: halation.filter_file("gaussian", __file__, "other.png", progress=3),
    "the library's own error": lambda: halation.correlate(PHOTO[..., 0], np.ones((3, 3)), method="bx"),
    "word that there is not": lambda: halation.gaussian(PHOTO, sigmaa=2),
    "plan": lambda: halation.plan((4, 4), "u1", [[np.inf]]),
    "run": lambda: PLAN.run(PHOTO),
    "run into": lambda: PLAN.run(PHOTO[:4, :4, 0], np.zeros(3)),
    "named": lambda: halation.gaussian(PHOTO, -1),
    "Filter": lambda: Filter([np.nan]),
    "separable": lambda: Filter.separable([1], [[2]]),
    "named filter": lambda: Filter.gaussian(-1),
    "sum": lambda: Filter([1]) + Filter([[1]]),
    "then": lambda: Filter([1]).then(3),
    "imread": lambda: halation.imread("there is none.png"),
    "imwrite": lambda: halation.imwrite("there is none.png", np.zeros((1,) * 5, np.uint8)),
    "gaussian_filter": lambda: ndimage.gaussian_filter(PHOTO, 1, axes=5),
    "sobel": lambda: ndimage.sobel([[1.0]], mode="mirrored"),
    "signal.convolve": lambda: signal.convolve([1], [[1]]),
    "signal.convolve2d": lambda: signal.convolve2d([[1]], [[1]], boundary="none"),
    "signal.fftconvolve": lambda: signal.oaconvolve([1], [1], axes=()),
    "cv.blur": lambda: cv.blur(PHOTO, (0, 3)),
    "cv.Sobel": lambda: cv.Sobel(PHOTO, "u1", 1, 0),
    "threads": lambda: halation.threads(0),
}


def frames_of(error):
    """(file, function) of each frame behind this file's, causes first."""
    lines = traceback.TracebackException.from_exception(error)
    chain = [lines]
    while chain[-1].__cause__ or (chain[-1].__context__ and not chain[-1].__suppress_context__):
        chain.append(chain[-1].__cause__ or chain[-1].__context__)
    return [(frame.filename, frame.name) for one in chain for frame in one.stack if frame.filename != __file__]


@pytest.mark.parametrize("name", CALLS)
def test_one_frame(name):
    with pytest.raises(Exception) as caught:
        CALLS[name]()
    assert len(frames_of(caught.value)) <= 1


def test_dask():
    pytest.importorskip("dask.array")
    from halation import dask as lazy
    for call in (lambda: lazy.gaussian_filter(PHOTO, 1), lambda: lazy.gaussian_filter(lazy.da.zeros((4, 4)), 1, mode="none")):
        with pytest.raises((TypeError, RuntimeError)) as caught:
            call()
        assert len(frames_of(caught.value)) == 1


def test_causes_are_kept():
    with pytest.raises(cv.error) as caught:
        cv.blur(PHOTO, (0, 3))
    assert type(caught.value.__cause__) is ValueError and "ksize must be" in str(caught.value.__cause__)


def test_frames_of_the_callers_functions_stay():
    def derivative(image, axis, output, mode, cval):
        raise KeyError("mine")

    with pytest.raises(KeyError) as caught:
        ndimage.generic_laplace(PHOTO[..., 0], derivative)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names == ["test_frames_of_the_callers_functions_stay", "wrapped", "derivative"]


def test_what_the_caller_was_handling_is_left_alone():
    with pytest.raises(ValueError) as caught:
        try:
            raise KeyError("before")
        except KeyError:
            Filter([np.nan])
    names = [frame.name for frame in traceback.extract_tb(caught.value.__context__.__traceback__)]
    assert names == ["test_what_the_caller_was_handling_is_left_alone"]


def test_all_frames_on_request():
    code = "import halation, traceback\ntry:\n  halation.gaussian([1.0], -1)\n"
    code += "except ValueError as e:\n  print(len(traceback.extract_tb(e.__traceback__)))"
    path = os.pathsep.join([str(Path(halation.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    counts = []
    for word in ("", "full"):
        env = {**os.environ, "PYTHONPATH": path, "HALATION_TRACEBACK": word}
        counts.append(int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout))
    assert counts[0] == 2 < counts[1]


def test_functions_of_one_frame_are_what_they_were():
    def sums(a, b=2, *rest, c, d=4):
        """Of all."""
        return a + b + sum(rest) + c + d

    def plain(a, b=[]):  # noqa: B006
        return a, b

    around = _traceback.one_frame(sums)
    assert around(1, c=3) == 10 and around(1, 5, 7, c=3, d=0) == 16 and around(a=1, c=1) == 8
    assert inspect.signature(around) == inspect.signature(sums) and around.__doc__ == "Of all." and around.__name__ == "sums"
    assert _traceback.one_frame(plain)(1)[1] is plain.__defaults__[0]
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'c'"):
        around(1)
    assert pickle.loads(pickle.dumps(signal.convolve)) is signal.convolve
