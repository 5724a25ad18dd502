// chains.cpp: chains of filters over arrays of five axes.
#include <halation/chain.h>
#include <halation/display.h>
#include <halation/error.h>
#include <halation/threads.h>
#include <halation/transfer.h>

#include <optional>

#include "arrays.h"
#include "call.h"
#include "gil.h"
#include "module.h"
#include "words.h"

namespace halation::python {
namespace {

/// The chain with all filters along `dims` axes. One that runs along more is refused: the axes beyond are the array's batch.
Chain along(Chain chain, int dims) {
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    for (Filter& filter : chain.stages[i].filters) {
      filter = filter.with_dims(dims);
      if (filter.dims() <= dims) continue;
      throw Error(ErrorCode::invalid_argument, "chain: stage " + std::to_string(i + 1) + " runs along " + std::to_string(filter.dims()) +
                                                   " axes, the chain along " + std::to_string(dims));
    }
  }
  return chain;
}

/// What a chain gives.
class Filtered {
 public:
  explicit Filtered(Image image) : image_(std::move(image)) {}

  Five shape() const { return five_of(image_.shape()); }

  /// Of one in host memory, NumPy's array over its memory, which `self` owns.
  nb::object array(nb::handle self) {
    const View view = image_.view();
    if (!shares_memory(view.device, cpu())) throw nb::type_error("it does not lie in host memory");
    const Five extents = five_of(view.shape);
    std::array<std::size_t, 5> shape = {};
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = static_cast<std::size_t>(extents[i]);
    return nb::cast(nb::ndarray<nb::numpy>(view.data, shape.size(), shape.data(), self, nullptr, dtype_of(view.pixel)));
  }

  /// Copied into an array on the same GPU, complete when the call returns.
  void copy_to(nb::handle array) const {
    const Array to(array, Access::write);
    const auto target = five_extents<View>(to);
    const WithoutGil released;
    copy(image_.view(), target, Stream{});
    synchronise(target.device);
  }

 private:
  Image image_;
};

/// Until all that was put on a stream of an array's GPU is done.
void synchronise_array(nb::handle array, std::uintptr_t stream) {
  const Device device = Array(array, Access::read).device;
  const WithoutGil released;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Python's addresses are numbers
  synchronise(device, {reinterpret_cast<void*>(stream)});
}

/// An array on a GPU is complete when it is called.
Filtered filter_chain(const nb::list& stages, int dims, nb::handle input, const nb::dict& words, const nb::dict& colours,
                      const std::string& device, int most_threads) {
  const Chain chain = along(chain_of(stages), dims);
  const Options options = options_of(words);
  const ColourOptions colour = colours_of(colours);
  const std::optional<Display> view = view_of(colours);
  const Array array(input, Access::read);
  const auto in = five_extents<ConstView>(array);
  const Device where = device_named(device);
  const WithoutGil released;
  std::optional<ThreadLimit> limit;
  if (most_threads > 0) limit.emplace(most_threads);
  return Filtered(view ? convolve_display(in, chain, *view, options, colour, where) : convolve_chain(in, chain, options, colour, where));
}

}  // namespace

void bind_chains(nb::module_& module) {
  nb::class_<Filtered>(module, "Filtered", "What a chain gives: an image of five extents, batch, depth, height, width, channels.")
      .def_prop_ro("shape", &Filtered::shape)
      .def(
          "array", [](nb::handle self) { return nb::cast<Filtered&>(self).array(self); },
          nb::sig("def array(self) -> numpy.typing.NDArray[typing.Any]"), "Of one in host memory, NumPy's array over its memory.")
      .def("copy_to", &Filtered::copy_to, nb::arg("array"), "Copies it into an array on the same GPU; complete when the call returns.");
  module.def("synchronise", &synchronise_array, nb::arg("array"), nb::arg("stream"), nb::sig("def synchronise(array: object, stream: int) -> None"),
             "Waits until all that was put on a stream of an array's GPU is done.");
  module.def("filter_chain", &filter_chain, nb::arg("stages"), nb::arg("dims"), nb::arg("input"), nb::arg("options"), nb::arg("colour"),
             nb::arg("device"), nb::arg("most_threads"),
             nb::sig("def filter_chain(stages: list[typing.Any], dims: int, input: object, options: dict[str, typing.Any], "
                     "colour: dict[str, typing.Any], device: str, most_threads: int) -> Filtered"),
             "Filters an array of five axes by a chain, along the innermost `dims` of depth, height and width; see words.h.");
}

}  // namespace halation::python
