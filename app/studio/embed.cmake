# embed.cmake: files of the studio's page as a source, so that the program needs none beside it.
#
#   halation_embed(OUTPUT file...)      files of page/, "index.html" first
function(halation_embed output)
  set(entries "")
  foreach(name ${ARGN})
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/studio/page/${name})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
    # Lines that compilers and people can bear.
    string(REGEX REPLACE "((\\\\x..)(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?)" "\"\\1\"\n" bytes "${bytes}")
    cmake_path(GET name EXTENSION ending)
    set(types_.html "text/html; charset=utf-8")
    set(types_.css "text/css; charset=utf-8")
    set(types_.js "application/javascript; charset=utf-8")
    if(name STREQUAL "index.html")
      set(path "/")
    else()
      set(path "/${name}")
    endif()
    string(APPEND entries "    {\"${path}\", \"${types_${ending}}\",\nstd::string_view(\n${bytes}, ")
    file(SIZE ${file} size)
    string(APPEND entries "${size})},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
// Made from app/studio/page by embed.cmake.
#include "app/studio/assets.h"

namespace halation::app {
namespace {

constexpr Asset all[] = {
@entries@};

}  // namespace

std::span<const Asset> assets() { return all; }

}  // namespace halation::app
]])
endfunction()
