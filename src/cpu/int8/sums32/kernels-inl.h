// kernels-inl.h: filters in fixed point, for each instruction set. Included by kernels.cpp, within the namespace of a
// target that has `add_products` and `nearest`.

/// Vectors of 32-bit sums that a block has beside each other: six rows of them stay in registers.
inline constexpr int sums32_vectors = HWY_TARGET == HWY_AVX3 ? 4 : 2;

#include "cpu/parts/put-inl.h"

using D32 = hn::ScalableTag<std::int32_t>;
using Sums = hn::Vec<D32>;

inline constexpr std::int64_t lanes32 = HWY_MAX_BYTES / 4;

HWY_INLINE Pairs weight_pair(std::int32_t pair) { return hn::BitCast(D16(), hn::Set(D32(), pair)); }

/// factor · sum + offset as whole numbers, of sums that began with `start`.
template <bool HalfEven>
struct Finisher {
  hn::Vec<hn::RebindToFloat<D32>> factor, offset;
  explicit Finisher(const Sums32Finish& finish)
      : factor(hn::Set(hn::RebindToFloat<D32>(), finish.factor)), offset(hn::Set(hn::RebindToFloat<D32>(), finish.offset)) {}
  HWY_INLINE Sums start() const { return hn::Zero(D32()); }
  HWY_INLINE Sums operator()(Sums sums) const {
    const auto value = hn::MulAdd(factor, hn::ConvertTo(hn::RebindToFloat<D32>(), sums), offset);
    return HalfEven ? nearest(value) : hn::ConvertTo(D32(), value);
  }
};

/// Sums shifted to the right, all by the same.
struct RightShift {
  int bits;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  Sums counts = hn::Set(D32(), bits);  // counts for each lane are quicker than one for all
  HWY_INLINE Sums operator()(Sums sums) const { return hn::Shr(sums, counts); }
#else
  HWY_INLINE Sums operator()(Sums sums) const { return hn::ShiftRightSame(sums, bits); }
#endif
};

struct ShiftFinisher {
  Sums bias;
  RightShift shift;
  explicit ShiftFinisher(const Sums32Finish& finish) : bias(hn::Set(D32(), finish.bias)), shift{finish.shift} {}
  HWY_INLINE Sums start() const { return bias; }
  HWY_INLINE Sums operator()(Sums sums) const { return shift(sums); }
};

/// Calls body with the finisher for a job.
template <class Body>
HWY_INLINE void with_finisher(const Sums32Finish& finish, const Body& body) {
  if (finish.shifts) return body(ShiftFinisher(finish));
  if (finish.rounding == Rounding::half_even) return body(Finisher<true>(finish));
  body(Finisher<false>(finish));
}

/// Vectors of sums that stand one after another, as pixels.
template <int Vectors, class Finish, class T>
HWY_INLINE void put_sums(const Finish& finish, const Sums (&sums)[Vectors], T* to, bool streams) {
  Sums whole[Vectors];
  for (int v = 0; v < Vectors; ++v) whole[v] = finish(sums[v]);
#if HWY_TARGET == HWY_AVX3
  if constexpr (Vectors == 4) {
    // Joined within blocks of 128 bits, which are put in order at the end.
    const auto low = hn::ReorderDemote2To(D16(), whole[0], whole[1]);
    const auto high = hn::ReorderDemote2To(D16(), whole[2], whole[3]);
    if constexpr (sizeof(T) == 1) {
      alignas(64) static constexpr std::int32_t order[] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
      const auto mixed = hn::BitCast(D32(), hn::Vec<D8>{_mm512_packus_epi16(low.raw, high.raw)});
      put(D8(), hn::BitCast(D8(), hn::TableLookupLanes(mixed, hn::SetTableIndices(D32(), order))), to, streams);
    } else {
      alignas(64) static constexpr std::int64_t order[] = {0, 2, 4, 6, 1, 3, 5, 7};
      const hn::Repartition<std::int64_t, D16> d64;
      const auto index = hn::SetTableIndices(d64, order);
      put(D16(), hn::BitCast(D16(), hn::TableLookupLanes(hn::BitCast(d64, low), index)), to, streams);
      put(D16(), hn::BitCast(D16(), hn::TableLookupLanes(hn::BitCast(d64, high), index)), to + lanes16, streams);
    }
    return;
  }
#endif
  for (int v = 0; v < Vectors; ++v) {
    // By way of 16 bits with a sign, also to bytes: Highway 1.0.3 makes 0 to 255 of 32,768 to 33,023 with AVX2.
    const hn::Rebind<std::int16_t, D32> d_16;
    const hn::Rebind<T, D32> d;
    const auto halves = hn::DemoteTo(d_16, whole[v]);
    if constexpr (sizeof(T) == 1) {
      hn::StoreU(hn::DemoteTo(d, halves), d, to + v * lanes32);
    } else {
      hn::StoreU(halves, d, to + v * lanes32);
    }
  }
}

