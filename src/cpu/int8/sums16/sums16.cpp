// sums16.cpp: filters of three taps along y and x over 8 bits whose sums 16 bits hold: columns and then rows, both at once in registers
// where neither needs weights, or all nine taps at once over a ring of widened rows.
#include "cpu/int8/filter.h"
#include "cpu/int8/sums16/kernels.h"
#include "cpu/parts/alike.h"

namespace halation::cpu_backend {
namespace {

constexpr std::int64_t held_rows = int8_rows_at_once + 2;

class Sums16 final : public Int8Filter {
 public:
  Sums16(const Taps& taps, const Sums16Point& point) : taps_(taps), point_(point) {}

  int sum_bits() const override { return 16; }

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const override {
    const std::int64_t wide = (width + taps_.size[2] - 1) * step;
    return OutputRows::scratch_bytes(width * step) + Scratch::bytes<std::uint8_t>(held_rows * int8_pitch<std::uint8_t>(wide)) +
           Scratch::bytes<std::int16_t>(held_rows * int8_pitch<std::int16_t>(wide));
  }

  void run(const ByteLines& rows, const Tiles::Tile& tile, std::int64_t step, const View& out, Scratch scratch) const override {
    const Sums16Kernels& kernels = best_sums16_kernels();
    const SourceRows source(taps_, rows, tile, step);
    OutputRows outputs(out, tile, step, scratch);
    const std::int64_t staged_pitch = int8_pitch<std::uint8_t>(source.samples);
    auto* staged = scratch.take<std::uint8_t>(held_rows * staged_pitch);
    const std::int64_t pitch = int8_pitch<std::int16_t>(source.samples);
    auto* lines = scratch.take<std::int16_t>(held_rows * pitch);
    const auto line_of = [&](std::int64_t row) { return lines + row % held_rows * pitch; };
    const std::int64_t z = tile.z + taps_.lead[0];
    const std::int64_t top = tile.y + taps_.lead[1];
    const auto pixels_of = [&](std::int64_t row) {
      return source.in_place_or_staged(z, top + row, staged + row % held_rows * staged_pitch);
    };
    const std::int64_t n = tile.width * step;
    const auto element = static_cast<std::int64_t>(bytes_of(out.pixel));

    std::int64_t made = 0;                                // input rows: known, or widened to lines
    std::array<const std::uint8_t*, held_rows> known{};  // row r at r % held_rows
    for (std::int64_t y = 0; y < tile.height; y += int8_rows_at_once) {
      const std::int64_t count = std::min<std::int64_t>(int8_rows_at_once, tile.height - y);
      std::byte* const* to = outputs.begin(y, count);
      std::array<const std::uint8_t*, int8_rows_at_once> ahead{};
      for (std::size_t row = 0; row < int8_rows_at_once; ++row) ahead[row] = source.ahead(z, top + y + held_rows + static_cast<std::int64_t>(row));
      const Sums16Outputs of_rows{.tap_stride = step,
                                  .out = to,
                                  .n = n,
                                  .finish = point_.finish,
                                  .streams = outputs.streams(),
                                  .ahead = ahead};
      if (point_.by_columns) {
        std::array<const std::uint8_t*, held_rows> pixels{};
        std::array<std::int16_t*, int8_rows_at_once> sums{};
        for (; made < y + held_rows; ++made) known[static_cast<std::size_t>(made % held_rows)] = pixels_of(made);
        for (std::size_t row = 0; row < held_rows; ++row) pixels[row] = known[(static_cast<std::size_t>(y) + row) % held_rows];
        for (std::size_t row = 0; row < int8_rows_at_once; ++row) sums[row] = line_of(static_cast<std::int64_t>(row));
        // Loads of rows that lie like an output's would wait for the stores before them.
        const bool waits = element == 1 && lie_alike(pixels[0], to[0]);
        if (can_multiply_at_once(point_.row.product, point_.columns.product) && n >= sums16_least_row && !waits) {
          kernels.factors.of(out.pixel)({of_rows, pixels.data(), point_.row.product, point_.columns.product});
          outputs.end(y, count);
          continue;
        }
        kernels.columns({.rows = pixels.data(), .weights = point_.columns, .out = sums.data(), .n = source.samples});
        const auto kernel = kernels.row.of(out.pixel);
        for (std::int64_t row = 0; row < count; ++row) {
          kernel({.line = sums[static_cast<std::size_t>(row)],
                  .weights = point_.row,
                  .tap_stride = step,
                  .out = to[row],
                  .n = n,
                  .finish = point_.finish,
                  .streams = outputs.streams(),
                  .ahead = ahead[static_cast<std::size_t>(row)]});
        }
      } else {
        for (; made < y + held_rows; ++made) {
          kernels.widen({.pixels = pixels_of(made), .out = line_of(made), .n = source.samples, .left = point_.columns.left});
        }
        std::array<const std::int16_t*, held_rows> held{};
        for (std::size_t row = 0; row < held_rows; ++row) held[row] = line_of(y + static_cast<std::int64_t>(row));
        kernels.direct.of(out.pixel)({of_rows, held.data(), point_.columns});
      }
      outputs.end(y, count);
    }
  }

 private:
  const Taps& taps_;
  Sums16Point point_;
};

}  // namespace

std::unique_ptr<const Int8Filter> make_sums16(const Taps& taps, const Sums16Point& point) {
  return std::make_unique<Sums16>(taps, point);
}

}  // namespace halation::cpu_backend
