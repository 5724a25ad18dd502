// narrow-inl.h: filters of three taps over 8 bits in sums of 16 bits, for each instruction set. Included by narrow_kernels.cpp,
// within the namespace of a target.

#include "cpu/multiplier-inl.h"
#include "cpu/put-inl.h"

/// Vectors that a block has beside each other: their pixels are whole vectors.
inline constexpr int narrow_vectors = 2;
inline constexpr std::int64_t narrow_block = narrow_vectors * lanes16;

HWY_INLINE Pairs widened(const std::uint8_t* pixels, int left) {
  return hn::ShiftLeftSame(hn::PromoteTo(D16(), hn::LoadU(hn::Half<D8>(), pixels)), left);
}

/// Σ weight · value, of `Taps` weights in registers.
template <NarrowProduct Product, int Taps>
struct Weights {
  Pairs weights[Taps];

  explicit Weights(const NarrowWeights& narrow) {
    for (int k = 0; k < Taps; ++k) weights[k] = hn::Set(D16(), narrow.weights[static_cast<std::size_t>(k)]);
  }
  HWY_INLINE Pairs product(int k, Pairs value) const {
    if constexpr (Product == NarrowProduct::none) return value;
    if constexpr (Product == NarrowProduct::whole) return hn::Mul(value, weights[k]);
    return hn::MulFixedPoint15(value, weights[k]);
  }
  HWY_INLINE Pairs sum(Pairs a, Pairs b, Pairs c) const {
    if constexpr (Product == NarrowProduct::smoothing) return hn::Add(hn::Add(a, c), hn::Add(b, b));
    if constexpr (Product == NarrowProduct::rise) return hn::Sub(c, a);
    if constexpr (Product == NarrowProduct::fall) return hn::Sub(a, c);
    return hn::Add(hn::Add(product(0, a), product(1, b)), product(2, c));
  }
};

template <bool HalfEven>
struct NarrowShift {
  Pairs bias;
  int right;
  explicit NarrowShift(const NarrowFinish& finish) : bias(hn::Set(D16(), finish.bias)), right(finish.right) {}
  HWY_INLINE Pairs operator()(Pairs sum) const {
    if constexpr (HalfEven) sum = hn::Add(sum, hn::And(hn::ShiftRightSame(sum, right), hn::Set(D16(), 1)));
    return hn::ShiftRightSame(hn::SaturatedAdd(sum, bias), right);
  }
};

struct NarrowMultiplier {
  hn::RebindToUnsigned<D16> d{};
  Multiplier by;
  explicit NarrowMultiplier(const NarrowFinish& finish) : by(finish.multiplier) {}
  HWY_INLINE Pairs operator()(Pairs sum) const {
    return hn::BitCast(D16(), multiplied(d, hn::BitCast(d, sum), by));
  }
};

/// Calls body with the kind of product and what finishes sums.
template <class Body>
HWY_INLINE void with_finish(NarrowProduct product, const NarrowFinish& finish, const Body& body) {
  using enum NarrowProduct;
  const auto shifted = [&]<NarrowProduct Product>() {
    if (finish.half_even) return body.template operator()<Product>(NarrowShift<true>(finish));
    body.template operator()<Product>(NarrowShift<false>(finish));
  };
  switch (product) {
    case none: return body.template operator()<none>(NarrowMultiplier(finish));
    case whole: return shifted.template operator()<whole>();
    case smoothing: return shifted.template operator()<smoothing>();
    case rise: return shifted.template operator()<rise>();
    case fall: return shifted.template operator()<fall>();
    case fixed_point: return shifted.template operator()<fixed_point>();
  }
}

void widen(const NarrowWiden& job) {
  std::int64_t i = 0;
  const auto put_at = [&](std::int64_t at) { hn::StoreU(widened(job.pixels + at, job.left), D16(), job.out + at); };
  for (; i + lanes16 <= job.n; i += lanes16) put_at(i);
  if (i < job.n) put_at(std::max<std::int64_t>(0, job.n - lanes16));
}

template <NarrowProduct Product>
HWY_INLINE void columns_at(const Weights<Product, 3>& weights, int left, const std::uint8_t* const (&rows)[fixed_rows + 2],
                           std::int16_t* const (&out)[fixed_rows], std::int64_t i) {
  Pairs upper = widened(rows[0] + i, left);
  Pairs middle = widened(rows[1] + i, left);
  for (int row = 0; row < fixed_rows; ++row) {
    const Pairs lower = widened(rows[row + 2] + i, left);
    hn::StoreU(weights.sum(upper, middle, lower), D16(), out[row] + i);
    upper = middle;
    middle = lower;
  }
}

