// measured_rates.cpp: what pieces of work take from what whole jobs took.
#include "cpu/measured_rates.h"

#include <cmath>
#include <cstdio>
#include <type_traits>
#include <vector>

#include "core/channels_apart.h"
#include "core/nearest_figures.h"
#include "cpu/families.h"
#include "cpu/rate_names.h"

namespace halation::cpu_backend {
namespace {

/// An offer as its family prices it.
struct Way {
  const Family* family;
  Job job;  ///< as its channels are filtered
  std::span<const Taps> filters;
  Packed packed;
  double seconds, weight;

  double expected(const Rates& rates, double (*by_threads)(const Job&, double, const Rates&)) const {
    return by_threads(
        job, family->seconds({.job = job, .filters = filters, .costs = rates, .packed = packed}), rates);
  }
};

std::vector<Way> ways_of(std::span<const TimedOffer> offers) {
  std::vector<Way> ways;
  for (const TimedOffer& offer : offers) {
    for (const Family* const family : families().list()) {
      if (family->name != offer.family) continue;
      const bool inside = has_channels_inside(offer.in, {&offer.out, 1});
      ways.push_back({.family = family,
                      .job = inside ? *offer.job : with_channels_apart(*offer.job),
                      .filters = offer.job->filters,
                      .packed = packed_of(offer.in, {&offer.out, 1}),
                      .seconds = offer.seconds,
                      .weight = offer.weight});
    }
  }
  return ways;
}

/// Calls `use(name, figure)` for each piece of work that takes some time.
template <class AnyRates, class Use>
void for_each_piece(AnyRates& rates, const Use& use) {
  for_each_rate(rates, [&](std::string_view name, auto& figure) {
    if constexpr (std::is_same_v<std::decay_t<decltype(figure)>, double>) {
      if (is_piece(name) && figure > 0) use(name, figure);
    }
  });
}

}  // namespace

std::string rates_from_times(std::span<const TimedOffer> offers,
                             double (*by_threads)(const Job&, double seconds, const Rates&)) {
  const std::vector<Way> ways = ways_of(offers);
  const Rates from = rates();
  std::vector<double> start;
  for_each_piece(from, [&](std::string_view, double figure) { start.push_back(std::log(figure)); });
  const auto at = [&](const std::vector<double>& logarithms) {
    Rates found = from;
    std::size_t next = 0;
    for_each_piece(found, [&](std::string_view, double& figure) { figure = std::exp(logarithms[next++]); });
    return found;
  };
  const auto misfits = [&](const std::vector<double>& logarithms) {
    const Rates found = at(logarithms);
    std::vector<Misfit> all;
    all.reserve(ways.size());
    for (const Way& way : ways)
      all.push_back({std::log(way.expected(found, by_threads) / way.seconds), way.weight});
    return all;
  };
  constexpr double apart = 7;
  const Rates found = at(nearest_figures(start, std::vector<double>(start.size(), apart), misfits));
  std::string text;
  for_each_piece(found, [&](std::string_view name, double figure) {
    char number[32];
    std::snprintf(number, sizeof number, "; %.4g\n", figure);
    text += std::string(name) + number;
  });
  return text;
}

}  // namespace halation::cpu_backend
