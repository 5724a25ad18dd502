// session.h: an image that stays in memory, filtered again and again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/filtering/job.h"

namespace halation::app {

/// What one filtering took.
struct FilterRun {
  Timing timing;
  Workload work;
  std::string device;  ///< where, and why there if nobody chose
  std::string note;    ///< what the pixels could not hold; may be empty
  bool first = false;  ///< of the image: its reading counts
};

/// The original stays as it was read. What is filtered on a GPU stays there too, so that the next filter pays
/// no upload; not so where alpha is to be cared for.
class FilterSession {
 public:
  /// Reads an image. Throws `Error`, and keeps the one before.
  void open(const std::string& path);

  bool has_image() const { return original_ != nullptr; }
  bool has_result() const { return result_ != nullptr; }
  /// Of the file that was read.
  const std::string& path() const { return path_; }
  const std::vector<Page>& original() const { return *original_; }
  const std::vector<Page>& result() const { return *result_; }
  /// What the next filter is applied to.
  const std::vector<Page>& source() const { return *source_; }
  bool source_is_original() const { return source_ == original_; }

  void go_on_from_original();
  void go_on_from_result();

  /// Filters the source. Throws `Error`, and keeps the result before.
  FilterRun apply(const Job& job, const std::string& filter);

  /// The image's name and the filters that led to the source, and to the result: "photo_gaussian".
  const std::string& source_name() const { return source_name_; }
  const std::string& result_name() const { return result_name_; }

  /// Original and result side by side, 8-bit.
  Page picture() const;

 private:
  using Pages = std::shared_ptr<const std::vector<Page>>;

  void take_source(const Pages& pages, const std::string& name);
  /// The pixels of a page of the source on the job's device, which keeps them.
  ConstView kept_pixels(std::size_t page, Device device, Timing& timing);

  std::string path_, source_name_, result_name_;
  Pages original_, source_, result_;
  std::vector<Image> on_device_;  ///< pages of the source; empty where they have not been there
  Timing reading_;
  bool reading_counts_ = false;
};

}  // namespace halation::app
