// nearest.cpp: the name that a mistyped one was probably meant to be.
#include "core/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "halation/error.h"

namespace halation {
namespace {

/// Smallest number of letters inserted, left out, replaced or swapped with the next that turns `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t least = (name.size() + 2) / 3;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least || (distance == least && !best)) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string meant(std::string_view name, const std::vector<std::string>& candidates) {
  const std::optional<std::string> near = nearest(name, candidates);
  return near ? "; did you mean '" + *near + "'?" : "";
}

void refuse_unknown(std::string_view what, std::string_view name, const std::vector<std::string>& choices) {
  std::string sentence = "unknown " + std::string(what) + " '" + std::string(name) + "'; choose from ";
  for (const std::string& choice : choices) sentence += (&choice == &choices.front() ? "" : ", ") + choice;
  throw Error(ErrorCode::invalid_argument, sentence + meant(name, choices));
}

}  // namespace halation
