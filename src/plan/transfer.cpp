// transfer.cpp: memory on devices, and pixels on their way between them: which backend's memory it is.
#include "halation/transfer.h"

#include "core/memory.h"
#include "halation/error.h"
#include "plan/backends.h"

namespace halation {
namespace {

bool on_host(Device device) { return device.kind != Device::Kind::cuda; }

Image image_in(Memory memory, const Shape& shape, Pixel pixel, Layout layout, Device device) {
  const View view{memory.get(), shape, strides_of(shape, pixel, layout), pixel, device};
  std::function<void(std::byte*)> release = std::move(memory.get_deleter());
  (void)memory.release();
  return Image(view, std::move(release));
}

std::size_t bytes_for(const Shape& shape, Pixel pixel) {
  for (const std::int64_t extent : {shape.batch, shape.depth, shape.height, shape.width, shape.channels}) {
    if (extent < 1) throw Error(ErrorCode::invalid_argument, "image extents must be at least 1, got " + to_string(shape));
  }
  const Strides strides = strides_of(shape, pixel);  // refuses what does not fit 63 bits
  return static_cast<std::size_t>(shape.batch * strides.batch);
}

std::string text(const Shape& shape, Pixel pixel) { return "image " + to_string(shape) + " " + std::string(name_of(pixel)); }

}  // namespace

Image allocate(const Shape& shape, Pixel pixel, Device device, Layout layout, Stream stream) {
  if (on_host(device)) return Image(shape, pixel, layout);
  const std::size_t bytes = bytes_for(shape, pixel);
  return image_in(memory_of(device).allocate(bytes, device, stream, text(shape, pixel)), shape, pixel, layout, device);
}

Image allocate_pinned(const Shape& shape, Pixel pixel, Layout layout) {
  const DeviceMemory* devices = device_memory();
  if (devices == nullptr) return Image(shape, pixel, layout);
  return image_in(devices->allocate_pinned(bytes_for(shape, pixel), text(shape, pixel)), shape, pixel, layout, cpu());
}

void copy(ConstView from, View to, Stream stream) {
  if (from.shape != to.shape || from.pixel != to.pixel || (on_host(from.device) && on_host(to.device))) return copy(from, to);
  memory_of(on_host(to.device) ? from.device : to.device).copy(from, to, stream);
}

Image to_device(ConstView image, Device device) {
  Image there = allocate(image.shape, image.pixel, device);
  copy(image, there.view(), {});
  if (!on_host(image.device)) synchronise(image.device);
  if (!on_host(device)) synchronise(device);
  return there;
}

void synchronise(Device device, Stream stream) {
  if (!on_host(device)) memory_of(device).synchronise(device, stream);
}

}  // namespace halation
