// row_layout.h: how the rows of a run's input and outputs lie, as kernels tell them apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "halation/view.h"

namespace halation::cuda_backend {

/// Classes of pairs of an input and its outputs: every pair is of one class (`row_layout_of`). Elements of a
/// row are side by side where no byte lies between them; "on 16-byte boundaries" are the input's rows, and
/// the output's where what 16 bytes of input give begins: in pieces of 16 bytes or, where these are narrower,
/// as wide as they are.
enum class RowLayout : std::uint8_t {
  aligned,  ///< one channel a row, elements side by side, on 16-byte boundaries; planes go down and span less
            ///< than 2 GiB
  aligned_far,     ///< the same, of planes that go up or span more
  aligned_input,   ///< inputs as in either; elements of outputs side by side, on no such boundaries
  aligned_gather,  ///< inputs as in either; elements of outputs apart
  aligned_pixels,  ///< 2 to 4 channels side by side, on 16-byte boundaries
  packed,          ///< one channel a row, elements side by side, inputs on no such boundaries
  packed_pixels,   ///< 2 to 4 channels side by side, on no such boundaries
  strided,         ///< all else
};
inline constexpr std::array all_row_layouts{
    RowLayout::aligned,        RowLayout::aligned_far, RowLayout::aligned_input, RowLayout::aligned_gather,
    RowLayout::aligned_pixels, RowLayout::packed,      RowLayout::packed_pixels, RowLayout::strided};

/// The class, in words for `Plan::explain`: "rows on 16-byte boundaries".
std::string_view words_for(RowLayout layout);

/// How the rows of one view lie.
enum class RowEnd : std::uint8_t { aligned, packed, apart, aligned_pixels, packed_pixels };

/// Rows on boundaries of so many bytes are aligned.
RowEnd row_end_of(const ConstView& view, std::int64_t boundary);
/// Bytes of output that 16 bytes of input give, at most 16.
std::int64_t output_boundary(Pixel in, Pixel out);

/// The class of a pair whose ends lie so, of planes that go down and span less than 2 GiB.
RowLayout joined(RowEnd in, RowEnd out);
/// The classes of all pairs whose output, or input, ends so.
std::vector<RowLayout> layouts_to(RowEnd out);
std::vector<RowLayout> layouts_from(RowEnd in);
/// What is known of the ends of a pair.
RowEnd input_end(RowLayout layout);
RowEnd output_end(RowLayout layout);

/// Of views as a plan gets them: outputs of one shape and pixel. Cost: some tens of nanoseconds.
RowLayout row_layout_of(const ConstView& in, std::span<const View> outs);

/// Whether inputs are one channel a row, elements side by side, on 16-byte boundaries.
constexpr bool input_is_aligned(RowLayout layout) { return layout <= RowLayout::aligned_gather; }
/// Whether both are, and outputs too.
constexpr bool is_aligned(RowLayout layout) {
  return layout == RowLayout::aligned || layout == RowLayout::aligned_far;
}
/// Whether the elements of a row are side by side in inputs and in outputs: rows are columns of elements, of
/// which this many follow one another for each pixel; 0 where they are apart.
constexpr int channels_in_row(RowLayout layout, std::int64_t channels) {
  if (layout == RowLayout::aligned_pixels || layout == RowLayout::packed_pixels)
    return static_cast<int>(channels);
  return layout == RowLayout::aligned_gather || layout == RowLayout::strided ? 0 : 1;
}

/// Channels that a block of lines takes side by side; 1 where each is filtered by itself.
constexpr std::int64_t channels_beside(RowLayout layout, std::int64_t channels) {
  constexpr int most = 16;
  const int in_row = channels_in_row(layout, channels);
  return in_row > 0 && in_row <= most ? in_row : 1;
}

}  // namespace halation::cuda_backend
