// store.cpp: sums in f64 become integers of any width, rounded and wrapped or saturated by one rule.
#include <cmath>
#include <limits>
#include <type_traits>

#include "arrays.h"
#include "module.h"

namespace halation::python {
namespace {

/// As x86-64 converts (and SciPy's filters with it): towards zero, then the lowest bits; beyond what the conversion's own
/// register holds, and for NaN, what that instruction gives.
template <class T>
T wrapped(double value) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (value >= 0x1p63) return value < 0x1p64 ? static_cast<std::uint64_t>(value) : 0;
    return value > -0x1p63 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) : std::uint64_t{1} << 63;
  } else {
    using Register = std::conditional_t<sizeof(T) == 8 || std::is_same_v<T, std::uint32_t>, std::int64_t, std::int32_t>;
    constexpr double limit = sizeof(Register) == 8 ? 0x1p63 : 0x1p31;
    const bool held = value > (sizeof(Register) == 8 ? -0x1p63 - 2048 : -0x1p31 - 1) && value < limit;
    return static_cast<T>(held ? static_cast<Register>(value) : std::numeric_limits<Register>::min());
  }
}

template <class T>
T saturated(double value) {
  if (std::isnan(value)) return 0;
  constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double high = static_cast<double>(std::numeric_limits<T>::max());  // 2^63 and 2^64 for the widest, which no T holds
  if (value <= low) return std::numeric_limits<T>::min();
  if (value >= high) return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

/// Farther from zero by a share of itself, but for 1/1024 at most: sums that rounding has put just below a whole number reach it.
double nudged(double value, double share) { return value + std::copysign(std::fmin(std::fabs(value) * share, 0x1p-10), value); }

template <class T>
void store_as(const double* from, T* to, std::int64_t count, bool truncate, bool wrap, double divisor, double share) {
  const auto each = [&](auto rule) {
    if (share > 0) {
      for (std::int64_t i = 0; i < count; ++i) to[i] = rule(nudged(from[i] / divisor, share));
    } else if (divisor == 1) {
      for (std::int64_t i = 0; i < count; ++i) to[i] = rule(from[i]);
    } else {
      for (std::int64_t i = 0; i < count; ++i) to[i] = rule(from[i] / divisor);
    }
  };
  if (wrap && truncate) return each([](double v) { return wrapped<T>(v); });
  if (wrap) return each([](double v) { return wrapped<T>(std::nearbyint(v)); });
  if (truncate) return each([](double v) { return saturated<T>(v); });
  each([](double v) { return saturated<T>(std::nearbyint(v)); });
}

bool is_packed(const Array& array) {
  std::int64_t packed = array.item_bytes;
  for (int i = array.axes - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    if (array.shape[at] > 1 && array.strides[at] != packed) return false;
    packed *= array.shape[at];
  }
  return true;
}

void store(nb::handle from, nb::handle to, bool truncate, bool wrap, double divisor, double share) {
  const Array in(from, Access::read);
  const Array out(to, Access::write);
  if (in.kind != 'f' || in.item_bytes != 8) throw nb::type_error("store: the sums must be f8");
  if (in.elements() != out.elements()) throw nb::value_error("store: sums and output must have one size");
  if (!is_packed(in) || !is_packed(out)) throw nb::value_error("store: sums and output must be packed, last axis first");
  if (out.kind != 'i' && out.kind != 'u') throw nb::type_error(("store: no integer type: " + out.type_name()).c_str());
  const auto* sums = reinterpret_cast<const double*>(in.data);
  const std::int64_t count = in.elements();
  const auto run = [&](auto element) {
    using T = decltype(element);
    store_as(sums, reinterpret_cast<T*>(out.data), count, truncate, wrap, divisor, share);
  };
  const bool is_signed = out.kind == 'i';
  const nb::gil_scoped_release released;
  switch (out.item_bytes) {
    case 1:
      return is_signed ? run(std::int8_t{}) : run(std::uint8_t{});
    case 2:
      return is_signed ? run(std::int16_t{}) : run(std::uint16_t{});
    case 4:
      return is_signed ? run(std::int32_t{}) : run(std::uint32_t{});
    default:
      return is_signed ? run(std::int64_t{}) : run(std::uint64_t{});
  }
}

}  // namespace

void bind_store(nb::module_& module) {
  module.def(
      "store", &store, nb::arg("sums"), nb::arg("out"), nb::arg("truncate"), nb::arg("wrap"), nb::arg("divisor"),
      nb::arg("share"),
      "Puts packed f8 sums, over `divisor` and then larger by `share` of themselves, into packed integers: towards zero or half "
      "to even, wrapped or saturated.");
}

}  // namespace halation::python
