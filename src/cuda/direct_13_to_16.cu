// direct_13_to_16.cu: rows of 13 to 16 taps that direct.cuh is compiled for. Instantiations: 8.
#include "cuda/direct.cuh"

namespace halation::cuda_backend {

DirectUnrolled direct_of_13_to_16(int taps, int rows) { return direct_of<13, 16>(taps, rows); }

}  // namespace halation::cuda_backend