HWY_INLINE Sums half_of(int shift) { return hn::Set(D32(), shift > 0 ? std::int32_t{1} << (shift - 1) : 0); }

void pair_up(const std::uint8_t* first, const std::uint8_t* second, std::int32_t* pairs, std::int64_t n) {
  const hn::Rebind<std::uint8_t, D32> d8;
  const auto pair = [&](std::int64_t at) {
    const auto low = hn::PromoteTo(D32(), hn::LoadU(d8, first + at));
    const auto high = hn::PromoteTo(D32(), hn::LoadU(d8, second + at));
    hn::StoreU(hn::Or(low, hn::ShiftLeft<16>(high)), D32(), pairs + at);
  };
  std::int64_t at = 0;
  for (; at + lanes32 <= n; at += lanes32) pair(at);
  if (at == n) return;
  if (n >= lanes32) return pair(n - lanes32);
  for (; at < n; ++at) pairs[at] = pair_of(first[at], second[at]);
}

/// Adds one line of pairs to the groups First…Last of two output rows each. `TapsX` taps; 0: any number.
template <int First, int Last, int TapsX, int Vectors>
HWY_INLINE void add_line(const Sums32Direct& job, const std::int32_t* HWY_RESTRICT line, const std::int32_t* HWY_RESTRICT weights,
                         Sums (&sums)[int8_rows_at_once][Vectors]) {
  const std::int64_t taps = TapsX > 0 ? TapsX : job.taps_x;
  for (std::int64_t k = 0; k < taps; ++k, line += job.tap_stride, weights += int8_rows_at_once) {
    Pairs values[Vectors];
    for (int v = 0; v < Vectors; ++v) values[v] = hn::BitCast(D16(), hn::LoadU(D32(), line + v * lanes32));
    for (int row = 2 * First; row < 2 * Last + 2; ++row) {
      const auto weight = weight_pair(weights[row]);
      for (int v = 0; v < Vectors; ++v) sums[row][v] = add_products(sums[row][v], values[v], weight);
    }
  }
}

/// Rows from the Row-th on. Indices known to the code keep the sums in registers.
template <int Row = 0, int Vectors, class Finish, class T>
HWY_INLINE void put_rows(const Sums32Direct& job, const Finish& finish, const Sums (&sums)[int8_rows_at_once][Vectors], std::int64_t at,
                         T* const* out) {
  if constexpr (Row < int8_rows_at_once) {
    put_sums(finish, sums[Row], out[Row], job.streams);
    const std::uint8_t* ahead = job.ahead[Row];
    if (ahead != nullptr) ask_for(ahead + at, Vectors * lanes32, job.n);
    put_rows<Row + 1>(job, finish, sums, at, out);
  }
}

template <int TapsX, int Vectors, class T>
HWY_INLINE void direct_at(const Sums32Direct& job, std::int64_t at, T* const* out) {
  static_assert(int8_rows_at_once == 6);
  Sums sums[int8_rows_at_once][Vectors];
  const Sums start = hn::Set(D32(), job.finish.shifts ? job.finish.bias : 0);
  for (auto& row : sums) {
    for (auto& sum : row) sum = start;
  }
  const std::int32_t* const* line = job.lines;
  const std::int32_t* weights = job.weights;
  const std::int64_t line_weights = job.taps_x * int8_rows_at_once;
  for (std::int64_t plane = 0; plane < job.planes; ++plane) {
    add_line<0, 0, TapsX>(job, *line++ + at, weights, sums);
    weights += line_weights;
    if (job.pairs == 1) {
      add_line<1, 1, TapsX>(job, *line++ + at, weights, sums);
      weights += line_weights;
    } else {
      add_line<0, 1, TapsX>(job, *line++ + at, weights, sums);
      weights += line_weights;
      for (std::int64_t j = 2; j < job.pairs; ++j, weights += line_weights) add_line<0, 2, TapsX>(job, *line++ + at, weights, sums);
      add_line<1, 2, TapsX>(job, *line++ + at, weights, sums);
      weights += line_weights;
    }
    add_line<2, 2, TapsX>(job, *line++ + at, weights, sums);
    weights += line_weights;
  }
  // Chosen a block, not a job: a test costs less than compilers take for all the sums once more.
  if (job.finish.shifts) {
    put_rows(job, ShiftFinisher(job.finish), sums, at, out);
  } else if (job.finish.rounding == Rounding::half_even) {
    put_rows(job, Finisher<true>(job.finish), sums, at, out);
  } else {
    put_rows(job, Finisher<false>(job.finish), sums, at, out);
  }
}

