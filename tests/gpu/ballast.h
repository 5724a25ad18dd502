// ballast.h: memory of the device that nobody else may have, for tests of what happens where it is short.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "images.h"

namespace halation::gpu_test {

/// Takes memory of the device until less than `left` bytes are free.
class Ballast {
 public:
  explicit Ballast(std::size_t left) {
    for (std::size_t block = std::size_t{64} << 30; block >= (std::size_t{1} << 20);) {
      void* data = nullptr;
      if (free_bytes() < left + block || cudaMalloc(&data, block) != cudaSuccess) {
        (void)cudaGetLastError();
        block /= 2;
      } else {
        blocks_.push_back(data);
      }
    }
  }
  ~Ballast() {
    for (void* block : blocks_) (void)cudaFree(block);
  }
  Ballast(const Ballast&) = delete;
  Ballast& operator=(const Ballast&) = delete;

 private:
  std::vector<void*> blocks_;
};

}  // namespace halation::gpu_test
