// xmp.cpp: XMP changed where it lies.
#include "io/metadata/xmp.h"

#include <string>

namespace halation::io {

void set_xmp_digit(std::vector<std::byte>& xmp, std::string_view property, int digit) {
  auto* text = reinterpret_cast<char*>(xmp.data());
  for (const char* mark : {"=\"", "='", ">"}) {
    const std::string name = std::string(property) + mark;
    const std::size_t found = std::string_view(text, xmp.size()).find(name);
    const std::size_t at = found + name.size();
    if (found != std::string_view::npos && at < xmp.size() && text[at] >= '0' && text[at] <= '9') text[at] = static_cast<char>('0' + digit);
  }
}

}  // namespace halation::io
