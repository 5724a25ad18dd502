// march_factored.cu: separable squares that march.cuh is compiled for. Instantiations: 12 (two a size).
#include "cuda/march_runner.cuh"

namespace halation::cuda_backend {

std::span<const MarchSize> march_factored() {
  static constexpr MarchSize sizes[] = {
      march_size<7, 1, 7, true>(), march_size<9, 1, 9, true>(), march_size<11, 1, 11, true>(),
      march_size<13, 1, 13, true>(), march_size<15, 1, 15, true>(), march_size<17, 1, 17, true>(),
  };
  return sizes;
}

}  // namespace halation::cuda_backend
