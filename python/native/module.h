// module.h: the parts of halation._native, one a file.
#pragma once

#include <nanobind/nanobind.h>

namespace halation::python {

void bind_errors(nanobind::module_& module);
void bind_plan(nanobind::module_& module);
void bind_filters(nanobind::module_& module);
void bind_strips(nanobind::module_& module);
void bind_arrays(nanobind::module_& module);
void bind_calls(nanobind::module_& module);

}  // namespace halation::python
