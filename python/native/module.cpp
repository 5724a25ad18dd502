// module.cpp: halation._native, the package's way into the library. Everything public is in the package
// beside it.
#include "module.h"

#include "arrays.h"

namespace halation::python {

void bind_arrays(nb::module_& module) {
  module.def(
      "describe",
      [](nb::handle object) {
        const Array array(object, Access::read);
        nb::list shape;
        nb::list strides;
        for (std::size_t i = 0; i < static_cast<std::size_t>(array.axes); ++i) {
          shape.append(array.shape[i]);
          strides.append(array.strides[i]);
        }
        nb::object stream = nb::none();
        if (array.stream) stream = nb::int_(*array.stream);
        const std::string device = name_of(array.device);
        return nb::make_tuple(nb::tuple(shape), nb::tuple(strides), array.type_name().c_str(), device.c_str(),
                              array.read_only, reinterpret_cast<std::uintptr_t>(array.data), stream);
      },
      nb::arg("array"),
      nb::sig("def describe(array: object) -> tuple[tuple[int, ...], tuple[int, ...], str, str, bool, int, "
              "int | None]"),
      "Where the elements of an array lie: shape, strides in bytes, type as 'f4', device as 'cpu' or "
      "'cuda:0', whether "
      "read-only, "
      "address, stream.");
  module.def("know_cupy", &know_cupy, nb::arg("type"), nb::sig("def know_cupy(type: type) -> None"),
             "Says which type CuPy's arrays have, which are read by their attributes from then on.");
}

}  // namespace halation::python

NB_MODULE(_native, module) {
  namespace parts = halation::python;
  module.doc() = "The module behind halation: plans, arrays, filters by name.";
  nanobind::set_leak_warnings(
      false);  // threads that wait for the end of the process (gil.h) keep what they work with
  parts::bind_errors(module, PyExc_RuntimeError);
  parts::bind_arrays(module);
  parts::bind_plan(module);
  parts::bind_filters(module);
  parts::bind_calls(module);
  parts::bind_chains(module);
  parts::bind_products(module);
  parts::bind_magnitudes(module);
}
