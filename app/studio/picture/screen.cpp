// screen.cpp: a picture as a screen shows it.
#include "screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "app/filtering/shown_range.h"
#include "core/convert.h"
#include "core/threads.h"
#include "halation/error.h"
#include "pipeline/colour/srgb.h"

namespace halation::app {
namespace {

constexpr std::int64_t rows_a_task = 8;

/// out[i] += weight · in[i]
template <class T>
void add_row(const T* in, std::int64_t count, float weight, float* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] += weight * static_cast<float>(in[i]);
}

/// Four sums at a time: those of a pixel, and of three colours the first of the next beside them, which is not looked at.
using Four = float __attribute__((vector_size(16)));
Four four(const float* at) {
  Four values;
  std::memcpy(&values, at, sizeof values);
  return values;
}

/// out[i] = first · in[0][i] + in[1][i] + … + last · in[rows - 1][i]
template <class T>
void sum_rows(const std::byte* in, std::int64_t stride, std::int64_t rows, float first, float last, std::int64_t count, float* out) {
  std::fill(out, out + count, 0.0F);
  for (std::int64_t y = 0; y < rows; ++y)
    add_row(reinterpret_cast<const T*>(in + y * stride), count, y == 0 ? first : y == rows - 1 ? last : 1.0F, out);
}

/// The same of bytes in at least two rows. Between the first and the last these are added up as integers, as many as 16 bits hold: some 6
/// instructions for 16 of them, as floats 26.
void sum_rows_of_bytes(const std::byte* in, std::int64_t stride, std::int64_t rows, float first, float last, std::int64_t count, float* out) {
  constexpr std::int64_t some = 4096, most_rows = 65535 / 255;  // at a time: sums stay near the processor
  std::array<std::uint16_t, some> sums;
  std::uint16_t* const sum = sums.data();
  for (std::int64_t x = 0; x < count; x += some) {
    const std::int64_t width = std::min(count - x, some);
    const auto row = [&](std::int64_t y) { return reinterpret_cast<const std::uint8_t*>(in + y * stride) + x; };
    const std::uint8_t *top = row(0), *bottom = row(rows - 1);
    for (std::int64_t i = 0; i < width; ++i) out[x + i] = first * static_cast<float>(top[i]) + last * static_cast<float>(bottom[i]);
    for (std::int64_t y = 1; y < rows - 1;) {
      sums.fill(0);
      for (const std::int64_t end = std::min(rows - 1, y + most_rows); y < end; ++y) {
        const std::uint8_t* between = row(y);
        for (std::int64_t i = 0; i < width; ++i) sum[i] = static_cast<std::uint16_t>(sum[i] + between[i]);
      }
      add_row(sum, width, 1, out + x);
    }
  }
}

/// Levels, truncated; NaN is black.
void put_bytes(const float* levels, std::int64_t count, std::uint8_t* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float above = levels[i] > 0 ? levels[i] : 0.0F;
    out[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(above < 255 ? above : 255.0F));
  }
}

/// NaN is black.
std::uint8_t level(double value) { return value > 0 ? static_cast<std::uint8_t>(std::lround(std::min(value, 255.0))) : std::uint8_t{0}; }

}  // namespace

Region whole_of(const Shape& shape) { return {.z = shape.depth / 2, .depth = 1, .height = shape.height, .width = shape.width}; }

std::vector<Screen::Span> Screen::spans(std::int64_t samples, std::int64_t outputs) {
  std::vector<Span> all;
  for (std::int64_t o = 0; o < outputs; ++o) {
    // In parts of 1 / outputs of a sample, so that nothing is rounded.
    const std::int64_t from = o * samples, to = from + samples;
    const std::int64_t begin = from / outputs, end = (to + outputs - 1) / outputs;
    const auto share = [&](std::int64_t parts) { return static_cast<float>(static_cast<double>(parts) / static_cast<double>(outputs)); };
    const float first = share(std::min((begin + 1) * outputs, to) - from);
    all.push_back({.begin = begin, .end = end, .first = first, .last = end - begin == 1 ? first : share(to - (end - 1) * outputs)});
  }
  return all;
}

