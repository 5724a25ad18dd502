// march_planes.cu: separable cubes that march.cuh is compiled for. Instantiations: 4.
#include "cuda/march_runner.cuh"

namespace halation::cuda_backend {

std::span<const MarchSize> march_planes() {
  static constexpr MarchSize sizes[] = {
      march_size<3, 3, 3, true>(), march_size<5, 5, 5, true>(), march_size<7, 7, 7, true>(), march_size<9, 9, 9, true>(),
  };
  return sizes;
}

}  // namespace halation::cuda_backend
