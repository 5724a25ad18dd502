// file.cpp: whole files as bytes, and files that appear only once they are complete.
#include "io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <tuple>
#include <utility>

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

std::vector<std::byte> read_to_end(int descriptor) {
  std::vector<std::byte> bytes;
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(std::max<std::size_t>(std::size_t{1} << 16, 2 * bytes.size()));
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

/// True where bytes go to `path` as to a pipe, and a rename would replace a device or standard output.
bool is_stream(const std::string& path) {
  if (path == "-") return true;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status);
}

/// A new file in `folder`, open for reading and writing, with the permissions that the user's files get.
std::pair<std::FILE*, fs::path> new_file(const fs::path& folder) {
  static std::atomic<unsigned> count = 0;
  for (;;) {
    fs::path path =
        folder / (".halation-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".part");
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      std::FILE* file = ::fdopen(descriptor, "w+b");
      if (file != nullptr) return {file, path};
      const int error = errno;
      ::close(descriptor);
      ::unlink(path.c_str());
      throw Error(ErrorCode::io, "cannot be written: " + reason(error));
    }
    if (errno != EEXIST) {
      throw Error(ErrorCode::io, "cannot write into folder " + folder.string() + ": " + reason(errno));
    }
  }
}

}  // namespace

Input::Input(const std::string& path) {
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
  buffer_ = read_to_end(file.number);
  bytes_ = buffer_;
}

Input::~Input() {
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_.size());
}

void check_target(const std::string& path) {
  if (path == "-") return;
  std::error_code ignored;
  if (path.empty()) throw Error(ErrorCode::io, "the output needs a name");
  if (fs::is_directory(path, ignored)) throw Error(ErrorCode::io, "is a folder; a file name was expected");
  const fs::path folder = folder_of(path);
  if (!fs::exists(folder, ignored)) {
    throw Error(ErrorCode::io, "folder " + folder.string() + " does not exist");
  }
  if (!fs::is_directory(folder, ignored)) throw Error(ErrorCode::io, folder.string() + " is not a folder");
}

Output::Output(const std::string& path) : path_(path) {
  check_target(path);
  if (is_stream(path)) {
    file_ = std::tmpfile();
    if (file_ == nullptr) throw Error(ErrorCode::io, "no temporary file: " + reason(errno));
    return;
  }
  // Through a link the file it names is replaced, not the link.
  std::error_code dangling;
  const fs::path named = fs::canonical(path, dangling);
  target_ = dangling ? fs::path(path) : named;
  std::tie(file_, temporary_) = new_file(folder_of(target_));
  struct stat replaced = {};
  if (::stat(target_.c_str(), &replaced) == 0) ::fchmod(::fileno(file_), replaced.st_mode & 07777U);
}

Output::~Output() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void Output::remember_failure() noexcept {
  if (failure_ == 0) failure_ = errno != 0 ? errno : EIO;
}

bool Output::write(const void* data, std::size_t size) noexcept {
  if (!failed() && std::fwrite(data, 1, size, file_) != size) remember_failure();
  return !failed();
}

std::size_t Output::read(void* data, std::size_t size) noexcept {
  if (failed()) return 0;
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
  if (!target_.empty()) {
    std::FILE* file = std::exchange(file_, nullptr);
    if (std::fclose(file) != 0 || ::rename(temporary_.c_str(), target_.c_str()) != 0) remember_failure();
    if (!failed()) temporary_.clear();
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
