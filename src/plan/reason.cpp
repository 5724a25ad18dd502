// reason.cpp: why a filter has its method, in words.
#include "plan/reason.h"

#include <cstdio>

#include "core/stopwatch.h"

namespace halation {
namespace {

std::string text(const Space& size) {
  return (size[0] > 1 ? std::to_string(size[0]) + "x" : "") + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

}  // namespace

std::string to_string(const Reason& reason) {
  const std::string direct = std::to_string(multiply_adds(reason.size, Method::direct));
  const std::string instead = reason.method == Method::direct ? "" : " instead of " + direct;
  const std::string filter =
      reason.filter.name() + " " + (reason.given == reason.size ? "" : text(reason.given) + ", folded to ") + text(reason.size);
  const std::string why = reason.no_product ? " (no product of factors is within rounding of its weights)" : "";
  if (reason.method == Method::multirate) {
    char how[160];
    std::snprintf(how, sizeof how, " at a rate lower by %lldx%lld instead of %s multiply-adds a sample, %.2g of the weights left out",
                  static_cast<long long>(reason.factors[0]), static_cast<long long>(reason.factors[1]), direct.c_str(), reason.approximation);
    return filter + ": multirate" + how + "; expected " + time_text(reason.seconds) + reason.timing;
  }
  const std::string how = reason.method == Method::fft ? " by transforms" + instead + " multiply-adds a sample" + why
                          : reason.method == Method::banded
                              ? (reason.weight_bits == tf32_bits ? " by matrices of weights of " : " by matrices of whole weights of ") +
                                    std::to_string(reason.weight_bits) + " bits" + instead + " multiply-adds a sample" + why
                          : reason.method == Method::low_rank
                              ? " as a sum of " + std::to_string(reason.terms) + " products of factors, " +
                                    std::to_string(static_cast<std::int64_t>(reason.terms) * multiply_adds(reason.size, reason.method)) +
                                    " multiply-adds a sample" + instead
                              : ", " + std::to_string(multiply_adds(reason.size, reason.method)) + " multiply-adds a sample" + instead + why;
  return filter + ": " + std::string(name_of(reason.method)) + how + "; expected " +
         time_text(reason.seconds) + reason.timing;
}

std::string to_string(const RankedMethod& method) {
  std::string text = std::string(name_of(method.method)) + ":";
  const char* separator = " ";
  const auto add = [&](const std::string& words) {
    text += separator + words;
    separator = ", ";
  };
  if (method.expected_seconds) add("expected " + time_text(*method.expected_seconds));
  if (method.measured_seconds) add("measured " + time_text(*method.measured_seconds));
  if (!method.why_not.empty()) add(method.why_not);
  return text;
}

}  // namespace halation
