// reference.cpp: the definition of filtering as plain loops with sums in double. Slow, and right by construction: no method, no
// special case, every tap multiplied (0 · NaN is NaN).
#include "reference/reference.h"

#include <cmath>
#include <type_traits>

#include "core/convert.h"
#include "core/numbers.h"

namespace halation::reference_backend {
namespace {

/// Elements of one type as sums add them up: 64-bit integers exactly, others in f64.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T> && sizeof(T) == 8, WideSum, double>;

template <class T>
Sum<T> number(const std::byte* element) {
  return static_cast<Sum<T>>(*reinterpret_cast<const T*>(element));
}

class ReferenceRunner final : public Runner {
 public:
  explicit ReferenceRunner(std::shared_ptr<const Job> job) : job_(std::move(job)) {}

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override { return "plain loops, sums in f64, one thread"; }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream) const override {
    const auto parts = is_complex(job_->in_pixel) ? 2 : 1;
    for (int part = 0; part < parts; ++part) {
      visit_number(part_of(job_->in_pixel), [&](auto input) {
        visit_number(part_of(job_->out_pixel),
                     [&](auto output) { run_part<decltype(input), decltype(output)>(in, outs, part); });
      });
    }
  }

 private:
  /// The imaginary part is the second one; what lies outside of the image, and the offset, are real.
  template <class In, class Out>
  void run_part(const ConstView& in, std::span<const View> outs, int part) const {
    ElementRule rule = rule_of(*job_);
    if (part == 1) rule.offset = 0;
    const Shape& n = job_->out;
    for (std::int64_t b = 0; b < n.batch; ++b) {
      for (std::int64_t c = 0; c < n.channels; ++c) {
        const ConstView source = in.batch(b).channel(c);
        for (std::int64_t z = 0; z < n.depth; ++z) {
          for (std::int64_t y = 0; y < n.height; ++y) {
            for (std::int64_t x = 0; x < n.width; ++x) {
              const auto write = [&](const View& out, auto value) {
                const Strides& s = out.strides;
                auto* to = out.data + b * s.batch + c * s.channels + z * s.depth + y * s.height + x * s.width;
                reinterpret_cast<Out*>(to)[part] = element_of<Out>(value, rule);
              };
              double squares = 0;
              for (std::size_t f = 0; f < job_->filters.size(); ++f) {
                const Sum<In> value = sum<In>(source, job_->filters[f], {z, y, x}, part);
                squares += static_cast<double>(value) * static_cast<double>(value);
                if (job_->combine == Combine::none) write(outs[f], value);
              }
              if (job_->combine == Combine::magnitude) write(outs[0], std::sqrt(squares));
            }
          }
        }
      }
    }
  }

  template <class In>
  Sum<In> sum(const ConstView& in, const Taps& taps, const Space& out, int part) const {
    Sum<In> total = 0;
    const double* weight = taps.weights.data();
    for (std::int64_t kz = 0; kz < taps.size[0]; ++kz) {
      const std::int64_t z = job_->borders[0].source(out[0] + taps.lead[0] + kz);
      for (std::int64_t ky = 0; ky < taps.size[1]; ++ky) {
        const std::int64_t y = job_->borders[1].source(out[1] + taps.lead[1] + ky);
        for (std::int64_t kx = 0; kx < taps.size[2]; ++kx) {
          const std::int64_t x = job_->borders[2].source(out[2] + taps.lead[2] + kx);
          const bool outside = z < 0 || y < 0 || x < 0;
          const std::byte* at = in.data + z * in.strides.depth + y * in.strides.height + x * in.strides.width;
          const Sum<In> value = !outside    ? number<In>(at + part * static_cast<std::int64_t>(sizeof(In)))
                                : part == 0 ? static_cast<Sum<In>>(job_->constant_at({z, y, x}))
                                            : 0;
          total += static_cast<Sum<In>>(*weight++) * value;
        }
      }
    }
    return total;
  }

  std::shared_ptr<const Job> job_;
};

/// For the times that are expected: conversions and look-ups cost more than either sums or memory.
constexpr double bytes_per_second = 1e9;
constexpr double multiply_adds_per_second = 0.4e9;

class ReferenceBackend final : public Backend {
 public:
  Device::Kind kind() const override { return Device::Kind::reference; }
  std::vector<DeviceInfo> devices() const override {
    return {{reference(), "plain loops, sums in f64, one thread", {}}};
  }
  std::span<const Form> forms() const override {
    static constexpr Form list[] = {Form::dense};
    return list;
  }
  std::vector<Offer> offers(const Job& job, std::span<const Taps> filters, Device) const override {
    double sums = 0;
    for (const Taps& taps : filters)
      sums +=
          static_cast<double>(job.out.elements()) * static_cast<double>(multiply_adds(taps.size, taps.form));
    return {{.family = "plain loops",
             .seconds = std::hypot(bytes_moved(job) / bytes_per_second, sums / multiply_adds_per_second)}};
  }
  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job> job, Device) const override {
    return std::make_unique<ReferenceRunner>(std::move(job));
  }
};

}  // namespace

const Backend& backend() {
  static const ReferenceBackend instance;
  return instance;
}

}  // namespace halation::reference_backend
