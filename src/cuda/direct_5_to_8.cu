// direct_5_to_8.cu: rows of 5 to 8 taps that direct.cuh is compiled for. Instantiations: 8.
#include "cuda/direct.cuh"

namespace halation::cuda_backend {

DirectUnrolled direct_of_5_to_8(int taps, int rows) { return direct_of<5, 8>(taps, rows); }

}  // namespace halation::cuda_backend
