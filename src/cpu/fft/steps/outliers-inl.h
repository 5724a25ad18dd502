// outliers-inl.h: few numbers taken out of lines, and their products with rows of weights, for each instruction set. Included within the
// namespace of a target.

template <class T>
std::int64_t count_outliers(const T* line, std::int64_t n, T from) {
  const hn::ScalableTag<T> d;
  const auto least = hn::Set(d, from);
  std::int64_t count = std::fabs(line[0]) >= from ? 1 : 0;
  const T* const next = line + 1;
  along_line<T>(
      n - 1,
      [&](std::int64_t i) {
        const auto x = hn::LoadU(d, next + i);
        const auto begins = hn::And(hn::Ge(hn::Abs(x), least), hn::Ne(x, hn::LoadU(d, line + i)));
        count += static_cast<std::int64_t>(hn::CountTrue(d, begins));
      },
      [&](std::int64_t i) { count += std::fabs(next[i]) >= from && next[i] != line[i] ? 1 : 0; });
  return count;
}

template <class T>
void take_outliers(T* line, std::int64_t n, T from, std::int32_t x, std::int32_t y, Outliers<T>* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto least = hn::Set(d, from);
  Outliers<T> run{};
  const auto take = [&](std::int64_t i) {
    const T value = line[i];
    if (!(std::fabs(value) >= from)) return;
    line[i] = 0;
    const std::int32_t at = x + static_cast<std::int32_t>(i);
    if (run.begin < run.end && run.end == at && run.value == value) {
      ++run.end;
    } else {
      run = {value, y, at, at + 1};
      ++to;
    }
    to[-1] = run;
  };
  along_line<T>(
      n,
      [&](std::int64_t i) {
        if (hn::AllFalse(d, hn::Ge(hn::Abs(hn::LoadU(d, line + i)), least))) return;
        for (std::int64_t k = i; k < i + lanes; ++k) take(k);
      },
      take);
}

template <class T>
void add_outliers(const Outliers<T>* from, std::int64_t count, std::int64_t x, std::int64_t y, const WeightSums<T>& weights, T* sums,
                  std::int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (const Outliers<T>* each = from; each < from + count; ++each) {
    const std::int64_t begin = each->begin - x, end = each->end - x;
    const T* const of_row = weights.sums + (each->y - y) * weights.pitch;
    const auto value = hn::Set(d, each->value);
    for (std::int64_t i = std::max<std::int64_t>(0, begin - weights.taps + 1); i < std::min(n, end); i += lanes) {
      const auto to_end = hn::LoadU(d, of_row - std::min(end - i, weights.taps + lanes));
      const auto to_begin = hn::LoadU(d, of_row - std::max<std::int64_t>(begin - i, 0));
      hn::StoreU(hn::MulAdd(value, hn::Sub(to_end, to_begin), hn::LoadU(d, sums + i)), d, sums + i);
    }
  }
}
