// strips.cpp: parts of images along their outermost axis.
#include "halation/strips.h"

#include <algorithm>

#include "core/threads.h"
#include "halation/error.h"

namespace halation {
namespace {

/// What belongs to an axis of space.
template <class PerAxis>
auto& along(std::size_t axis, PerAxis& all) {
  return axis == 0 ? all.depth : axis == 1 ? all.height : all.width;
}

template <class AnyView>
AnyView part(AnyView view, std::int64_t first, std::int64_t length) {
  const Shape& shape = view.shape;
  const std::int64_t whole = length_of(shape);
  if (first < 0 || length < 1 || first > whole - length) {
    throw Error(ErrorCode::invalid_argument, "part " + std::to_string(first) + "+" + std::to_string(length) + " leaves the image " +
                                                 to_string(shape) + ", which is " + std::to_string(whole) + " long");
  }
  view.data += first * along(axis_of_parts(shape), view.strides);
  view.shape = with_length(shape, length);
  return view;
}

}  // namespace

std::size_t axis_of_parts(const Shape& shape) { return shape.depth > 1 ? 0 : shape.height > 1 ? 1 : 2; }

std::int64_t length_of(const Shape& shape) { return length_of_part(shape, shape); }

std::int64_t length_of_part(const Shape& part, const Shape& shape) { return along(axis_of_parts(shape), part); }

Shape with_length(Shape shape, std::int64_t length) {
  along(axis_of_parts(shape), shape) = length;
  return shape;
}

ConstView part_of(const ConstView& view, std::int64_t first, std::int64_t length) { return part(view, first, length); }
View part_of(const View& view, std::int64_t first, std::int64_t length) { return part(view, first, length); }

namespace {

void check_memory(const ConstView& view) {
  if (!shares_memory(view.device, cpu()))
    throw Error(ErrorCode::invalid_argument, "parts need an image in host memory, got one on " + name_of(view.device));
  if (view.shape.batch != 1)
    throw Error(ErrorCode::invalid_argument, "parts need one image, got a batch of " + std::to_string(view.shape.batch));
}

/// Memory is read and written faster by several threads.
void copy_in_threads(const ConstView& from, const View& to) {
  constexpr std::int64_t worth_threads = 1 << 18;  // bytes a thread
  const Shape& shape = from.shape;
  const std::int64_t rows = shape.depth > 1 ? shape.depth : shape.height;
  const std::int64_t bytes = shape.elements() * static_cast<std::int64_t>(bytes_of(from.pixel));
  const std::int64_t blocks = std::min({rows, bytes / worth_threads, std::int64_t{arena_threads()}});
  if (blocks <= 1) return copy(from, to);
  in_threads(blocks, [&](std::int64_t block) {
    const std::int64_t first = rows * block / blocks;
    const std::int64_t count = rows * (block + 1) / blocks - first;
    copy(part_of(from, first, count), part_of(to, first, count));
  });
}

}  // namespace

ViewSource::ViewSource(ConstView view) : view_(view) { check_memory(view); }

void ViewSource::read(std::int64_t first, View to) { copy_in_threads(part_of(view_, first, length_of_part(to.shape, view_.shape)), to); }

ViewSink::ViewSink(View view) : view_(view) { check_memory(view); }

void ViewSink::write(std::int64_t first, ConstView part) { copy_in_threads(part, part_of(view_, first, length_of_part(part.shape, view_.shape))); }

}  // namespace halation
