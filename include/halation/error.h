// error.h: the one exception that halation throws.
#pragma once

#include <stdexcept>
#include <string>

namespace halation {

/// What kind of thing went wrong; the sentence in `what()` says what was wrong and what would be right.
enum class ErrorCode {
  invalid_argument,  ///< a value, a name or a combination that means nothing
  unsupported,       ///< meaningful, but not available on this backend, in this format or in this build
  out_of_memory,     ///< more memory than there is
  io,                ///< a file is missing, damaged, of another kind, or cannot be written
  device,            ///< a device is missing or failed
};

/// Every error that halation reports. Nothing was written to outputs or files when it is thrown.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace halation
