// text.h: std::string from any str of Python, in place of nanobind/stl/string.h, which refuses one that is no UTF-8.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace nanobind::detail {

/// A lone surrogate arrives as `\udc80` and a NUL as `\x00`, so that the sentence about a word that is not known shows all of it.
template <>
struct type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle given, std::uint32_t, cleanup_list*) noexcept {
    if (!PyUnicode_Check(given.ptr())) return false;
    const object bytes = steal(PyUnicode_AsEncodedString(given.ptr(), "utf-8", "backslashreplace"));
    if (!bytes.is_valid()) {
      PyErr_Clear();
      return false;
    }
    value.assign(PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr())));
    constexpr std::string_view shown = "\\x00";
    for (std::size_t at = value.find('\0'); at != std::string::npos; at = value.find('\0', at)) value.replace(at, 1, shown);
    return true;
  }

  static handle from_cpp(const std::string& value, rv_policy, cleanup_list*) noexcept {
    return PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
  }
};

}  // namespace nanobind::detail
