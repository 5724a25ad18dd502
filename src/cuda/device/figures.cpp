// figures.cpp: reads figures from a text.
#include "cuda/device/figures.h"

#include <algorithm>

#include "core/figures_text.h"

namespace halation::cuda_backend {

extern const char* const figures_h200;  // made by CMake of src/cuda/figures/h200.txt

namespace {

KernelFigures kernel_of(const FigureLine& line) {
  KernelFigures found{.kernel = std::string(line.name)};
  std::string_view numbers = line.fields.empty() ? std::string_view() : line.fields[0];
  for (double* const figure :
       {&found.start_us, &found.block_us, &found.step_us, &found.chain_us, &found.output_us, &found.steps_us,
        &found.staged_us, &found.mad_us, &found.memory_tb_s, &found.cached_tb_s}) {
    if (numbers.empty()) refuse_figures(line, "ten figures follow the name");
    *figure = figure_of(take_part(numbers, ' '), line);
  }
  if (!numbers.empty() || line.fields.size() > 2)
    refuse_figures(line, "ten figures follow the name, and traits");
  std::string_view traits = line.fields.size() < 2 ? std::string_view() : line.fields[1];
  while (!traits.empty()) {
    const std::string_view trait = take_part(traits, ',');
    const std::size_t at = trait.rfind(' ');
    if (at == std::string_view::npos)
      refuse_figures(line, "\"" + std::string(trait) + "\" is no trait and a figure");
    const auto name = std::find(trait_names.begin(), trait_names.end(), trait.substr(0, at));
    if (name == trait_names.end())
      refuse_figures(line, "there is no trait \"" + std::string(trait.substr(0, at)) + "\"");
    found.times[static_cast<std::size_t>(name - trait_names.begin())] = figure_of(trait.substr(at + 1), line);
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
  for (const FigureLine& line : figure_lines(text)) {
    const std::string_view value = line.fields.empty() ? std::string_view() : line.fields.front();
    if (line.name == "device")
      figures.device = value;
    else if (line.name == "two passes")
      figures.two_passes = figure_of(value, line);
    else if (line.name == "channels apart")
      figures.apart = figure_of(value, line);
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
