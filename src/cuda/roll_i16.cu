// roll_i16.cu: the sizes of roll.cuh for i16, rows on 16-byte boundaries.
#include "cuda/roll.cuh"

namespace halation::cuda_backend {

RollSize roll_i16(int size, int channels, RollSums sums) {
  return roll_size_of<std::int16_t, RollRows::aligned>(size, channels, sums);
}

}  // namespace halation::cuda_backend
