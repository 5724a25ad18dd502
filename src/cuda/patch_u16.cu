// patch_u16.cu: the sizes of patch.cuh for u16. Instantiations: 12.
#include "cuda/patch_launch.cuh"

namespace halation::cuda_backend {

PatchLaunch patch_u16(int size, int channels) { return patch_launch_of<std::uint16_t>(size, channels); }

}  // namespace halation::cuda_backend
