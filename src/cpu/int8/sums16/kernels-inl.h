// kernels-inl.h: filters of three taps over 8 bits in sums of 16 bits, for each instruction set. Included by kernels.cpp,
// within the namespace of a target.

#include "cpu/parts/multiplier-inl.h"
#include "cpu/parts/put-inl.h"

/// Vectors that a block has beside each other: their pixels are whole vectors.
inline constexpr int sums16_vectors = 2;
inline constexpr std::int64_t sums16_block = sums16_vectors * lanes16;

HWY_INLINE Pairs widened(const std::uint8_t* pixels, int left) {
  return hn::ShiftLeftSame(hn::PromoteTo(D16(), hn::LoadU(hn::Half<D8>(), pixels)), left);
}

/// Σ weight · value, of `Taps` weights in registers.
template <Sums16Product Product, int Taps>
struct Weights {
  Pairs weights[Taps];

  explicit Weights(const Sums16Weights& narrow) {
    for (int k = 0; k < Taps; ++k) weights[k] = hn::Set(D16(), narrow.weights[static_cast<std::size_t>(k)]);
  }
  HWY_INLINE Pairs product(int k, Pairs value) const {
    if constexpr (Product == Sums16Product::none) return value;
    if constexpr (Product == Sums16Product::whole) return hn::Mul(value, weights[k]);
    return hn::MulFixedPoint15(value, weights[k]);
  }
  HWY_INLINE Pairs sum(Pairs a, Pairs b, Pairs c) const {
    if constexpr (Product == Sums16Product::smoothing) return hn::Add(hn::Add(a, c), hn::Add(b, b));
    if constexpr (Product == Sums16Product::rise) return hn::Sub(c, a);
    if constexpr (Product == Sums16Product::fall) return hn::Sub(a, c);
    return hn::Add(hn::Add(product(0, a), product(1, b)), product(2, c));
  }
};

template <bool HalfEven>
struct Sums16Shift {
  Pairs bias;
  int right;
  explicit Sums16Shift(const Sums16Finish& finish) : bias(hn::Set(D16(), finish.bias)), right(finish.right) {}
  HWY_INLINE Pairs operator()(Pairs sum) const {
    if constexpr (HalfEven) sum = hn::Add(sum, hn::And(hn::ShiftRightSame(sum, right), hn::Set(D16(), 1)));
    return hn::ShiftRightSame(hn::SaturatedAdd(sum, bias), right);
  }
};

struct Sums16Multiplier {
  hn::RebindToUnsigned<D16> d{};
  Multiplier by;
  explicit Sums16Multiplier(const Sums16Finish& finish) : by(finish.multiplier) {}
  HWY_INLINE Pairs operator()(Pairs sum) const {
    return hn::BitCast(D16(), multiplied(d, hn::BitCast(d, sum), by));
  }
};

/// Calls body with the kind of product and what finishes sums.
template <class Body>
HWY_INLINE void with_finish(Sums16Product product, const Sums16Finish& finish, const Body& body) {
  using enum Sums16Product;
  const auto shifted = [&]<Sums16Product Product>() {
    if (finish.half_even) return body.template operator()<Product>(Sums16Shift<true>(finish));
    body.template operator()<Product>(Sums16Shift<false>(finish));
  };
  switch (product) {
    case none: return body.template operator()<none>(Sums16Multiplier(finish));
    case whole: return shifted.template operator()<whole>();
    case smoothing: return shifted.template operator()<smoothing>();
    case rise: return shifted.template operator()<rise>();
    case fall: return shifted.template operator()<fall>();
    case fixed_point: return shifted.template operator()<fixed_point>();
  }
}

void widen(const Sums16Widen& job) {
  std::int64_t i = 0;
  const auto put_at = [&](std::int64_t at) { hn::StoreU(widened(job.pixels + at, job.left), D16(), job.out + at); };
  for (; i + lanes16 <= job.n; i += lanes16) put_at(i);
  if (i < job.n) put_at(std::max<std::int64_t>(0, job.n - lanes16));
}

template <Sums16Product Product>
HWY_INLINE void columns_at(const Weights<Product, 3>& weights, int left, const std::uint8_t* const (&rows)[int8_rows_at_once + 2],
                           std::int16_t* const (&out)[int8_rows_at_once], std::int64_t i) {
  Pairs upper = widened(rows[0] + i, left);
  Pairs middle = widened(rows[1] + i, left);
  for (int row = 0; row < int8_rows_at_once; ++row) {
    const Pairs lower = widened(rows[row + 2] + i, left);
    hn::StoreU(weights.sum(upper, middle, lower), D16(), out[row] + i);
    upper = middle;
    middle = lower;
  }
}

