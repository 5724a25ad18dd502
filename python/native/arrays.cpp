// arrays.cpp: reads where an object's elements lie, without copying any.
#include "arrays.h"

#include <halation/error.h>

#include <bit>
#include <cstdlib>
#include <cstring>

#include "gil.h"

namespace halation::python {
namespace {

constexpr bool little = std::endian::native == std::endian::little;

/// Kind and size from a format of the struct module: "f", "<d", "?"; complex numbers are "Zf" and "Zd" there.
void read_format(const char* format, std::int64_t item_bytes, char& kind) {
  char order = '@';
  if (std::strchr("@=<>!^", *format) != nullptr && *format != 0) order = *format++;
  const bool foreign = (order == '<' && !little) || ((order == '>' || order == '!') && little);
  kind = 0;
  if (foreign && item_bytes > 1) return;
  const bool is_complex = *format == 'Z';
  if (is_complex) ++format;
  if (*format == 0 || format[1] != 0) return;
  if (std::strchr("efdg", *format) != nullptr) {
    kind = is_complex ? 'c' : 'f';
  } else if (is_complex) {
    return;
  } else if (*format == '?') {
    kind = 'b';
  } else if (std::strchr("bhilqn", *format) != nullptr) {
    kind = 'i';
  } else if (std::strchr("BHILQN", *format) != nullptr) {
    kind = 'u';
  }
}

/// A pixel type's letter and size as NumPy's typestr has them: "<f4", "|u1".
void read_typestr(const char* text, char& kind, std::int64_t& item_bytes) {
  kind = 0;
  if (std::strlen(text) < 3) throw nb::type_error("array interface: typestr must look like '<f4'");
  const bool foreign = (text[0] == '<' && !little) || (text[0] == '>' && little);
  item_bytes = std::strtol(text + 2, nullptr, 10);
  if (std::strchr("biufc", text[1]) != nullptr && !(foreign && item_bytes > 1)) kind = text[1];
}

char kind_of(nb::dlpack::dtype type) {
  switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Int:
      return 'i';
    case nb::dlpack::dtype_code::UInt:
      return 'u';
    case nb::dlpack::dtype_code::Float:
      return 'f';
    case nb::dlpack::dtype_code::Complex:
      return 'c';
    case nb::dlpack::dtype_code::Bool:
      return 'b';
    default:
      return 0;
  }
}

/// Array interfaces of GPUs do not name the device; the libraries that offer them do: `.device` is a number, or has `id` (CuPy)
/// or `index` (PyTorch).
int device_index(nb::handle object) {
  if (!nb::hasattr(object, "device")) return 0;
  const nb::object device = object.attr("device");
  for (const char* name : {"id", "index"}) {
    if (nb::hasattr(device, name) && !nb::isinstance<nb::str>(device)) {
      const nb::object index = device.attr(name);
      if (nb::isinstance<nb::int_>(index)) return nb::cast<int>(index);
    }
  }
  return nb::isinstance<nb::int_>(device) ? nb::cast<int>(device) : 0;
}

/// CuPy's type of arrays, which lives as long as the interpreter; null before it is known.
PyObject* cupy_array = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): guarded by the GIL

std::string name_of_type(nb::handle object) { return nb::str(object.type().attr("__name__")).c_str(); }

}  // namespace

Array::Array(nb::handle object, Access access) {
  const auto is_read = [&] {
    return from_cupy(object) || from_buffer(object, access) || from_interface(object, "__cuda_array_interface__", true) ||
           from_dlpack(object, access) || from_interface(object, "__array_interface__", false);
  };
  if (in_interpreter(is_read)) {
    if (access == Access::write && read_only) throw nb::value_error("output is read-only; give one that can be written");
    return;
  }
  throw nb::type_error(("an array is needed (buffer protocol, array interface or DLPack), got " + name_of_type(object)).c_str());
}

Array::~Array() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
}

void know_cupy(nb::handle type) { cupy_array = type.inc_ref().ptr(); }

bool Array::from_cupy(nb::handle object) {
  if (cupy_array == nullptr || !object.type().is(cupy_array)) return false;
  const auto extents = nb::cast<nb::tuple>(object.attr("shape")), steps = nb::cast<nb::tuple>(object.attr("strides"));
  if (extents.size() > most_axes) throw nb::value_error("arrays have at most 64 axes");
  axes = static_cast<int>(extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    shape[i] = nb::cast<std::int64_t>(extents[i]);
    strides[i] = nb::cast<std::int64_t>(steps[i]);
  }
  const nb::object type = object.attr("dtype"), memory = object.attr("data");
  kind = nb::cast<nb::str>(type.attr("kind")).c_str()[0];
  item_bytes = nb::cast<std::int64_t>(type.attr("itemsize"));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Python's addresses are numbers
  data = reinterpret_cast<std::byte*>(nb::cast<std::uintptr_t>(memory.attr("ptr")));
  device = cuda(nb::cast<int>(memory.attr("device_id")));
  return true;
}

