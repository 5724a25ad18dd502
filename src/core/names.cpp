// names.cpp: the words for devices, and for every enumeration of the public API, one table each.
#include <array>
#include <charconv>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/nearest.h"
#include "core/pixel_table.h"
#include "halation/border.h"
#include "halation/error.h"
#include "halation/plan.h"

namespace halation {
namespace {

template <class Enum, std::size_t Count>
struct Names {
  std::string_view what;
  std::array<std::pair<Enum, std::string_view>, Count> entries;

  std::string_view of(Enum value) const {
    for (const auto& [candidate, name] : entries) {
      if (candidate == value) return name;
    }
    throw std::logic_error("no such " + std::string(what));
  }

  Enum find(std::string_view name) const {
    std::vector<std::string> choices;
    for (const auto& [value, candidate] : entries) {
      if (candidate == name) return value;
      choices.emplace_back(candidate);
    }
    refuse_unknown(what, name, choices);
  }
};

#define HALATION_NAME(pixel, type) {Pixel::pixel, #pixel},
constexpr Names<Pixel, std::size(all_pixels)> pixels{
    "pixel",
    {{HALATION_NATIVE_PIXELS(HALATION_NAME) HALATION_OTHER_PIXELS(HALATION_NAME)
          HALATION_COMPLEX_PIXELS(HALATION_NAME)}}};
#undef HALATION_NAME
constexpr Names<Border::Mode, 5> borders{"border",
                                         {{{Border::Mode::constant, "constant"},
                                           {Border::Mode::replicate, "replicate"},
                                           {Border::Mode::reflect, "reflect"},
                                           {Border::Mode::reflect101, "reflect101"},
                                           {Border::Mode::wrap, "wrap"}}}};
constexpr Names<Extent, 3> extents{
    "extent", {{{Extent::same, "same"}, {Extent::valid, "valid"}, {Extent::full, "full"}}}};
constexpr Names<Operation, 2> operations{
    "operation", {{{Operation::convolution, "convolution"}, {Operation::correlation, "correlation"}}}};
constexpr Names<Method, 8> methods{"method",
                                   {{{Method::automatic, "automatic"},
                                     {Method::direct, "direct"},
                                     {Method::separable, "separable"},
                                     {Method::low_rank, "low_rank"},
                                     {Method::banded, "banded"},
                                     {Method::box, "box"},
                                     {Method::fft, "fft"},
                                     {Method::multirate, "multirate"}}}};
constexpr Names<Accuracy, 2> accuracies{"accuracy", {{{Accuracy::exact, "exact"}, {Accuracy::fast, "fast"}}}};
constexpr Names<Tune, 2> tunes{"tune", {{{Tune::estimate, "estimate"}, {Tune::measure, "measure"}}}};

}  // namespace

std::string_view name_of(Pixel pixel) { return pixels.of(pixel); }
Pixel pixel_named(std::string_view name) { return pixels.find(name); }
std::string_view name_of(Border::Mode mode) { return borders.of(mode); }
Border::Mode border_named(std::string_view name) { return borders.find(name); }
std::string_view name_of(Extent extent) { return extents.of(extent); }
Extent extent_named(std::string_view name) { return extents.find(name); }
std::string_view name_of(Operation operation) { return operations.of(operation); }
std::string_view name_of(Accuracy accuracy) { return accuracies.of(accuracy); }
Accuracy accuracy_named(std::string_view name) { return accuracies.find(name); }
std::string_view name_of(Method method) { return methods.of(method); }
Method method_named(std::string_view name) { return methods.find(name); }
std::string_view name_of(Tune tune) { return tunes.of(tune); }
Tune tune_named(std::string_view name) { return tunes.find(name); }

std::string name_of(Device device) {
  switch (device.kind) {
    case Device::Kind::cpu: return "cpu";
    case Device::Kind::reference: return "reference";
    case Device::Kind::cuda: return "cuda:" + std::to_string(device.index);
  }
  throw std::logic_error("no such device");
}

Device device_named(std::string_view name) {
  if (name == "cpu") return cpu();
  if (name == "reference") return reference();
  if (name == "cuda") return cuda();
  if (name.starts_with("cuda:")) {
    const std::string_view digits = name.substr(5);
    int index = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error == std::errc() && end == digits.data() + digits.size() && index >= 0) return cuda(index);
  }
  throw Error(ErrorCode::invalid_argument, "unknown device '" + std::string(name) +
                                               "'; choose from cpu, reference, cuda, cuda:0, cuda:1, …" +
                                               meant(name, {"cpu", "reference", "cuda"}));
}

}  // namespace halation
