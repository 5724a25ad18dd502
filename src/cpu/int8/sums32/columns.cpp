// columns.cpp: products of y and x over 8 bits in fixed point: columns are summed first, by pairs of rows from where they
// lie, to lines of 16 bits, and those along x, by pairs of samples.
#include "cpu/int8/filter.h"
#include "cpu/parts/alike.h"

namespace halation::cpu_backend {
namespace {

std::int32_t weight_at(const std::vector<std::int32_t>& whole, std::int64_t tap) {
  return tap < 0 || tap >= static_cast<std::int64_t>(whole.size()) ? 0 : whole[static_cast<std::size_t>(tap)];
}

class Sums32ColumnsThenRows final : public Int8Filter {
 public:
  Sums32ColumnsThenRows(const Taps& taps, const FixedPoint& point, const Sums32Finish& finish)
      : taps_(taps), shift_(point.shift), finish_(finish) {
    for (std::int64_t line = 0; line < lines_of(taps.size[1]); ++line) {
      for (int row = 0; row < int8_rows_at_once; ++row) {
        weights_y_.push_back(pair_for(line, row, [&](std::int64_t y) { return weight_at(point.integer_y, y); }));
      }
    }
    const auto pair_from = [&](std::int64_t tap) { return pair_of(weight_at(point.whole, tap), weight_at(point.whole, tap + 1)); };
    for (std::int64_t pair = 0; pair < pairs_of(taps.size[2]); ++pair) {
      weights_x_.push_back(pair_from(2 * pair));
      weights_x_.push_back(pair_from(2 * pair - 1));
    }
  }

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const override {
    const std::int64_t wide = (width + taps_.size[2] - 1) * step;
    const std::int64_t rows = 2 * lines_of(taps_.size[1]);
    return OutputRows::scratch_bytes(width * step) + Scratch::bytes<std::uint8_t>(rows * int8_pitch<std::uint8_t>(wide)) +
           Scratch::bytes<const std::uint8_t*>(rows) + Scratch::bytes<std::int16_t>(int8_rows_at_once * int8_pitch<std::int16_t>(wide)) +
           Scratch::bytes<std::int32_t>(int8_pitch<std::int32_t>(wide));
  }

  void run(const ByteLines& rows, const Tiles::Tile& tile, std::int64_t step, const View& out, Scratch scratch) const override {
    const Sums32Kernels& kernels = *best_sums32_kernels();
    const std::int64_t held = 2 * lines_of(taps_.size[1]);  // input rows
    const SourceRows source(taps_, rows, tile, step);
    OutputRows outputs(out, tile, step, scratch);
    const std::int64_t pitch = int8_pitch<std::uint8_t>(source.samples);
    auto* ring = scratch.take<std::uint8_t>(held * pitch);
    auto* pointers = scratch.take<const std::uint8_t*>(held);
    std::array<std::int16_t*, int8_rows_at_once> sums{};
    const std::int64_t sums_pitch = int8_pitch<std::int16_t>(source.samples);
    auto* sums_of_columns = scratch.take<std::int16_t>(int8_rows_at_once * sums_pitch);
    for (std::size_t row = 0; row < int8_rows_at_once; ++row) sums[row] = sums_of_columns + static_cast<std::int64_t>(row) * sums_pitch;
    auto* line_of_pairs = scratch.take<std::int32_t>(int8_pitch<std::int32_t>(source.samples));

    const Sums32Columns columns{.rows = pointers,
                               .weights = weights_y_.data(),
                               .pairs = pairs_of(taps_.size[1]),
                               .out = sums.data(),
                               .n = source.samples,
                               .shift = shift_};
    Sums32Row along{.line = nullptr,
                   .weights = weights_x_.data(),
                   .pairs = pairs_of(taps_.size[2]),
                   .line_of_pairs = line_of_pairs,
                   .tap_stride = step,
                   .out = nullptr,
                   .n = tile.width * step,
                   .finish = finish_,
                   .streams = outputs.streams()};
    const auto kernel = kernels.row.of(out.pixel);
    const std::int64_t z = tile.z + taps_.lead[0];
    const std::int64_t top = tile.y + taps_.lead[1];
    // Rows that would fall out of the first-level cache are staged.
    const bool stages = kernels.reads_lines_in_steps && rows.rows_fall_out(z, top, held, places_alike);
    const auto in_place = [&](std::int64_t row) { return stages ? nullptr : source.in_place(z, top + row); };
    std::int64_t made = 0;  // rows
    for (std::int64_t y = 0; y < tile.height; y += int8_rows_at_once) {
      for (; made < y + held; ++made) {
        if (in_place(made) == nullptr) source.stage(z, top + made, ring + made % held * pitch);
      }
      for (std::int64_t i = 0; i < held; ++i) {
        const std::uint8_t* row = in_place(y + i);
        pointers[i] = row != nullptr ? row : ring + (y + i) % held * pitch;
      }
      kernels.columns(columns);
      const std::int64_t count = std::min<std::int64_t>(int8_rows_at_once, tile.height - y);
      std::byte* const* to = outputs.begin(y, count);
      for (std::int64_t row = 0; row < count; ++row) {
        along.ahead = source.ahead(z, top + made + row);
        along.line = sums[static_cast<std::size_t>(row)];
        along.out = to[row];
        kernel(along);
      }
      outputs.end(y, count);
    }
  }

 private:
  const Taps& taps_;
  std::vector<std::int32_t> weights_y_;  ///< as Sums32Columns has them
  std::vector<std::int32_t> weights_x_;  ///< as Sums32Row has them
  int shift_;
  Sums32Finish finish_;
};

}  // namespace

std::unique_ptr<const Int8Filter> make_sums32_columns(const Taps& taps, const FixedPoint& point, Sums32Finish finish) {
  return std::make_unique<Sums32ColumnsThenRows>(taps, point, finish);
}

}  // namespace halation::cpu_backend