template <NarrowProduct Product>
void columns_of(const NarrowColumns& job) {
  const Weights<Product, 3> weights(job.weights);
  const int left = Product == NarrowProduct::fixed_point ? job.weights.left : 0;
  const std::uint8_t* rows[fixed_rows + 2];
  std::int16_t* out[fixed_rows];
  std::copy_n(job.rows, fixed_rows + 2, rows);
  std::copy_n(job.out, fixed_rows, out);
  std::int64_t i = 0;
  for (; i + lanes16 <= job.n; i += lanes16) columns_at(weights, left, rows, out, i);
  if (i < job.n) columns_at(weights, left, rows, out, std::max<std::int64_t>(0, job.n - lanes16));
}

void columns(const NarrowColumns& job) {
  using enum NarrowProduct;
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
template <NarrowProduct Product, class Finish>
struct RowOf {
  static constexpr int rows = 1;
  const NarrowRow& job;
  Finish finish;
  Weights<Product, 3> weights;

  RowOf(const NarrowRow& row, const Finish& how) : job(row), finish(how), weights(row.weights) {}

  template <class T>
  HWY_INLINE void operator()(std::int64_t i, T* const* out) const {
    Pairs sums[narrow_vectors];
    for (int v = 0; v < narrow_vectors; ++v) {
      const std::int16_t* line = job.line + i + v * lanes16;
      const auto first = hn::LoadU(D16(), line);
      const auto second = hn::LoadU(D16(), line + job.tap_stride);
      const auto third = hn::LoadU(D16(), line + 2 * job.tap_stride);
      sums[v] = finish(weights.sum(first, second, third));
    }
    put_halves(sums, out[0], job.streams);
    if (job.ahead != nullptr) ask_for(job.ahead + i, narrow_block);
  }
};

/// All taps for `fixed_rows` output rows.
template <NarrowProduct Product, class Finish>
struct DirectOf {
  static constexpr int rows = fixed_rows;
  const NarrowDirect& job;
  Finish finish;
  Weights<Product, 9> weights;

  DirectOf(const NarrowDirect& direct, const Finish& how) : job(direct), finish(how), weights(direct.weights) {}

  /// Adds a line to the output rows that it is part of.
  template <int Line>
  HWY_INLINE void add(std::int64_t i, Pairs (&sums)[fixed_rows][narrow_vectors]) const {
    constexpr int first = Line < 2 ? 0 : Line - 2;
    constexpr int last = Line < fixed_rows ? Line : fixed_rows - 1;
    for (int k = 0; k < 3; ++k) {
      const std::int16_t* from = job.lines[Line] + i + k * job.tap_stride;
      for (int v = 0; v < narrow_vectors; ++v) {
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
    Pairs sums[fixed_rows][narrow_vectors];
    static_assert(fixed_rows == 6);
    add<0>(i, sums);
    add<1>(i, sums);
    add<2>(i, sums);
    add<3>(i, sums);
    add<4>(i, sums);
    add<5>(i, sums);
    add<6>(i, sums);
    add<7>(i, sums);
    for (int row = 0; row < fixed_rows; ++row) {
      for (auto& sum : sums[row]) sum = finish(sum);
      put_halves(sums[row], out[row], job.streams);
      if (job.ahead[static_cast<std::size_t>(row)] != nullptr) ask_for(job.ahead[static_cast<std::size_t>(row)] + i, narrow_block);
    }
  }
};

/// Calls `at` for blocks that cover n pixels of rows and nothing else; a block that would end behind n goes to parts of rows.
template <class T, class At>
HWY_INLINE void cover(std::int64_t n, std::byte* const* rows, const At& at) {
  T* out[At::rows];
  std::int64_t i = 0;
  const auto begin_at = [&](std::int64_t begin) {
    for (int row = 0; row < At::rows; ++row) out[row] = reinterpret_cast<T*>(rows[row]) + begin;
  };
  for (; i + narrow_block <= n; i += narrow_block) {
    begin_at(i);
    at(i, out);
  }
  if (i == n) return;
  alignas(64) T parts[At::rows][narrow_block];
  for (int row = 0; row < At::rows; ++row) out[row] = parts[row];
  at(i, out);
  for (int row = 0; row < At::rows; ++row) std::copy_n(parts[row], n - i, reinterpret_cast<T*>(rows[row]) + i);
}

template <class T>
void row(const NarrowRow& job) {
  with_finish(job.weights.product, job.finish, [&]<NarrowProduct Product, class Finish>(const Finish& finish) {
    cover<T>(job.n, &job.out, RowOf<Product, Finish>(job, finish));
  });
}

template <class T>
void direct(const NarrowDirect& job) {
  with_finish(job.weights.product, job.finish, [&]<NarrowProduct Product, class Finish>(const Finish& finish) {
    if constexpr (Product == NarrowProduct::whole || Product == NarrowProduct::fixed_point) {
      cover<T>(job.n, job.out, DirectOf<Product, Finish>(job, finish));
    }
  });
}

const NarrowKernels& narrow_kernels() {
  static constexpr NarrowKernels table{.widen = widen,
                                       .columns = columns,
                                       .row = {.u8 = row<std::uint8_t>, .i16 = row<std::int16_t>},
                                       .direct = {.u8 = direct<std::uint8_t>, .i16 = direct<std::int16_t>}};
  return table;
}
