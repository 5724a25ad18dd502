// matrices.cpp: any filter over 8 bits in fixed point as products of matrices: a ring of lines of groups for a tile, one more for each two
// rows of outputs.
#include <algorithm>
#include <map>

#include "cpu/int8/filter.h"
#include "cpu/int8/matrices/kernels.h"

namespace halation::cpu_backend {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Of the sums for a group of outputs.
struct Extent {
  std::int64_t planes, lines, pieces;
  Extent(const Space& taps, std::int64_t step)
      : planes(taps[0]),
        lines(divide_up(taps[1] + group_output_rows - 1, group_rows)),
        pieces(divide_up(group_outputs + (taps[2] - 1) * step, group_samples)) {}
  /// Lines begin at every second row, and follow one another at every fourth.
  std::int64_t ring() const { return 2 * (lines - 1) + 1; }
  std::int64_t groups(std::int64_t outputs) const {
    return divide_up(divide_up(outputs, group_outputs), groups_at_once) * groups_at_once + 2 * (pieces - 1);
  }
};

class Sums32Matrices final : public Int8Filter {
 public:
  Sums32Matrices(const MatrixKernels& kernels, const Taps& taps, const FixedPoint& point, const Sums32Finish& finish, std::int64_t channels)
      : kernels_(kernels), taps_(taps), finish_(finish) {
    has_lower_ = std::any_of(point.whole.begin(), point.whole.end(), [](std::int32_t w) { return w < -128 || w > 127; });
    for (const std::int64_t step : {std::int64_t{1}, channels}) weights_[step] = matrices(point, step);
  }

  std::string_view instruction_set() const override { return kernels_.instruction_set; }
  bool reads_in_place() const override { return false; }  // each sample goes to a group

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const override {
    const Extent n(taps_.size, step);
    const std::int64_t wide = (width + taps_.size[2] - 1) * step;
    return OutputRows::scratch_bytes(width * step) + group_rows * Scratch::bytes<std::uint8_t>(int8_pitch<std::uint8_t>(wide)) +
           Scratch::bytes<std::uint8_t>(n.planes * n.ring() * n.groups(width * step) * group_bytes) +
           Scratch::bytes<const std::uint8_t*>(n.planes * n.lines);
  }

  void run(const ByteLines& rows, const Tiles::Tile& tile, std::int64_t step, const View& out, Scratch scratch) const override {
    const Extent n(taps_.size, step);
    const SourceRows source(taps_, rows, tile, step);
    OutputRows outputs(out, tile, step, scratch);
    const std::int64_t samples = tile.width * step;
    const std::int64_t pitch = n.groups(samples) * group_bytes;
    auto* ring = scratch.take<std::uint8_t>(n.planes * n.ring() * pitch);
    auto* lines = scratch.take<const std::uint8_t*>(n.planes * n.lines);
    std::array<std::uint8_t*, group_rows> staged{};
    for (auto& line : staged) line = scratch.take<std::uint8_t>(int8_pitch<std::uint8_t>(source.samples));

    MatrixRows job{.lines = lines,
                   .count = n.planes * n.lines,
                   .pieces = n.pieces,
                   .weights = weights_.at(step).front().bytes,
                   .has_lower = has_lower_,
                   .out = {},
                   .n = samples,
                   .finish = finish_,
                   .streams = outputs.streams()};
    const auto kernel = kernels_.rows.of(out.pixel);
    const std::int64_t top = tile.y + taps_.lead[1];
    const std::int64_t front = tile.z + taps_.lead[0];
    const std::int64_t used = divide_up(samples, group_outputs) + 2 * (n.pieces - 1);
    kernels_.begin();
    std::int64_t made = 0;  // lines of a plane
    for (std::int64_t y = 0; y < tile.height; y += group_output_rows) {
      const std::int64_t first = y / group_output_rows;
      for (; made < first + n.ring(); ++made) {
        for (std::int64_t plane = 0; plane < n.planes; ++plane) {
          std::array<const std::uint8_t*, group_rows> from{};
          for (std::int64_t row = 0; row < group_rows; ++row)
            from[row] = source.in_place_or_staged(front + plane, top + group_output_rows * made + row, staged[row]);
          kernels_.group(from.data(), source.samples, ring + (plane * n.ring() + made % n.ring()) * pitch, used);
        }
      }
      for (std::int64_t plane = 0; plane < n.planes; ++plane) {
        for (std::int64_t i = 0; i < n.lines; ++i)
          lines[plane * n.lines + i] = ring + (plane * n.ring() + (first + 2 * i) % n.ring()) * pitch;
      }
      const std::int64_t count = std::min(group_output_rows, tile.height - y);
      std::byte* const* to = outputs.begin(y, count);
      job.out = {to[0], to[1]};
      kernel(job);
      outputs.end(y, count);
    }
    kernels_.end();
  }

 private:
  struct alignas(64) Matrix {
    std::uint8_t bytes[matrix_bytes] = {};
  };
  static_assert(sizeof(Matrix) == matrix_bytes);

  /// As MatrixRows has them, for taps so many samples apart.
  std::vector<Matrix> matrices(const FixedPoint& point, std::int64_t step) const {
    const Extent n(taps_.size, step);
    const std::int64_t parts = has_lower_ ? 2 : 1;
    std::vector<Matrix> all(static_cast<std::size_t>(n.planes * n.lines * n.pieces * parts));
    Matrix* matrix = all.data();
    for (std::int64_t line = 0; line < n.planes * n.lines; ++line) {
      for (std::int64_t piece = 0; piece < n.pieces; ++piece, matrix += parts) put_matrix(point, step, line, piece, matrix);
    }
    return all;
  }

  void put_matrix(const FixedPoint& point, std::int64_t step, std::int64_t line, std::int64_t piece, Matrix* matrix) const {
    const auto [depth, height, width] = taps_.size;
    const std::int64_t lines = Extent(taps_.size, step).lines;
    const std::int64_t z = line / lines;
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        for (std::int64_t row = 0; row < group_output_rows; ++row) {
          for (std::int64_t sample = 0; sample < group_outputs; ++sample) {
            const std::int64_t r = y + row - group_rows * (line % lines);
            const std::int64_t s = x * step + sample - group_samples * piece;
            if (r < 0 || r >= group_rows || s < 0 || s >= group_samples) continue;
            const std::int32_t weight = point.whole[static_cast<std::size_t>((z * height + y) * width + x)];
            const std::int64_t place = place_in_matrix(r, s, row, sample);
            matrix[0].bytes[place] = static_cast<std::uint8_t>(has_lower_ ? weight >> 8 : weight);
            if (has_lower_) matrix[1].bytes[place] = static_cast<std::uint8_t>(weight & 0xff);
          }
        }
      }
    }
  }

  const MatrixKernels& kernels_;
  const Taps& taps_;
  Sums32Finish finish_;
  bool has_lower_;
  std::map<std::int64_t, std::vector<Matrix>> weights_;  ///< by the samples between taps
};

}  // namespace

std::int64_t matrix_products(const Space& taps, std::int64_t step) {
  const Extent n(taps, step);
  return 2 * n.planes * n.lines * n.pieces;
}

std::unique_ptr<const Int8Filter> make_sums32_matrices(const Taps& taps, const FixedPoint& point, Sums32Finish finish, std::int64_t channels) {
  return std::make_unique<Sums32Matrices>(*matrix_kernels(), taps, point, finish, channels);
}

}  // namespace halation::cpu_backend
