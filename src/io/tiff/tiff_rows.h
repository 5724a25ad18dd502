// tiff_rows.h: rows of a TIFF's page as halation shows them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/memory.h"
#include "io/tiff/tiff_stored.h"

namespace halation::io {

class LongStrips;

/// The rows of the directory that `tiff` is at, where it must stay. Strips and tiles, planes together or apart, samples of all bits.
///
/// Rows are decoded by whole strips or tiles, straight into place where all rows of one are asked for. Those of which a part is asked for
/// are kept, decoded, for the next part; strips for which that would be much memory are gone through row by row instead, and rows of tiles
/// of more than that are decoded for each part that touches them.
class TiffRows {
 public:
  /// For the whole page, all at once.
  TiffRows(TIFF* tiff, const TiffStored& stored, const TiffComplaint& complaint);
  /// For parts of the page in `file`.
  TiffRows(TIFF* tiff, const TiffStored& stored, const TiffComplaint& complaint, Bytes file);
  ~TiffRows();
  TiffRows(const TiffRows&) = delete;
  TiffRows& operator=(const TiffRows&) = delete;

  /// What reading takes beside the rows.
  double beside_bytes() const;

  /// Fills `to`, whose strides may be any, with rows from `first` on.
  void read(std::int64_t first, View to);

 private:
  void read_blocks(std::int64_t first, View to);
  void decode(std::int64_t block_row, std::int64_t begin, std::int64_t end, View to);
  void place(const std::byte* samples, std::int64_t columns, std::int64_t plane, std::int64_t y, std::int64_t x, View to);
  double spread_bytes() const;

  TIFF* tiff_;
  TiffStored stored_;
  const TiffComplaint& complaint_;
  TiffBlocks blocks_;
  Shape shown_;
  std::vector<std::array<std::uint8_t, 3>> palette_;
  std::vector<std::byte> row_;             // of samples, on their way to where they do not lie side by side
  Memory block_;                           // a strip or tile as libtiff gives it
  bool keeps_ = false;
  Image kept_;                             // the rows of block row `kept_row_`
  std::int64_t kept_row_ = -1;
  std::unique_ptr<LongStrips> long_strips_;  // where strips are gone through row by row
};

}  // namespace halation::io
