// refused.cpp: formats that halation knows by name, and does not read or write.
#include "io/codecs/refused.h"

#include <algorithm>

#include "io/codecs/media_brands.h"

namespace halation::io {
namespace {

bool is_heic(Bytes file) {
  constexpr std::string_view brands[] = {"heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"};
  return std::any_of(std::begin(brands), std::end(brands),
                     [&](std::string_view brand) { return has_brand(file, brand); });
}
constexpr std::string_view heic_endings[] = {".heic", ".heif", ".hif"};

#ifndef HALATION_AVIF
bool is_avif(Bytes file) { return has_brand(file, "avif") || has_brand(file, "avis"); }
constexpr std::string_view avif_endings[] = {".avif"};
#endif

constexpr RefusedFormat formats[] = {
#ifndef HALATION_AVIF
    {is_avif, avif_endings,
     "AVIF needs libavif, which this build of halation was made without; use PNG, or build with libavif"},
#endif
    {is_heic, heic_endings, "HEIC is left out, for its decoder is under the GPL; use AVIF, JPEG or PNG"},
};

}  // namespace

std::string_view refusal_of(Bytes file) {
  for (const RefusedFormat& format : formats) {
    if (format.recognises(file)) return format.sentence;
  }
  return {};
}

std::string_view refusal_of_ending(std::string_view ending) {
  for (const RefusedFormat& format : formats) {
    if (std::find(format.endings.begin(), format.endings.end(), ending) != format.endings.end())
      return format.sentence;
  }
  return {};
}

}  // namespace halation::io
