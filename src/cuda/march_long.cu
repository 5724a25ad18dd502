// march_long.cu: separable squares that march.cuh is compiled for where the copy engine brings the rows. Instantiations: 2.
#include "cuda/march_runner.cuh"

namespace halation::cuda_backend {

std::span<const MarchSize> march_long() {
  static constexpr MarchSize sizes[] = {
      march_size<33, 1, 33, true>(), march_size<65, 1, 65, true>(),
  };
  return sizes;
}

}  // namespace halation::cuda_backend