bool Array::from_buffer(nb::handle object, Access access) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) return false;
  const int flags = access == Access::write ? PyBUF_RECORDS : PyBUF_RECORDS_RO;
  if (PyObject_GetBuffer(object.ptr(), &buffer_, flags) != 0) {
    PyErr_Clear();
    if (access == Access::read || PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_RECORDS_RO) != 0) {
      PyErr_Clear();  // as PyTorch and JAX refuse where the memory is not the host's
      return false;
    }
    PyBuffer_Release(&buffer_);
    throw nb::value_error("output is read-only; give one that can be written");
  }
  has_buffer_ = true;
  data = static_cast<std::byte*>(buffer_.buf);
  axes = buffer_.ndim;
  if (axes > most_axes) throw nb::value_error("arrays have at most 64 axes");
  item_bytes = buffer_.itemsize;
  read_only = buffer_.readonly != 0;
  std::int64_t packed = item_bytes;
  for (int i = axes - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    shape[at] = buffer_.shape == nullptr ? buffer_.len / item_bytes : buffer_.shape[i];
    strides[at] = buffer_.strides == nullptr ? packed : buffer_.strides[i];
    packed *= shape[at];
  }
  read_format(buffer_.format == nullptr ? "B" : buffer_.format, item_bytes, kind);
  return true;
}

bool Array::from_interface(nb::handle object, const char* attribute, bool on_gpu) {
  const nb::object value = nb::steal(PyObject_GetAttrString(object.ptr(), attribute));
  if (!value.is_valid()) {  // but what the array's library says of itself, as after a fork, is for the caller
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) nb::raise_python_error();
    PyErr_Clear();
    return false;
  }
  if (!nb::isinstance<nb::dict>(value)) return false;
  const auto facts = nb::cast<nb::dict>(value);
  if (!facts.contains("data") || facts["data"].is_none()) return false;
  const auto place = nb::cast<nb::tuple>(facts["data"]);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Python's addresses are numbers
  data = reinterpret_cast<std::byte*>(nb::cast<std::uintptr_t>(place[0]));
  read_only = nb::cast<bool>(place[1]);
  read_typestr(nb::cast<nb::str>(facts["typestr"]).c_str(), kind, item_bytes);
  const auto extents = nb::cast<nb::tuple>(facts["shape"]);
  if (extents.size() > most_axes) throw nb::value_error("arrays have at most 64 axes");
  axes = static_cast<int>(extents.size());
  const bool strided = facts.contains("strides") && !facts["strides"].is_none();
  std::int64_t packed = item_bytes;
  for (int i = axes - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    shape[at] = nb::cast<std::int64_t>(extents[at]);
    strides[at] = strided ? nb::cast<std::int64_t>(nb::cast<nb::tuple>(facts["strides"])[at]) : packed;
    packed *= shape[at];
  }
  if (on_gpu) {
    device = cuda(device_index(object));
    if (facts.contains("stream") && !facts["stream"].is_none()) stream = nb::cast<std::uintptr_t>(facts["stream"]);
  }
  return true;
}

bool Array::from_dlpack(nb::handle object, Access access) {
  const auto take = [&](const auto& array) {
    if (!array.is_valid()) return false;
    if (array.ndim() > most_axes) throw nb::value_error("arrays have at most 64 axes");
    data = reinterpret_cast<std::byte*>(const_cast<void*>(static_cast<const void*>(array.data())));
    axes = static_cast<int>(array.ndim());
    item_bytes = array.dtype().bits / 8;
    for (int i = 0; i < axes; ++i) {
      shape[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(array.shape(static_cast<std::size_t>(i)));
      strides[static_cast<std::size_t>(i)] = array.stride(static_cast<std::size_t>(i)) * item_bytes;
    }
    kind = array.dtype().lanes == 1 ? kind_of(array.dtype()) : '\0';
    switch (array.device_type()) {
      case nb::device::cpu::value:
      case nb::device::cuda_host::value:
        device = cpu();
        return true;
      case nb::device::cuda::value:
      case nb::device::cuda_managed::value:
        device = cuda(array.device_id());
        return true;
      default:
        throw nb::type_error("arrays must lie in host memory or on a CUDA device");
    }
  };
  if (!nb::hasattr(object, "__dlpack__")) return false;
  nb::ndarray<nb::ro> any;
  if (!nb::try_cast(object, any)) return false;
  dlpack_read_only_ = any;
  if (access == Access::write && !nb::try_cast(object, dlpack_)) read_only = true;
  return take(dlpack_read_only_);
}

std::optional<Pixel> Array::pixel() const {
  const std::optional<Pixel> pixel = any_pixel();
  return pixel && is_native(*pixel) ? pixel : std::nullopt;
}

std::optional<Pixel> Array::any_pixel() const {
  for (const Pixel pixel : all_pixels) {
    const char of_pixel = is_complex(pixel) ? 'c' : is_float(pixel) ? 'f' : smallest(pixel) < 0 ? 'i' : 'u';
    if (kind == of_pixel && static_cast<std::size_t>(item_bytes) == bytes_of(pixel)) return pixel;
  }
  return std::nullopt;
}

std::string Array::type_name() const { return std::string(1, kind == 0 ? '?' : kind) + std::to_string(item_bytes); }

std::int64_t Array::elements() const {
  std::int64_t product = 1;
  for (int i = 0; i < axes; ++i) product *= shape[static_cast<std::size_t>(i)];
  return product;
}

nb::dlpack::dtype dtype_of(Pixel pixel) {
  using enum nb::dlpack::dtype_code;
  const auto code = is_complex(pixel) ? Complex : is_float(pixel) ? Float : smallest(pixel) < 0 ? Int : UInt;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * bytes_of(pixel)), 1};
}

}  // namespace halation::python
