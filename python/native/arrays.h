// arrays.h: the memory of any object that offers it: buffer protocol, __cuda_array_interface__, __array_interface__, DLPack.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <halation/image.h>

namespace halation::python {

namespace nb = nanobind;

/// What an object's memory is asked for.
enum class Access { read, write };

/// From here on arrays of exactly this type, which is CuPy's, are read by their attributes: in a third of the time of their interface.
void know_cupy(nb::handle type);

/// An n-D array of somebody else's, borrowed until this goes. The GIL is needed to make it and to let it go.
class Array {
 public:
  static constexpr int most_axes = 64;  // NumPy's limit

  /// Throws TypeError for objects without memory and element types that are no numbers, ValueError for what is read-only where
  /// `write` is asked for.
  Array(nb::handle object, Access access);
  ~Array();
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  std::byte* data = nullptr;
  int axes = 0;
  std::array<std::int64_t, most_axes> shape;    ///< the first `axes` are set
  std::array<std::int64_t, most_axes> strides;  ///< in bytes
  char kind = 0;                                ///< NumPy's letter: b, i, u, f, c; 0 for byte orders other than the machine's
  std::int64_t item_bytes = 0;
  bool read_only = false;
  Device device = cpu();
  std::optional<std::uintptr_t> stream;  ///< on which the memory becomes valid, where the object says so

  /// The pixel of the elements, where there is one.
  std::optional<Pixel> pixel() const;
  /// The same of any pixel, native or not.
  std::optional<Pixel> any_pixel() const;
  /// "f4", "u1", in NumPy's letters.
  std::string type_name() const;
  std::int64_t elements() const;

 private:
  bool from_buffer(nb::handle object, Access access);
  bool from_cupy(nb::handle object);
  bool from_interface(nb::handle object, const char* attribute, bool on_gpu);
  bool from_dlpack(nb::handle object, Access access);

  Py_buffer buffer_ = {};
  bool has_buffer_ = false;
  nb::ndarray<> dlpack_;
  nb::ndarray<nb::ro> dlpack_read_only_;
};

/// An array of five axes, batch, depth, height, width and channels, as a ConstView or View. Throws TypeError for others.
template <class AnyView>
AnyView five_extents(const Array& array) {
  const std::optional<Pixel> pixel = array.pixel();
  if (!pixel || array.axes != 5) throw nb::type_error("an array of pixels with five axes is needed");
  const auto& n = array.shape;
  const auto& s = array.strides;
  return {array.data, Shape{.batch = n[0], .depth = n[1], .height = n[2], .width = n[3], .channels = n[4]},
          Strides{.batch = s[0], .depth = s[1], .height = s[2], .width = s[3], .channels = s[4]}, *pixel, array.device};
}

/// The type of elements of NumPy's arrays over pixels.
nb::dlpack::dtype dtype_of(Pixel pixel);

}  // namespace halation::python
