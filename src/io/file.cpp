// file.cpp: whole files as bytes, and files that appear only once they are complete.
#include "io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/memory.h"
#include "halation/error.h"

namespace halation::io {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

/// Closes a descriptor that is not standard input.
struct Descriptor {
  int number;
  explicit Descriptor(const std::string& path)
      : number(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number > STDIN_FILENO) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

/// Throws `Error{out_of_memory}` where the bytes, and those of the buffer before as they move, are more than
/// may be used.
std::vector<std::byte> read_to_end(int descriptor, std::size_t most_bytes) {
  std::vector<std::byte> bytes;
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) {
      const std::size_t size = std::max<std::size_t>(std::size_t{1} << 16, 2 * filled);
      check_host_memory(static_cast<double>(size + filled), "the file", most_bytes);
      bytes.resize(size);
    }
    const ssize_t got = ::read(descriptor, bytes.data() + filled, bytes.size() - filled);
    if (got == 0) break;
    if (got > 0) {
      filled += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      throw Error(ErrorCode::io, "cannot be read: " + reason(errno));
    }
  }
  bytes.resize(filled);
  return bytes;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// The file that a link names, through any number of them, whether it exists or not.
fs::path followed(fs::path path) {
  constexpr int most_links = 40;  // as many as Linux follows
  std::error_code ignored;
  for (int links = 0; fs::is_symlink(path, ignored); ++links) {
    if (links == most_links) throw Error(ErrorCode::io, "cannot be written: " + reason(ELOOP));
    path = path.parent_path() / fs::read_symlink(path, ignored);  // a path from the root replaces the folder
  }
  return path;
}

/// True where bytes go to `path` as to a pipe, and a rename would replace a device or standard output.
bool is_stream(const std::string& path) {
  if (path == "-") return true;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status);
}

}  // namespace

Input::Input(const std::string& path, std::size_t most_bytes) {
  const Descriptor file(path);
  if (file.number < 0) {
    throw Error(ErrorCode::io, errno == ENOENT ? "no such file" : "cannot be read: " + reason(errno));
  }
  struct stat facts = {};
  if (::fstat(file.number, &facts) != 0) throw Error(ErrorCode::io, "cannot be read: " + reason(errno));
  if (S_ISDIR(facts.st_mode)) throw Error(ErrorCode::io, "is a folder; a file was expected");
  if (S_ISREG(facts.st_mode) && path != "-" && facts.st_size > 0) {
    const auto size = static_cast<std::size_t>(facts.st_size);
    void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (mapping != MAP_FAILED) {
      mapping_ = mapping;
      bytes_ = {static_cast<const std::byte*>(mapping), size};
      return;
    }
  }
  buffer_ = read_to_end(file.number, most_bytes);
  bytes_ = buffer_;
}

Input::~Input() {
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_.size());
}

void Input::forget() const noexcept {
  if (mapping_ != nullptr) ::madvise(mapping_, bytes_.size(), MADV_DONTNEED);
}

bool is_same_place(const std::string& a, const std::string& b) {
  std::error_code ignored;
  const auto place = [](const std::string& path) { return fs::absolute(path).lexically_normal(); };
  return fs::equivalent(a, b, ignored) || place(a) == place(b);
}

void check_target(const std::string& path) {
  if (path == "-") return;
  std::error_code ignored;
  if (path.empty()) throw Error(ErrorCode::io, "the output needs a name");
  if (fs::is_directory(path, ignored)) throw Error(ErrorCode::io, "is a folder; a file name was expected");
  const fs::path target = followed(path), folder = folder_of(target);
  if (!fs::exists(folder, ignored)) {
    throw Error(ErrorCode::io, "folder " + folder.string() + " does not exist");
  }
  if (!fs::is_directory(folder, ignored)) throw Error(ErrorCode::io, folder.string() + " is not a folder");
  // A rename would replace it all the same.
  const bool is_writable = ::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) == 0 || errno != EACCES;
  if (!is_writable && fs::exists(target, ignored)) throw Error(ErrorCode::io, "is write-protected");
}

Output::Output(const std::string& path, Temporary::Kind kind) : path_(path) {
  check_target(path);
  if (is_stream(path)) {
    file_ = std::tmpfile();
    if (file_ == nullptr) throw Error(ErrorCode::io, "no temporary file: " + reason(errno));
    return;
  }
  target_ = followed(path);  // it is the file that is replaced, not the link
  file_ = temporary_.emplace(folder_of(target_), kind).file();
  struct stat replaced = {};
  if (::stat(target_.c_str(), &replaced) == 0) ::fchmod(::fileno(file_), replaced.st_mode & 07777U);
}

Output::~Output() {
  if (!temporary_ && file_ != nullptr) std::fclose(file_);
}

void Output::remember_failure() noexcept {
  if (failure_ == 0) failure_ = errno != 0 ? errno : EIO;
}

bool Output::write(const void* data, std::size_t size) noexcept {
  if (size > 0 && !failed() && std::fwrite(data, 1, size, file_) != size) remember_failure();  // data of nothing may be null
  return !failed();
}

std::size_t Output::read(void* data, std::size_t size) noexcept {
  if (failed() || size == 0) return 0;
  const std::size_t got = std::fread(data, 1, size, file_);
  if (got != size && std::ferror(file_) != 0) remember_failure();
  return got;
}

std::int64_t Output::seek(std::int64_t offset, int whence) noexcept {
  if (!failed() && ::fseeko(file_, offset, whence) != 0) remember_failure();
  return position();
}

std::int64_t Output::position() noexcept { return failed() ? -1 : ::ftello(file_); }

void Output::throw_failure() const { throw Error(ErrorCode::io, "cannot be written: " + reason(failure_)); }

void Output::copy_to(std::FILE* target) {
  std::vector<std::byte> buffer(std::size_t{1} << 16);
  seek(0, SEEK_SET);
  while (const std::size_t got = read(buffer.data(), buffer.size())) {
    if (std::fwrite(buffer.data(), 1, got, target) != got) break;
  }
  if (std::ferror(target) != 0 || std::fflush(target) != 0) remember_failure();
}

void Output::commit() {
  if (!failed() && std::fflush(file_) != 0) remember_failure();
  if (failed()) throw_failure();
  if (temporary_) {
    if (!temporary_->become(target_)) remember_failure();
  } else if (path_ == "-") {
    copy_to(stdout);
  } else if (std::FILE* target = std::fopen(path_.c_str(), "wb")) {
    copy_to(target);
    if (std::fclose(target) != 0) remember_failure();
  } else {
    remember_failure();
  }
  if (failed()) throw_failure();
}

}  // namespace halation::io
