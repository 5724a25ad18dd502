// direct.cu: every tap multiplied, one thread an output: plain, and right on every GPU for every job.
//
//   thread → element   x, y of the block and thread give an element of a row (channels count as columns) and a row; planes and batch
//                      are the grid's z; each is walked in steps of the grid, so any size fits
//   weights, borders   in device memory, read through the caches; inside the image no border is looked up
//   shared memory      none; halos are left to L1 and L2
//   operations         2 · taps an output, and about 3 instructions a tap for addresses and conversion
//   traffic            input and output once from DRAM where a block's rows fit L2; taps loads an output from L1
//   limits             none: any pixel, stride, border, extent, filter size, number of filters
//   instantiations     12 = 6 input pixels × sums in f32 or f64; output pixels are chosen at run time, once an output
#include "cuda/direct.h"

#include <algorithm>
#include <type_traits>

#include "core/convert.h"
#include "cuda/constants.h"
#include "cuda/device.h"
#include "cuda/pixels.cuh"

namespace halation::cuda_backend {
namespace {

/// What a launch gets by value. Strides in bytes.
struct Arguments {
  const std::byte* in;
  std::byte* out;
  Strides in_strides;
  Strides out_strides;
  Shape shape;  // of the output
  const DeviceBorder* borders;
  const DeviceTaps* taps;
  int filters;
  bool magnitude;  // the root of the sum of squares
  double scale;
  double offset;
  Pixel out_pixel;
  Rounding rounding;
};

/// Σ_k weight[k] · in[o + lead + k]; `in` is the plane of one image of the batch and one channel.
template <class In, class Sum>
__device__ Sum sum_at(const std::byte* in, const Strides& strides, const DeviceBorder* borders, const DeviceTaps& taps,
                      std::int64_t out_z, std::int64_t out_y, std::int64_t out_x) {
  const std::int64_t z0 = out_z + taps.lead[0];
  const std::int64_t y0 = out_y + taps.lead[1];
  const std::int64_t x0 = out_x + taps.lead[2];
  const auto* weight = static_cast<const Sum*>(taps.weights);
  Sum sum = 0;
  const bool inside = z0 >= 0 && z0 + taps.size[0] <= borders[0].n && y0 >= 0 && y0 + taps.size[1] <= borders[1].n && x0 >= 0 &&
                      x0 + taps.size[2] <= borders[2].n;
  if (inside) {
    for (std::int64_t kz = 0; kz < taps.size[0]; ++kz) {
      for (std::int64_t ky = 0; ky < taps.size[1]; ++ky) {
        const std::byte* from = in + (z0 + kz) * strides.depth + (y0 + ky) * strides.height + x0 * strides.width;
        for (int kx = 0; kx < static_cast<int>(taps.size[2]); ++kx, from += strides.width) sum += *weight++ * load<In, Sum>(from);
      }
    }
    return sum;
  }
  for (std::int64_t kz = 0; kz < taps.size[0]; ++kz) {
    const std::int64_t z = borders[0].source(z0 + kz);
    for (std::int64_t ky = 0; ky < taps.size[1]; ++ky) {
      const std::int64_t y = borders[1].source(y0 + ky);
      for (std::int64_t kx = 0; kx < taps.size[2]; ++kx) {
        const std::int64_t x = borders[2].source(x0 + kx);
        // Where several axes are outside, the first constant one gives the value, as Job::constant_at has it.
        Sum value = 0;
        if (z < 0 || y < 0 || x < 0) {
          value = static_cast<Sum>(borders[z < 0 ? 0 : y < 0 ? 1 : 2].constant);
        } else {
          value = load<In, Sum>(in + z * strides.depth + y * strides.height + x * strides.width);
        }
        sum += *weight++ * value;
      }
    }
  }
  return sum;
}

template <class In, class Sum>
__global__ void direct(Arguments job) {
  const Shape& n = job.shape;
  const std::int64_t columns = n.width * n.channels;
  const std::int64_t planes = n.depth * n.batch;
  const std::int64_t column_step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t row_step = static_cast<std::int64_t>(gridDim.y) * blockDim.y;
  for (std::int64_t plane = blockIdx.z; plane < planes; plane += gridDim.z) {
    const std::int64_t b = plane / n.depth;
    const std::int64_t z = plane % n.depth;
    for (std::int64_t y = static_cast<std::int64_t>(blockIdx.y) * blockDim.y + threadIdx.y; y < n.height; y += row_step) {
      for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < columns; i += column_step) {
        const std::int64_t x = i / n.channels;
        const std::int64_t c = i % n.channels;
        const std::byte* in = job.in + b * job.in_strides.batch + c * job.in_strides.channels;
        Sum value = 0;
        for (int f = 0; f < job.filters; ++f) {
          const Sum sum = sum_at<In, Sum>(in, job.in_strides, job.borders, job.taps[f], z, y, x);
          value = job.magnitude ? value + sum * sum : sum;
        }
        if (job.magnitude) value = sqrt(value);
        value = static_cast<Sum>(job.scale) * value + static_cast<Sum>(job.offset);
        store(job.out + b * job.out_strides.batch + c * job.out_strides.channels + z * job.out_strides.depth +
                  y * job.out_strides.height + x * job.out_strides.width,
              value, job.out_pixel, job.rounding);
      }
    }
  }
}

class DirectRunner final : public Runner {
 public:
  DirectRunner(std::shared_ptr<const Job> job, Device device) : job_(std::move(job)), device_(device), constants_(*job_) {}

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override { return "one thread an output, weights in device memory, halos left to the caches"; }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const bool together = job_->combine == Combine::magnitude;
    for (std::size_t i = 0; i < outs.size(); ++i) {
      launch({.in = in.data,
              .out = outs[i].data,
              .in_strides = in.strides,
              .out_strides = outs[i].strides,
              .shape = job_->out,
              .borders = constants_.borders(),
              .taps = constants_.taps() + i,
              .filters = together ? static_cast<int>(job_->filters.size()) : 1,
              .magnitude = together,
              .scale = job_->scale,
              .offset = job_->offset,
              .out_pixel = job_->out_pixel,
              .rounding = job_->rounding},
             static_cast<cudaStream_t>(stream.handle));
    }
  }

 private:
  void launch(const Arguments& arguments, cudaStream_t stream) const {
    const Shape& n = job_->out;
    const dim3 block = n.height == 1 ? dim3(256, 1) : dim3(32, 8);
    const auto blocks = [](std::int64_t elements, unsigned per_block, std::int64_t most) {
      return static_cast<unsigned>(std::min((elements + per_block - 1) / per_block, most));
    };
    const dim3 grid(blocks(n.width * n.channels, block.x, 0x7fffffff), blocks(n.height, block.y, 0xffff),
                    blocks(n.depth * n.batch, 1, 0xffff));
    visit_pixel(job_->in_pixel, [&](auto element) {
      using In = decltype(element);
      if (job_->sum_f64) {
        direct<In, double><<<grid, block, 0, stream>>>(arguments);
      } else if constexpr (!std::is_same_v<In, double>) {
        direct<In, float><<<grid, block, 0, stream>>>(arguments);
      }
    });
    HALATION_CUDA_LAUNCHED("direct", stream);
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  DeviceConstants constants_;
};

}  // namespace

std::unique_ptr<const Runner> make_direct(std::shared_ptr<const Job> job, Device device) {
  return std::make_unique<DirectRunner>(std::move(job), device);
}

}  // namespace halation::cuda_backend
