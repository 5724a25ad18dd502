// copy.cu: pixels between host and device memory, and within device memory, whatever the strides.
//
// Axes that follow each other without a gap in both views are one axis; what is left is a block of contiguous bytes and up to four axes
// around it. Up to one of them the bus copies in one command (a pitched copy), more are a loop of those. Where the block is one
// element and strides differ (interleaved to planar, mirrored, skipping), a kernel gathers or scatters in device memory.
#include "cuda/device/copy.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "cuda/device/device.h"
#include "cuda/device/memory.h"
#include "cuda/device/runtime.h"

namespace halation::cuda_backend {
namespace {

struct Axis {
  std::int64_t extent = 1;
  std::int64_t from = 0;  // bytes
  std::int64_t to = 0;
};

/// `block` contiguous bytes, repeated along `axes`, outermost first.
struct Transfer {
  std::int64_t block = 0;
  std::vector<Axis> axes;
};

Transfer transfer_of(const ConstView& from, const ConstView& to) {
  const Shape& n = from.shape;
  const Strides& a = from.strides;
  const Strides& b = to.strides;
  std::vector<Axis> axes;
  for (const Axis& axis : {Axis{n.batch, a.batch, b.batch}, Axis{n.depth, a.depth, b.depth}, Axis{n.height, a.height, b.height},
                           Axis{n.width, a.width, b.width}, Axis{n.channels, a.channels, b.channels}}) {
    if (axis.extent > 1) axes.push_back(axis);
  }
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& x, const Axis& y) { return std::abs(x.to) > std::abs(y.to); });
  Transfer transfer{static_cast<std::int64_t>(bytes_of(from.pixel)), {}};
  while (!axes.empty() && axes.back().from == transfer.block && axes.back().to == transfer.block) {
    transfer.block *= axes.back().extent;
    axes.pop_back();
  }
  for (const Axis& axis : axes) {
    auto& merged = transfer.axes;
    if (!merged.empty() && merged.back().from == axis.extent * axis.from && merged.back().to == axis.extent * axis.to) {
      merged.back() = {merged.back().extent * axis.extent, axis.from, axis.to};
    } else {
      merged.push_back(axis);
    }
  }
  return transfer;
}

/// Whether commands of the bus can do it, few enough of them.
bool is_pitched(const Transfer& transfer) {
  constexpr std::int64_t most_commands = 4096;
  std::int64_t commands = 1;
  for (std::size_t i = 0; i + 1 < transfer.axes.size(); ++i) commands *= transfer.axes[i].extent;
  if (commands > most_commands) return false;
  if (transfer.axes.empty()) return true;
  const Axis& rows = transfer.axes.back();
  const auto is_pitch = [&](std::int64_t stride) {
    return stride >= transfer.block && stride <= std::numeric_limits<std::int32_t>::max();
  };
  return is_pitch(rows.from) && is_pitch(rows.to);
}

void copy_pitched(const std::byte* from, std::byte* to, const Transfer& transfer, std::size_t axis, cudaStream_t stream) {
  const auto block = static_cast<std::size_t>(transfer.block);
  if (axis == transfer.axes.size()) {
    HALATION_CUDA_CHECK(cudaMemcpyAsync(to, from, block, cudaMemcpyDefault, stream));
    return;
  }
  const Axis& rows = transfer.axes[axis];
  if (axis + 1 == transfer.axes.size()) {
    HALATION_CUDA_CHECK(cudaMemcpy2DAsync(to, static_cast<std::size_t>(rows.to), from, static_cast<std::size_t>(rows.from), block,
                                          static_cast<std::size_t>(rows.extent), cudaMemcpyDefault, stream));
    return;
  }
  for (std::int64_t i = 0; i < rows.extent; ++i) {
    copy_pitched(from + i * rows.from, to + i * rows.to, transfer, axis + 1, stream);
  }
}

