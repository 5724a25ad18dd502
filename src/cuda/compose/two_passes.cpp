// two_passes.cpp: one job after the other, by way of pixels in the workspace.
#include "cuda/compose/two_passes.h"

#include <algorithm>
#include <utility>

#include "cuda/parts/strips.h"

namespace halation::cuda_backend {
namespace {

class TwoPasses final : public Runner {
 public:
  TwoPasses(std::unique_ptr<const Runner> first, std::unique_ptr<const Runner> second, const View& between)
      : first_(std::move(first)), second_(std::move(second)), between_(between) {}

  std::size_t workspace_bytes() const override {
    return between_bytes() + std::max(first_->workspace_bytes(), second_->workspace_bytes());
  }
  std::size_t constant_bytes() const override { return first_->constant_bytes() + second_->constant_bytes(); }
  std::string explain() const override { return first_->explain() + "; then " + second_->explain(); }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace,
           Stream stream) const override {
    View between = between_;
    between.data = workspace.data();
    first_->run(in, {&between, 1}, workspace.subspan(between_bytes()), stream);
    second_->run(between, outs, workspace.subspan(between_bytes()), stream);
  }

 private:
  std::size_t between_bytes() const {
    return on_boundary(static_cast<std::size_t>(between_.strides.batch * between_.shape.batch));
  }

  std::unique_ptr<const Runner> first_;
  std::unique_ptr<const Runner> second_;
  View between_;
};

}  // namespace

std::unique_ptr<const Runner> two_passes(std::unique_ptr<const Runner> first,
                                         std::unique_ptr<const Runner> second, const View& between) {
  return std::make_unique<TwoPasses>(std::move(first), std::move(second), between);
}

View bulk_rows(const Shape& shape, Pixel pixel, Device device) {
  constexpr std::int64_t boundary = 16;
  Strides strides;
  strides.width = static_cast<std::int64_t>(bytes_of(pixel));
  strides.height = divide_up(shape.width * strides.width, boundary) * boundary;
  strides.depth = shape.height * strides.height;
  strides.channels = shape.depth * strides.depth;
  strides.batch = shape.channels * strides.channels;
  return {nullptr, shape, strides, pixel, device};
}

}  // namespace halation::cuda_backend
