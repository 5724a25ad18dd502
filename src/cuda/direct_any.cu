// direct_any.cu: rows of any number of taps, which direct.cuh is compiled for. Instantiations: 4.
#include "cuda/direct.cuh"

namespace halation::cuda_backend {

template <class Sum, int Capacity>
DirectKernel<Sum, Capacity> direct_of_any() {
  return direct<Sum, Capacity, 0>;
}

template DirectKernel<float, direct_many_weights> direct_of_any();
template DirectKernel<float, 0> direct_of_any();
template DirectKernel<double, direct_many_weights / 2> direct_of_any();
template DirectKernel<double, 0> direct_of_any();

}  // namespace halation::cuda_backend