template <int TapsX, class T>
void direct_all(const Sums32Direct& job) {
  constexpr std::int64_t block = sums32_vectors * lanes32;
  alignas(64) T parts[int8_rows_at_once][block];
  const bool is_part = job.n < block;
  const std::int64_t last = is_part ? 0 : job.n - block;
  T* rows[int8_rows_at_once];
  for (int row = 0; row < int8_rows_at_once; ++row) rows[row] = is_part ? parts[row] : reinterpret_cast<T*>(job.out[row]);
  // One place that makes blocks, also for what is left: compilers take seconds for each.
  for (std::int64_t begin = 0; begin < job.n; begin += block) {
    const std::int64_t at = std::min(begin, last);
    T* out[int8_rows_at_once];
    for (int row = 0; row < int8_rows_at_once; ++row) out[row] = rows[row] + at;
    direct_at<TapsX, sums32_vectors>(job, at, out);
  }
  if (!is_part) return;
  for (int row = 0; row < int8_rows_at_once; ++row) std::copy_n(parts[row], job.n, reinterpret_cast<T*>(job.out[row]));
}

template <class T>
void direct(const Sums32Direct& job) {
  switch (job.taps_x) {
    case 3: return direct_all<3, T>(job);
    case 5: return direct_all<5, T>(job);
    case 7: return direct_all<7, T>(job);
    default: return direct_all<0, T>(job);
  }
}

/// Adds two rows of pixels to the groups First…Last of two output rows each.
template <int First, int Last, int Vectors>
HWY_INLINE void add_rows(const std::uint8_t* const* rows, std::int64_t at, const std::int32_t* weights,
                         Sums (&sums)[int8_rows_at_once][Vectors]) {
  const hn::Half<D8> d8;
  for (int v = 0; v < Vectors; v += 2) {
    const auto first = hn::PromoteTo(D16(), hn::LoadU(d8, rows[0] + at + v * lanes32));
    const auto second = hn::PromoteTo(D16(), hn::LoadU(d8, rows[1] + at + v * lanes32));
    const auto lower = hn::InterleaveLower(D16(), first, second);
    const auto upper = hn::InterleaveUpper(D16(), first, second);
    for (int row = 2 * First; row < 2 * Last + 2; ++row) {
      const auto weight = weight_pair(weights[row]);
      sums[row][v] = add_products(sums[row][v], lower, weight);
      sums[row][v + 1] = add_products(sums[row][v + 1], upper, weight);
    }
  }
}

template <int Vectors>
HWY_INLINE void columns_at(const Sums32Columns& job, std::int64_t at) {
  const RightShift shift{job.shift};
  Sums sums[int8_rows_at_once][Vectors];
  for (auto& row : sums) {
    for (auto& sum : row) sum = half_of(job.shift);
  }
  const std::uint8_t* const* rows = job.rows;
  const std::int32_t* weights = job.weights;
  const auto next = [&] {
    rows += 2;
    weights += int8_rows_at_once;
  };
  add_rows<0, 0>(rows, at, weights, sums);
  next();
  if (job.pairs == 1) {
    add_rows<1, 1>(rows, at, weights, sums);
    next();
  } else {
    add_rows<0, 1>(rows, at, weights, sums);
    next();
    for (std::int64_t j = 2; j < job.pairs; ++j, next()) add_rows<0, 2>(rows, at, weights, sums);
    add_rows<1, 2>(rows, at, weights, sums);
    next();
  }
  add_rows<2, 2>(rows, at, weights, sums);
  for (int row = 0; row < int8_rows_at_once; ++row) {
    for (int v = 0; v < Vectors; v += 2) {
      const auto low = shift(sums[row][v]);
      const auto high = shift(sums[row][v + 1]);
      hn::StoreU(hn::ReorderDemote2To(D16(), low, high), D16(), job.out[row] + at + v * lanes32);
    }
  }
}

void columns(const Sums32Columns& job) {
  constexpr std::int64_t block = sums32_vectors * lanes32;
  const std::int64_t last = std::max<std::int64_t>(0, job.n - block);
  for (std::int64_t at = 0; at < job.n; at += block) columns_at<sums32_vectors>(job, std::min(at, last));
}

