"""stand_in.py: a library in CuPy's place, whose arrays lie in host memory and go the way of arrays on a GPU."""

import numpy as np
import pytest

from halation import _arrays


class There(np.ndarray):
    """An array that is treated as one on a GPU."""


def there(values):
    return np.array(values).view(There)


@pytest.fixture
def streams():
    """While it is used, arrays of There are that library's; the arrays whose streams were asked for."""
    asked = []
    library = _arrays.OnGpu(
        empty=lambda shape, dtype, like: np.empty(shape, dtype).view(There),
        astype=lambda array, dtype: np.asarray(array).astype(dtype).view(There),
        stream=lambda array: asked.append(array) or 0,
        sqrt=lambda array: np.sqrt(array, array, casting="unsafe"),
        asarray=None,
        parts=lambda array: np.asarray(array)[..., np.newaxis].view(array.real.dtype).view(There),
        add=np.add,
        subtract=np.subtract,
    )
    library_of = _arrays.library_of
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_arrays, "library_of", lambda array: library if type(array) is There else library_of(array))
        yield asked
