// look-inl.h: what samples are like, before they are transformed, for each instruction set. Included within the namespace of a target.

/// Of vectors, and of what is left behind them, one by one.
template <class T, class OfVectors, class OfOne>
HWY_INLINE void along_line(std::int64_t n, const OfVectors& of_vectors, const OfOne& of_one) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) of_vectors(i);
  for (; i < n; ++i) of_one(i);
}

template <class T>
Extremes<T> extremes(const T* from, std::int64_t n) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> bits;  // of magnitudes grow as they do, infinity and NaN above all
  auto most = hn::Zero(bits);
  auto low = hn::Zero(d), high = hn::Zero(d);
  Extremes<T> found;
  T rest = 0;
  bool is_finite = true;
  along_line<T>(
      n,
      [&](std::int64_t i) {
        const auto x = hn::LoadU(d, from + i);
        most = hn::Max(most, hn::BitCast(bits, hn::Abs(x)));
        low = hn::Min(low, x);
        high = hn::Max(high, x);
      },
      [&](std::int64_t i) {
        const T x = from[i];
        is_finite = is_finite && std::isfinite(x);
        rest = std::max(rest, std::fabs(x));
        found.any_negative |= x < 0;
        found.any_positive |= x > 0;
      });
  const T of_vectors = hn::GetLane(hn::BitCast(d, hn::MaxOfLanes(bits, most)));
  is_finite = is_finite && std::isfinite(of_vectors);
  found.largest = is_finite ? std::max(rest, of_vectors) : std::numeric_limits<T>::infinity();
  found.any_negative |= hn::GetLane(hn::MinOfLanes(d, low)) < 0;
  found.any_positive |= hn::GetLane(hn::MaxOfLanes(d, high)) > 0;
  return found;
}

/// The same of rows shorter than a vector, one by one.
template <class T>
PartSums<T> part_sums_of_short_rows(const T* const* rows, std::int64_t count, std::int64_t n, std::int64_t most) {
  PartSums<T> found{.least = std::numeric_limits<T>::max()};
  const std::int64_t part = std::min(n, most);
  for (std::int64_t at = 0; at < n; at += part) {
    const std::int64_t begin = std::min(at, n - part);
    T sum = 0;
    for (std::int64_t row = 0; row < count; ++row) {
      for (const T* x = rows[row] + begin; x < rows[row] + begin + part; ++x) {
        found.any_negative |= *x < 0;
        found.any_positive |= *x > 0;
        sum += *x * *x;
      }
    }
    found.least = std::min(found.least, sum);
    found.all += static_cast<double>(sum);
  }
  return found;
}

/// Sums of as many neighbours, a power of 2 below the lanes of a vector, in the place of each of them.
template <class D>
HWY_INLINE hn::Vec<D> sums_of_neighbours(D d, hn::Vec<D> x, std::int64_t count) {
  if (count >= 2) x = hn::Add(x, hn::Reverse2(d, x));
  if (count >= 4) x = hn::Add(x, hn::Reverse4(d, x));
  if (count >= 8) x = hn::Add(x, hn::Reverse8(d, x));
  return x;
}

template <class T>
PartSums<T> part_sums(const T* const* rows, std::int64_t count, std::int64_t n, std::int64_t most) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (n < lanes) return part_sums_of_short_rows(rows, count, n, most);
  auto low = hn::Zero(d), high = hn::Zero(d);
  const auto squares = [&](std::int64_t column) {
    auto sums = hn::Zero(d);
    for (std::int64_t row = 0; row < count; ++row) {
      const auto x = hn::LoadU(d, rows[row] + column);
      low = hn::Min(low, x);
      high = hn::Max(high, x);
      sums = hn::MulAdd(x, x, sums);
    }
    return sums;
  };
  PartSums<T> found{.least = std::numeric_limits<T>::max()};
  // The last part ends where the rows do, and overlaps the one before it.
  if (most < lanes) {
    const auto width = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)));
    auto all = hn::Zero(d), least = hn::Set(d, found.least);
    for (std::int64_t at = 0; at < n; at += lanes) {
      const auto sums = squares(std::min(at, n - lanes));
      all = hn::Add(all, sums);
      least = hn::Min(least, sums_of_neighbours(d, sums, width));
    }
    found.least = hn::GetLane(hn::MinOfLanes(d, least));
    found.all = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, all)));
  } else {
    const std::int64_t part = std::min(n, most) / lanes * lanes;
    for (std::int64_t at = 0; at < n; at += part) {
      const std::int64_t begin = std::min(at, n - part);
      auto sums = squares(begin);
      for (std::int64_t i = lanes; i < part; i += lanes) sums = hn::Add(sums, squares(begin + i));
      const T sum = hn::GetLane(hn::SumOfLanes(d, sums));
      found.least = std::min(found.least, sum);
      found.all += static_cast<double>(sum);
    }
  }
  found.any_negative = !hn::AllFalse(d, hn::Lt(low, hn::Zero(d)));
  found.any_positive = !hn::AllFalse(d, hn::Gt(high, hn::Zero(d)));
  return found;
}

/// Of f32 as well.
template <class D>
HWY_INLINE hn::Vec<D> load_f64(D d, const double* from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> load_f64(D d, const float* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), from));
}

template <class T>
double sum_of_squares(const T* from, double scale, std::int64_t n) {
  const hn::ScalableTag<double> d;
  const auto by = hn::Set(d, scale);
  auto sums = hn::Zero(d);
  double rest = 0;
  along_line<double>(
      n,
      [&](std::int64_t i) {
        const auto x = hn::Mul(by, load_f64(d, from + i));
        sums = hn::MulAdd(x, x, sums);
      },
      [&](std::int64_t i) {
        const double x = scale * static_cast<double>(from[i]);
        rest += x * x;
      });
  return rest + hn::GetLane(hn::SumOfLanes(d, sums));
}

template <class T>
double dot(const T* a, const double* b, std::int64_t n) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto first = hn::Zero(d), second = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    first = hn::MulAdd(load_f64(d, a + i), hn::LoadU(d, b + i), first);
    second = hn::MulAdd(load_f64(d, a + i + lanes), hn::LoadU(d, b + i + lanes), second);
  }
  double sum = 0;
  for (; i < n; ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum + hn::GetLane(hn::SumOfLanes(d, hn::Add(first, second)));
}
