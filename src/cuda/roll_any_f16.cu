// roll_any_f16.cu: the sizes of roll.cuh for f16, rows from any element on.
#include "cuda/roll.cuh"

namespace halation::cuda_backend {

RollSize roll_any_f16(int size, int channels, RollSums sums) {
  return roll_size_of<f16, RollRows::any>(size, channels, sums);
}

}  // namespace halation::cuda_backend
