// numbers.cpp: conversions between f64 and the other numbers, by one rule for all of them: plain loops, which compilers make vectors of
// for each instruction set.
#include "numbers.h"

#include <algorithm>
#include <array>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "native/numbers.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h includes this file once for each instruction set before highway.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace halation::python::HWY_NAMESPACE {
namespace {

constexpr std::int64_t at_once = 256;

/// Sums as the values that become elements; those that are values already stay where they are.
const double* values_of(const NumberRule& rule, const double* from, std::int64_t step, double* room, std::int64_t n) {
  const auto [scale, divisor, offset, share] = std::array{rule.scale, rule.divisor, rule.offset, rule.share};
  const bool plain = scale == 1 && divisor == 1 && offset == 0;
  if (plain && share == 0 && step == 1) return from;
  if (plain) {
    for (std::int64_t i = 0; i < n; ++i) room[i] = from[i * step];
  } else if (step == 1) {
    for (std::int64_t i = 0; i < n; ++i) room[i] = scale * from[i] / divisor + offset;
  } else {
    for (std::int64_t i = 0; i < n; ++i) room[i] = scale * from[i * step] / divisor + offset;
  }
  if (share > 0) {
    for (std::int64_t i = 0; i < n; ++i) room[i] = nudged(room[i], share);
  }
  return room;
}

/// `stored` makes of a whole number what is kept of it.
template <class T, class Stored>
void write_as(const NumberRule& rule, const double* from, T* to, std::int64_t step, std::int64_t n, const Stored& stored) {
  const auto each = [&](const auto& convert) {
    if (step == 1) {
      for (std::int64_t i = 0; i < n; ++i) to[i] = convert(from[i]);
    } else {
      for (std::int64_t i = 0; i < n; ++i) to[i * step] = convert(from[i]);
    }
  };
  if constexpr (!std::is_integral_v<T>) {
    if constexpr (std::is_same_v<T, f16>) {
      each([](double v) { return as_f16(v); });
    } else {
      each([](double v) { return static_cast<T>(v); });
    }
  } else {
    if (rule.wrap && rule.truncate) return each([&](double v) { return stored(wrapped<T>(v)); });
    if (rule.wrap) return each([&](double v) { return stored(wrapped<T>(nearest_whole(v))); });
    if (rule.truncate) return each([&](double v) { return stored(saturated<T>(v)); });
    each([&](double v) { return stored(saturated<T>(nearest_whole(v))); });
  }
}

template <class T, class Convert>
void read_each(const T* from, std::int64_t step, double* to, std::int64_t n, const Convert& as_number) {
  if (step == 1) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = as_number(from[i]);
  } else {
    for (std::int64_t i = 0; i < n; ++i) to[i] = as_number(from[i * step]);
  }
}

/// Whether the elements of a run are among those of another that lie one after another.
bool is_within(const Run& run, const Run& all) {
  const std::int64_t last = run.first + run.way * (run.n - 1);
  const std::int64_t low = std::min(run.first, last), high = std::max(run.first, last);
  return all.way == 1 && low >= all.first && high < all.first + all.n;
}

/// `step`: elements from one of the row to the next. What the first run has read is copied where others repeat it.
template <class T, class Convert>
void read_row(const T* from, std::int64_t step, std::int64_t unit, std::span<const Run> runs, double constant, double* to,
              const Convert& as_number) {
  const Run& all = runs.front();
  const double* read = to + (all.to - all.first) * unit;
  for (const Run& run : runs) {
    double* at = to + run.to * unit;
    if (run.first < 0) {
      std::fill_n(at, run.n * unit, constant);
    } else if (&run != &all && is_within(run, all)) {
      const double* again = read + run.first * unit;
      if (run.way == 1) {
        std::copy_n(again, run.n * unit, at);
      } else if (unit == 1) {
        for (std::int64_t i = 0; i < run.n; ++i) at[i] = again[i * run.way];
      } else {
        for (std::int64_t i = 0; i < run.n; ++i) std::copy_n(again + i * run.way * unit, unit, at + i * unit);
      }
    } else if (run.way == 1 || unit == 1) {
      read_each(from + run.first * unit * step, run.way == 1 ? step : run.way * step, at, run.n * unit, as_number);
    } else {
      for (std::int64_t i = 0; i < run.n; ++i) {
        read_each(from + (run.first + i * run.way) * unit * step, step, at + i * unit, unit, as_number);
      }
    }
  }
}

}  // namespace

