// peer.cpp: libraries opened at run time, and weights in the order of a convolution.
#include "bench/peer.h"

#include <dlfcn.h>

#include <algorithm>

namespace halation::bench {
namespace {

std::vector<float> in_order(const Filter& filter, std::span<const double> weights) {
  std::vector<float> result(weights.begin(), weights.end());
  if (filter.is_correlation()) std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace

std::optional<SharedLibrary> SharedLibrary::open(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return SharedLibrary(handle, name);
  }
  return std::nullopt;
}

void* SharedLibrary::address_of(const std::string& symbol) const { return dlsym(handle_, symbol.c_str()); }

bool worth_running_dense(const Filter& filter) {
  constexpr std::int64_t most_taps_with_factors = 225;
  return !filter.factors() || filter.size().taps() <= most_taps_with_factors;
}

std::vector<float> convolution_weights(const Filter& filter) { return in_order(filter, filter.weights()); }

std::vector<float> convolution_factor(const Filter& filter, std::size_t axis) {
  return in_order(filter, filter.factors()->axes()[axis]);
}

}  // namespace halation::bench
