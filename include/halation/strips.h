// strips.h: images that are read and written in parts, for what is larger than memory.
#pragma once

#include <cstdint>

#include "halation/image.h"

namespace halation {

// Parts lie one after the other along the outermost axis of space that is longer than 1: slices of a volume, rows of a
// picture, samples of a signal. Positions and extents below count along it.

/// Its place among depth, height and width: 0, 1 or 2.
std::size_t axis_of_parts(const Shape& shape);
/// The extent along that axis, and that of a part of `shape`, be it 1; and the shape of another length.
std::int64_t length_of(const Shape& shape);
std::int64_t length_of_part(const Shape& part, const Shape& shape);
Shape with_length(Shape shape, std::int64_t length);
/// `length` of what `view` shows, from `first` on. Throws `Error{invalid_argument}` where that leaves it.
ConstView part_of(const ConstView& view, std::int64_t first, std::int64_t length);
View part_of(const View& view, std::int64_t first, std::int64_t length);

/// An image whose pixels are asked for part by part: a file, a camera, a computation. One thread asks at a time.
class Source {
 public:
  virtual ~Source() = default;
  virtual const Shape& shape() const = 0;  ///< batch 1
  virtual Pixel pixel() const = 0;
  /// Fills `to`, in host memory and of packed or planar rows, with the part of its length that begins at `first`. Parts may be asked for
  /// in any order and again; ascending order is the quickest. Throws `Error`, most often io.
  virtual void read(std::int64_t first, View to) = 0;
};

/// Where the parts of an image go, in ascending order and without gaps.
class Sink {
 public:
  virtual ~Sink() = default;
  /// `part` lies in host memory and begins at `first`. Throws `Error`, most often io.
  virtual void write(std::int64_t first, ConstView part) = 0;
};

/// An image in host memory as a source, and one that is filled. The memory must outlive them.
class ViewSource final : public Source {
 public:
  /// Throws `Error{invalid_argument}` unless the view lies in host memory and has batch 1.
  explicit ViewSource(ConstView view);
  const Shape& shape() const override { return view_.shape; }
  Pixel pixel() const override { return view_.pixel; }
  void read(std::int64_t first, View to) override;
  const ConstView& view() const { return view_; }

 private:
  ConstView view_;
};

class ViewSink final : public Sink {
 public:
  explicit ViewSink(View view);
  void write(std::int64_t first, ConstView part) override;
  const View& view() const { return view_; }

 private:
  View view_;
};

}  // namespace halation
