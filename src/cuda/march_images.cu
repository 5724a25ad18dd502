// march_images.cu: the sizes of images' filters that march.cuh is compiled for. Instantiations: 14.
#include "cuda/march.cuh"

namespace halation::cuda_backend {

std::span<const MarchSize> march_images() {
  static constexpr MarchSize sizes[] = {
      march_size<8, 1, 8, false>(),   march_size<9, 1, 9, false>(),   march_size<10, 1, 10, false>(),
      march_size<11, 1, 11, false>(), march_size<12, 1, 12, false>(), march_size<13, 1, 13, false>(),
      march_size<14, 1, 14, false>(), march_size<15, 1, 15, false>(), march_size<7, 1, 7, true>(),
      march_size<9, 1, 9, true>(),    march_size<11, 1, 11, true>(),  march_size<13, 1, 13, true>(),
      march_size<15, 1, 15, true>(),  march_size<17, 1, 17, true>(),
  };
  return sizes;
}

}  // namespace halation::cuda_backend
