// non_finite.cpp: infinities times the signs of weights, as rows of bits.
#include "cpu/fft/non_finite.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "cpu/fft/steps/kernels.h"

namespace halation::cpu_backend {
namespace {

constexpr std::int64_t word_bits = 64;

std::int64_t words_for(std::int64_t bits) { return (bits + word_bits - 1) / word_bits; }

/// 64 bits from any place on. One word more than they need is read.
std::uint64_t bits_at(const std::uint64_t* words, std::int64_t at) {
  const std::uint64_t* const from = words + at / word_bits;
  const int shift = static_cast<int>(at % word_bits);
  return (from[0] >> shift) | ((from[1] << 1) << (word_bits - 1 - shift));
}

std::uint8_t with_products(int window, bool positive, bool negative) {
  return static_cast<std::uint8_t>((window & ~mark::has_infinity) | (positive ? mark::has_positive_infinity : 0) |
                                   (negative ? mark::has_negative_infinity : 0));
}

/// A row's bits and what is read behind them: windows of outputs that are none.
std::int64_t padded_words(std::int64_t bits) { return words_for(bits) + 2; }

}  // namespace

/// By counting: there may be as many runs as weights.
void WeightSigns::sort_by_length(std::span<Run> runs) {
  std::uint32_t longest = 0;
  for (const Run& run : runs) longest = std::max<std::uint32_t>(longest, run.length);
  std::vector<std::size_t> begins(longest + 1);
  for (const Run& run : runs) ++begins[run.length];
  std::exclusive_scan(begins.begin(), begins.end(), begins.begin(), std::size_t{0});
  const std::vector<Run> unsorted(runs.begin(), runs.end());
  for (const Run& run : unsorted) runs[begins[run.length]++] = run;
}

WeightSigns::WeightSigns(const Taps& taps) : size_(taps.size) {
  bool any_zero = false;
  for (const double weight : taps.weights) {
    any_positive_ |= weight > 0;
    any_negative_ |= weight < 0;
    any_zero |= weight == 0;
  }
  if (!any_zero && any_positive_ != any_negative_) return;
  row_words_ = words_for(size_[2]) + 3;
  const std::int64_t rows = size_[0] * size_[1];
  bits_.resize(static_cast<std::size_t>(2 * rows * row_words_));
  const double* behind = taps.weights.data();  // the row
  for (std::int64_t row = 0; row < rows; ++row) {
    behind += size_[2];
    std::uint64_t* const makes_positive = bits_.data() + 2 * row * row_words_ + 1;
    std::uint64_t* const makes_negative = makes_positive + row_words_;
    const std::size_t first = runs_.size();
    Run run{};
    for (std::int64_t at = 0; at < size_[2]; ++at) {
      const double weight = behind[-1 - at];
      const bool positive = weight >= 0, negative = weight <= 0;
      makes_positive[at / word_bits] |= std::uint64_t{positive} << (at % word_bits);
      makes_negative[at / word_bits] |= std::uint64_t{negative} << (at % word_bits);
      if (at == 0 || run.makes_positive != positive || run.makes_negative != negative) {
        if (at > 0) runs_.push_back(run);
        run = {.at = static_cast<std::uint32_t>(at), .length = 0, .makes_positive = positive, .makes_negative = negative};
      }
      ++run.length;
    }
    runs_.push_back(run);
    sort_by_length(std::span(runs_).subspan(first));
    rows_.push_back({row, first, runs_.size()});
  }
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.end - a.begin > b.end - b.begin; });
}

std::int64_t WeightSigns::scratch_bytes(const Space& input, const Space& output) const {
  if (have_one_sign()) return 0;
  const std::int64_t sample_rows = input[0] * input[1];
  return Scratch::bytes<std::uint64_t>(2 * sample_rows * padded_words(input[2])) + Scratch::bytes<std::int64_t>(2 * sample_rows) +
         Scratch::bytes<std::uint64_t>(padded_words(input[2])) + 3 * Scratch::bytes<std::uint64_t>(words_for(output[2]));
}

/// A tile's infinities as rows of bits.
class WeightSigns::BitRows {
 public:
  BitRows(const WeightSigns& weights, const Windows& windows, std::uint8_t* marks, const Space& input, const Space& output, Scratch scratch)
      : weights_(weights),
        windows_(windows),
        marks_(marks),
        input_(input),
        output_(output),
        words_(padded_words(input[2])),
        output_words_(words_for(output[2])) {
    const std::int64_t rows = input[0] * input[1];
    samples_ = scratch.take<std::uint64_t>(2 * rows * words_);
    counts_ = scratch.take<std::int64_t>(2 * rows);
    joined_ = scratch.take<std::uint64_t>(words_);
    for (std::uint64_t** each : {&products_[0], &products_[1], &open_}) *each = scratch.take<std::uint64_t>(output_words_);
    std::fill_n(samples_, 2 * rows * words_, 0);
    std::fill_n(counts_, 2 * rows, 0);
    for (std::int64_t at = 0; at < 2 * rows; ++at) {
      std::uint64_t* const bits = samples_ + at * words_;
      kernels_.bits_of(marks + at / 2 * input[2], input[2], mark::sample_bits, at % 2 == 0 ? mark::positive_infinity : mark::negative_infinity, bits);
      for (std::int64_t i = 0; i < words_; ++i) counts_[at] += std::popcount(bits[i]);
    }
  }

  void multiply() {
    for (std::int64_t row = 0; row < output_[0] * output_[1]; ++row) multiply_row(row / output_[1], row % output_[1]);
  }

