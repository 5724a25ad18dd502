// naming.h: errors that name the file.
#pragma once

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

#include "halation/error.h"

namespace halation::io {

/// Runs `body` and puts the file's name in front of what it throws, on one line whatever a codec's library
/// had to say.
template <class Body>
auto naming(const std::string& path, const char* dash_means, Body body) {
  const std::string name = path == "-" ? dash_means : path;
  try {
    return body();
  } catch (const Error& error) {
    std::string sentence = error.what();
    std::replace(sentence.begin(), sentence.end(), '\n', ' ');
    throw Error(error.code(), name + ": " + sentence);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, name + ": not enough memory");
  } catch (const std::length_error&) {
    throw Error(ErrorCode::out_of_memory, name + ": not enough memory");
  }
}

template <class Body>
auto naming_output(const std::string& path, Body body) {
  return naming(path, "standard output", body);
}

}  // namespace halation::io