/// `Vectors` vectors of outputs, taps beside each other: each load serves outputs at even places and, by other weights, at odd
/// ones.
template <int Vectors, class Finish, class T>
HWY_INLINE void row_of_neighbours(const Sums32Row& job, const Finish& finish, std::int64_t at, T* to) {
  Sums even[Vectors];
  Sums odd[Vectors];
  for (int v = 0; v < Vectors; ++v) even[v] = odd[v] = finish.start();
  const std::int16_t* line = job.line + at;
  for (std::int64_t k = 0; k < job.pairs; ++k, line += 2) {
    const auto for_even = weight_pair(job.weights[2 * k]);
    const auto for_odd = weight_pair(job.weights[2 * k + 1]);
    for (int v = 0; v < Vectors; ++v) {
      const auto values = hn::LoadU(D16(), line + v * lanes16);
      even[v] = add_products(even[v], values, for_even);
      odd[v] = add_products(odd[v], values, for_odd);
    }
  }
  // Four even ones beside four odd ones, put in turn.
  alignas(16) static constexpr std::uint8_t in_turn[] = {0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15};
  const auto order = hn::LoadDup128(D8(), in_turn);
  Pairs halves[Vectors];
  for (int v = 0; v < Vectors; ++v) {
    const auto mixed = hn::ReorderDemote2To(D16(), finish(even[v]), finish(odd[v]));
    halves[v] = hn::BitCast(D16(), hn::TableLookupBytes(hn::BitCast(D8(), mixed), order));
  }
  put_halves(halves, to, job.streams);
}

/// The same, taps apart.
template <int Vectors, class Finish, class T>
HWY_INLINE void row_of_strides(const Sums32Row& job, const Finish& finish, std::int64_t at, T* to) {
  Sums lower[Vectors];
  Sums upper[Vectors];
  for (int v = 0; v < Vectors; ++v) lower[v] = upper[v] = finish.start();
  const std::int16_t* line = job.line + at;
  for (std::int64_t k = 0; k < job.pairs; ++k, line += 2 * job.tap_stride) {
    const auto weight = weight_pair(job.weights[2 * k]);
    for (int v = 0; v < Vectors; ++v) {
      const auto first = hn::LoadU(D16(), line + v * lanes16);
      const auto second = hn::LoadU(D16(), line + job.tap_stride + v * lanes16);
      lower[v] = add_products(lower[v], hn::InterleaveLower(D16(), first, second), weight);
      upper[v] = add_products(upper[v], hn::InterleaveUpper(D16(), first, second), weight);
    }
  }
  Pairs halves[Vectors];
  for (int v = 0; v < Vectors; ++v) halves[v] = hn::ReorderDemote2To(D16(), finish(lower[v]), finish(upper[v]));
  put_halves(halves, to, job.streams);
}

#if HWY_TARGET == HWY_AVX3
/// Where samples of pixels of `step` channels go: pairs of pixels as far as a vector holds them, the two samples of a channel
/// beside each other, and back from sums of first and of second pixels that were joined within blocks of 128 bits.
struct PixelPairs {
  std::int64_t sums;  // of a vector that are used, as many of first as of second pixels
  alignas(64) std::uint16_t to_pairs[32] = {};
  alignas(64) std::uint16_t to_samples[32] = {};

  explicit PixelPairs(std::int64_t step) : sums(lanes32 / step * step) {
    for (std::int64_t sum = 0; sum < sums; ++sum) {
      for (std::int64_t second = 0; second < 2; ++second) {
        const std::int64_t sample = (2 * (sum / step) + second) * step + sum % step;
        to_pairs[2 * sum + second] = static_cast<std::uint16_t>(sample);
        to_samples[sample] = static_cast<std::uint16_t>(8 * (sum / 4) + 4 * second + sum % 4);
      }
    }
  }
};

HWY_INLINE Pairs permuted(Pairs values, const std::uint16_t* order) {
  return Pairs{_mm512_permutexvar_epi16(_mm512_load_si512(order), values.raw)};
}

