# embed.cmake: files of the studio's page as a source, so that the program needs none beside it.
#
#   halation_embed(OUTPUT path=file...)      the path under which it is asked for, and the file, from this folder of CMake
function(halation_embed output)
  set(entries "")
  foreach(pair ${ARGN})
    string(REGEX MATCH "^([^=]*)=(.*)$" all "${pair}")
    set(path ${CMAKE_MATCH_1})
    set(name ${CMAKE_MATCH_2})
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/${name})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
    # Lines that compilers and people can bear.
    string(REGEX REPLACE "((\\\\x..)(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?)" "\"\\1\"\n" bytes "${bytes}")
    cmake_path(GET name EXTENSION LAST_ONLY ending)
    set(types_.html "text/html; charset=utf-8")
    set(types_.css "text/css; charset=utf-8")
    set(types_.js "application/javascript; charset=utf-8")
    set(types_.json "application/json; charset=utf-8")
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
