// floats-inl.h: sums of windows of floats, for each instruction set, and the steps along x of integers too. Included once a target,
// after row-inl.h, which has `put`.

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Elements as a vector of wider ones.
template <class D, class In>
HWY_INLINE hn::Vec<D> load_as(D d, const In* from) {
  if constexpr (std::is_same_v<In, hn::TFromD<D>>) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<In, D>(), from));
  }
}

template <int Windows, int Samples, class In, class Out>
void box_step(const BoxStep<In, Out>& job) {
  const hn::ScalableTag<Out> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto weight = hn::Set(d, job.weight);
  const Out* HWY_RESTRICT shorter = job.shorter;
  const In* HWY_RESTRICT samples = job.samples;
  Out* HWY_RESTRICT out = job.out;
  for (std::int64_t i = 0; i < job.n; i += lanes) {
    auto sum = hn::Zero(d);
    for (int j = 0; j < Windows; ++j) {
      const auto value = hn::LoadU(d, shorter + i + j * job.shorter_shift);
      sum = j == 0 ? value : hn::Add(sum, value);
    }
    for (int j = 0; j < Samples; ++j) {
      const auto value = load_as(d, samples + i + j * job.samples_shift);
      const bool nothing = Windows == 0 && j == 0;
      if constexpr (hwy::IsFloat<Out>()) {
        sum = nothing ? hn::Mul(weight, value) : hn::MulAdd(weight, value, sum);
      } else {
        sum = nothing ? value : hn::Add(sum, value);
      }
    }
    hn::Store(sum, d, out + i);
  }
}

template <class In, class Out>
BoxSteps<In, Out> make_box_steps() {
  BoxSteps<In, Out> steps{};
  steps.first = {nullptr, box_step<0, 1, In, Out>, box_step<0, 2, In, Out>, box_step<0, 3, In, Out>,
                 box_step<0, 4, In, Out>};
  steps.joined[2] = {box_step<2, 0, In, Out>, box_step<2, 1, In, Out>, nullptr};
  steps.joined[3] = {box_step<3, 0, In, Out>, box_step<3, 1, In, Out>, box_step<3, 2, In, Out>};
  return steps;
}

/// Calls `at(i, out, o)` for vectors of outputs from i on, which go to `out[row] + o` and together cover [0, n) of `rows` rows
/// and nothing else: what is less than a vector goes through a part of one.
template <int Rows, class T, class At>
HWY_INLINE void cover(std::int64_t n, T* const* out, int rows, std::int64_t lanes, const At& at) {
  HWY_ALIGN T part[Rows][line_slack];
  T* parts[Rows];
  for (int row = 0; row < rows; ++row) parts[row] = part[row];
  for (std::int64_t i = 0; i < n; i += lanes) {
    const bool is_whole = i + lanes <= n;
    at(i, is_whole ? out : parts, is_whole ? i : 0);
    if (is_whole) continue;
    for (int row = 0; row < rows; ++row) std::copy_n(part[row], n - i, out[row] + i);
  }
}

/// The same where outputs may be made twice: what is less than a vector goes with the samples before it, where there are any.
template <int Rows, class T, class At>
HWY_INLINE void cover_again(std::int64_t n, T* const* out, int rows, std::int64_t lanes, const At& at) {
  HWY_ALIGN T part[Rows][line_slack];
  T* parts[Rows];
  for (int row = 0; row < rows; ++row) parts[row] = part[row];
  T* const* to = n < lanes ? parts : out;
  const std::int64_t last = std::max<std::int64_t>(0, n - lanes);
  for (std::int64_t i = 0; i < n; i += lanes) at(std::min(i, last), to, std::min(i, last));
  if (n >= lanes) return;
  for (int row = 0; row < rows; ++row) std::copy_n(part[row], n, out[row]);
}

/// Asks for rows that will be read next: those that will be read where they lie into the second-level cache, since rows whose
/// pitch is near a power of two have few places in the first; those that will be copied into the first.
template <class T>
HWY_INLINE void fetch_ahead(const Columns<T>& job, std::int64_t i) {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
  if (job.in_place) {
    for (const T* row : job.ahead) __builtin_prefetch(row + i, 0, 2);
    return;
  }
#endif
  for (const T* row : job.ahead) hwy::Prefetch(row + i);
}

template <class T>
void column(const Columns<T>& job) {
  const hn::ScalableTag<T> d;
  const auto weight = hn::Set(d, job.weight);
  cover_again<1>(job.n, job.out, 1, static_cast<std::int64_t>(hn::Lanes(d)), [&](std::int64_t i, T* const* out, std::int64_t o) {
    auto sum = hn::Mul(weight, hn::LoadU(d, job.lines[0] + i));
    for (std::int64_t j = 1; j < job.taps; ++j) sum = hn::MulAdd(weight, hn::LoadU(d, job.lines[j] + i), sum);
    put(d, sum, out[0] + o, job.streams && out == job.out);
  });
}

