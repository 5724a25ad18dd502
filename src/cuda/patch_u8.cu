// patch_u8.cu: the sizes of patch.cuh for u8, of whole weights. Instantiations: 5.
#include "cuda/patch_launch.cuh"

namespace halation::cuda_backend {

PatchLaunch patch_u8(int size, int channels) {
  if (size == 5) return launch_patch<std::uint8_t, 5, 1>;
  switch (channels) {
    case 1: return launch_patch<std::uint8_t, 3, 1>;
    case 2: return launch_patch<std::uint8_t, 3, 2>;
    case 3: return launch_patch<std::uint8_t, 3, 3>;
    default: return launch_patch<std::uint8_t, 3, 4>;
  }
}

}  // namespace halation::cuda_backend
