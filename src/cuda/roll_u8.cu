// roll_u8.cu: the sizes of roll.cuh for u8, rows on 16-byte boundaries.
#include "cuda/roll.cuh"

namespace halation::cuda_backend {

RollSize roll_u8(int size, int channels, RollSums sums) {
  return roll_size_of<std::uint8_t, RollRows::aligned>(size, channels, sums);
}

}  // namespace halation::cuda_backend
