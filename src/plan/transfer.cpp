// transfer.cpp: memory on devices, and pixels on their way between them: which backend's memory it is.
#include "halation/transfer.h"

#include "core/memory.h"
#include "halation/error.h"
#include "plan/backends.h"
#include "plan/prefault.h"

namespace halation {
namespace {

bool on_host(Device device) { return device.kind != Device::Kind::cuda; }

}  // namespace

Image allocate(const Shape& shape, Pixel pixel, Device device, Layout layout, Stream stream) {
  if (on_host(device)) return Image(shape, pixel, layout);
  const DeviceMemory& memory = memory_of(device);
  return image_in(device, shape, pixel, layout, 0, [&](std::size_t bytes, const std::string& what) {
    return memory.allocate(bytes, device, stream, what);
  });
}

Image allocate_pinned(const Shape& shape, Pixel pixel, Layout layout) {
  const DeviceMemory* memory = device_memory();
  if (memory == nullptr) return Image(shape, pixel, layout);
  return image_in(cpu(), shape, pixel, layout, 0, [&](std::size_t bytes, const std::string& what) {
    return memory->allocate_pinned(bytes, what);
  });
}

void copy(ConstView from, View to, Stream stream) {
  if (from.shape != to.shape || from.pixel != to.pixel || (on_host(from.device) && on_host(to.device)))
    return copy(from, to);
  memory_of(on_host(to.device) ? from.device : to.device).copy(from, to, stream);
}

Image to_device(ConstView image, Device device) {
  const bool download = on_host(device) && !on_host(image.device);
  Image there =
      download ? prefaulted_image(image.shape, image.pixel) : allocate(image.shape, image.pixel, device);
  copy(image, there.view(), {});
  if (!on_host(image.device)) synchronise(image.device);
  if (!on_host(device)) synchronise(device);
  return there;
}

void synchronise(Device device, Stream stream) {
  if (!on_host(device)) memory_of(device).synchronise(device, stream);
}

}  // namespace halation
