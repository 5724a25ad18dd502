// errors.cpp: the library's errors as Python's, with the library's sentence.
#include <halation/error.h>

#include "module.h"

namespace halation::python {
namespace {

PyObject* python_error(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return PyExc_ValueError;
    case ErrorCode::out_of_memory:
      return PyExc_MemoryError;
    case ErrorCode::unsupported:
    case ErrorCode::io:
    case ErrorCode::device:
      return PyExc_RuntimeError;
  }
  return PyExc_RuntimeError;
}

}  // namespace

void bind_errors(nanobind::module_&) {
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetString(python_error(error.code()), error.what());
    }
  });
}

}  // namespace halation::python