void read(Number number, const std::byte* from, const Step& rows, const Step& row, std::span<const Run> runs, double constant,
          double* to) {
  visit(number, [&](auto element) {
    constexpr bool is_truth = std::is_same_v<decltype(element), bool>;
    using T = std::conditional_t<is_truth, std::uint8_t, decltype(element)>;
    const auto as_number = [](T value) {
      if constexpr (std::is_same_v<T, f16>) {
        return as_f64(value);
      } else {
        return static_cast<double>(is_truth ? std::min(value, T{1}) : value);  // the lesser of bytes is a vector's, a test is not
      }
    };
    const std::int64_t step = row.from / static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t i = 0; i < rows.n; ++i) {
      const std::int64_t source = rows.sources == nullptr ? i : rows.sources[i];
      if (source < 0) {
        std::fill_n(to + i * rows.to, rows.to, constant);
      } else {
        read_row(reinterpret_cast<const T*>(from + source * rows.from), step, row.unit, runs, constant, to + i * rows.to, as_number);
      }
    }
  });
}

void write(Number number, const NumberRule& rule, const double* from, const Step& rows, const Step& row, std::byte* to) {
  visit(number, [&](auto element) {
    constexpr bool is_truth = std::is_same_v<decltype(element), bool>;
    using T = std::conditional_t<is_truth, std::uint8_t, decltype(element)>;
    const std::int64_t apart = row.to / static_cast<std::int64_t>(sizeof(T));
    const auto stored = [](T value) {
      if constexpr (is_truth) return std::min(value, T{1});
      if constexpr (!is_truth) return value;
    };
    std::array<double, at_once> room;
    for (std::int64_t k = 0; k < rows.n; ++k) {
      const double* sums = from + k * rows.from;
      auto* elements = reinterpret_cast<T*>(to + k * rows.to);
      for (std::int64_t i = 0; i < row.n; i += at_once) {
        const std::int64_t some = std::min(at_once, row.n - i);
        write_as(rule, values_of(rule, sums + i * row.from, row.from, room.data(), some), elements + i * apart, apart, some, stored);
      }
    }
  });
}

}  // namespace halation::python::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halation::python {

HWY_EXPORT(read);
HWY_EXPORT(write);

std::optional<Number> number_of(char kind, std::int64_t item_bytes) {
  constexpr std::array<Number, 4> unsigned_ones = {Number::u1, Number::u2, Number::u4, Number::u8};
  constexpr std::array<Number, 4> signed_ones = {Number::i1, Number::i2, Number::i4, Number::i8};
  constexpr std::array<Number, 4> floats = {Number::f2, Number::f2, Number::f4, Number::f8};
  if (kind == 'b' && item_bytes == 1) return Number::b1;
  std::size_t power = 0;
  while (power < 4 && std::int64_t{1} << power != item_bytes) ++power;
  if (power == 4) return std::nullopt;
  if (kind == 'u') return unsigned_ones[power];
  if (kind == 'i') return signed_ones[power];
  if (kind == 'f' && power > 0) return floats[power];
  return std::nullopt;
}

void read_numbers(Number number, const std::byte* from, const Step& rows, const Step& row, std::span<const Run> runs, double constant,
                  double* to) {
  HWY_DYNAMIC_DISPATCH(read)(number, from, rows, row, runs, constant, to);
}

void write_numbers(Number number, const NumberRule& rule, const double* from, const Step& rows, const Step& row, std::byte* to) {
  HWY_DYNAMIC_DISPATCH(write)(number, rule, from, rows, row, to);
}

}  // namespace halation::python
#endif  // HWY_ONCE