Screen::Screen(const PageFacts& page, Pixel scale, const Look& look) : page_(page), look_(look) {
  const Shape& shape = page.shape;
  const Region& part = look.part;
  if (part.z < 0 || part.z >= shape.depth)
    throw Error{ErrorCode::invalid_argument, fmt::format("z is a slice in [0, {}), got {}", shape.depth, part.z)};
  if (part.x < 0 || part.y < 0 || part.width < 1 || part.height < 1 || part.width > shape.width - part.x ||
      part.height > shape.height - part.y)
    throw Error{ErrorCode::invalid_argument, fmt::format("crop is x,y,width,height within {}x{}, got {},{},{},{}", shape.width, shape.height,
                                                         part.x, part.y, part.width, part.height)};
  if (look.width < 1) throw Error{ErrorCode::invalid_argument, fmt::format("w is a number of pixels, got {}", look.width)};
  width_ = std::min(look.width, part.width);
  height_ = std::clamp<std::int64_t>(std::llround(static_cast<double>(part.height) * static_cast<double>(width_) / static_cast<double>(part.width)),
                                     1, part.height);
  const std::int64_t colours = shape.channels - (page.alpha ? 1 : 0);
  const bool is_inks = page.colour == ColourModel::cmyk && colours == 4;
  colours_ = is_inks ? 4 : colours >= 3 ? 3 : 1;
  samples_ = colours_ + (page.alpha ? 1 : 0);
  const ShownRange range = shown_range(scale), own = shown_range(page.pixel);
  factor_ = 255 / (range.white - range.black);
  offset_ = -range.black * factor_;
  alpha_factor_ = 1 / (own.white - own.black);
  rows_ = spans(part.height, height_);
  columns_ = spans(part.width, width_);
  for (const Span& columns : columns_) most_columns_ = std::max(most_columns_, columns.end - columns.begin);
  for (const Span& columns : columns_) {
    for (std::int64_t k = 0; k < most_columns_; ++k) column_weights_.push_back(k < columns.end - columns.begin ? columns.weight(columns.begin + k) : 0.0F);
  }
  area_ = static_cast<double>(part.height) / static_cast<double>(height_) * static_cast<double>(part.width) / static_cast<double>(width_);
  level_factor_ = static_cast<float>(factor_ / area_);
  level_offset_ = static_cast<float>(offset_) + 0.5F;
  rgba_.resize(static_cast<std::size_t>(width_ * height_ * 4));
  sums_.resize(static_cast<std::size_t>(height_));
}

void Screen::put_colours(const float* sum, std::int64_t y, std::vector<float>& levels) {
  const Four factors = {level_factor_, level_factor_, level_factor_, 0}, offsets = {level_offset_, level_offset_, level_offset_, 255};
  levels.resize(static_cast<std::size_t>(width_ * 4));
  float* out = levels.data();
  const float* weights = column_weights_.data();
  for (const Span& columns : columns_) {
    // As many for each output, some of weight 0, so that no branch depends on how many. The fourth is of the next pixel, or of none.
    Four all = {};
    for (std::int64_t k = 0; k < most_columns_; ++k) all += weights[k] * four(sum + (columns.begin + k) * 3);
    all = all * factors + offsets;
    std::memcpy(out, &all, sizeof all);
    weights += most_columns_;
    out += 4;
  }
  put_bytes(levels.data(), width_ * 4, rgba_.data() + y * width_ * 4);
}

template <int N>
void Screen::add_columns(const float* sum, std::int64_t x0, std::int64_t x1, std::int64_t c0, std::int64_t c1, float* out) const {
  const std::int64_t step = N == 0 ? samples_ : N;
  constexpr int count = std::max(N, 1);
  for (std::int64_t c = c0; c < c1; ++c) {
    const Span& columns = columns_[static_cast<std::size_t>(c)];
    const std::int64_t begin = std::max(columns.begin, x0), end = std::min(columns.end, x1);
    std::array<float, count> all = {};
    for (std::int64_t x = begin; x < end; ++x) {
      const float weight = columns.weight(x);
      for (int s = 0; s < count; ++s) all[static_cast<std::size_t>(s)] += weight * sum[(x - x0) * step + s];
    }
    for (int s = 0; s < count; ++s) out[c * step + s] += all[static_cast<std::size_t>(s)];
  }
}

