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

/// What other tools call filters, borders, pixels, devices and options: in small letters and digits.
constexpr std::pair<std::string_view, std::string_view> names_elsewhere[] = {
    {"blur", "gaussian"},      {"gauss", "gaussian"},     {"smooth", "gaussian"},       {"smoothing", "gaussian"},
    {"average", "box"},        {"averaging", "box"},      {"mean", "box"},              {"movingaverage", "box"},
    {"uniform", "box"},        {"bokeh", "disk"},         {"defocus", "disk"},          {"lens", "disk"},
    {"pillbox", "disk"},       {"motion", "motion_blur"}, {"sharp", "sharpen"},         {"sharpening", "sharpen"},
    {"unsharp", "unsharp_mask"}, {"unsharpmasking", "unsharp_mask"}, {"usm", "unsharp_mask"}, {"relief", "emboss"},
    {"canny", "edges"},        {"edge", "edges"},         {"edgedetection", "edges"},   {"findedges", "edges"},
    {"gradient", "edges"},     {"gradientmagnitude", "edges"}, {"outline", "edges"},    {"derivative", "gaussian_derivative"},
    {"differenceofgaussians", "laplacian_of_gaussian"}, {"dog", "laplacian_of_gaussian"}, {"gaussianlaplace", "laplacian_of_gaussian"},
    {"log", "laplacian_of_gaussian"}, {"mexicanhat", "laplacian_of_gaussian"}, {"copy", "identity"}, {"none", "identity"},
    {"zero", "constant"},      {"zeros", "constant"},     {"clamp", "replicate"},       {"edge", "replicate"},
    {"nearest", "replicate"},  {"symmetric", "reflect"},  {"mirror", "reflect101"},     {"circular", "wrap"},
    {"periodic", "wrap"},      {"byte", "u8"},            {"uint8", "u8"},              {"uint16", "u16"},
    {"int16", "i16"},          {"float16", "f16"},        {"half", "f16"},              {"float", "f32"},
    {"float32", "f32"},        {"double", "f64"},         {"float64", "f64"},           {"gpu", "cuda"},
    {"gblur", "gaussian"},     {"filter2d", "custom"},    {"convolve", "custom"},       {"convolution", "custom"},
    {"gridwrap", "wrap"},      {"gridmirror", "reflect"}, {"gridconstant", "constant"}, {"kernel", "weights"},
    {"cv8u", "u8"},            {"cv16u", "u16"},          {"cv16s", "i16"},             {"cv16f", "f16"},
    {"cv32f", "f32"},          {"cv64f", "f64"},          {"mode", "border"},           {"pixfmt", "pixel-format"},
    {"cv", "codec"},           {"vcodec", "codec"}};

}  // namespace

std::optional<std::string> same_elsewhere(std::string_view name, const std::vector<std::string>& candidates) {
  const auto is_candidate = [&](std::string_view word) { return std::find(candidates.begin(), candidates.end(), word) != candidates.end(); };
  const auto known = [&](std::string_view word) -> std::optional<std::string> {
    if (is_candidate(word)) return std::string(word);
    for (const auto& [elsewhere, here] : names_elsewhere) {
      if (word == elsewhere && is_candidate(here)) return std::string(here);
    }
    return {};
  };
  std::string word;
  for (const char letter : name) {
    if (letter >= 'A' && letter <= 'Z') word += static_cast<char>(letter - 'A' + 'a');
    if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9')) word += letter;
  }
  if (std::optional<std::string> same = known(word)) return same;
  constexpr std::string_view begin = "border";  // BORDER_WRAP
  if (word.size() > begin.size() && word.starts_with(begin)) word.erase(0, begin.size());
  for (const std::string_view end : {"filter", "blur"}) {
    if (word.size() > end.size() && word.ends_with(end)) word.resize(word.size() - end.size());
  }
  return known(word);
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates) {
  std::optional<std::string> best = same_elsewhere(name, candidates);
  if (best) return best;
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
