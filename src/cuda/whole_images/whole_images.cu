// whole_images.cu: jobs for the kernels of whole_images.cuh.
#include "cuda/whole_images/whole_images.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cuda/device/device.h"
#include "cuda/parts/placed_taps.h"
#include "cuda/parts/strips.h"
#include "cuda/whole_images/arguments.cuh"

namespace halation::cuda_backend {
namespace {

constexpr int usual_threads = 128;
/// Bytes of shared memory that several blocks of a multiprocessor have each, with what 1 KiB of tables takes.
constexpr std::size_t usual_bytes = 47 << 10;

/// How images are cut into tiles, and how many a block takes.
struct Cut {
  std::int64_t tiles_across, tiles, pitch, numbers, images;
  std::size_t bytes;
  int threads;

  /// Of `channels` beside each other.
  Cut(const Shape& out, int size, std::int64_t channels) {
    const std::int64_t columns = out.width * channels;
    const std::int64_t pieces = divide_up(size / 2 * channels, 4);
    tiles_across = divide_up(columns, whole_images_columns);
    const std::int64_t tiles_down = divide_up(out.height, whole_images_rows);
    tiles = tiles_across * tiles_down;
    pitch = 4 * (tiles_across + 2 * pieces);
    numbers = pitch * (tiles_down * whole_images_rows + size - 1);
    const std::int64_t tables = 4 * (columns + (size - 1) * channels + out.height + size - 1);
    const auto bytes_of_images = [&](std::int64_t count) { return static_cast<std::size_t>(4 * count * numbers + tables); };
    images = std::clamp<std::int64_t>(usual_threads / std::max<std::int64_t>(tiles, 1), 1, usual_threads);
    while (images > 1 && bytes_of_images(images) > usual_bytes) --images;
    bytes = bytes_of_images(images);
    threads = static_cast<int>(divide_up(images * tiles, 32) * 32);
  }
};

std::int64_t planes_of(const Shape& out, std::int64_t channels) { return out.depth * out.batch * (out.channels / channels); }

WholeImagesKernel kernel_of(int size, int channels) {
  switch (size) {
    case 3:
      return whole_images_kernel_of<3>(channels);
    case 5:
      return whole_images_kernel_of<5>(channels);
    default:
      return whole_images_kernel_of<7>(channels);
  }
}

const char* refuses(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  if (taps.form != Form::dense) return "no filter by factors";
  if (!is_one_filter(job) || job.sum_f64) return "one filter with sums in f32 alone";
  const std::int64_t channels = channels_in_row(request.rows, job.in.channels);
  if (channels == 0 || channels > 4) return "elements of rows side by side, of up to 4 channels, alone";
  const int size = places_for(job);
  if (size == 0) return "at most 7x7 taps; over floats, or beside a constant that is not finite, only 3x3, 5x5 and 7x7";
  if (job.out.width > whole_images_most_threads * whole_images_columns || job.out.height > whole_images_most_threads * whole_images_rows)
    return "images of up to 8192 elements alone";
  const Cut cut(job.out, size, channels);
  if (cut.tiles > whole_images_most_threads || cut.bytes > usual_bytes) return "images of up to 8192 elements alone";
  // Images, and what is staged of a block's, are counted in 32 bits.
  return planes_of(job.out, channels) < std::int64_t{1} << 30 && job.in.width < std::int64_t{1} << 28 && job.in.height < std::int64_t{1} << 28
             ? nullptr
             : "fewer elements alone";
}

class WholeImagesRunner final : public Runner {
 public:
  WholeImagesRunner(std::shared_ptr<const Job> job, Device device)
      : job_(std::move(job)), device_(device), size_(places_for(*job_)) {}

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    return "whole images in shared memory, as " + std::to_string(size_) + "x" + std::to_string(size_) + " taps";
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const View& out = outs[0];
    const int channels = std::max(1, channels_in_row(row_layout_of(in, outs), in.shape.channels));
    const Cut cut(out.shape, size_, channels);
    WholeImagesArguments job{};
    set_views(job, in, out);
    job.in_channel = in.strides.channels;
    job.out_channel = out.strides.channels;
    job.border_y = DeviceBorder(job_->borders[1]);
    job.border_x = DeviceBorder(job_->borders[2]);
    job.depth = Divisor(out.shape.depth);
    job.batch = Divisor(out.shape.batch);
    const std::int64_t planes = planes_of(out.shape, channels);
    job.all_images = static_cast<int>(planes);
    job.images = static_cast<int>(std::min(cut.images, planes));
    job.columns = static_cast<int>(out.shape.width * channels);
    job.rows = static_cast<int>(out.shape.height);
    const Taps& taps = job_->filters.front();
    const std::int64_t centre_y = centre_of(taps.lead[1], taps.size[1], size_);
    const std::int64_t centre_x = centre_of(taps.lead[2], taps.size[2], size_);
    job.first_y = static_cast<int>(centre_y - size_ / 2);
    job.first_x = static_cast<int>(centre_x - size_ / 2);
    const PlacedWeights weights = placed(taps, taps.lead[1] - job.first_y, taps.lead[2] - job.first_x);
    for (int i = 0; i < size_ * size_; ++i)
      job.weights[i] = static_cast<float>(job_->scale * weights[static_cast<std::size_t>(i / size_)][static_cast<std::size_t>(i % size_)]);
    job.offset = static_cast<float>(job_->offset);
    job.rounding = job_->rounding;
    job.in_pixel = in.pixel;
    job.staged_columns = job.columns + (size_ - 1) * channels;
    job.staged_rows = job.rows + size_ - 1;
    job.pitch = static_cast<int>(cut.pitch);
    job.image_numbers = static_cast<int>(cut.numbers);
    job.tiles = Divisor(cut.tiles);
    job.tiles_across = Divisor(cut.tiles_across);
    const bool over_inputs = centre_x == 0 && in.shape.width == out.shape.width && job.columns % 4 == 0;
    const auto on_fours = [&](const auto& view) { return rows_begin_on(view, static_cast<std::int64_t>(4 * bytes_of(view.pixel)), channels > 1); };
    job.by_fours = over_inputs && on_fours(in);
    job.fours_across = Divisor(std::max(job.columns / 4, 1));
    job.singles_across = Divisor(job.by_fours ? job.staged_columns - job.columns : job.staged_columns);
    job.fours_out = job.columns % 4 == 0 && on_fours(out);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const int threads = std::min<int>(cut.threads, static_cast<int>(divide_up(job.images * cut.tiles, 32) * 32));
    kernel_of(size_, channels)
        .kernel<<<static_cast<unsigned>(divide_up(planes, job.images)), threads, cut.bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("whole images", queue);
  }

