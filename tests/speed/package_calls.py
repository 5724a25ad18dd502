"""package_calls.py: what calls of the Python package cost over 16x16: 5 us a plan's run, 20 us a function. Skipped (exit code 77)
where this Python has no package halation: `pip install .` first, or name another by -DPython3_EXECUTABLE."""

import sys
import timeit

try:
    import halation
    import halation.ndimage
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

MOST_OF_A_RUN_US, MOST_OF_A_CALL_US = 5, 20


def microseconds(call):
    """Of one call, the quickest of many hundred: what others do on the machine is none of it."""
    return min(timeit.repeat(call, number=50, repeat=200)) / 50 * 1e6


def main():
    image = np.random.default_rng(1).random((16, 16), np.float32)
    weights = np.random.default_rng(2).random((3, 3))
    out = np.empty_like(image)
    plan = halation.plan(image.shape, image.dtype, weights)
    calls = {
        "plan.run(image)": (lambda: plan.run(image), MOST_OF_A_RUN_US),
        "plan.run(image, out)": (lambda: plan.run(image, out), MOST_OF_A_RUN_US),
        "correlate": (lambda: halation.ndimage.correlate(image, weights), MOST_OF_A_CALL_US),
        "gaussian_filter": (lambda: halation.ndimage.gaussian_filter(image, 1.0), MOST_OF_A_CALL_US),
        "uniform_filter": (lambda: halation.ndimage.uniform_filter(image, 3), MOST_OF_A_CALL_US),
        "sobel": (lambda: halation.ndimage.sobel(image), MOST_OF_A_CALL_US),
    }
    missed = 0
    for name, (call, most) in calls.items():
        took = microseconds(call)
        missed += took > most
        print(f"{name}: {took:.2f} us, at most {most} are promised{', MISSED' if took > most else ''}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
