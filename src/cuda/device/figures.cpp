// figures.cpp: reads figures from a text.
#include "cuda/device/figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/figures_text.h"

namespace halation::cuda_backend {

extern const char* const figures_h200;  // made by CMake of src/cuda/figures/h200.txt

namespace {

bool comes_before(const KernelFigures& figures, std::string_view kernel) { return figures.kernel < kernel; }

KernelFigures kernel_of(const FigureLine& line) {
  KernelFigures found{.kernel = std::string(line.name)};
  std::string_view numbers = line.fields.empty() ? std::string_view() : line.fields[0];
  for_each_figure(found, [&](double& figure) {
    if (numbers.empty()) refuse_figures(line, "ten figures follow the name");
    figure = figure_of(take_part(numbers, ' '), line);
  });
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

double Figures::beyond_caches(double times) const {
  return 1 / (1 + std::exp((cached_share - times) / cached_softness));
}

const KernelFigures& Figures::of(std::string_view kernel) const {
  const auto found = std::lower_bound(kernels.begin(), kernels.end(), kernel, comes_before);
  if (found != kernels.end() && found->kernel == kernel) return *found;
  static const KernelFigures unknown{};
  return unknown;
}

Figures with(Figures figures, std::string_view text) {
  for (const FigureLine& line : figure_lines(text)) {
    if (line.name == "device")
      figures.device = line.fields.empty() ? std::string_view() : line.fields.front();
    else if (line.name == "multiprocessor")
      set_figures({&figures.f32_gma, &figures.f64_gma}, line);
    else if (line.name == "memory")
      set_figures({&figures.memory_tb_s}, line);
    else if (line.name == "caches")
      set_figures({&figures.cached_share, &figures.cached_softness}, line);
    else if (line.name == "transfers")
      set_figures({&figures.transfers.start_seconds, &figures.transfers.upload_bytes_per_second,
                   &figures.transfers.download_bytes_per_second},
                  line);
    else if (line.name == "two passes")
      set_figures({&figures.two_passes}, line);
    else if (line.name == "channels apart")
      set_figures({&figures.apart}, line);
    else {
      KernelFigures read = kernel_of(line);
      const auto place =
          std::lower_bound(figures.kernels.begin(), figures.kernels.end(), read.kernel, comes_before);
      if (place != figures.kernels.end() && place->kernel == read.kernel)
        *place = std::move(read);
      else
        figures.kernels.insert(place, std::move(read));
    }
  }
  return figures;
}

Figures figures_from(std::string_view text) { return with({}, text); }

std::string text_of(const KernelFigures& figures) {
  std::string text = figures.kernel + ";";
  char number[32];
  for_each_figure(figures, [&](double figure) {
    std::snprintf(number, sizeof number, " %.4g", figure);
    text += number;
  });
  const char* separator = "; ";
  for (std::size_t trait = 0; trait < trait_count; ++trait) {
    if (figures.times[trait] == 1) continue;
    std::snprintf(number, sizeof number, " %.3g", figures.times[trait]);
    text += separator + std::string(trait_names[trait]) + number;
    separator = ", ";
  }
  return text;
}

const Figures& shipped_figures() {
  static const Figures figures = figures_from(figures_h200);
  return figures;
}

}  // namespace halation::cuda_backend