template <Sums16Product Product>
void columns_of(const Sums16Columns& job) {
  const Weights<Product, 3> weights(job.weights);
  const int left = Product == Sums16Product::fixed_point ? job.weights.left : 0;
  const std::uint8_t* rows[int8_rows_at_once + 2];
  std::int16_t* out[int8_rows_at_once];
  std::copy_n(job.rows, int8_rows_at_once + 2, rows);
  std::copy_n(job.out, int8_rows_at_once, out);
  std::int64_t i = 0;
  for (; i + lanes16 <= job.n; i += lanes16) columns_at(weights, left, rows, out, i);
  if (i < job.n) columns_at(weights, left, rows, out, std::max<std::int64_t>(0, job.n - lanes16));
}

void columns(const Sums16Columns& job) {
  using enum Sums16Product;
  switch (job.weights.product) {
    case none: return columns_of<none>(job);
    case whole: return columns_of<whole>(job);
    case smoothing: return columns_of<smoothing>(job);
    case rise: return columns_of<rise>(job);
    case fall: return columns_of<fall>(job);
    case fixed_point: return columns_of<fixed_point>(job);
  }
}

/// One output row: a block of it.
template <Sums16Product Product, class Finish>
struct RowOf {
  static constexpr int rows = 1;
  const Sums16Row& job;
  Finish finish;
  Weights<Product, 3> weights;

  RowOf(const Sums16Row& row, const Finish& how) : job(row), finish(how), weights(row.weights) {}

  template <class T>
  HWY_INLINE void operator()(std::int64_t i, T* const* out) const {
    Pairs sums[sums16_vectors];
    for (int v = 0; v < sums16_vectors; ++v) {
      const std::int16_t* line = job.line + i + v * lanes16;
      const auto first = hn::LoadU(D16(), line);
      const auto second = hn::LoadU(D16(), line + job.tap_stride);
      const auto third = hn::LoadU(D16(), line + 2 * job.tap_stride);
      sums[v] = finish(weights.sum(first, second, third));
    }
    put_halves(sums, out[0], job.streams);
    if (job.ahead != nullptr) ask_for(job.ahead + i, sums16_block, job.n);
  }
};

/// All taps for `int8_rows_at_once` output rows.
template <Sums16Product Product, class Finish>
struct DirectOf {
  static constexpr int rows = int8_rows_at_once;
  const Sums16Direct& job;
  Finish finish;
  Weights<Product, 9> weights;

  DirectOf(const Sums16Direct& direct, const Finish& how) : job(direct), finish(how), weights(direct.weights) {}

  /// Adds a line to the output rows that it is part of.
  template <int Line>
  HWY_INLINE void add(std::int64_t i, Pairs (&sums)[int8_rows_at_once][sums16_vectors]) const {
    constexpr int first = Line < 2 ? 0 : Line - 2;
    constexpr int last = Line < int8_rows_at_once ? Line : int8_rows_at_once - 1;
    for (int k = 0; k < 3; ++k) {
      const std::int16_t* from = job.lines[Line] + i + k * job.tap_stride;
      for (int v = 0; v < sums16_vectors; ++v) {
        const auto value = hn::LoadU(D16(), from + v * lanes16);
        for (int row = first; row <= last; ++row) {
          const auto product = weights.product(3 * (Line - row) + k, value);
          sums[row][v] = row == Line && k == 0 ? product : hn::Add(sums[row][v], product);
        }
      }
    }
  }

  template <class T>
  HWY_INLINE void operator()(std::int64_t i, T* const* out) const {
    Pairs sums[int8_rows_at_once][sums16_vectors];
    static_assert(int8_rows_at_once == 6);
    add<0>(i, sums);
    add<1>(i, sums);
    add<2>(i, sums);
    add<3>(i, sums);
    add<4>(i, sums);
    add<5>(i, sums);
    add<6>(i, sums);
    add<7>(i, sums);
    for (int row = 0; row < int8_rows_at_once; ++row) {
      for (auto& sum : sums[row]) sum = finish(sum);
      put_halves(sums[row], out[row], job.streams);
      if (job.ahead[static_cast<std::size_t>(row)] != nullptr) ask_for(job.ahead[static_cast<std::size_t>(row)] + i, sums16_block, job.n);
    }
  }
};

/// Vectors of a block of both factors: a cache line of pixels, where registers hold so many.
inline constexpr int factors_vectors = HWY_MAX_BYTES < 32 ? 2 : static_cast<int>(64 / lanes16);
inline constexpr std::int64_t factors_block = factors_vectors * lanes16;

/// Both factors for `int8_rows_at_once` output rows, of kinds that need no weights: along x and then along y, in registers.
template <Sums16Product AlongX, Sums16Product AlongY, class Finish>
struct FactorsOf {
  static constexpr int rows = int8_rows_at_once;
  const Sums16Factors& job;
  Finish finish;
  Weights<AlongX, 3> x{{}};
  Weights<AlongY, 3> y{{}};

