// figures.cpp: reads figures from a text.
#include "cuda/device/figures.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "halation/error.h"

namespace halation::cuda_backend {

extern const char* const figures_h200;  // made by CMake of src/cuda/figures/h200.txt

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// What stands before the separator, which goes with it.
std::string_view take(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = trimmed(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

[[noreturn]] void refuse(std::string_view line, const std::string& why) {
  throw Error(ErrorCode::invalid_argument, "figures: \"" + std::string(line) + "\": " + why);
}

double number_of(std::string_view text, std::string_view line) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0) || !std::isfinite(value))
    refuse(line, "\"" + std::string(text) + "\" is no figure: a number of 0 and more");
  return value;
}

KernelFigures kernel_of(std::string_view line) {
  std::string_view rest = line;
  KernelFigures found{.kernel = std::string(take(rest, ';'))};
  std::string_view numbers = take(rest, ';');
  for (double* const figure :
       {&found.start_us, &found.block_us, &found.step_us, &found.chain_us, &found.output_us, &found.steps_us,
        &found.staged_us, &found.mad_us, &found.memory_tb_s, &found.cached_tb_s}) {
    if (numbers.empty()) refuse(line, "ten figures follow the name");
    *figure = number_of(take(numbers, ' '), line);
  }
  if (!numbers.empty()) refuse(line, "ten figures follow the name");
  while (!rest.empty()) {
    const std::string_view trait = take(rest, ',');
    const std::size_t at = trait.rfind(' ');
    if (at == std::string_view::npos) refuse(line, "\"" + std::string(trait) + "\" is no trait and a figure");
    const auto name = std::find(trait_names.begin(), trait_names.end(), trait.substr(0, at));
    if (name == trait_names.end())
      refuse(line, "there is no trait \"" + std::string(trait.substr(0, at)) + "\"");
    found.times[static_cast<std::size_t>(name - trait_names.begin())] = number_of(trait.substr(at + 1), line);
  }
  return found;
}

}  // namespace

const KernelFigures& Figures::of(std::string_view kernel) const {
  const auto found =
      std::lower_bound(kernels.begin(), kernels.end(), kernel,
                       [](const KernelFigures& a, std::string_view name) { return a.kernel < name; });
  if (found != kernels.end() && found->kernel == kernel) return *found;
  static const KernelFigures unknown{};
  return unknown;
}

Figures figures_from(std::string_view text) {
  Figures figures;
  while (!text.empty()) {
    const std::string_view line = take(text, '\n');
    if (line.empty() || line.front() == '#') continue;
    std::string_view rest = line;
    const std::string_view name = take(rest, ';');
    if (name == "device")
      figures.device = trimmed(rest);
    else if (name == "two passes")
      figures.two_passes = number_of(trimmed(rest), line);
    else if (name == "channels apart")
      figures.apart = number_of(trimmed(rest), line);
    else
      figures.kernels.push_back(kernel_of(line));
  }
  std::sort(figures.kernels.begin(), figures.kernels.end(),
            [](const KernelFigures& a, const KernelFigures& b) { return a.kernel < b.kernel; });
  return figures;
}

const Figures& shipped_figures() {
  static const Figures figures = figures_from(figures_h200);
  return figures;
}

}  // namespace halation::cuda_backend