template <class T>
void Screen::take_as(const ConstView& part, std::int64_t y0, std::int64_t x0) {
  const std::int64_t y1 = y0 + part.shape.height, x1 = x0 + part.shape.width;
  const auto is_before = [](const Span& span, std::int64_t at) { return span.end <= at; };
  const std::int64_t o0 = std::lower_bound(rows_.begin(), rows_.end(), y0, is_before) - rows_.begin();
  const std::int64_t o1 = std::lower_bound(rows_.begin(), rows_.end(), y1, [](const Span& span, std::int64_t at) { return span.begin < at; }) - rows_.begin();
  const std::int64_t c0 = std::lower_bound(columns_.begin(), columns_.end(), x0, is_before) - columns_.begin();
  const std::int64_t c1 =
      std::lower_bound(columns_.begin(), columns_.end(), x1, [](const Span& span, std::int64_t at) { return span.begin < at; }) - columns_.begin();
  const auto element = static_cast<std::int64_t>(sizeof(T));
  const bool is_as_summed = !page_.alpha && part.shape.channels == samples_ && part.strides.channels == element &&
                            part.strides.width == samples_ * element;
  const bool is_whole = x0 == 0 && part.shape.width == look_.part.width;
  const std::size_t behind = static_cast<std::size_t>(3 * most_columns_ + 1);  // of the last pixel's sums, which `put_colours` reads
  const auto settles = [&](const Span& rows) { return is_whole && rows.begin >= y0 && rows.end <= y1; };
  // 0 times what is not finite is not 0: of floats each column is asked for.
  const bool are_finite_colours = samples_ == 3 && is_without_light_and_inks() && std::is_integral_v<T>;
  const std::int64_t colours = colours_, samples = samples_, count = part.shape.width;
  const float alpha_offset = static_cast<float>(shown_range(page_.pixel).black);
  const auto alpha_factor = static_cast<float>(alpha_factor_);

  in_threads((o1 - o0 + rows_a_task - 1) / rows_a_task, [&](std::int64_t task) {
    std::vector<float> sum(static_cast<std::size_t>(count * samples) + behind), row, settled, levels;
    for (std::int64_t o = o0 + task * rows_a_task; o < std::min(o1, o0 + (task + 1) * rows_a_task); ++o) {
      const Span& rows = rows_[static_cast<std::size_t>(o)];
      const std::int64_t begin = std::max(rows.begin, y0), end = std::min(rows.end, y1);
      const bool is_settled = settles(rows);
      const std::byte* in = part.data + (begin - y0) * part.strides.height;
      if (is_as_summed) {
        const auto add_up = std::is_same_v<T, std::uint8_t> && end - begin >= 2 ? sum_rows_of_bytes : sum_rows<T>;
        add_up(in, part.strides.height, end - begin, rows.weight(begin), rows.weight(end - 1), count * samples, sum.data());
      } else {
        std::fill(sum.begin(), sum.end(), 0.0F);
      }
      for (std::int64_t y = begin; y < end && !is_as_summed; ++y, in += part.strides.height) {
        const auto at = [&](std::int64_t x, std::int64_t c) {
          return static_cast<float>(*reinterpret_cast<const T*>(in + x * part.strides.width + c * part.strides.channels));
        };
        row.resize(static_cast<std::size_t>(count * samples));
        for (std::int64_t x = 0; x < count; ++x) {
          const float alpha = page_.alpha ? (at(x, part.shape.channels - 1) - alpha_offset) * alpha_factor : 1.0F;
          for (std::int64_t c = 0; c < colours; ++c) row[static_cast<std::size_t>(x * samples + c)] = at(x, c) * alpha;
          if (page_.alpha) row[static_cast<std::size_t>(x * samples + colours)] = alpha;
        }
        add_row(row.data(), count * samples, rows.weight(y), sum.data());
      }
      if (is_settled && are_finite_colours) {
        put_colours(sum.data(), o, levels);
        continue;
      }
      std::vector<float>& outputs = is_settled ? settled : sums_[static_cast<std::size_t>(o)];
      if (is_settled) outputs.clear();
      outputs.resize(static_cast<std::size_t>(width_ * samples));
      float* out = outputs.data();
      if (samples == 1) {
        add_columns<1>(sum.data(), x0, x1, c0, c1, out);
      } else if (samples == 3) {
        add_columns<3>(sum.data(), x0, x1, c0, c1, out);
      } else {
        for (std::int64_t s = 0; s < samples; ++s) add_columns<0>(sum.data() + s, x0, x1, c0, c1, out + s);
      }
      if (is_settled) put_row(out, o, levels);
    }
  });
}

