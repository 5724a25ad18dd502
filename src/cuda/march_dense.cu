// march_dense.cu: squares of weights that march.cuh is compiled for. Instantiations: 17 (two a size but one).
#include "cuda/march_runner.cuh"

namespace halation::cuda_backend {

std::span<const MarchSize> march_dense() {
  static constexpr MarchSize sizes[] = {
      march_size<7, 1, 7, false>(), march_size<8, 1, 8, false>(), march_size<9, 1, 9, false>(),
      march_size<10, 1, 10, false>(), march_size<11, 1, 11, false>(), march_size<12, 1, 12, false>(),
      march_size<13, 1, 13, false>(), march_size<14, 1, 14, false>(), march_size<15, 1, 15, false>(),
  };
  return sizes;
}

}  // namespace halation::cuda_backend
