// lines.cpp: staging of rows: the interior by conversion, what lies outside by the border's table.
#include "cpu/tiles/lines.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstddef>

#include "cpu/parts/alike.h"
#include "cpu/parts/kernels.h"
#include "cpu/tiles/copy_bytes.h"

namespace halation::cpu_backend {

/// Of a signal, from what is read to what is asked for; 2 to 8 KiB are as quick.
constexpr std::int64_t bytes_ahead = 4096;

template <class T>
void copy_samples(const std::byte* from, std::int64_t stride, T* to, std::int64_t count) {
  constexpr std::int64_t element = sizeof(T);
  if (stride == element) return copy_bytes(from, to, count * element);
  for (std::int64_t i = 0; i < count; ++i) to[i] = *reinterpret_cast<const T*>(from + i * stride);
}

template <class T>
Lines<T>::Lines(const Job& job, const ConstView& in, std::int64_t step, LoadSamples<T> samples)
    : job_(job),
      in_(in),
      step_(step),
      load_(samples),
      sample_bytes_(sample_stride(in.strides, step)),
      are_numbers_(in.pixel == PixelOf<T>::value && sample_bytes_ == static_cast<std::int64_t>(sizeof(T)) &&
                   in.strides.width == step * sample_bytes_) {}

template <class T>
const T* Lines<T>::in_place(std::int64_t z, std::int64_t y, std::int64_t x_low,
                                std::int64_t x_high) const {
  return x_low < 0 || x_high > in_.shape.width ? nullptr : around(z, y, x_low);
}

template <class T>
const T* Lines<T>::around(std::int64_t z, std::int64_t y, std::int64_t x_low) const {
  if (!are_numbers_) return nullptr;
  const std::int64_t source_z = job_.borders[0].source(z);
  const std::int64_t source_y = job_.borders[1].source(y);
  if (source_z < 0 || source_y < 0) return nullptr;
  return reinterpret_cast<const T*>(in_.data + source_z * in_.strides.depth +
                                      source_y * in_.strides.height + x_low * in_.strides.width);
}

template <class T>
template <class CopyPixel>
void Lines<T>::stage_outside(std::int64_t low, std::int64_t high, T* line, const CopyPixel& copy) const {
  for (std::int64_t x = low; x < high; ++x, line += step_) {
    const std::int64_t source_x = job_.borders[2].source(x);
    if (source_x < 0) {
      fill_pixel(static_cast<T>(job_.borders[2].constant()), step_, line);
    } else {
      copy(source_x, line);
    }
  }
}

template <class T>
void Lines<T>::stage_around(const T* here, std::int64_t x_low, std::int64_t x_high, T* line) const {
  const std::int64_t inside_low = std::clamp<std::int64_t>(0, x_low, x_high);
  const std::int64_t inside_high = std::clamp<std::int64_t>(in_.shape.width, inside_low, x_high);
  const auto copy = [&](std::int64_t source_x, T* to) { copy_pixel(here + (source_x - x_low) * step_, step_, to); };
  stage_outside(x_low, inside_low, line, copy);
  copy_bytes(here + (inside_low - x_low) * step_, line + (inside_low - x_low) * step_,
             (inside_high - inside_low) * step_ * static_cast<std::int64_t>(sizeof(T)));
  stage_outside(inside_high, x_high, line + (inside_high - x_low) * step_, copy);
}

template <class T>
const std::byte* Lines<T>::near(std::int64_t z, std::int64_t y, std::int64_t x) const {
  if (!are_numbers_ || z < 0 || z >= in_.shape.depth || y < 0 || y >= in_.shape.height) return nullptr;
  const std::int64_t inside_x = std::clamp<std::int64_t>(x, 0, in_.shape.width - 1);
  return in_.data + z * in_.strides.depth + y * in_.strides.height + inside_x * in_.strides.width;
}

template <class T>
void Lines<T>::load(const std::byte* row, std::int64_t x, std::int64_t pixels, T* to) const {
  load_(row + x * in_.strides.width, sample_bytes_, to, pixels * step_);
}

template <class T>
void Lines<T>::stage(std::int64_t z, std::int64_t y, std::int64_t x_low, std::int64_t x_high,
                       T* line) const {
  const std::int64_t source_z = job_.borders[0].source(z);
  const std::int64_t source_y = job_.borders[1].source(y);
  if (source_z < 0 || source_y < 0) {
    std::fill_n(line, (x_high - x_low) * step_, static_cast<T>(job_.constant_at({source_z, source_y, 0})));
    return;
  }
  const std::byte* row = in_.data + source_z * in_.strides.depth + source_y * in_.strides.height;
  const std::int64_t inside_low = std::clamp<std::int64_t>(0, x_low, x_high);
  const std::int64_t inside_high = std::clamp<std::int64_t>(in_.shape.width, inside_low, x_high);
  const auto copy = [&](std::int64_t source_x, T* to) {
    if (source_x >= inside_low && source_x < inside_high) {
      copy_pixel(line + (source_x - x_low) * step_, step_, to);
    } else {
      load(row, source_x, 1, to);
    }
  };
  // Rows of a tile, and pieces of a signal, are too short for the machine to see by itself that others follow.
  const std::int64_t pixel_bytes = step_ * static_cast<std::int64_t>(bytes_of(in_.pixel));
  const bool is_signal = in_.shape.height == 1;
  if (in_.strides.width == pixel_bytes && (is_signal || source_y + rows_at_once < in_.shape.height)) {
    const std::int64_t ahead = is_signal ? bytes_ahead : rows_at_once * in_.strides.height;
    std::int64_t bytes = (inside_high - inside_low) * pixel_bytes;
    if (is_signal) bytes = std::min(bytes, (in_.shape.width - inside_low) * pixel_bytes - ahead);
    for (std::int64_t at = 0; at < bytes; at += 64) hwy::Prefetch(row + inside_low * pixel_bytes + ahead + at);
  }
  load(row, inside_low, inside_high - inside_low, line + (inside_low - x_low) * step_);
  stage_outside(x_low, inside_low, line, copy);
  stage_outside(inside_high, x_high, line + (inside_high - x_low) * step_, copy);
}

template <class T>
bool Lines<T>::rows_fall_out(std::int64_t z, std::int64_t y, std::int64_t count, std::int64_t most) const {
  const std::int64_t inside = std::max<std::int64_t>(0, y);
  const std::byte* first = near(z, inside, 0);
  const std::byte* last = near(z, inside + count - 1, 0);
  return first != nullptr && last != nullptr && fall_out(first, last, count, most);
}

template class Lines<float>;
template class Lines<double>;
template class Lines<std::uint8_t>;
template class Lines<std::uint16_t>;
template class Lines<std::int16_t>;
template void copy_samples(const std::byte*, std::int64_t, std::uint8_t*, std::int64_t);
template void copy_samples(const std::byte*, std::int64_t, std::uint16_t*, std::int64_t);
template void copy_samples(const std::byte*, std::int64_t, std::int16_t*, std::int64_t);

}  // namespace halation::cpu_backend
