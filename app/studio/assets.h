// assets.h: the page's files, which the program holds.
#pragma once

#include <span>
#include <string_view>

namespace halation::app {

struct Asset {
  std::string_view path;  ///< "/" is the page itself
  std::string_view type;
  std::string_view content;
};

/// Made from the files in page/ when the program is built.
std::span<const Asset> assets();

}  // namespace halation::app
