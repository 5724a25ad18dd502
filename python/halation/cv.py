"""halation.cv: OpenCV's linear filters, and what code around them calls, under their own names, arguments and meanings.

``import halation.cv as cv2`` runs existing code for `filter2D`, `sepFilter2D`, `GaussianBlur`, `blur`, `boxFilter`, `Sobel`,
`Scharr`, `Laplacian`, `spatialGradient`, `magnitude`, `pyrDown`, `pyrUp`, `copyMakeBorder`, `getGaussianKernel` and
`getDerivKernels`. Images are H x W or H x W x C with any number of channels, of any library, on a GPU too. As in OpenCV every
filter is a correlation, `dst` is written where it has the result's shape and type (and left alone where not: use what is
returned), H x W x 1 gives H x W, and a row of pixels or weights is 1 x N (OpenCV 4 took it as N x 1). Integers are rounded half to
even and saturate. What differs:

- Integers may be one level off OpenCV's where OpenCV is itself approximate: it rounds halves up in `GaussianBlur` of uint8
  and uint16 and in `blur`, goes through weights of 8 bits in `sepFilter2D` of uint8, and by a transform in `filter2D` from 11
  x 11 on. Here sums are in float32 or better, or of uint8 in fixed point, off by 1/16 of a level at most, of the weights as
  given; `GaussianBlur` of uint8 and uint16 takes OpenCV's weights, whole 256ths and 65536ths. Pyramids round as OpenCV does, halves
  up, and integers are equal.
- Sums in int32 saturate; OpenCV's `boxFilter` wraps them.
- All borders serve all filters, BORDER_WRAP too. BORDER_ISOLATED changes nothing: an array is the whole image.
- All types of input and output go together, float16 and int8 among them; bool, int32 and others go through float64.
- Any array serves as `dst`, also a strided one; read-only ones are refused. A kernel may be a list.
- `getGaussianKernel` keeps to its formula for even sizes too, where OpenCV's two middle weights are larger.
- `pyrDown` to one column more than half takes that column around its own middle, where OpenCV takes it one pixel further left; `pyrUp` of
  an image one pixel wide writes a third column, which OpenCV leaves as it is.
- An `error` is a ValueError and a TypeError as well. Its `code` is that of a failed assertion, or of a bad argument where a type
  is wrong; `func` names the function; there is no file and no line.

Other names of OpenCV's raise an AttributeError that says where they are.
"""

import importlib
import sys
from typing import Any

from ._cv_borders import copyMakeBorder
from ._cv_derivatives import Laplacian, Scharr, Sobel, magnitude, spatialGradient
from ._cv_files import imread, imwrite
from ._cv_pyramids import pyrDown, pyrUp
from ._cv_smoothing import GaussianBlur, blur, boxFilter, filter2D, sepFilter2D
from ._cv_weights import getDerivKernels, getGaussianKernel
from ._cv_words import *

__all__ = ["GaussianBlur", "Laplacian", "Scharr", "Sobel", "blur", "boxFilter", "copyMakeBorder", "error", "filter2D",
           "getDerivKernels", "getGaussianKernel", "imread", "imwrite", "magnitude", "pyrDown", "pyrUp", "sepFilter2D", "spatialGradient"]

_NON_LINEAR = ("medianBlur", "bilateralFilter", "erode", "dilate", "morphologyEx")


def __getattr__(name: str) -> Any:
    here = sys.modules[__name__]
    if name.startswith("_"):
        raise AttributeError(f"module 'halation.cv' has no attribute '{name}'", name=name, obj=here)
    lacks = f"halation.cv has no {name}" + (" (a non-linear filter)" if name in _NON_LINEAR else "")
    try:
        opencv = importlib.import_module("cv2")
    except ImportError:
        opencv = here
    if opencv is here:  # not installed, or this module in its place
        raise AttributeError(f"{lacks}; if OpenCV has it, it is cv2.{name}", name=name, obj=here)
    has = f"OpenCV's is cv2.{name}" if hasattr(opencv, name) else "nor has OpenCV"
    raise AttributeError(f"{lacks}; {has}", name=name, obj=here)
