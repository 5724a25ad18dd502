// errors.cpp: the library's errors as Python's, with the library's sentence, and those of threads that cannot be started.
#include <halation/error.h>

#include <string_view>
#include <system_error>

#include "module.h"

namespace halation::python {
namespace {

/// `unsupported`: what a device or a format lacks.
PyObject* python_error(ErrorCode code, PyObject* unsupported) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return PyExc_ValueError;
    case ErrorCode::out_of_memory:
      return PyExc_MemoryError;
    case ErrorCode::io:
      return PyExc_OSError;
    case ErrorCode::unsupported:
      return unsupported;
    case ErrorCode::device:
      return PyExc_RuntimeError;
  }
  return PyExc_RuntimeError;
}

}  // namespace

void bind_errors(nanobind::module_&, PyObject* unsupported) {
  const auto translate = [](const std::exception_ptr& thrown, void* for_unsupported) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      // Names of files need not be text.
      const std::string_view sentence = error.what();
      const auto text = nanobind::steal(
          PyUnicode_DecodeUTF8(sentence.data(), static_cast<Py_ssize_t>(sentence.size()), "surrogateescape"));
      PyErr_SetObject(python_error(error.code(), static_cast<PyObject*>(for_unsupported)), text.ptr());
    } catch (const std::system_error& error) {
      if (error.code() != std::errc::resource_unavailable_try_again) throw;
      PyErr_SetString(PyExc_MemoryError, "no thread can be started: there is too little memory, or there are too many threads");
    }
  };
  nanobind::register_exception_translator(translate, unsupported);
}

}  // namespace halation::python
