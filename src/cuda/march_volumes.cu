// march_volumes.cu: cubes of weights that march.cuh is compiled for. Instantiations: 6 (two a size).
#include "cuda/march_runner.cuh"

namespace halation::cuda_backend {

std::span<const MarchSize> march_volumes() {
  static constexpr MarchSize sizes[] = {
      march_size<3, 3, 3, false>(), march_size<5, 5, 5, false>(), march_size<7, 7, 7, false>(),
  };
  return sizes;
}

}  // namespace halation::cuda_backend
