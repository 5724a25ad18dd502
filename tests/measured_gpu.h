// measured_gpu.h: the GPU that the figures which halation comes with were measured on, as prices see it.
#pragma once

#include "cuda/device/gpu.h"

namespace halation::cuda_backend {

inline Gpu h200(const Figures& figures) {
  Gpu gpu;
  gpu.device = cuda(0);
  gpu.multiprocessors = 132;
  gpu.shared_limit = 232448;
  gpu.code = 90;
  gpu.cache_bytes = 60 << 20;
  gpu.figures = &figures;
  return gpu;
}

}  // namespace halation::cuda_backend
