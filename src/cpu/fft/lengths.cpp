// lengths.cpp: candidates for the lengths of tiles, each priced by the passes over its numbers.
#include "cpu/fft/lengths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "core/transform.h"
#include "cpu/expected.h"
#include "cpu/fft/steps/axis.h"

namespace halation::cpu_backend {
namespace {

/// A length that a transform may have, and what its passes take for each number, one way.
struct Length {
  std::int64_t points;
  double nanoseconds;
};

double passes_along(std::int64_t points, const TransformRates& rates) {
  double sum = 0;
  for (const int radix : radices_of(points)) {
    sum += radix == 2 ? rates.radix2 : radix == 3 ? rates.radix3 : radix == 4 ? rates.radix4 : radix == 5 ? rates.radix5 : rates.radix8;
  }
  return sum;
}

/// Products of 2, 3 and 5 of which no longer one takes less time, for one of the rows of rates.
class LengthList {
 public:
  explicit LengthList(const TransformRates& rates) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    for (std::int64_t fives = 1; fives <= 125; fives *= 5) {
      for (std::int64_t threes = fives; threes <= fives * 27; threes *= 3) {
        for (std::int64_t points = threes; points <= most; points *= 2) list_.push_back({points, passes_along(points, rates)});
      }
    }
    std::sort(list_.begin(), list_.end(), [](const Length& a, const Length& b) { return a.points < b.points; });
    double least = 1e300;
    std::vector<Length> kept;
    for (auto at = list_.rbegin(); at != list_.rend(); ++at) {
      const double all = at->nanoseconds * static_cast<double>(at->points);
      if (all >= least) continue;
      least = all;
      kept.push_back(*at);
    }
    list_.assign(kept.rbegin(), kept.rend());
  }

  /// The quickest of at least so many points.
  const Length& from(std::int64_t points) const {
    return *std::lower_bound(list_.begin(), list_.end() - 1, points, [](const Length& a, std::int64_t b) { return a.points < b; });
  }

  static const LengthList& of(const Rates& rates) {
    static const std::map<std::string_view, LengthList> lists = [] {
      std::map<std::string_view, LengthList> made;
      for (const Rates& row : all_rates()) made.emplace(row.name, LengthList(row.transforms));
      return made;
    }();
    return lists.at(rates.name);
  }

 private:
  std::vector<Length> list_;
};

/// One length of tiles along an axis, and how many of them.
struct Cut {
  std::int64_t points = 1;   ///< of the input, or half of them along y
  double nanoseconds = 0;    ///< of passes for each number, one way
  std::int64_t tiles = 1;
  std::int64_t outputs = 1;  ///< of a tile
};

/// Few enough to be tried in microseconds, for three axes as well.
class Cuts {
 public:
  void add(const Cut& cut) {
    if (count_ < list_.size()) list_[count_++] = cut;
  }
  const Cut* begin() const { return list_.data(); }
  const Cut* end() const { return list_.data() + count_; }
  bool empty() const { return count_ == 0; }

 private:
  std::array<Cut, 16> list_;
  std::size_t count_ = 0;
};

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Numbers of tiles that are tried.
constexpr std::array<std::int64_t, 24> counts{1,  2,  3,  4,  5,  6,   8,   10,  12,  16,  20,  24,
                                              32, 40, 48, 64, 96, 128, 192, 256, 512, 1024, 4096, 16384};

/// Transforms of `halves` of an axis: 2 of which only half the points are numbers.
Cuts cuts_of(std::int64_t outputs, std::int64_t taps, std::int64_t halves, const LengthList& lengths) {
  Cuts cuts;
  std::int64_t last = 0;
  // Longer ones than 16 filters save little: the sixteen longest such, and those with more tiles.
  for (const std::int64_t count : counts) {
    const std::int64_t each = divide_up(outputs, count);
    if (count > 1 && each < taps / 4) break;
    if (each > 16 * taps + 256 && count != 1) continue;
    const Length& length = lengths.from(divide_up(each + taps - 1, halves));
    if (length.points == last) continue;
    last = length.points;
    const std::int64_t made = std::min(outputs, halves * length.points - taps + 1);
    cuts.add({length.points, length.nanoseconds, divide_up(outputs, made), divide_up(outputs, divide_up(outputs, made))});
    if (each <= 32) break;
  }
  return cuts;
}

/// No transform: as many rows or columns as suit vectors and caches.
Cuts batches_of(std::int64_t outputs, std::int64_t halves, std::int64_t least) {
  Cuts cuts;
  for (const std::int64_t points : {least, 4 * least, 16 * least}) {
    const std::int64_t made = std::min(outputs, halves * points);
    cuts.add({points, 0, divide_up(outputs, made), made});
    if (made == outputs) break;
  }
  return cuts;
}

/// Planes one by one.
Cuts planes_of(std::int64_t outputs) {
  Cuts cuts;
  cuts.add({.points = 1, .nanoseconds = 0, .tiles = outputs, .outputs = 1});
  return cuts;
}

class Pricing {
 public:
  Pricing(const Job& job, const TapBox& box, const Rates& rates)
      : job_(job), box_(box), rates_(rates), wide_(width_of_sums(job)), lengths_(LengthList::of(rates)) {
    images_ = static_cast<double>(job.out.batch * job.out.channels);
    lanes_ = rates.vector_bytes / (wide_ == 2 ? 8 : 4);
    most_samples_ = most_samples();
  }