void Screen::take(const ConstView& part, std::int64_t first) {
  const std::size_t axis = axis_of_parts(page_.shape);
  std::array<std::int64_t, 3> begin = {};  // of the part, along depth, height and width
  begin[axis] = first;
  if (look_.part.z < begin[0] || look_.part.z >= begin[0] + part.shape.depth) return;
  // What both the part and the look have, in the part's coordinates.
  const std::int64_t y0 = std::max(look_.part.y, begin[1]), y1 = std::min(look_.part.y + look_.part.height, begin[1] + part.shape.height);
  const std::int64_t x0 = std::max(look_.part.x, begin[2]), x1 = std::min(look_.part.x + look_.part.width, begin[2] + part.shape.width);
  if (y0 >= y1 || x0 >= x1) return;
  const ConstView seen =
      part.crop({.z = look_.part.z - begin[0], .y = y0 - begin[1], .x = x0 - begin[2], .depth = 1, .height = y1 - y0, .width = x1 - x0});
  visit_pixel(seen.pixel, [&](auto like) { take_as<decltype(like)>(seen, y0 - look_.part.y, x0 - look_.part.x); });
}

bool Screen::is_without_light_and_inks() const { return !page_.alpha && !page_.linear_light && colours_ != 4; }

void Screen::put_row(const float* sum, std::int64_t y, std::vector<float>& levels) {
  std::uint8_t* out = rgba_.data() + y * width_ * 4;
  if (is_without_light_and_inks()) {
    const std::int64_t green = colours_ == 1 ? 0 : 1, blue = colours_ == 1 ? 0 : 2;
    levels.assign(static_cast<std::size_t>(width_ * 4), 255.0F);
    for (std::int64_t x = 0; x < width_; ++x, sum += colours_) {
      const std::array<float, 3> of_pixel = {sum[0], sum[green], sum[blue]};
      for (std::size_t c = 0; c < 3; ++c) levels[static_cast<std::size_t>(4 * x) + c] = of_pixel[c] * level_factor_ + level_offset_;
    }
    return put_bytes(levels.data(), width_ * 4, out);
  }
  for (std::int64_t x = 0; x < width_; ++x, sum += samples_, out += 4) {
    const double covered = page_.alpha ? static_cast<double>(sum[colours_]) : area_;  // over which colours were summed
    std::array<double, 4> values = {};
    for (std::int64_t c = 0; c < colours_; ++c)
      values[static_cast<std::size_t>(c)] = covered > 0 ? static_cast<double>(sum[c]) / covered * factor_ + offset_ : 0;
    if (colours_ == 4) {
      for (std::size_t c = 0; c < 3; ++c) values[c] = (255 - values[c]) * (255 - values[3]) / 255;
    }
    if (page_.linear_light) {
      for (double& value : values) value = 255 * srgb_encode(value / 255);
    }
    for (std::size_t c = 0; c < 3; ++c) out[c] = level(values[colours_ == 1 ? 0 : c]);
    out[3] = page_.alpha ? level(255 * covered / area_) : 255;
  }
}

std::vector<std::uint8_t> Screen::rgba() {
  std::vector<float> levels;
  for (std::int64_t y = 0; y < height_; ++y) {
    if (const std::vector<float>& sums = sums_[static_cast<std::size_t>(y)]; !sums.empty()) put_row(sums.data(), y, levels);
  }
  return std::move(rgba_);
}

}  // namespace halation::app