  FactorsOf(const Sums16Factors& both, const Finish& how) : job(both), finish(how) {}

  HWY_INLINE Pairs along_x(int line, std::int64_t i) const {
    const std::uint8_t* from = job.rows[line] + i;
    return x.sum(widened(from, 0), widened(from + job.tap_stride, 0), widened(from + 2 * job.tap_stride, 0));
  }

  template <class T>
  HWY_INLINE void operator()(std::int64_t i, T* const* out) const {
    Pairs upper[factors_vectors], middle[factors_vectors];
    for (int v = 0; v < factors_vectors; ++v) upper[v] = along_x(0, i + v * lanes16);
    for (int v = 0; v < factors_vectors; ++v) middle[v] = along_x(1, i + v * lanes16);
    for (int row = 0; row < int8_rows_at_once; ++row) {
      Pairs sums[factors_vectors];
      for (int v = 0; v < factors_vectors; ++v) {
        const Pairs lower = along_x(row + 2, i + v * lanes16);
        sums[v] = finish(y.sum(upper[v], middle[v], lower));
        upper[v] = middle[v];
        middle[v] = lower;
      }
      put_halves(sums, out[row], job.streams);
      if (job.ahead[static_cast<std::size_t>(row)] != nullptr) ask_for(job.ahead[static_cast<std::size_t>(row)] + i, factors_block, job.n);
    }
  }
};

/// Calls `at` for blocks that cover n pixels of rows and nothing else; a block that would end behind n goes to parts of rows.
template <class T, class At>
HWY_INLINE void cover(std::int64_t n, std::byte* const* rows, const At& at) {
  T* out[At::rows];
  alignas(64) T parts[At::rows][sums16_block];
  // One place that makes blocks, also for what is left: compilers take long for each.
  for (std::int64_t i = 0; i < n; i += sums16_block) {
    const bool is_whole = i + sums16_block <= n;
    for (int row = 0; row < At::rows; ++row) out[row] = is_whole ? reinterpret_cast<T*>(rows[row]) + i : parts[row];
    at(i, out);
    if (is_whole) continue;
    for (int row = 0; row < At::rows; ++row) std::copy_n(parts[row], n - i, reinterpret_cast<T*>(rows[row]) + i);
  }
}

template <class T>
void row(const Sums16Row& job) {
  with_finish(job.weights.product, job.finish, [&]<Sums16Product Product, class Finish>(const Finish& finish) {
    cover<T>(job.n, &job.out, RowOf<Product, Finish>(job, finish));
  });
}

template <class T>
void direct(const Sums16Direct& job) {
  with_finish(job.weights.product, job.finish, [&]<Sums16Product Product, class Finish>(const Finish& finish) {
    if constexpr (Product == Sums16Product::whole || Product == Sums16Product::fixed_point) {
      cover<T>(job.n, job.out, DirectOf<Product, Finish>(job, finish));
    }
  });
}

template <class T>
void factors(const Sums16Factors& job) {
  using enum Sums16Product;
  const auto covered = [&]<Sums16Product AlongX, Sums16Product AlongY>() {
    with_finish(AlongX == none ? none : whole, job.finish, [&]<Sums16Product, class Finish>(const Finish& finish) {
      // What is left of a row is made again with what comes before it: nothing may be read behind rows.
      const FactorsOf<AlongX, AlongY, Finish> at(job, finish);
      T* out[int8_rows_at_once];
      for (std::int64_t begin = 0; begin < job.n; begin += factors_block) {
        const std::int64_t i = std::min(begin, job.n - factors_block);
        for (int row = 0; row < int8_rows_at_once; ++row) out[row] = reinterpret_cast<T*>(job.out[row]) + i;
        at(i, out);
      }
    });
  };
  if (job.along_x == smoothing && job.along_y == smoothing) return covered.template operator()<smoothing, smoothing>();
  if (job.along_x == smoothing && job.along_y == rise) return covered.template operator()<smoothing, rise>();
  if (job.along_x == smoothing && job.along_y == fall) return covered.template operator()<smoothing, fall>();
  if (job.along_x == rise) return covered.template operator()<rise, smoothing>();
  if (job.along_x == fall) return covered.template operator()<fall, smoothing>();
  covered.template operator()<none, none>();
}

const Sums16Kernels& sums16_kernels() {
  static constexpr Sums16Kernels table{.widen = widen,
                                       .columns = columns,
                                       .row = {.u8 = row<std::uint8_t>, .i16 = row<std::int16_t>},
                                       .factors = {.u8 = factors<std::uint8_t>, .i16 = factors<std::int16_t>},
                                       .direct = {.u8 = direct<std::uint8_t>, .i16 = direct<std::int16_t>}};
  return table;
}
