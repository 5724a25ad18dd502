// image.h: images, which own their memory; view.h has views on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "halation/view.h"

namespace halation {

/// An image that owns its memory. It moves; copying is asked for by `clone`.
class Image {
 public:
  /// No pixels: `empty()` is true.
  Image() = default;

  /// Host memory, uninitialised, beginning on a 64-byte boundary, rows every `row_bytes` bytes (0: packed).
  /// Throws `Error{invalid_argument}` for a zero or negative extent, `Error{out_of_memory}` where the machine
  /// does not have the bytes.
  Image(const Shape& shape, Pixel pixel, Layout layout = Layout::interleaved,
        std::int64_t row_bytes = 0);

  /// Takes over memory that somebody else allocated; `release` is called once, with `view.data`, when the image
  /// goes. It must not throw.
  Image(View view, std::function<void(std::byte*)> release);

  bool empty() const { return memory_ == nullptr; }
  const Shape& shape() const { return view_.shape; }
  Pixel pixel() const { return view_.pixel; }
  Device device() const { return view_.device; }

  ConstView view() const { return view_; }
  View view() { return view_; }
  operator ConstView() const { return view_; }
  operator View() { return view_; }

  /// A packed copy in host memory, of an image in host memory.
  Image clone() const;

 private:
  View view_;
  std::unique_ptr<std::byte, std::function<void(std::byte*)>> memory_;
};

/// Copies pixels of the same shape and pixel between host views of any strides; halation/transfer.h has copies to and from devices.
/// Throws `Error{invalid_argument}` where shape or pixel differ, or a view lies elsewhere.
void copy(ConstView from, View to);

}  // namespace halation
