"""__init__.pyi: types; made by tests/test_stubs.py (HALATION_WRITE_DOCS=1)."""


from . import cv as cv
from . import dask as dask
from . import filters as filters
from . import ndimage as ndimage
from . import signal as signal
from ._channels import ChannelWarning as ChannelWarning
from ._convolve import convolve as convolve, correlate as correlate
from ._files import Metadata as Metadata
from ._files import imread as imread
from ._files import imwrite as imwrite
from ._filter import Filter as Filter
from ._filter_file import filter_file as filter_file
from ._native import devices as devices
from ._plan import Plan as Plan, plan as plan
from ._threads import threads as threads
from .filters import box as box
from .filters import disk as disk
from .filters import edges as edges
from .filters import emboss as emboss
from .filters import gaussian as gaussian
from .filters import gaussian_derivative as gaussian_derivative
from .filters import high_pass as high_pass
from .filters import identity as identity
from .filters import laplacian as laplacian
from .filters import laplacian_of_gaussian as laplacian_of_gaussian
from .filters import low_pass as low_pass
from .filters import motion_blur as motion_blur
from .filters import prewitt as prewitt
from .filters import scharr as scharr
from .filters import sharpen as sharpen
from .filters import sobel as sobel
from .filters import unsharp_mask as unsharp_mask

__version__: str
__all__ = [
    "ChannelWarning",
    "Filter",
    "Plan",
    "convolve",
    "correlate",
    "devices",
    "plan",
    "threads",
    "Metadata",
    "filter_file",
    "imread",
    "imwrite",
    "identity",
    "sharpen",
    "high_pass",
    "low_pass",
    "box",
    "gaussian",
    "gaussian_derivative",
    "sobel",
    "scharr",
    "prewitt",
    "laplacian",
    "laplacian_of_gaussian",
    "unsharp_mask",
    "emboss",
    "motion_blur",
    "disk",
    "edges",
]

