// roll_any_u16.cu: the sizes of roll.cuh for u16, rows from any element on.
#include "cuda/roll.cuh"

namespace halation::cuda_backend {

RollSize roll_any_u16(int size, int channels, RollSums sums) {
  return roll_size_of<std::uint16_t, RollRows::any>(size, channels, sums);
}

}  // namespace halation::cuda_backend
