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

template <bool adds, class T>
void add_row(const T* from, std::int64_t n, T* sums) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  T* const squares = sums + 2 * lanes;
  auto low = adds ? hn::LoadU(d, sums) : hn::Zero(d), high = adds ? hn::LoadU(d, sums + lanes) : hn::Zero(d);
  auto other_low = hn::Zero(d), other_high = hn::Zero(d);
  const auto square = [&](std::int64_t i) {
    const auto x = hn::LoadU(d, from + i);
    if constexpr (adds) {
      hn::StoreU(hn::MulAdd(x, x, hn::LoadU(d, squares + i)), d, squares + i);
    } else {
      hn::StoreU(hn::Mul(x, x), d, squares + i);
    }
    return x;
  };
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto x = square(i), y = square(i + lanes);
    low = hn::Min(low, x), other_low = hn::Min(other_low, y);
    high = hn::Max(high, x), other_high = hn::Max(other_high, y);
  }
  T least = 0, most = 0;
  for (; i < n; ++i) {
    const T x = from[i];
    squares[i] = adds ? squares[i] + x * x : x * x;
    least = std::min(least, x);
    most = std::max(most, x);
  }
  hn::StoreU(hn::Min(hn::Min(low, other_low), hn::Set(d, least)), d, sums);
  hn::StoreU(hn::Max(hn::Max(high, other_high), hn::Set(d, most)), d, sums + lanes);
}

template <class T>
void add_row(const T* from, std::int64_t n, T* sums, bool is_first) {
  return is_first ? add_row<false>(from, n, sums) : add_row<true>(from, n, sums);
}

/// Of squares, as vectors and one by one, in parts no longer than `most`.
template <class T, class Vectors, class One>
HWY_INLINE void add_parts(std::int64_t n, std::int64_t most, const Vectors& vector_at, const One& one_at, PartSums<T>& found) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto least = hn::Set(d, std::numeric_limits<T>::max());
  found.least = std::numeric_limits<T>::max();
  // Whole vectors where parts are long enough. The last part ends where the row does, and overlaps the one before it.
  const std::int64_t part = most == 1 ? n : std::min(n, most < lanes ? most : most / lanes * lanes);
  for (std::int64_t at = 0; at < n; at += part) {
    const std::int64_t begin = std::min(at, n - part);
    auto vectors = hn::Zero(d);
    T sum = 0;
    along_line<T>(
        part,
        [&](std::int64_t i) {
          const auto x = vector_at(begin + i);
          if (most == 1) least = hn::Min(least, x);
          vectors = hn::Add(vectors, x);
        },
        [&](std::int64_t i) {
          const T x = one_at(begin + i);
          if (most == 1) least = hn::Min(least, hn::Set(d, x));
          sum += x;
        });
    if (part >= lanes) sum += hn::GetLane(hn::SumOfLanes(d, vectors));
    found.least = std::min(found.least, most == 1 ? hn::GetLane(hn::MinOfLanes(d, least)) : sum);
    found.all += static_cast<double>(sum);
  }
}

template <class T>
PartSums<T> part_sums(const T* sums, std::int64_t n, std::int64_t most) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const T* const squares = sums + 2 * lanes;
  PartSums<T> found{.any_negative = hn::GetLane(hn::MinOfLanes(d, hn::LoadU(d, sums))) < 0,
                    .any_positive = hn::GetLane(hn::MaxOfLanes(d, hn::LoadU(d, sums + lanes))) > 0};
  add_parts<T>(
      n, most, [&](std::int64_t i) { return hn::LoadU(d, squares + i); }, [&](std::int64_t i) { return squares[i]; }, found);
  return found;
}

template <class T>
PartSums<T> row_sums(const T* row, std::int64_t n, std::int64_t most) {
  const hn::ScalableTag<T> d;
  auto low = hn::Zero(d), high = hn::Zero(d);
  PartSums<T> found;
  add_parts<T>(
      n, most,
      [&](std::int64_t i) {
        const auto x = hn::LoadU(d, row + i);
        low = hn::Min(low, x);
        high = hn::Max(high, x);
        return hn::Mul(x, x);
      },
      [&](std::int64_t i) {
        found.any_negative |= row[i] < 0;
        found.any_positive |= row[i] > 0;
        return row[i] * row[i];
      },
      found);
  found.any_negative |= hn::GetLane(hn::MinOfLanes(d, low)) < 0;
  found.any_positive |= hn::GetLane(hn::MaxOfLanes(d, high)) > 0;
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
