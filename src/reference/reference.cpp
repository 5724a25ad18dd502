// reference.cpp: the definition of filtering as plain loops with sums in double. Slow, and right by construction: no method, no
// special case, every tap multiplied (0 · NaN is NaN).
#include "reference/reference.h"

#include <cmath>
#include <vector>

#include "core/convert.h"

namespace halation::reference_backend {
namespace {

using Load = double (*)(const std::byte*);
using Store = void (*)(std::byte*, double, Rounding);

Load loader(Pixel pixel) {
  return visit_pixel(pixel, [](auto element) -> Load {
    using T = decltype(element);
    return [](const std::byte* p) { return static_cast<double>(*reinterpret_cast<const T*>(p)); };
  });
}

Store storer(Pixel pixel) {
  return visit_pixel(pixel, [](auto element) -> Store {
    using T = decltype(element);
    return [](std::byte* p, double value, Rounding rounding) {
      *reinterpret_cast<T*>(p) = to_element<T>(value, rounding);
    };
  });
}

class ReferenceRunner final : public Runner {
 public:
  explicit ReferenceRunner(std::shared_ptr<const Job> job)
      : job_(std::move(job)), load_(loader(job_->in_pixel)), store_(storer(job_->out_pixel)) {}

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override { return "plain loops, sums in f64, one thread"; }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream) const override {
    const Shape& n = job_->out;
    for (std::int64_t b = 0; b < n.batch; ++b) {
      for (std::int64_t c = 0; c < n.channels; ++c) {
        const ConstView source = in.batch(b).channel(c);
        for (std::int64_t z = 0; z < n.depth; ++z) {
          for (std::int64_t y = 0; y < n.height; ++y) {
            for (std::int64_t x = 0; x < n.width; ++x) {
              double squares = 0;
              for (std::size_t f = 0; f < job_->filters.size(); ++f) {
                const double value = sum(source, job_->filters[f], {z, y, x});
                squares += value * value;
                if (job_->combine == Combine::none) write(outs[f], b, c, {z, y, x}, value);
              }
              if (job_->combine == Combine::magnitude) write(outs[0], b, c, {z, y, x}, std::sqrt(squares));
            }
          }
        }
      }
    }
  }

 private:
  double sum(const ConstView& in, const Taps& taps, const Space& out) const {
    double total = 0;
    const double* weight = taps.weights.data();
    for (std::int64_t kz = 0; kz < taps.size[0]; ++kz) {
      const std::int64_t z = job_->borders[0].source(out[0] + taps.lead[0] + kz);
      for (std::int64_t ky = 0; ky < taps.size[1]; ++ky) {
        const std::int64_t y = job_->borders[1].source(out[1] + taps.lead[1] + ky);
        for (std::int64_t kx = 0; kx < taps.size[2]; ++kx) {
          const std::int64_t x = job_->borders[2].source(out[2] + taps.lead[2] + kx);
          const bool outside = z < 0 || y < 0 || x < 0;
          const double value = outside ? job_->constant_at({z, y, x})
                                       : load_(in.data + z * in.strides.depth + y * in.strides.height +
                                               x * in.strides.width);
          total += *weight++ * value;
        }
      }
    }
    return total;
  }

  void write(const View& out, std::int64_t b, std::int64_t c, const Space& at, double value) const {
    const Strides& s = out.strides;
    store_(out.data + b * s.batch + c * s.channels + at[0] * s.depth + at[1] * s.height + at[2] * s.width,
           job_->scale * value + job_->offset, job_->rounding);
  }

  std::shared_ptr<const Job> job_;
  Load load_;
  Store store_;
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
