// patch_f32.cu: the sizes of patch.cuh for f32. Instantiations: 12.
#include "cuda/patch_launch.cuh"

namespace halation::cuda_backend {

PatchLaunch patch_f32(int size, int channels) { return patch_launch_of<float>(size, channels); }

}  // namespace halation::cuda_backend
