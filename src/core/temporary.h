// temporary.h: files without a name, or under one of their own, until they are complete.
#pragma once

#include <cstdio>
#include <filesystem>

namespace halation {

/// A new file for reading and writing, with the permissions that the user's files get. It is gone with the
/// object, and with the process however that ends, unless `become` gave it its name. Where the file system
/// has no files without a name it lies in `folder` as ".halation-PID-N.part" meanwhile: that is removed on
/// the signals of `remove_unfinished_on_signals`, and stays after others.
class Temporary {
 public:
  enum class Kind { anonymous, named };  ///< anonymous: where the file system can

  /// Throws `Error{io}`.
  explicit Temporary(const std::filesystem::path& folder, Kind kind = Kind::anonymous);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  std::FILE* file() const { return file_; }
  /// The file appears as `target`, in the same folder, replacing what is there. False with errno where it
  /// does not.
  bool become(const std::filesystem::path& target);

 private:
  bool open_anonymous();
  void open_named();

  std::filesystem::path folder_;
  std::filesystem::path name_;  // empty where there is none
  std::FILE* file_ = nullptr;
};

/// From now on SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT and SIGXCPU, those that are not ignored, first
/// remove what temporary files have names, and then end the process as they would have. For programs: a
/// library leaves its user's signals alone.
void remove_unfinished_on_signals();

}  // namespace halation