  LengthsFound cheapest() {
    const Space out = job_.out.space();
    const Space& k = box_.size;
    if (k[0] == 1 && k[1] == 1 && k[2] > 1) fold(out, k);
    const Cuts z = k[0] > 1 ? cuts_of(out[0], k[0], 1, lengths_) : planes_of(out[0]);
    const Cuts y = k[1] > 1 ? cuts_of(out[1], k[1], 2, lengths_) : batches_of(out[1], 2, lanes_);
    const Cuts x = k[2] > 1 ? cuts_of(out[2], k[2], 1, lengths_) : batches_of(out[2], 1, 4 * lanes_);
    for (const Cut& by_z : z) {
      for (const Cut& by_y : y) {
        for (const Cut& by_x : x) {
          const Lengths lengths{.planes = by_z.points,
                                .rows = by_y.points,
                                .columns = by_x.points,
                                .along_z = k[0] > 1,
                                .along_y = k[1] > 1,
                                .along_x = k[2] > 1,
                                .folded = false};
          const double rows = static_cast<double>(by_z.outputs) * static_cast<double>(by_y.outputs);
          const auto tiles = static_cast<double>(by_z.tiles) * static_cast<double>(by_y.tiles) * static_cast<double>(by_x.tiles);
          const double kept_y = static_cast<double>(by_x.outputs) / static_cast<double>(by_x.points);
          consider(lengths, by_z.nanoseconds + by_y.nanoseconds, (by_z.nanoseconds + by_y.nanoseconds) * std::min(1.0, kept_y),
                   by_x.nanoseconds, {rows, static_cast<double>(by_x.outputs)}, tiles, outside_of_rows() / static_cast<double>(by_x.tiles));
        }
      }
    }
    return best_;
  }

 private:
  /// Rows one by one.
  void fold(const Space& out, const Space& k) {
    for (const Cut& cut : cuts_of(out[2], k[2], 2, lengths_)) {
      for (std::int64_t columns = lanes_; columns <= std::min<std::int64_t>(4096, cut.points); columns *= 2) {
        const Length& row = lengths_.from(columns);
        const Length& column = lengths_.from(divide_up(cut.points, row.points));
        const Lengths lengths{.planes = 1,
                              .rows = column.points,
                              .columns = row.points,
                              .along_z = false,
                              .along_y = true,
                              .along_x = true,
                              .folded = true};
        const auto tiles = static_cast<double>(out[0] * out[1] * cut.tiles);
        const double rows = static_cast<double>(divide_up(cut.outputs, row.points));
        consider(lengths, column.nanoseconds, column.nanoseconds, row.nanoseconds + rates_.transforms.folded,
                 {rows, static_cast<double>(cut.outputs) / rows}, tiles,
                 outside_of_rows() / static_cast<double>(cut.tiles) / (2 * static_cast<double>(column.points)));
      }
    }
  }

  /// Outputs of a tile.
  struct Made {
    double rows, of_row;
  };

  /// Of a tile. Of images it is such that tile, marks and spectrum are no larger than the image, the mean of input and output; volumes,
  /// of whose tiles more is margin, get more. Tiles of less than twice the filter's extents are mostly margin, whatever the memory.
  double most_samples() const {
    constexpr double always = 1 << 19, longer_lengths = 1.25;
    const double images = box_.size[0] > 1 ? 1.5 : 0.36;
    double least = longer_lengths;
    for (const std::int64_t taps : box_.size) least *= taps > 1 ? 2 * static_cast<double>(taps) : 1;
    return std::max({always, images * mean_image_bytes(job_) / (4 * wide_), least});
  }

  /// Samples outside of the image on both sides of a row, each looked up by itself.
  double outside_of_rows() const {
    const BorderTable& border = job_.borders[2];
    return static_cast<double>(std::max<std::int64_t>(0, -border.low()) + std::max<std::int64_t>(0, border.high() - border.size()));
  }