/// Taps few channels apart: pixels are put in pairs once, and each load serves first and, by other weights, second pixels.
template <class Finish, class T>
HWY_INLINE void row_of_pixels(const Sums32Row& job, const Finish& finish) {
  constexpr int vectors = 8;
  constexpr int vectors_of_part = 32;  // whole vectors of pixels, however many samples one of sums makes
  static const PixelPairs orders[] = {PixelPairs(2), PixelPairs(3), PixelPairs(4)};
  const PixelPairs& order = orders[job.tap_stride - 2];
  const std::int64_t samples = 2 * order.sums;
  const std::int64_t wide = job.n + 2 * job.pairs * job.tap_stride;
  const auto to_pairs = _mm512_load_si512(order.to_pairs);
  std::int32_t* HWY_RESTRICT pairs = job.line_of_pairs;
  const std::int16_t* HWY_RESTRICT line_of_samples = job.line;
  for (std::int64_t at = 0; at * 2 < wide; at += order.sums, pairs += order.sums, line_of_samples += samples) {
    const auto values = hn::LoadU(D16(), line_of_samples);
    hn::StoreU(hn::BitCast(D32(), Pairs{_mm512_permutexvar_epi16(to_pairs, values.raw)}), D32(), pairs);
  }
  alignas(64) T part[(vectors_of_part + 1) * lanes16];
  auto* out = reinterpret_cast<T*>(job.out);
  for (std::int64_t begin = 0; begin < job.n; begin += vectors_of_part * samples) {
    const std::int64_t count = std::min(vectors_of_part * samples, job.n - begin);
    for (std::int64_t at = 0; at < count; at += vectors * samples) {
      if (job.ahead != nullptr) ask_for(job.ahead + begin + at, vectors * samples, job.n);
      Sums first[vectors];
      Sums second[vectors];
      for (int v = 0; v < vectors; ++v) first[v] = second[v] = finish.start();
      const std::int32_t* line = job.line_of_pairs + (begin + at) / 2;
      for (std::int64_t k = 0; k < job.pairs; ++k, line += job.tap_stride) {
        const auto for_first = weight_pair(job.weights[2 * k]);
        const auto for_second = weight_pair(job.weights[2 * k + 1]);
        for (int v = 0; v < vectors; ++v) {
          const auto values = hn::BitCast(D16(), hn::LoadU(D32(), line + v * order.sums));
          first[v] = add_products(first[v], values, for_first);
          second[v] = add_products(second[v], values, for_second);
        }
      }
      for (int v = 0; v < vectors; ++v) {
        const auto mixed = hn::ReorderDemote2To(D16(), finish(first[v]), finish(second[v]));
        put_16(permuted(mixed, order.to_samples), part + at + v * samples, false);
      }
    }
    constexpr std::int64_t lanes = HWY_MAX_BYTES / sizeof(T);
    const hn::ScalableTag<T> d;
    std::int64_t at = 0;
    for (; at + lanes <= count; at += lanes) put(d, hn::Load(d, part + at), out + begin + at, job.streams);
    std::copy_n(part + at, count - at, out + begin + at);
  }
}
#endif

template <bool Neighbours, class Finish, class T>
HWY_INLINE void row_all(const Sums32Row& job, const Finish& finish) {
  auto* out = reinterpret_cast<T*>(job.out);
  const auto some = [&]<int Vectors>(std::int64_t at, T* to) {
    if constexpr (Neighbours) return row_of_neighbours<Vectors>(job, finish, at, to);
    row_of_strides<Vectors>(job, finish, at, to);
  };
  constexpr int many = HWY_TARGET == HWY_AVX3 ? 6 : 4;
  std::int64_t at = 0;
  for (; at + many * lanes16 <= job.n; at += many * lanes16) {
    some.template operator()<many>(at, out + at);
    if (job.ahead != nullptr) ask_for(job.ahead + at, many * lanes16, job.n);
  }
  for (; at + 2 * lanes16 <= job.n; at += 2 * lanes16) some.template operator()<2>(at, out + at);
  if (at == job.n) return;
  alignas(64) T part[lanes16];
  const bool is_part = job.n < lanes16;
  const std::int64_t last = is_part ? 0 : job.n - lanes16;
  for (; at < job.n; at += lanes16) {
    const std::int64_t from = std::min(at, last);
    some.template operator()<1>(from, is_part ? part : out + from);
  }
  if (is_part) std::copy_n(part, job.n, out);
}

template <class T>
void row(const Sums32Row& job) {
  with_finisher(job.finish, [&]<class Finish>(const Finish& finish) {
    if (job.tap_stride == 1) return row_all<true, Finish, T>(job, finish);
#if HWY_TARGET == HWY_AVX3
    if (job.tap_stride <= 4) return row_of_pixels<Finish, T>(job, finish);
#endif
    row_all<false, Finish, T>(job, finish);
  });
}

inline const Sums32Kernels& sums32_kernels(const char* instruction_set) {
  static const Sums32Kernels table{.instruction_set = instruction_set,
                                  .pair_up = pair_up,
                                  .direct = {.u8 = direct<std::uint8_t>, .i16 = direct<std::int16_t>},
                                  .columns = columns,
                                  .reads_lines_in_steps = sums32_vectors * lanes32 < cache_line_bytes,
                                  .row = {.u8 = row<std::uint8_t>, .i16 = row<std::int16_t>}};
  return table;
}
