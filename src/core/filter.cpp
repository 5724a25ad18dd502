// filter.cpp: weights, anchors, and filters that wait for the image's dimensions.
#include "halation/filter.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "halation/error.h"

namespace halation {

/// Either settled (size, and weights or factors) or deferred (make). Name, operation and anchor set on a deferred filter are carried
/// over to what it makes.
struct Filter::Data {
  std::string name = "custom";
  FilterSize size;
  std::optional<Anchor> anchor;  // none: the default, ⌊n/2⌋
  bool is_correlation = false;
  std::shared_ptr<const std::vector<double>> weights;  // of a dense filter, shared by all that are made of it
  std::optional<Factors> factors;
  std::function<Filter(int)> make;
};

namespace {

void check_finite(const std::vector<double>& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i])) {
      throw Error(ErrorCode::invalid_argument,
                  "weights must be finite, got " + std::to_string(weights[i]) + " at position " + std::to_string(i));
    }
  }
}

void check_anchor(const Anchor& anchor, const FilterSize& size) {
  const auto inside = [](std::int64_t a, std::int64_t n) { return a >= 0 && a < n; };
  if (inside(anchor.z, size.depth) && inside(anchor.y, size.height) && inside(anchor.x, size.width)) return;
  const auto triple = [](std::int64_t z, std::int64_t y, std::int64_t x) {
    return std::to_string(z) + "," + std::to_string(y) + "," + std::to_string(x);
  };
  throw Error(ErrorCode::invalid_argument, "anchor must lie inside the filter, got " +
                                               triple(anchor.z, anchor.y, anchor.x) + " in a filter of " +
                                               triple(size.depth, size.height, size.width) +
                                               " taps (depth, height, width)");
}

}  // namespace

Filter::Filter(std::vector<double> weights) {
  const auto width = static_cast<std::int64_t>(weights.size());
  *this = dense({.width = width}, std::move(weights));
}

Filter Filter::dense(FilterSize size, std::vector<double> weights) {
  if (size.depth < 1 || size.height < 1 || size.width < 1) {
    throw Error(ErrorCode::invalid_argument, "weights are empty: a filter has at least one tap along each axis");
  }
  if (static_cast<std::int64_t>(weights.size()) != size.taps()) {
    const bool is_beyond = size.taps() == std::numeric_limits<std::int64_t>::max();
    throw Error(ErrorCode::invalid_argument,
                "a filter of " + std::to_string(size.depth) + "x" + std::to_string(size.height) + "x" +
                    std::to_string(size.width) + " has " + std::to_string(size.taps()) + " weights" + (is_beyond ? " or more" : "") + ", got " +
                    std::to_string(weights.size()));
  }
  check_finite(weights);
  auto data = std::make_shared<Data>();
  data->size = size;
  data->weights = std::make_shared<const std::vector<double>>(std::move(weights));
  return Filter(std::move(data));
}

Filter Filter::separable(Factors factors) {
  if (factors.z.empty() && factors.y.empty() && factors.x.empty()) {
    throw Error(ErrorCode::invalid_argument, "weights are empty: a filter has at least one tap along each axis");
  }
  for (std::vector<double>* const factor : {&factors.z, &factors.y, &factors.x}) {
    if (factor->empty()) *factor = {1.0};
    check_finite(*factor);
  }
  const auto taps = [](const std::vector<double>& factor) { return static_cast<std::int64_t>(factor.size()); };
  auto data = std::make_shared<Data>();
  data->size = {.depth = taps(factors.z), .height = taps(factors.y), .width = taps(factors.x)};
  data->factors = std::move(factors);
  return Filter(std::move(data));
}

Filter Filter::deferred(std::string name, std::function<Filter(int)> make) {
  auto data = std::make_shared<Data>();
  data->name = std::move(name);
  data->make = std::move(make);
  return Filter(std::move(data));
}

Filter Filter::with_anchor(Anchor anchor) const {
  if (!data_->make) check_anchor(anchor, data_->size);
  auto data = std::make_shared<Data>(*data_);
  data->anchor = anchor;
  return Filter(std::move(data));
}

Filter Filter::with_dims(int dims) const {
  if (!data_->make) return *this;
  Filter made = data_->make(dims).with_name(data_->name);
  if (data_->anchor) made = made.with_anchor(*data_->anchor);
  if (data_->is_correlation) made = made.as_correlation();
  return made;
}

Filter Filter::with_name(std::string name) const {
  auto data = std::make_shared<Data>(*data_);
  data->name = std::move(name);
  return Filter(std::move(data));
}

Filter Filter::as_correlation() const {
  auto data = std::make_shared<Data>(*data_);
  data->is_correlation = true;
  return Filter(std::move(data));
}

const Filter::Data& Filter::settled() const {
  if (data_->make) {
    throw Error(ErrorCode::invalid_argument,
                data_->name + ": its dimensions follow the image; call with_dims(1, 2 or 3) to see its weights");
  }
  return *data_;
}

int Filter::dims() const {
  if (data_->make) return 0;
  return data_->size.depth > 1 ? 3 : data_->size.height > 1 ? 2 : 1;
}

bool Filter::operator==(const Filter& other) const {
  const Data& a = *data_;
  const Data& b = *other.data_;
  if (&a == &b) return true;
  if (a.make || b.make || !(a.size == b.size) || a.is_correlation != b.is_correlation || !(anchor() == other.anchor())) return false;
  const bool are_dense = a.weights && b.weights;
  return a.factors == b.factors && (a.weights == b.weights || (are_dense && *a.weights == *b.weights));
}

const std::string& Filter::name() const { return data_->name; }
FilterSize Filter::size() const { return settled().size; }
bool Filter::is_correlation() const { return data_->is_correlation; }
const std::optional<Factors>& Filter::factors() const { return settled().factors; }

Anchor Filter::anchor() const {
  const Data& data = settled();
  return data.anchor.value_or(
      Anchor{.z = data.size.depth / 2, .y = data.size.height / 2, .x = data.size.width / 2});
}

std::vector<double> Filter::weights() const {
  const Data& data = settled();
  if (!data.factors) return *data.weights;
  const auto [z, y, x] = data.factors->axes();
  std::vector<double> all;
  all.reserve(z.size() * y.size() * x.size());
  for (const double wz : z) {
    for (const double wy : y) {
      for (const double wx : x) all.push_back(wz * wy * wx);
    }
  }
  return all;
}

double Filter::sum() const {
  const Data& data = settled();
  const auto total = [](std::span<const double> w) { return std::accumulate(w.begin(), w.end(), 0.0); };
  if (!data.factors) return total(*data.weights);
  return total(data.factors->z) * total(data.factors->y) * total(data.factors->x);
}

}  // namespace halation
