"""instruction_set.py: holds peers to AVX2 where `halation bench --target AVX2` asks for it, as on a processor that has no more.

To be imported before the packages, which read these variables once: OpenCV and the IPP in it, and libvips. IPP and Halide are told by
`ONLY_AVX2`; NumPy, SciPy and PyTorch choose for themselves.
"""
import os

ONLY_AVX2 = os.environ.get("HALATION_TARGET") == "AVX2"

if ONLY_AVX2:
    os.environ["OPENCV_CPU_DISABLE"] = "AVX512F,AVX512-SKX"
    os.environ["OPENCV_IPP"] = "avx2"
    os.environ["VIPS_VECTOR"] = "511"  # the bits of Highway's targets beyond AVX2: disabled
