// rows.cpp: parts of pages whose coding gives whole rows.
#include "io/rows.h"

#include <utility>

namespace halation::io {
namespace {

class OneRow : public PartReader {
 public:
  OneRow(const Shape& shape, Pixel pixel, std::unique_ptr<PartReader> rows) : shape_(shape), pixel_(pixel), rows_(std::move(rows)) {}

  void read(std::int64_t first, View to) override {
    if (rows_ != nullptr && to.shape.width == shape_.width) return rows_->read(first, to);
    if (rows_ != nullptr) {
      Image row(shape_, pixel_);
      rows_->read(0, row);
      row_ = std::move(row);
      rows_.reset();
    }
    copy(std::as_const(row_).view().crop({.x = first, .width = to.shape.width}), to);
  }

 private:
  Shape shape_;
  Pixel pixel_;
  std::unique_ptr<PartReader> rows_;  // until it has been read
  Image row_;
};

}  // namespace

std::unique_ptr<PartReader> reading_rows(const PageFacts& page, std::unique_ptr<PartReader> rows) {
  if (page.shape.height > 1) return rows;
  return std::make_unique<OneRow>(page.shape, page.pixel, std::move(rows));
}

}  // namespace halation::io