/// Fewer taps than rows: each sum by itself.
template <int Rows, int Taps, class T>
void few_columns(const Columns<T>& job) {
  const hn::ScalableTag<T> d;
  const T* lines[Rows + Taps - 1];
  for (int j = 0; j < Rows + Taps - 1; ++j) lines[j] = job.lines[j];
  const auto weight = hn::Set(d, job.weight);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  cover_again<Rows>(job.n, job.out, Rows, lanes, [&](std::int64_t i, T* const* out, std::int64_t o) {
    fetch_ahead(job, i);
    hn::Vec<decltype(d)> values[Rows + Taps - 1];
    for (int j = 0; j < Rows + Taps - 1; ++j) values[j] = hn::Mul(weight, hn::LoadU(d, lines[j] + i));
    for (int row = 0; row < Rows; ++row) {
      auto sum = values[row];
      for (int j = 1; j < Taps; ++j) sum = hn::Add(sum, values[row + j]);
      put(d, sum, out[row] + o, job.streams && out == job.out);
    }
  });
}

/// The lines that all rows share are summed once; before them stand suffixes of the first ones, after them prefixes of the last.
template <int Rows, class T>
void many_columns(const Columns<T>& job) {
  const hn::ScalableTag<T> d;
  const auto weight = hn::Set(d, job.weight);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  cover_again<Rows>(job.n, job.out, Rows, lanes, [&](std::int64_t i, T* const* out, std::int64_t o) {
    const T* const* lines = job.lines;
    fetch_ahead(job, i);
    hn::Vec<decltype(d)> before[Rows];
    before[Rows - 2] = hn::Mul(weight, hn::LoadU(d, lines[Rows - 2] + i));
    for (int row = Rows - 3; row >= 0; --row) before[row] = hn::MulAdd(weight, hn::LoadU(d, lines[row] + i), before[row + 1]);
    auto middle = hn::Mul(weight, hn::LoadU(d, lines[Rows - 1] + i));
    for (std::int64_t j = Rows; j < job.taps; ++j) middle = hn::MulAdd(weight, hn::LoadU(d, lines[j] + i), middle);
    put(d, hn::Add(before[0], middle), out[0] + o, job.streams && out == job.out);
    lines += job.taps;
    auto after = hn::Mul(weight, hn::LoadU(d, lines[0] + i));
    for (int row = 1; row < Rows; ++row) {
      if (row > 1) after = hn::MulAdd(weight, hn::LoadU(d, lines[row - 1] + i), after);
      const auto shared = row < Rows - 1 ? hn::Add(before[row], middle) : middle;
      put(d, hn::Add(shared, after), out[row] + o, job.streams && out == job.out);
    }
  });
}

template <class T>
void columns(const Columns<T>& job) {
  static_assert(rows_at_once == 6);
  switch (job.taps) {
    case 1: return few_columns<rows_at_once, 1>(job);
    case 2: return few_columns<rows_at_once, 2>(job);
    case 3: return few_columns<rows_at_once, 3>(job);
    case 4: return few_columns<rows_at_once, 4>(job);
    case 5: return few_columns<rows_at_once, 5>(job);
    default: return many_columns<rows_at_once>(job);
  }
}

template <class T>
void suffixes(T* const* lines, std::int64_t count, std::int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < n; i += lanes) {
    auto sum = hn::Load(d, lines[count - 1] + i);
    for (std::int64_t j = count - 2; j >= 0; --j) {
      sum = hn::Add(hn::Load(d, lines[j] + i), sum);
      hn::Store(sum, d, lines[j] + i);
    }
  }
}

template <class T>
void join(const Joined<T>& job) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  cover<rows_at_once>(job.n, job.out, job.rows, lanes, [&](std::int64_t i, T* const* out, std::int64_t o) {
    for (int row = 0; row < job.rows; ++row) hwy::Prefetch(job.ahead[row] + i);
    auto prefix = job.starts ? hn::Zero(d) : hn::Load(d, job.prefix + i);
    if (job.starts) put(d, hn::Load(d, job.suffixes[0] + i), out[0] + o, job.streams && out == job.out);
    for (int row = job.starts ? 1 : 0; row < job.rows; ++row) {
      prefix = hn::Add(prefix, hn::Load(d, job.newer[row] + i));
      put(d, hn::Add(hn::Load(d, job.suffixes[row] + i), prefix), out[row] + o, job.streams && out == job.out);
    }
    hn::Store(prefix, d, job.prefix + i);
  });
}

template <class Sum>
BoxKernels<Sum> make_box_kernels() {
  return {.steps = make_box_steps<Sum, Sum>(),
          .box_rows = make_box_rows<Sum>(),
          .most_rows_alike = HWY_MAX_BYTES < cache_line_bytes ? places_alike : 2 * first_level_ways(),  // whole lines at once
          .column = column<Sum>,
          .columns = columns<Sum>,
          .suffixes = suffixes<Sum>,
          .join = join<Sum>};
}

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
