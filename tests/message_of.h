// message_of.h: the sentence of a refusal, for tests that hold it to the letter.
#pragma once

#include <string>

#include "halation/error.h"

namespace halation {

/// What a call's `Error` says; "no error" where there is none.
template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace halation
