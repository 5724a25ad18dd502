// march_long.cu: separable squares that march.cuh is compiled for where the copy engine brings the rows. Instantiations: 24.
#include "cuda/march_runner.cuh"

namespace halation::cuda_backend {

std::span<const MarchSize> march_long() {
  static constexpr MarchSize sizes[] = {
      march_size<19, 1, 19, true>(), march_size<21, 1, 21, true>(), march_size<23, 1, 23, true>(),
      march_size<25, 1, 25, true>(), march_size<27, 1, 27, true>(), march_size<29, 1, 29, true>(),
      march_size<31, 1, 31, true>(), march_size<33, 1, 33, true>(), march_size<35, 1, 35, true>(),
      march_size<37, 1, 37, true>(), march_size<39, 1, 39, true>(), march_size<41, 1, 41, true>(),
      march_size<43, 1, 43, true>(), march_size<45, 1, 45, true>(), march_size<47, 1, 47, true>(),
      march_size<49, 1, 49, true>(), march_size<51, 1, 51, true>(), march_size<53, 1, 53, true>(),
      march_size<55, 1, 55, true>(), march_size<57, 1, 57, true>(), march_size<59, 1, 59, true>(),
      march_size<61, 1, 61, true>(), march_size<63, 1, 63, true>(), march_size<65, 1, 65, true>(),
  };
  return sizes;
}

}  // namespace halation::cuda_backend
