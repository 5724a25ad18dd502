// made_by.h: by what the results of batches were made, noted beside them.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace halation::app {

/// A chain's text as it is understood, however it was written: the filter of each stage, with values of all its parameters ("gaussian radius=
/// sigma=3", where the radius follows from others); of weights of one's own only the name. Throws `Error` for a text that is no chain.
std::string understood_chain(std::string_view text);

/// 16 hexadecimal digits, FNV-1a of the text.
std::string fingerprint_of(std::string_view text);

/// The notes in the file .halation-batch of each folder of results: lines "FINGERPRINT:SIZE NAME", of which the last one of a name counts. Lines
/// are only ever appended, each by one write, so that runs that are ended, and several at a time, leave whole ones; one that is not whole
/// says nothing. Threads may call.
class MadeBy {
 public:
  static constexpr std::string_view file_name = ".halation-batch";

  /// Of a result; empty where nothing says so.
  std::string noted(const std::filesystem::path& result);
  /// Where that cannot be written nothing is noted, and the result will be made again.
  void note(const std::filesystem::path& result, const std::string& fingerprint);
  /// Before a result noted otherwise is replaced: should that be interrupted, nothing says which of both is there.
  void forget(const std::filesystem::path& result) { note(result, "-"); }

 private:
  using Notes = std::map<std::string, std::string>;
  Notes& of_folder(const std::filesystem::path& folder);

  std::mutex mutex_;
  std::map<std::filesystem::path, Notes> folders_;
};

}  // namespace halation::app
