// reason.cpp: why a filter has its method, in words.
#include "plan/reason.h"

#include <cstdio>

#include "core/stopwatch.h"
#include "plan/methods/method.h"

namespace halation {
namespace {

std::string text(const Space& size) {
  return (size[0] > 1 ? std::to_string(size[0]) + "x" : "") + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

}  // namespace

std::string to_string(const Reason& reason, const Taps& taps) {
  const std::string folded = reason.given == taps.size ? "" : text(reason.given) + ", folded to ";
  const char* const why =
      reason.no_product ? " (no product of factors is within rounding of its weights)" : "";
  return reason.filter.name() + " " + folded + text(taps.size) + ": " +
         std::string(name_of(reason.method->method)) + reason.method->words(taps, reason.left_out) + why +
         "; expected " + time_text(reason.seconds) + reason.timing;
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

std::string to_string(std::span<const Offer> families) {
  const Offer chosen = best_of(families);
  std::string text(chosen.family);
  const char* separator = "; passed over: ";
  for (const Offer& offer : families) {
    if (offer.family == chosen.family) continue;
    char longer[48];
    std::snprintf(longer, sizeof longer, ", %.3g times as long", offer.seconds / chosen.seconds);
    text += separator + std::string(offer.family) +
            (offer.why_not == nullptr ? longer : std::string(": ") + offer.why_not);
    separator = "; ";
  }
  return text;
}

}  // namespace halation
