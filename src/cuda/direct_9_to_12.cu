// direct_9_to_12.cu: rows of 9 to 12 taps that direct.cuh is compiled for. Instantiations: 8.
#include "cuda/direct.cuh"

namespace halation::cuda_backend {

DirectUnrolled direct_of_9_to_12(int taps, int rows) { return direct_of<9, 12>(taps, rows); }

}  // namespace halation::cuda_backend
