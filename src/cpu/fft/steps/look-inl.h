// look-inl.h: what samples are like, before they are transformed, for each instruction set. Included within the namespace of a target.

/// Of vectors, and of what is left behind them, one by one.
template <class T, class OfVectors, class OfOne>
HWY_INLINE void along_line(std::int64_t n, const OfVectors& of_vectors, const OfOne& of_one) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) of_vectors(i);
  for (; i < n; ++i) of_one(i);
}

template <class T, class AddSquares, class AddSquare>
HWY_INLINE Extremes<T> extremes_and(const T* from, std::int64_t n, const AddSquares& add_squares, const AddSquare& add_square) {
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
        add_squares(i, x);
      },
      [&](std::int64_t i) {
        const T x = from[i];
        is_finite = is_finite && std::isfinite(x);
        rest = std::max(rest, std::fabs(x));
        found.any_negative |= x < 0;
        found.any_positive |= x > 0;
        add_square(i, x);
      });
  const T of_vectors = hn::GetLane(hn::BitCast(d, hn::MaxOfLanes(bits, most)));
  is_finite = is_finite && std::isfinite(of_vectors);
  found.largest = is_finite ? std::max(rest, of_vectors) : std::numeric_limits<T>::infinity();
  found.any_negative |= hn::GetLane(hn::MinOfLanes(d, low)) < 0;
  found.any_positive |= hn::GetLane(hn::MaxOfLanes(d, high)) > 0;
  return found;
}

template <class T>
Extremes<T> extremes(const T* from, std::int64_t n) {
  return extremes_and(from, n, [](std::int64_t, auto) {}, [](std::int64_t, T) {});
}

template <class T>
Extremes<T> extremes_and_squares(const T* from, std::int64_t n, T* squares, bool adds) {
  const hn::ScalableTag<T> d;
  if (!adds) {
    return extremes_and(
        from, n, [&](std::int64_t i, auto x) { hn::StoreU(hn::Mul(x, x), d, squares + i); }, [&](std::int64_t i, T x) { squares[i] = x * x; });
  }
  return extremes_and(
      from, n, [&](std::int64_t i, auto x) { hn::StoreU(hn::MulAdd(x, x, hn::LoadU(d, squares + i)), d, squares + i); },
      [&](std::int64_t i, T x) { squares[i] += x * x; });
}

template <class T>
PartSums<T> part_sums(const T* from, std::int64_t n, std::int64_t parts) {
  const hn::ScalableTag<T> d;
  PartSums<T> sums{.least = std::numeric_limits<T>::infinity(), .all = 0};
  if (parts == n) {
    auto least = hn::Set(d, sums.least), all = hn::Zero(d);
    T rest = 0;
    along_line<T>(
        n,
        [&](std::int64_t i) {
          const auto x = hn::LoadU(d, from + i);
          least = hn::Min(least, x);
          all = hn::Add(all, x);
        },
        [&](std::int64_t i) {
          sums.least = std::min(sums.least, from[i]);
          rest += from[i];
        });
    sums.least = std::min(sums.least, hn::GetLane(hn::MinOfLanes(d, least)));
    sums.all = static_cast<double>(rest) + static_cast<double>(hn::GetLane(hn::SumOfLanes(d, all)));
    return sums;
  }
  std::int64_t begin = 0;
  for (std::int64_t part = 1; part <= parts; ++part) {
    const std::int64_t end = n * part / parts;
    auto vectors = hn::Zero(d);
    T sum = 0;
    const T* const of_part = from + begin;
    along_line<T>(
        end - begin, [&](std::int64_t i) { vectors = hn::Add(vectors, hn::LoadU(d, of_part + i)); }, [&](std::int64_t i) { sum += of_part[i]; });
    sum += hn::GetLane(hn::SumOfLanes(d, vectors));
    sums.least = std::min(sums.least, sum);
    sums.all += static_cast<double>(sum);
    begin = end;
  }
  return sums;
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
