// image.cpp: shapes, strides, views, and images that own memory.
#include "halation/image.h"

#include <cstring>
#include <utility>

#include "core/memory.h"
#include "halation/error.h"

namespace halation {
namespace {

std::int64_t multiply(std::int64_t a, std::int64_t b, const Shape& shape) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw Error(ErrorCode::invalid_argument, "image " + to_string(shape) + " has more elements than 63 bits count");
  }
  return product;
}

void check_region(const Region& region, const Shape& shape) {
  const auto fits = [](std::int64_t start, std::int64_t extent, std::int64_t n) {
    return start >= 0 && extent >= 1 && start <= n && extent <= n - start;
  };
  if (fits(region.z, region.depth, shape.depth) && fits(region.y, region.height, shape.height) &&
      fits(region.x, region.width, shape.width)) {
    return;
  }
  const auto range = [](const char* axis, std::int64_t start, std::int64_t extent) {
    return std::string(axis) + " " + std::to_string(start) + "+" + std::to_string(extent);
  };
  throw Error(ErrorCode::invalid_argument, "crop: region (" + range("z", region.z, region.depth) + ", " +
                                               range("y", region.y, region.height) + ", " +
                                               range("x", region.x, region.width) + ") leaves the image " +
                                               to_string(shape));
}

void check_index(const char* what, std::int64_t index, std::int64_t n) {
  if (index >= 0 && index < n) return;
  throw Error(ErrorCode::invalid_argument, std::string(what) + ": index must be in [0, " + std::to_string(n) +
                                               "), got " + std::to_string(index));
}

template <class AnyView>
AnyView cropped(AnyView view, const Region& region) {
  check_region(region, view.shape);
  view.data += region.z * view.strides.depth + region.y * view.strides.height + region.x * view.strides.width;
  view.shape.depth = region.depth;
  view.shape.height = region.height;
  view.shape.width = region.width;
  return view;
}

template <class AnyView>
AnyView one_channel(AnyView view, std::int64_t index) {
  check_index("channel", index, view.shape.channels);
  view.data += index * view.strides.channels;
  view.shape.channels = 1;
  return view;
}

template <class AnyView>
AnyView one_of_batch(AnyView view, std::int64_t index) {
  check_index("batch", index, view.shape.batch);
  view.data += index * view.strides.batch;
  view.shape.batch = 1;
  return view;
}

}  // namespace

std::int64_t Shape::elements() const {
  return multiply(multiply(multiply(multiply(batch, depth, *this), height, *this), width, *this), channels, *this);
}

int Shape::dims() const { return depth > 1 ? 3 : height > 1 ? 2 : 1; }

std::string to_string(const Shape& shape) {
  std::string text = shape.batch > 1 ? std::to_string(shape.batch) + "x" : "";
  if (shape.batch > 1 || shape.depth != 1) text += std::to_string(shape.depth) + "x";
  text += std::to_string(shape.height) + "x" + std::to_string(shape.width);
  if (shape.channels != 1) text += "x" + std::to_string(shape.channels);
  return text;
}

Strides strides_of(const Shape& shape, Pixel pixel, Layout layout, std::int64_t row_bytes) {
  const auto element = static_cast<std::int64_t>(bytes_of(pixel));
  const bool planar = layout == Layout::planar;
  const std::int64_t pixel_bytes = planar ? element : multiply(element, shape.channels, shape);
  const std::int64_t packed_row = multiply(pixel_bytes, shape.width, shape);
  if (row_bytes != 0 && row_bytes < packed_row) {
    throw Error(ErrorCode::invalid_argument, "row pitch must be at least " + std::to_string(packed_row) +
                                                 " bytes for image " + to_string(shape) + ", got " +
                                                 std::to_string(row_bytes));
  }
  Strides strides;
  strides.width = pixel_bytes;
  strides.height = row_bytes == 0 ? packed_row : row_bytes;
  strides.depth = multiply(strides.height, shape.height, shape);
  const std::int64_t volume = multiply(strides.depth, shape.depth, shape);
  strides.channels = planar ? volume : element;
  strides.batch = planar ? multiply(volume, shape.channels, shape) : volume;
  multiply(strides.batch, shape.batch, shape);
  return strides;
}

ConstView ConstView::crop(const Region& region) const { return cropped(*this, region); }
ConstView ConstView::channel(std::int64_t index) const { return one_channel(*this, index); }
ConstView ConstView::batch(std::int64_t index) const { return one_of_batch(*this, index); }
View View::crop(const Region& region) const { return cropped(*this, region); }
View View::channel(std::int64_t index) const { return one_channel(*this, index); }
View View::batch(std::int64_t index) const { return one_of_batch(*this, index); }

Image::Image(const Shape& shape, Pixel pixel, Layout layout, std::int64_t row_bytes)
    : Image(image_in(cpu(), shape, pixel, layout, row_bytes, allocate_host)) {}

Image::Image(View view, std::function<void(std::byte*)> release)
    : view_(view), memory_(view.data, std::move(release)) {}

Image Image::clone() const {
  if (empty()) return {};
  Image twin(view_.shape, view_.pixel);
  copy(view_, twin);
  return twin;
}

void copy(ConstView from, View to) {
  if (from.shape != to.shape || from.pixel != to.pixel) {
    throw Error(ErrorCode::invalid_argument,
                "copy: shape and pixel must be equal, got " + to_string(from.shape) + " " +
                    std::string(name_of(from.pixel)) + " and " + to_string(to.shape) + " " +
                    std::string(name_of(to.pixel)));
  }
  for (const Device device : {from.device, to.device}) {
    if (!shares_memory(device, cpu())) {
      throw Error(ErrorCode::invalid_argument, "copy: a view lies in memory of " + name_of(device) +
                                                   "; give the stream to copy in, or use to_device");
    }
  }
  const Shape& n = from.shape;
  const auto element = static_cast<std::int64_t>(bytes_of(from.pixel));
  const auto packed = [&](const Strides& s) {
    return s.channels == element && s.width == element * n.channels;
  };
  const bool rows_packed = packed(from.strides) && packed(to.strides);
  for (std::int64_t b = 0; b < n.batch; ++b) {
    for (std::int64_t z = 0; z < n.depth; ++z) {
      for (std::int64_t y = 0; y < n.height; ++y) {
        const auto* source =
            from.data + b * from.strides.batch + z * from.strides.depth + y * from.strides.height;
        auto* target = to.data + b * to.strides.batch + z * to.strides.depth + y * to.strides.height;
        if (rows_packed) {
          std::memcpy(target, source, static_cast<std::size_t>(element * n.channels * n.width));
          continue;
        }
        for (std::int64_t x = 0; x < n.width; ++x) {
          for (std::int64_t c = 0; c < n.channels; ++c) {
            std::memcpy(target + x * to.strides.width + c * to.strides.channels,
                        source + x * from.strides.width + c * from.strides.channels,
                        static_cast<std::size_t>(element));
          }
        }
      }
    }
  }
}

}  // namespace halation
