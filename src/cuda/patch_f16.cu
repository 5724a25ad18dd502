// patch_f16.cu: the sizes of patch.cuh for f16. Instantiations: 12.
#include "cuda/patch_launch.cuh"

namespace halation::cuda_backend {

PatchLaunch patch_f16(int size, int channels) { return patch_launch_of<f16>(size, channels); }

}  // namespace halation::cuda_backend