/// Extents and strides of both views, outermost first.
struct Elements {
  std::int64_t extent[5];
  std::int64_t from[5];
  std::int64_t to[5];
};

/// A complex element, which begins where its parts may.
template <class Part>
struct Parts {
  Part real, imaginary;
};

/// One thread an element, in turns where there are more elements than threads.
template <class Element>
__global__ void copy_elements(const std::byte* from, std::byte* to, Elements elements, std::int64_t count) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    std::int64_t rest = i;
    std::int64_t source = 0;
    std::int64_t target = 0;
    for (int axis = 4; axis >= 0; --axis) {
      const std::int64_t place = rest % elements.extent[axis];
      rest /= elements.extent[axis];
      source += place * elements.from[axis];
      target += place * elements.to[axis];
    }
    *reinterpret_cast<Element*>(to + target) = *reinterpret_cast<const Element*>(from + source);
  }
}

void copy_by_kernel(const ConstView& from, const View& to, cudaStream_t stream) {
  const Shape& n = from.shape;
  const Strides& a = from.strides;
  const Strides& b = to.strides;
  const Elements elements{{n.batch, n.depth, n.height, n.width, n.channels},
                          {a.batch, a.depth, a.height, a.width, a.channels},
                          {b.batch, b.depth, b.height, b.width, b.channels}};
  const std::int64_t count = n.elements();
  constexpr int threads = 256;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>((count + threads - 1) / threads, 1 << 20));
  const auto launch = [&](auto element) {
    copy_elements<decltype(element)><<<blocks, threads, 0, stream>>>(from.data, to.data, elements, count);
  };
  if (from.pixel == Pixel::c64)
    launch(Parts<std::uint32_t>{});
  else if (from.pixel == Pixel::c128)
    launch(Parts<std::uint64_t>{});
  else
    switch (bytes_of(from.pixel)) {
      case 1:
        launch(std::uint8_t{});
        break;
      case 2:
        launch(std::uint16_t{});
        break;
      case 4:
        launch(std::uint32_t{});
        break;
      default:
        launch(std::uint64_t{});
        break;
    }
  HALATION_CUDA_LAUNCHED("copy_elements", stream);
}

bool on_gpu(const ConstView& view) { return view.device.kind == Device::Kind::cuda; }

/// A packed image of the same shape and pixel as `view`, in memory of `device`.
Image packed_like(const ConstView& view, Device device, Stream stream) {
  if (device.kind != Device::Kind::cuda) return Image(view.shape, view.pixel);
  return image_in(device, view.shape, view.pixel, Layout::interleaved, 0, [&](std::size_t bytes, const std::string& what) {
    return allocate(bytes, device, stream, "a packed copy of " + what);
  });
}

}  // namespace

void copy(const ConstView& from, const View& to, Stream stream) {
  const auto order = static_cast<cudaStream_t>(stream.handle);
  const UseDevice use(on_gpu(to) ? to.device : from.device);
  const Transfer transfer = transfer_of(from, to);
  if (is_pitched(transfer)) return copy_pitched(from.data, to.data, transfer, 0, order);
  if (from.device == to.device) return copy_by_kernel(from, to, order);

  // Between devices: through a packed copy on the side of each view that is not packed itself.
  if (from.strides != strides_of(from.shape, from.pixel)) {
    Image packed = packed_like(from, from.device, stream);
    if (on_gpu(from)) {
      const UseDevice source(from.device);
      copy_by_kernel(from, packed, order);
    } else {
      halation::copy(from, packed);
    }
    copy(packed.view(), to, stream);
    HALATION_CUDA_CHECK(cudaStreamSynchronize(order));
    return;
  }
  Image packed = packed_like(to, to.device, stream);
  copy(from, packed.view(), stream);
  if (on_gpu(to)) return copy_by_kernel(packed, to, order);
  HALATION_CUDA_CHECK(cudaStreamSynchronize(order));
  halation::copy(packed, to);
}

}  // namespace halation::cuda_backend
