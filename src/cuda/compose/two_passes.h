// two_passes.h: one job after the other, by way of pixels in the workspace.
#pragma once

#include <cstddef>
#include <memory>

#include "core/backend.h"
#include "cuda/row_layout.h"

namespace halation::cuda_backend {

/// Workspace is shared out in multiples of so many bytes.
inline std::size_t on_boundary(std::size_t bytes) {
  constexpr std::size_t boundary = 256;
  return (bytes + boundary - 1) / boundary * boundary;
}

/// What the first leaves `between` is the input of the second; `between` has no memory yet.
std::unique_ptr<const Runner> two_passes(std::unique_ptr<const Runner> first,
                                         std::unique_ptr<const Runner> second, const View& between);

/// Channels apart, rows on 16-byte boundaries with room for whole pieces of 16 bytes: such as the copy engine can
/// bring where they are of f32.
View bulk_rows(const Shape& shape, Pixel pixel, Device device);

}  // namespace halation::cuda_backend
