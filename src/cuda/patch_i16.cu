// patch_i16.cu: the sizes of patch.cuh for i16. Instantiations: 12.
#include "cuda/patch_launch.cuh"

namespace halation::cuda_backend {

PatchLaunch patch_i16(int size, int channels) { return patch_launch_of<std::int16_t>(size, channels); }

}  // namespace halation::cuda_backend
