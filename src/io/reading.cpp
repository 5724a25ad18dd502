// reading.cpp: whether a header's claims fit the file and the memory.
#include <algorithm>

#include "core/memory.h"
#include "halation/error.h"
#include "io/codec.h"
#include "io/metadata/orientation.h"

namespace halation::io {
namespace {

/// In floating point: what a header states may be beyond 63 bits.
double image_bytes(const Shape& shape, Pixel pixel) {
  auto bytes = static_cast<double>(bytes_of(pixel));
  for (const std::int64_t extent : {shape.batch, shape.depth, shape.height, shape.width, shape.channels}) {
    bytes *= static_cast<double>(extent);
  }
  return bytes;
}

}  // namespace

void Reading::check_memory(double bytes, const Shape& shape, Pixel pixel) const {
  const std::string what = "image " + to_string(shape) + " " + std::string(name_of(pixel));
  const double left = std::max(1.0, static_cast<double>(options_.memory_bytes) - held_bytes_);
  check_host_memory(bytes, what, options_.memory_bytes > 0 ? left : 0);  // the machine's memory knows what is held
}

void Reading::check_size(const Claim& claim) const {
  if (claim.plain_bytes > claim.most_ratio * claim.coded_bytes) {
    throw Error(ErrorCode::io, "damaged or truncated " + std::string(title_) + ": too short for " +
                                   to_string(claim.shape) + " pixels");
  }
}

void Reading::check(const Claim& claim) {
  check_size(claim);
  const double bytes = image_bytes(claim.shape, claim.pixel);
  check_memory(bytes + claim.beside_bytes, claim.shape, claim.pixel);
  held_bytes_ += bytes;
}

void Reading::check_in_parts(const Claim& claim) const {
  check_size(claim);
  const double row = claim.shape.height == 1 ? image_bytes(claim.shape, claim.pixel) : 0;
  check_host_memory(claim.beside_bytes + row, "decoding parts of " + to_string(claim.shape) + " " + std::string(name_of(claim.pixel)),
                    static_cast<double>(options_.memory_bytes));
}

bool Reading::apply_orientation(Metadata& metadata, int orientation) const {
  if (orientation <= 1 || orientation > 8) return true;
  if (!options_.upright) set_orientation(metadata, orientation);
  return !options_.upright;
}

void Reading::apply_orientation(Page& page, int orientation) {
  if (apply_orientation(page.metadata, orientation)) return;
  const Shape& shape = page.image.shape();
  check_memory(image_bytes(shape, page.image.pixel()), shape, page.image.pixel());
  turn_upright(page, orientation);
}

}  // namespace halation::io
