// gpu_pass.cpp: filters over arrays of any numbers and any axes on a GPU, in f64: sums of taps and plans, one
// into the other.
//
// What lies between two of them is packed f64 from the library's pool, in the order of the caller's stream,
// which nobody waits for.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <halation/transfer.h>

#include <functional>
#include <memory>
#include <numeric>
#include <variant>

#include "any_side.h"
#include "gil.h"
#include "module.h"
#include "taps.h"
#include "text.h"

namespace halation::python {
namespace {

/// What sums taps: shape and strides of the result, weights (an axis for each of the array's), and, along
/// each axis, where the first tap of the first output reads and the elements that stand for what lies
/// outside, before and behind; the constant, −1 there; whether elements and constant are finite.
using TapWords = std::tuple<Numbers, Numbers, nb::object, Numbers, std::vector<Numbers>, double, bool>;

Taps taps_from(const TapWords& words, const TapInput& in, Number out, const NumberRule& rule, Device device) {
  const auto& [shape, strides, values, lows, outsides, constant, is_finite] = words;
  const Array weights(values, Access::read);
  const auto* first = reinterpret_cast<const double*>(weights.data);
  return Taps(in, {.number = out, .shape = shape, .strides = strides, .rule = rule},
              {.weights = {first, static_cast<std::size_t>(weights.elements())},
               .taps = Numbers(weights.shape.begin(), weights.shape.begin() + weights.axes),
               .lows = lows,
               .outsides = outsides,
               .constant = constant,
               .is_finite = is_finite},
              device);
}

/// A filter prepared for arrays of given shapes and strides on a device. Immutable; any number of threads may
/// run one.
class GpuPass {
 public:
  /// `steps`: `TapWords`, or (Call, elements of its result) over packed f64; the last one sums taps into the
  /// output.
  GpuPass(const AnyWords& in, const AnyWords& out, const nb::list& steps, const RuleWords& rule,
          const std::string& device)
      : in_(in), out_(out), device_(device_named(device)) {
    TapInput given{in_.number, in_.shape, in_.strides};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto words = nb::cast<nb::tuple>(steps[i]);
      const bool last = i + 1 == steps.size();
      if (nb::isinstance<Call>(words[0])) {
        steps_.push_back(nb::cast<Call>(words[0]));
        given = {Number::f8, nb::cast<Numbers>(words[1]), nb::cast<Numbers>(words[2])};
      } else {
        const auto taps = nb::cast<TapWords>(words);
        steps_.push_back(std::make_shared<const Taps>(taps_from(
            taps, given, last ? out_.number : Number::f8, last ? rule_from(rule) : NumberRule{}, device_)));
        given = {Number::f8, std::get<0>(taps), std::get<1>(taps)};
      }
      elements_.push_back(
          std::accumulate(given.shape.begin(), given.shape.end(), std::int64_t{1}, std::multiplies()));
    }
  }

  /// False where an array is not as this call expects it (nothing has been done then).
  bool run(nb::handle in, nb::handle out, std::uintptr_t stream) const {
    const Array from(in, Access::read);
    const Array to(out, Access::write);
    if (!in_.fits(from) || !out_.fits(to)) return false;
    const WithoutGil released;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): Python's addresses are numbers
    const Stream queue{reinterpret_cast<void*>(stream)};
    const std::byte* read = from.data;
    Image before;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const bool last = i + 1 == steps_.size();
      Image room =
          last ? Image() : allocate({.width = elements_[i]}, Pixel::f64, device_, Layout::interleaved, queue);
      std::byte* write = last ? to.data : room.view().data;
      if (const auto* call = std::get_if<Call>(&steps_[i])) {
        call->run_at(read, device_, write, device_, stream);
      } else {
        std::get<std::shared_ptr<const Taps>>(steps_[i])->run(read, write, queue.handle);
      }
      read = write;
      before = std::move(room);
    }
    return true;
  }

 private:
  AnySide in_, out_;
  Device device_;
  std::vector<std::variant<std::shared_ptr<const Taps>, Call>> steps_;
  Numbers elements_;  ///< of the result of each
};

}  // namespace

void bind_gpu_pass(nb::module_& module) {
  nb::class_<GpuPass>(module, "GpuPass", "A filter in f64 over arrays of any numbers on a GPU; see gpu_pass.cpp.")
      .def(
          "__init__",
          [](GpuPass* self, const AnyWords& input, const AnyWords& output, const nb::list& steps, const RuleWords& rule,
             const std::string& device) { new (self) GpuPass(input, output, steps, rule, device); },
          nb::arg("input"), nb::arg("output"), nb::arg("steps"), nb::arg("rule"), nb::arg("device"),
          nb::sig("def __init__(self, input: tuple[Sequence[int], Sequence[int], str], "
                  "output: tuple[Sequence[int], Sequence[int], str], steps: list[tuple[typing.Any, ...]], "
                  "rule: tuple[float, float, float, float, bool, bool], device: str) -> None"))
      .def("run", &GpuPass::run, nb::arg("input"), nb::arg("output"), nb::arg("stream"),
           "Filters one array into another; False, with nothing done, where one of them is not as this call expects it.");
}

}  // namespace halation::python
