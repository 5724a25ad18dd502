// file.h: whole files as bytes, and files that appear only once they are complete.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/temporary.h"
#include "io/codec.h"

namespace halation::io {

/// The bytes of a file, mapped where it is a regular one; "-" is standard input. Sentences of its errors do
/// not name the file.
class Input {
 public:
  /// What cannot be mapped takes at most `most_bytes`; 0: what the machine has free.
  explicit Input(const std::string& path, std::size_t most_bytes = 0);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  Bytes bytes() const { return bytes_; }
  /// Gives back the memory in which the system keeps what was looked at of a mapped file; the bytes stay readable.
  void forget() const noexcept;

 private:
  Bytes bytes_;
  void* mapping_ = nullptr;
  std::vector<std::byte> buffer_;  // what could not be mapped
};

/// Whether both names stand for one file, which there need not be.
bool is_same_place(const std::string& a, const std::string& b);

/// Throws `Error{io}` where no file could be made at `path`, or none should be: its folder is missing, it is a folder itself, or
/// write-protected.
void check_target(const std::string& path);

/// A file being written, readable and seekable meanwhile. `commit` makes it appear at its path; without,
/// nothing stays, see `Temporary`. Where the path is a link, the file that it names appears. "-" (standard
/// output), pipes and devices receive the complete bytes at the end.
class Output {
 public:
  explicit Output(const std::string& path, Temporary::Kind kind = Temporary::Kind::anonymous);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // For the callbacks of C libraries, which must not throw. The first failure makes all later calls fail, and
  // `commit` throw.
  bool write(const void* data, std::size_t size) noexcept;
  std::size_t read(void* data, std::size_t size) noexcept;
  std::int64_t seek(std::int64_t offset, int whence) noexcept;  ///< the new position, or −1
  std::int64_t position() noexcept;

  bool failed() const noexcept { return failure_ != 0; }
  /// Throws `Error{io}` with the system's reason for the first failure.
  [[noreturn]] void throw_failure() const;
  void commit();

 private:
  void remember_failure() noexcept;
  void copy_to(std::FILE* target);

  std::string path_;
  std::filesystem::path target_;
  std::optional<Temporary> temporary_;  // none where the bytes are copied in the end
  std::FILE* file_ = nullptr;
  int failure_ = 0;
};

}  // namespace halation::io
