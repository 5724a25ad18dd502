"""stand_in.py: a library in CuPy's place, whose arrays lie in host memory and go the way of arrays on a GPU."""

import numpy as np
import pytest

from halation import _arrays


class There(np.ndarray):
    """An array that is treated as one on a GPU."""


def there(values):
    return np.array(values).view(There)


def library_of_arrays(kind, asked):
    """The library of arrays of a class; the arrays whose streams are asked for are added to a list."""
    return _arrays.OnGpu(
        empty=lambda shape, dtype, like: np.empty(shape, dtype).view(kind),
        astype=lambda array, dtype: np.asarray(array).astype(dtype).view(kind),
        stream=lambda array: asked.append(array) or 0,
        sqrt=lambda array: np.sqrt(array, array, casting="unsafe"),
        asarray=None,
        parts=lambda array: np.asarray(array)[..., np.newaxis].view(array.real.dtype).view(kind),
        add=np.add,
        subtract=np.subtract,
        divide=np.divide,
    )


@pytest.fixture
def streams():
    """While it is used, arrays of There are a library's on a GPU; the arrays whose streams were asked for."""
    asked = []
    library, library_of = library_of_arrays(There, asked), _arrays.library_of
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_arrays, "library_of", lambda array: library if type(array) is There else library_of(array))
        yield asked