  /// `outside`: samples outside of a tile's row, in the mean.
  void consider(const Lengths& lengths, double forth, double back, double along_x, const Made& made, double tiles, double outside) {
    const TransformRates& r = rates_.transforms;
    tiles *= images_;
    // Rows are turned into columns in blocks of as many as a vector has lanes.
    const auto all_rows = static_cast<double>(lengths.planes * lengths.rows);
    const auto lanes = static_cast<double>(lanes_);
    const double numbers = static_cast<double>(lengths.numbers());
    const double in_blocks = std::ceil(all_rows / lanes) * lanes * std::ceil(static_cast<double>(lengths.columns) / lanes) * lanes;
    const double bytes = 8 * wide_ * in_blocks;
    const double beyond = 1 + (r.beyond_l2 - 1) * share_beyond(bytes, r.l2_bytes, rates_) +
                          (r.beyond_l3 - 1) * share_beyond(bytes, r.l3_bytes, rates_);
    const double turning = lengths.along_x ? r.turned : 0;
    // To begin a row takes as long whatever the type of sums.
    const double strided = job_.in.channels > 1 ? r.strided : 0;
    const double staged = 2 * numbers * wide_ * (rates_.load.of(job_.in_pixel) + r.staged + strided) +
                          2 * all_rows * (r.row + outside * rates_.outside_sample);
    const double stored = made.rows * (made.of_row * wide_ * (rates_.store.of(job_.out_pixel) + strided) + r.row);
    const double shared = wide_ * in_blocks * (forth + along_x + turning) * beyond + staged + r.tile;
    const double own = wide_ * in_blocks * (back + along_x + turning + r.product) * beyond + stored;
    // One of several workers must not be left with most of the work; fewer tiles than workers are shared by all where they are large.
    const bool is_shared = tiles < priced_workers && 2 * lengths.numbers() >= shared_samples;
    const double rounds = is_shared ? tiles : std::ceil(tiles / priced_workers) * priced_workers;
    const double one = shared + own;
    const double busy = one * tiles > rates_.threads_from ? rounds : tiles;
    const int steps = 3 + 2 * (lengths.along_z ? 1 : 0) + 2 * (lengths.along_y ? 1 : 0);
    const int times_shared = is_shared ? static_cast<int>(tiles) * steps : 1;
    const double price = one * busy + times_shared * rates_.start;
    const double excess = std::max(0.0, 2 * in_blocks - most_samples_);
    if (best_excess_ < excess || (best_excess_ == excess && best_price_ <= price)) return;
    best_excess_ = excess;
    best_price_ = price;
    best_ = {lengths, shared * busy, own * busy, times_shared};
  }

  const Job& job_;
  const TapBox& box_;
  const Rates& rates_;
  double wide_;
  const LengthList& lengths_;
  double images_;
  std::int64_t lanes_;
  double most_samples_;
  double best_excess_ = 1e300, best_price_ = 1e300;
  LengthsFound best_{};
};

}  // namespace

double mean_image_bytes(const Job& job) {
  return static_cast<double>(job.out.elements()) * static_cast<double>(bytes_of(job.in_pixel) + bytes_of(job.out_pixel)) / 2;
}

TapBox::TapBox(std::span<const Taps> filters) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::int64_t low = filters[0].lead[axis];
    std::int64_t high = low + filters[0].size[axis];
    for (const Taps& taps : filters) {
      low = std::min(low, taps.lead[axis]);
      high = std::max(high, taps.lead[axis] + taps.size[axis]);
    }
    lead[axis] = low;
    size[axis] = high - low;
  }
}

LengthsFound find_lengths(const Job& job, const TapBox& box, const Rates& rates) { return Pricing(job, box, rates).cheapest(); }

double roundings_of(const Lengths& lengths, bool sum_f64) {
  double one_way = 0;
  if (lengths.along_z) one_way += roundings_along(lengths.planes);
  if (lengths.along_y) one_way += roundings_along(lengths.rows) + roundings_of_twiddle;
  if (lengths.along_x) one_way += roundings_along(lengths.columns);
  if (lengths.folded) one_way += roundings_of_twiddle;
  // The spectrum of the weights was computed in f64 and rounded.
  return (sum_f64 ? 3 : 2) * one_way + 1 + roundings_of_twiddle;
}

Space outputs_of(const Lengths& lengths, const TapBox& box) {
  Space made = lengths.input();
  for (std::size_t axis = 0; axis < 3; ++axis) made[axis] -= box.size[axis] - 1;
  return made;
}

}  // namespace halation::cpu_backend
