// measured_figures.cpp: figures of kernels from what their launches took.
#include "cuda/measured_figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "core/nearest_figures.h"
#include "cuda/families.h"

namespace halation::cuda_backend {
namespace {

struct Launch {
  LaunchShape shape;
  double seconds, weight;
};

/// The figures and traits of a kernel as logarithms that are sought; what is 0, or what no launch has or all
/// have, stays.
class Sought {
 public:
  Sought(const KernelFigures& from, std::span<const Launch> launches) : from_(from) {
    constexpr double figures_apart = 1e3, times_apart = 8;  // from where they were
    for_each_figure(from, [&](double figure) { seek(figure > 0, figure, figures_apart); });
    for (std::size_t trait = 0; trait < trait_count; ++trait) {
      const auto with = std::count_if(launches.begin(), launches.end(),
                                      [&](const Launch& each) { return each.shape.traits.has(trait); });
      seek(with > 0 && with < std::ssize(launches), from.times[trait], times_apart);
    }
  }

  std::vector<double> start, apart;  ///< how far each may move

  KernelFigures at(const std::vector<double>& logarithms) const {
    KernelFigures figures = from_;
    std::size_t place = 0, next = 0;
    const auto set = [&](double& figure) {
      if (is_sought_[place++]) figure = std::exp(logarithms[next++]);
    };
    for_each_figure(figures, set);
    for (double& times : figures.times) set(times);
    return figures;
  }

 private:
  void seek(bool is_sought, double figure, double times) {
    is_sought_.push_back(is_sought);
    if (!is_sought) return;
    start.push_back(std::log(figure));
    apart.push_back(std::log(times));
  }

  const KernelFigures& from_;
  std::vector<bool> is_sought_;
};

KernelFigures nearest(const KernelFigures& from, std::span<const Launch> launches, const Gpu& gpu) {
  const Sought sought(from, launches);
  const auto misfits = [&](const std::vector<double>& logarithms) {
    const KernelFigures figures = sought.at(logarithms);
    std::vector<Misfit> all;
    all.reserve(launches.size());
    for (const Launch& each : launches)
      all.push_back({std::log(gpu.seconds(each.shape, figures) / each.seconds), each.weight});
    return all;
  };
  return sought.at(nearest_figures(sought.start, sought.apart, misfits));
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::string figures_from_times(std::span<const TimedOffer> offers, const Gpu& gpu) {
  const auto for_each_offer = [&](const Gpu& by, const auto& use) {
    for (const TimedOffer& offer : offers) {
      const Request request{*offer.job, row_layout_of(offer.in, {&offer.out, 1}), by, families()};
      for (const Family* const family : families().list()) {
        if (family->name == offer.family && family->refuses(request) == nullptr) use(offer, *family, request);
      }
    }
  };
  std::map<std::string_view, std::vector<Launch>> kernels;
  for_each_offer(gpu, [&](const TimedOffer& offer, const Family& family, const Request& request) {
    if (family.shape == nullptr) return;
    const LaunchShape shape = family.shape(request);
    kernels[shape.kernel].push_back({shape, offer.seconds, offer.weight});
  });
  std::string text;
  constexpr std::size_t fewest = 20;  // times, two for each figure
  for (const auto& [kernel, launches] : kernels) {
    if (launches.size() < fewest) continue;
    KernelFigures from = gpu.figures->of(kernel);
    if (from.kernel.empty()) from = {.kernel = std::string(kernel), .output_us = 0.1, .mad_us = 0.01};
    text += text_of(nearest(from, launches, gpu)) + "\n";
  }
  const Figures found = with(*gpu.figures, text);  // by which the parts are expected
  Gpu by_found = gpu;
  by_found.figures = &found;
  std::vector<double> of_passes;
  for_each_offer(by_found, [&](const TimedOffer& offer, const Family& family, const Request& request) {
    if (family.is_two_passes) of_passes.push_back(offer.seconds / family.seconds(request));
  });
  if (!of_passes.empty()) {
    char line[48];
    std::snprintf(line, sizeof line, "two passes; %.4g\n", found.two_passes * median(std::move(of_passes)));
    text += line;
  }
  return text;
}

}  // namespace halation::cuda_backend