 private:
  std::shared_ptr<const Job> job_;
  Device device_;
  int size_;
};

LaunchShape shape(const Request& request) {
  const Job& job = request.job;
  const int size = places_for(job);
  const std::int64_t channels = channels_in_row(request.rows, job.in.channels);
  const Cut cut(job.out, size, channels);
  LaunchShape shape = launch_shape(request, "whole images");
  shape.blocks = divide_up(planes_of(job.out, channels), cut.images);
  const int threads = kernel_of(size, static_cast<int>(channels)).threads;
  shape.together = request.gpu.together(threads / cut.threads, cut.bytes);
  shape.outputs = 1e-3 * static_cast<double>(cut.threads * whole_images_columns * whole_images_rows);
  shape.mads = shape.outputs * size * size;
  const std::int64_t columns = job.out.width * channels;
  const bool by_fours = columns % 4 == 0 && job.in.width == job.out.width;  // as rows that follow one another are
  const std::int64_t beside = (size - 1) * channels;
  shape.staged = 1e-3 * static_cast<double>(cut.images * (job.out.height + size - 1) *
                                            (by_fours ? beside : columns + beside));
  return shape;
}

}  // namespace

const Family whole_images{.name = "whole images",
                          .refuses = refuses,
                          .shape = shape,
                          .make = [](const Request& request,
                                     const std::shared_ptr<const Job>& job) -> std::unique_ptr<const Runner> {
                            return std::make_unique<WholeImagesRunner>(job, request.gpu.device);
                          }};

}  // namespace halation::cuda_backend
