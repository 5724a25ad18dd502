// direct_1_to_4.cu: rows of 1 to 4 taps that direct.cuh is compiled for. Instantiations: 8.
#include "cuda/direct.cuh"

namespace halation::cuda_backend {

DirectUnrolled direct_of_1_to_4(int taps, int rows) { return direct_of<1, 4>(taps, rows); }

}  // namespace halation::cuda_backend
