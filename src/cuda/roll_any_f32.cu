// roll_any_f32.cu: the sizes of roll.cuh for f32, rows from any element on.
#include "cuda/roll.cuh"

namespace halation::cuda_backend {

RollSize roll_any_f32(int size, int channels, RollSums sums) {
  return roll_size_of<float, RollRows::any>(size, channels, sums);
}

}  // namespace halation::cuda_backend
