// marks-inl.h: bytes that say what samples and windows are (windows.h), for each instruction set, to which compilers turn these loops by
// themselves where nothing in them branches. Included within the namespace of a target.

template <class T>
bool leave_out(T* line, std::int64_t n, T gone_from, bool tells_infinities, std::uint8_t* marks) {
  constexpr T most = std::numeric_limits<T>::max();
  static_assert(mark::positive_infinity == mark::gone + 1 && mark::negative_infinity == mark::gone + 2);
  const int infinity = tells_infinities ? 1 : 0;
  int any_infinity = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const T x = line[i];
    const T magnitude = std::fabs(x);
    const int is_infinity = infinity & static_cast<int>(magnitude > most);
    const int stays = static_cast<int>(magnitude < gone_from);
    marks[i] = static_cast<std::uint8_t>((mark::gone + is_infinity * (1 + static_cast<int>(x < 0))) * (1 - stays));
    any_infinity |= is_infinity;
    line[i] = stays != 0 ? x : T(0);
  }
  return any_infinity != 0;
}

template <class T>
void mark_samples(const T* line, std::int64_t n, T strong_from, std::uint8_t* marks) {
  static_assert(mark::weak == 1 && mark::strong == 2);
  for (std::int64_t i = 0; i < n; ++i) {
    const T magnitude = std::fabs(line[i]);
    marks[i] = static_cast<std::uint8_t>(marks[i] | (static_cast<int>(magnitude > 0) + static_cast<int>(magnitude >= strong_from)));
  }
}

template <class T>
std::int64_t put_by_windows(const std::uint8_t* windows, std::int64_t n, T* sums) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr int decided = mark::has_strong | mark::has_gone | mark::has_infinity;
  int left = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const int window = windows[i];
    const T finite = (window & mark::has_strong) != 0 ? sums[i] : T(0);
    const T of_positive = (window & mark::has_positive_infinity) != 0 ? infinity : T(0);
    const T of_negative = (window & mark::has_negative_infinity) != 0 ? -infinity : T(0);
    const T infinite = of_positive + of_negative;  // of both NaN
    const T all = (window & mark::has_infinity) != 0 ? infinite : finite;
    sums[i] = (window & mark::has_gone) != 0 ? std::numeric_limits<T>::quiet_NaN() : all;
    left += static_cast<int>((window & (decided | mark::has_number)) == mark::has_number);
  }
  return left;
}

inline void begin_windows(std::uint8_t* marks, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const auto sample = static_cast<std::uint8_t>(marks[i] & mark::sample_bits);
    const int has = ((sample == mark::weak || sample == mark::strong) ? mark::has_number : 0) | (sample == mark::strong ? mark::has_strong : 0) |
                    (sample == mark::gone ? mark::has_gone : 0) | (sample == mark::positive_infinity ? mark::has_positive_infinity : 0) |
                    (sample == mark::negative_infinity ? mark::has_negative_infinity : 0);
    marks[i] = static_cast<std::uint8_t>(sample | has);
  }
}

inline void join_windows(std::uint8_t* marks, std::int64_t apart, std::int64_t n) {
  constexpr auto window_bits = static_cast<std::uint8_t>(~mark::sample_bits);
  const hn::ScalableTag<std::uint8_t> d;
  const auto bits = hn::Set(d, window_bits);
  // A vector is written once all that it joins has been read: what lies behind it.
  along_line<std::uint8_t>(
      n,
      [&](std::int64_t i) { hn::StoreU(hn::Or(hn::LoadU(d, marks + i), hn::And(bits, hn::LoadU(d, marks + i + apart))), d, marks + i); },
      [&](std::int64_t i) { marks[i] = static_cast<std::uint8_t>(marks[i] | (marks[i + apart] & window_bits)); });
}

inline void bits_of(const std::uint8_t* marks, std::int64_t n, std::uint8_t mask, std::uint8_t value, std::uint64_t* bits) {
  for (std::int64_t begin = 0; begin < n; begin += 64) {
    std::uint64_t word = 0;
    std::int64_t i = begin;
#if HWY_TARGET != HWY_SCALAR
    const hn::ScalableTag<std::uint8_t> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto all = hn::Set(d, mask), wanted = hn::Set(d, value);
    for (; i + lanes <= std::min(n, begin + 64); i += lanes) {
      std::uint8_t found[8] = {};
      hn::StoreMaskBits(d, hn::Eq(hn::And(hn::LoadU(d, marks + i), all), wanted), found);
      for (std::int64_t k = 0; k < (lanes + 7) / 8; ++k) word |= std::uint64_t{found[k]} << (i - begin + 8 * k);
    }
#endif
    for (; i < std::min(n, begin + 64); ++i) word |= std::uint64_t{(marks[i] & mask) == value} << (i - begin);
    *bits++ = word;
  }
}

inline void put_products(std::uint8_t* marks, std::int64_t n, const std::uint64_t* positive, const std::uint64_t* negative) {
  for (std::int64_t begin = 0; begin < n; begin += 64) {
    const std::uint64_t plus = *positive++, minus = *negative++;
    for (std::int64_t i = begin; i < std::min(n, begin + 64); ++i) {
      const int has = (((plus >> (i - begin)) & 1) != 0 ? mark::has_positive_infinity : 0) |
                      (((minus >> (i - begin)) & 1) != 0 ? mark::has_negative_infinity : 0);
      marks[i] = static_cast<std::uint8_t>((marks[i] & ~mark::has_infinity) | has);
    }
  }
}
