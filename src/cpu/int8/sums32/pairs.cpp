// pairs.cpp: any filter over 8 bits in fixed point: two rows at a time become a line of pairs, a ring of them for a tile,
// and each pair is multiplied by a pair of weights, two multiply-adds in one lane, where f32 does one.
#include "cpu/int8/filter.h"

namespace halation::cpu_backend {
namespace {

std::vector<std::int32_t> weights_of_lines(const FixedPoint& point, const Space& size) {
  std::vector<std::int32_t> weights;
  for (std::int64_t z = 0; z < size[0]; ++z) {
    for (std::int64_t line = 0; line < lines_of(size[1]); ++line) {
      for (std::int64_t x = 0; x < size[2]; ++x) {
        for (int row = 0; row < int8_rows_at_once; ++row) {
          weights.push_back(pair_for(line, row, [&](std::int64_t y) {
            return y < 0 || y >= size[1] ? 0 : point.whole[static_cast<std::size_t>((z * size[1] + y) * size[2] + x)];
          }));
        }
      }
    }
  }
  return weights;
}

class Sums32Pairs final : public Int8Filter {
 public:
  Sums32Pairs(const Taps& taps, const FixedPoint& point, const Sums32Finish& finish)
      : taps_(taps), weights_(weights_of_lines(point, taps.size)), finish_(finish) {}

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const override {
    const std::int64_t wide = (width + taps_.size[2] - 1) * step;
    const std::int64_t lines = taps_.size[0] * lines_of(taps_.size[1]);
    return OutputRows::scratch_bytes(width * step) + 2 * Scratch::bytes<std::uint8_t>(int8_pitch<std::uint8_t>(wide)) +
           Scratch::bytes<std::int32_t>(lines * int8_pitch<std::int32_t>(wide)) + Scratch::bytes<const std::int32_t*>(lines);
  }

  void run(const ByteLines& rows, const Tiles::Tile& tile, std::int64_t step, const View& out, Scratch scratch) const override {
    const Sums32Kernels& kernels = *best_sums32_kernels();
    const std::int64_t planes = taps_.size[0];
    const std::int64_t lines = lines_of(taps_.size[1]);
    const SourceRows source(taps_, rows, tile, step);
    OutputRows outputs(out, tile, step, scratch);
    const std::int64_t pitch = int8_pitch<std::int32_t>(source.samples);
    auto* ring = scratch.take<std::int32_t>(planes * lines * pitch);
    auto* pointers = scratch.take<const std::int32_t*>(planes * lines);
    std::array<std::uint8_t*, 2> staged{};
    for (auto& line : staged) line = scratch.take<std::uint8_t>(int8_pitch<std::uint8_t>(source.samples));

    Sums32Direct job{.lines = pointers,
                    .weights = weights_.data(),
                    .planes = planes,
                    .pairs = pairs_of(taps_.size[1]),
                    .taps_x = taps_.size[2],
                    .tap_stride = step,
                    .out = nullptr,
                    .n = tile.width * step,
                    .finish = finish_,
                    .streams = outputs.streams()};
    const auto kernel = kernels.direct.of(out.pixel);
    const std::int64_t top = tile.y + taps_.lead[1];
    const std::int64_t front = tile.z + taps_.lead[0];
    std::int64_t made = 0;  // lines
    for (std::int64_t y = 0; y < tile.height; y += int8_rows_at_once) {
      const std::int64_t first = y / 2;
      for (; made < first + lines; ++made) {
        for (std::int64_t plane = 0; plane < planes; ++plane) {
          const std::uint8_t* upper = source.in_place_or_staged(front + plane, top + 2 * made, staged[0]);
          const std::uint8_t* lower = source.in_place_or_staged(front + plane, top + 2 * made + 1, staged[1]);
          kernels.pair_up(upper, lower, ring + (plane * lines + made % lines) * pitch, source.samples);
        }
      }
      for (std::int64_t plane = 0; plane < planes; ++plane) {
        for (std::int64_t i = 0; i < lines; ++i) pointers[plane * lines + i] = ring + (plane * lines + (first + i) % lines) * pitch;
      }
      const std::int64_t count = std::min<std::int64_t>(int8_rows_at_once, tile.height - y);
      job.out = outputs.begin(y, count);
      for (std::size_t row = 0; row < int8_rows_at_once; ++row) {
        job.ahead[row] = source.ahead(front + planes - 1, top + 2 * made + static_cast<std::int64_t>(row));
      }
      kernel(job);
      outputs.end(y, count);
    }
  }

 private:
  const Taps& taps_;
  std::vector<std::int32_t> weights_;  ///< as Sums32Direct has them
  Sums32Finish finish_;
};

}  // namespace

std::unique_ptr<const Int8Filter> make_sums32_pairs(const Taps& taps, const FixedPoint& point, Sums32Finish finish) {
  return std::make_unique<Sums32Pairs>(taps, point, finish);
}

}  // namespace halation::cpu_backend
