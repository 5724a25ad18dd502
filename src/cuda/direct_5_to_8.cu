// direct_5_to_8.cu: rows of 5 to 8 taps that direct.cuh is compiled for. Instantiations: 4.
#include "cuda/direct.cuh"

namespace halation::cuda_backend {

DirectUnrolled direct_of_5_to_8(int taps) { return direct_of<5, 8>(taps); }

}  // namespace halation::cuda_backend