 private:
  void multiply_row(std::int64_t z, std::int64_t y) {
    std::uint8_t* const of_row = windows_.of_outputs(marks_, input_, {z, y, 0});
    for (std::uint64_t* each : products_) std::fill_n(each, output_words_, 0);
    kernels_.bits_of(of_row, output_[2], mark::has_gone, 0, open_);
    kernels_.bits_of(of_row, output_[2], mark::has_infinity, 0, joined_);
    for (std::int64_t i = 0; i < output_words_; ++i) open_[i] &= ~joined_[i];
    const Space& begin = windows_.begin();
    for (const Row& weights : weights_.rows_) {
      if (!any_is_open()) break;
      const std::int64_t row = (z + begin[0] + weights.row / weights_.size_[1]) * input_[1] + y + begin[1] + weights.row % weights_.size_[1];
      for (const int negative : {0, 1}) meet(2 * row + negative, weights, negative);
    }
    kernels_.put_products(of_row, output_[2], products_[0], products_[1]);
  }

  /// Whether an output may still be other than NaN.
  bool any_is_open() {
    std::uint64_t any = 0;
    for (std::int64_t i = 0; i < output_words_; ++i) {
      open_[i] &= ~(products_[0][i] & products_[1][i]);
      any |= open_[i];
    }
    return any != 0;
  }

  /// A row of samples of one sign and one of weights.
  void meet(std::int64_t samples, const Row& weights, int negative) {
    if (counts_[samples] == 0) return;
    const std::int64_t words_of_one = words_for(weights_.size_[2] + word_bits);
    if (counts_[samples] * words_of_one <= static_cast<std::int64_t>(weights.end - weights.begin) * output_words_) {
      by_infinities(samples_ + samples * words_, weights, negative);
    } else {
      by_runs(samples_ + samples * words_, weights, negative);
    }
  }

  /// Each infinity, by the row of weights.
  void by_infinities(const std::uint64_t* bits, const Row& weights, int negative) {
    const std::int64_t taps = weights_.size_[2];
    for (std::int64_t word = 0; word < words_for(input_[2]); ++word) {
      for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
        // The output from which the last weight meets it.
        const std::int64_t first = word * word_bits + std::countr_zero(left) - windows_.begin()[2] - taps + 1;
        const std::int64_t low = std::max<std::int64_t>(0, first) / word_bits;
        const std::int64_t high = std::min(output_words_, words_for(std::max<std::int64_t>(0, first + taps)));
        for (const int sign : {0, 1}) {
          const std::uint64_t* const row = weights_.row_bits(weights.row, sign ^ negative);
          for (std::int64_t i = low; i < high; ++i) products_[sign][i] |= bits_at(row, word_bits + i * word_bits - first);
        }
      }
    }
  }

  /// Each run of weights of one sign, by the row of samples: of 2^n to 2^(n + 1) − 1 weights, two windows of 2^n samples.
  void by_runs(const std::uint64_t* bits, const Row& weights, int negative) {
    std::copy_n(bits, words_, joined_);
    std::int64_t width = 1;
    for (std::size_t at = weights.begin; at < weights.end; ++at) {
      const Run& run = weights_.runs_[at];
      for (; 2 * width <= run.length; width *= 2) {
        for (std::int64_t i = 0; i + width / word_bits + 1 < words_; ++i) joined_[i] |= bits_at(joined_, i * word_bits + width);
      }
      // Of the samples that output 0 multiplies by weights of the run: the first, and the last `width`'s first.
      const std::int64_t low = windows_.begin()[2] + weights_.size_[2] - run.at - run.length;
      const std::int64_t high = windows_.begin()[2] + weights_.size_[2] - run.at - width;
      const std::uint64_t makes[2] = {run.makes_positive != 0 ? ~std::uint64_t{0} : 0, run.makes_negative != 0 ? ~std::uint64_t{0} : 0};
      for (std::int64_t i = 0; i < output_words_; ++i) {
        if (open_[i] == 0) continue;
        const std::uint64_t hit = bits_at(joined_, i * word_bits + low) | bits_at(joined_, i * word_bits + high);
        for (const int sign : {0, 1}) products_[sign][i] |= makes[sign ^ negative] & hit;
      }
    }
  }

  const MarkKernels& kernels_ = mark_kernels();
  const WeightSigns& weights_;
  const Windows& windows_;
  std::uint8_t* marks_;
  Space input_, output_;
  std::int64_t words_, output_words_;
  std::uint64_t* samples_ = nullptr;      ///< a row of bits for either sign of infinity
  std::int64_t* counts_ = nullptr;        ///< of infinities in each
  std::uint64_t* joined_ = nullptr;       ///< windows of one
  std::uint64_t* products_[2] = {};       ///< outputs of a row that have +∞ among their products, and −∞
  std::uint64_t* open_ = nullptr;         ///< those that may not be NaN yet
};

void WeightSigns::multiply_infinities(const Windows& windows, std::uint8_t* marks, const Space& input, const Space& output,
                                      Scratch scratch) const {
  if (!have_one_sign()) {
    BitRows(*this, windows, marks, input, output, scratch).multiply();
  } else if (any_negative_) {
    for (std::int64_t row = 0; row < output[0] * output[1]; ++row) {
      std::uint8_t* const of_row = windows.of_outputs(marks, input, {row / output[1], row % output[1], 0});
      for (std::int64_t x = 0; x < output[2]; ++x) {
        const int window = of_row[x];
        of_row[x] = with_products(window, (window & mark::has_negative_infinity) != 0, (window & mark::has_positive_infinity) != 0);
      }
    }
  }
}

}  // namespace halation::cpu_backend
