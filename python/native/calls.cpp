// calls.cpp: what tells a call of a filter from others.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "module.h"

namespace halation::python {
namespace nb = nanobind;
namespace {

/// Keys of a function's calls: of two calls with equal keys one can do what the other did, on other arrays. There is none for a call
/// with an argument that may change, but for weights, whose values are in the key, and outputs, of which only the form is.
class CallKeys {
 public:
  /// `names`: of its parameters behind the input.
  explicit CallKeys(std::vector<nb::str> names)
      : function_(nb::int_(reinterpret_cast<std::uintptr_t>(this))),
        names_(std::move(names)),
        array_(nb::module_::import_("numpy").attr("ndarray")),
        numbers_(nb::make_tuple(nb::module_::import_("numpy").attr("number"), nb::module_::import_("numpy").attr("bool_"),
                                nb::module_::import_("numpy").attr("dtype"))) {}

  /// Of a call with (input, *args, **keywords) for an array of NumPy's or on a GPU, and what else the result depends on; None where
  /// there is none.
  nb::object of(nb::handle input, const nb::tuple& args, const nb::dict& keywords, nb::handle limit) const {
    if (args.size() > names_.size()) return nb::none();
    Parts parts;
    parts.reserve(24);
    const nb::handle kind = input.type();
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!add(args[i], names_[i], kind, parts)) return nb::none();
    }
    for (const auto [name, value] : keywords) {
      parts.push_back(nb::borrow(name));
      if (!add(value, name, kind, parts)) return nb::none();
    }
    add_form(input, parts);
    parts.push_back(nb::borrow(limit));
    parts.push_back(function_);
    return tuple_of(parts);
  }

 private:
  using Parts = std::vector<nb::object>;

  static nb::object tuple_of(Parts& parts) {
    nb::object made = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(parts.size())));
    if (!made.is_valid()) nb::raise_python_error();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      PyTuple_SetItem(made.ptr(), static_cast<Py_ssize_t>(i), parts[i].release().ptr());
    }
    return made;
  }

  void add_form(nb::handle array, Parts& parts) const {
    if (!array.type().is(array_)) return add_form_on_gpu(array, parts);
    parts.push_back(array.attr(shape_));
    parts.push_back(array.attr(strides_));
    parts.push_back(array.attr(dtype_));
  }

  /// All of it in one piece, which costs less than a tuple of each.
  static void add_form_on_gpu(nb::handle object, Parts& parts) {
    const Array array(object, Access::read);
    std::string form = name_of(array.device) + ' ' + array.type_name();
    const auto add = [&](const auto& numbers) {
      form.append(reinterpret_cast<const char*>(numbers.data()), static_cast<std::size_t>(array.axes) * sizeof(numbers[0]));
    };
    add(array.shape);
    add(array.strides);
    parts.push_back(nb::bytes(form.data(), form.size()));
    parts.push_back(nb::borrow(object.type()));
  }

  /// `kind`: the type of the input, of which outputs are as well.
  bool add(nb::handle value, nb::handle name, nb::handle kind, Parts& parts) const {
    if (value.type().is(array_)) return add_array(value, name, parts);
    if (value.type().is(kind) && is(name, "output")) {
      add_form(value, parts);
      return true;
    }
    return add_constant(value, parts);
  }

  bool add_array(nb::handle value, nb::handle name, Parts& parts) const {
    if (is(name, "output")) {
      add_form(value, parts);
      return true;
    }
    parts.push_back(value.attr(shape_));
    parts.push_back(value.attr(dtype_));
    if (!is(name, "weights") || nb::cast<bool>(value.attr("dtype").attr("hasobject"))) return false;
    if (nb::cast<std::int64_t>(value.attr("nbytes")) > most_weights_bytes) return false;
    parts.push_back(value.attr("tobytes")());
    return true;
  }

  /// With its type: 3, 3.0 and True are equal.
  bool add_constant(nb::handle value, Parts& parts) const {
    PyTypeObject* const type = Py_TYPE(value.ptr());
    parts.push_back(nb::borrow(reinterpret_cast<PyObject*>(type)));
    if (type == &PyTuple_Type || type == &PyList_Type) {
      Parts inside;
      for (const nb::handle one : value) {
        if (!add_constant(one, inside)) return false;
      }
      parts.push_back(tuple_of(inside));
      return true;
    }
    parts.push_back(nb::borrow(value));
    if (type == &PyFloat_Type || type == &PyLong_Type || type == &PyUnicode_Type || type == &PyBool_Type || type == &PyType_Type ||
        type == &PyComplex_Type || value.is_none()) {
      return true;
    }
    return PyObject_IsInstance(value.ptr(), numbers_.ptr()) == 1;
  }

  static bool is(nb::handle name, const char* word) { return PyUnicode_CompareWithASCIIString(name.ptr(), word) == 0; }

  static constexpr std::int64_t most_weights_bytes = std::int64_t{1} << 16;
  nb::object function_;  ///< what tells its calls from those of others
  std::vector<nb::str> names_;
  nb::object array_, numbers_;
  nb::str shape_{"shape"}, strides_{"strides"}, dtype_{"dtype"};
};

}  // namespace

void bind_calls(nb::module_& module) {
  nb::class_<CallKeys>(module, "CallKeys", "What tells calls of a function from others; see calls.cpp.")
      .def(
          "__init__",
          [](CallKeys* self, const nb::list& names) {
            std::vector<nb::str> each;
            for (const nb::handle name : names) each.push_back(nb::cast<nb::str>(name));
            new (self) CallKeys(std::move(each));
          },
          nb::arg("names"), nb::sig("def __init__(self, names: list[str]) -> None"))
      .def("of", &CallKeys::of, nb::arg("input"), nb::arg("args"), nb::arg("keywords"), nb::arg("limit").none(),
           nb::sig("def of(self, input: object, args: tuple[object, ...], "
                   "keywords: dict[str, typing.Any], limit: object) -> tuple[object, ...] | None"),
           "The key of a call with (input, *args, **keywords); None where an argument may change.");
}

}  // namespace halation::python
