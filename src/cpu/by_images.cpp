// by_images.cpp: a run looks at its images once and goes to the runner for such.
#include "cpu/by_images.h"

#include <algorithm>
#include <utility>

namespace halation::cpu_backend {
namespace {

/// "gaps in the input", "channels in planes, gaps in the output".
std::string words_of(std::size_t apart, Packed packed) {
  std::string words = apart == 0 ? "" : "channels in planes";
  const auto add = [&](const char* more) { words += (words.empty() ? "" : ", ") + std::string(more); };
  if (!packed.in && !packed.out) add("gaps in input and output");
  else if (!packed.in) add("gaps in the input");
  else if (!packed.out) add("gaps in the output");
  return words;
}

}  // namespace

ByImages::ByImages(std::vector<Way> ways, const Taken& taken) : ways_(std::move(ways)), taken_(taken) {}

std::size_t ByImages::workspace_bytes() const {
  std::size_t most = 0;
  for (const Way& way : ways_) most = std::max(most, way.runner->workspace_bytes());
  return most;
}

std::size_t ByImages::constant_bytes() const {
  std::size_t sum = 0;
  for (const Way& way : ways_) sum += way.runner->constant_bytes();
  return sum;
}

std::string ByImages::explain() const {
  std::string text = ways_.front().runner->explain();
  for (std::size_t i = 1; i < ways_.size(); ++i) {
    std::string where;
    for (std::size_t apart = 0; apart < taken_.size(); ++apart) {
      for (const Packed packed : all_packed) {
        if (taken_[apart][packed.index()] == i) where += (where.empty() ? "" : " or ") + words_of(apart, packed);
      }
    }
    text += "; images with " + where + ": " + std::string(ways_[i].family) + ": " + ways_[i].runner->explain();
  }
  return text;
}

void ByImages::run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const {
  const auto& taken = taken_[has_channels_inside(in, outs) ? 0 : 1];
  ways_[taken[packed_of(in, outs).index()]].runner->run(in, outs, workspace, stream);
}

}  // namespace halation::cpu_backend
