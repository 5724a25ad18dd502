// module.h: the parts of halation._native, one a file; halation._codecs has its errors too.
#pragma once

#include <nanobind/nanobind.h>

namespace halation::python {

/// The library's errors as Python's; those of what is not supported as `unsupported`, a type that lives as
/// long as the interpreter.
void bind_errors(nanobind::module_& module, PyObject* unsupported);
void bind_plan(nanobind::module_& module);
void bind_filters(nanobind::module_& module);
void bind_arrays(nanobind::module_& module);
void bind_calls(nanobind::module_& module);
void bind_chains(nanobind::module_& module);
void bind_products(nanobind::module_& module);
void bind_magnitudes(nanobind::module_& module);

}  // namespace halation::python
