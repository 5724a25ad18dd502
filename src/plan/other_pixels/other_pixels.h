// other_pixels.h: images of pixels that no kernel takes, on any backend.
#pragma once

#include "core/backend.h"

namespace halation {

/// What a backend offers for native pixels, and for others by way of these: for integers two more passes,
/// from and to images of f64; for 64-bit integers in two halves, tap by tap; for complex pixels their real
/// parts and then their imaginary parts.
class WithOtherPixels final : public Backend {
 public:
  explicit WithOtherPixels(const Backend& backend) : backend_(backend) {}

  Device::Kind kind() const override { return backend_.kind(); }
  std::vector<DeviceInfo> devices() const override { return backend_.devices(); }
  std::span<const Form> forms() const override { return backend_.forms(); }
  std::vector<Offer> offers(const Job& job, std::span<const Taps> filters, Device device) const override;
  double added_error(const Job& job, const Taps& taps) const override;
  TransformFacts transform_facts(const Job& job, const Taps& taps, Device device) const override;
  std::string figures_of(std::span<const TimedOffer> offers, Device device) const override {
    return backend_.figures_of(offers, device);
  }
  std::string figures_machine(Device device) const override { return backend_.figures_machine(device); }
  void use_figures(std::string_view text, Device device) const override {
    backend_.use_figures(text, device);
  }
  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job> job, Device device) const override;
  void read_numbers(const ConstView& from, std::span<const View> numbers, int threads,
                    Stream stream) const override {
    backend_.read_numbers(from, numbers, threads, stream);
  }
  void write_elements(std::span<const ConstView> numbers, const View& to, const ElementRule& rule,
                      int threads, Stream stream) const override {
    backend_.write_elements(numbers, to, rule, threads, stream);
  }

 private:
  const Backend& backend_;
};

/// Whether sums over these pixels, or of them, are in f64: those of f64, and integers that are not native.
bool needs_f64(Pixel pixel);

/// Whether integers that do not fit keep their lowest bits.
bool wraps(const Job& job);

/// Whether kernels take the pixels of a job and make what it asks for of its sums.
bool is_native(const Job& job);

}  // namespace halation
