// workspace.h: the picture that the page works on, what chains make of it, and plans: kept as long as memory allows.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/filtering/job.h"
#include "asked.h"
#include "one_thread.h"
#include "screen.h"

namespace halation::app {

/// Thrown where a newer request of the same page has come.
struct Superseded {};

/// Thrown where the picture that a request is about is no longer the one.
struct OtherPicture {};

/// Whose request it is, and whether it still counts. Made when the request comes; a newer one of the same client ends it, or has ended it.
class Turn {
 public:
  bool has_passed() const { return *newest_ != number_; }
  /// Throws `Superseded`.
  void check() const {
    if (has_passed()) throw Superseded{};
  }

 private:
  friend class Workspace;
  std::shared_ptr<std::atomic<std::uint64_t>> newest_;
  std::uint64_t number_ = 0;
};

/// What making a result took and how it was made; zero seconds where it was kept.
struct Made {
  double milliseconds = 0;
  Device device;
  bool kept = false;
  bool in_strips = false;
  bool in_part = false;  ///< what is seen of it, alone
};

/// Samples of a result that its pixels could not hold; not known of results that are made strip by strip or shown by a view.
struct Clipping {
  bool known = false;
  Clipped clipped;
  std::string note;  ///< that `halation apply` says of them; may be empty
};

/// What is known of the picture. A request takes it once and asks about it: what is said of one picture is never computed of the next.
struct Picture {
  std::string path;  ///< where it can be read again
  std::string name;  ///< under which the user knows it
  PageFacts facts;
  std::size_t pages = 1;
  std::shared_ptr<void> file;  ///< held as long as the path is to be read
  std::uint64_t number = 0;  ///< another for each picture
};

/// Any number of threads may call at once; one computes at a time, and what waits for it is given up as its turn passes. Of a picture that is no
/// longer the one, methods throw `OtherPicture`.
class Workspace {
 public:
  /// `device`: where nothing else is asked for: the first GPU that there is, else the CPU.
  explicit Workspace(std::optional<Device> device = {});
  ~Workspace();

  /// Reads a picture, of a file of several the first. Throws `Error`, and keeps the one before.
  void open(const std::string& path, const std::string& name, std::shared_ptr<void> file = nullptr);
  /// What is still to be computed is not: it throws `Superseded`.
  void end();
  bool has_picture() const;
  /// Throws `Error{invalid_argument}` where there is none.
  Picture picture() const;
  Device device() const { return device_; }
  /// Whether whoever started the program said so.
  bool device_is_asked_for() const { return device_is_asked_for_; }

  /// A turn of its own, which never passes; and one that the client's next of the kind ends. Requests can overtake each other: `number` is
  /// the client's count of them, and the highest is the newest. 0: newer than all that have come.
  static Turn turn();
  Turn turn(const std::string& client, std::uint64_t number);

  /// Part after part of the picture, or of what a chain makes of it, in host memory. `begin` is called first, with what it is, and the place
  /// of its first pixel: that of the picture unless `seen` said which rectangle matters, and only that with what surrounds it was made. Where
  /// work has given way to what is urgent, that happens again.
  struct Visitor {
    std::function<void(const PageFacts& facts, const Position& origin)> begin;
    std::function<void(const ConstView& part, std::int64_t first)> take;
    std::optional<Region> seen = {};
    OneThread::Urgency urgency = OneThread::Urgency::usual;
  };
  void visit_original(const Picture& picture, const Turn& turn, const Visitor& visitor);
  /// A result that fits is kept, the least recently seen of others going for it; one that does not is made strip by strip each time. One
  /// that takes long is made strip by strip too, and given up between two as its turn passes. Where a small part is all that is seen, that
  /// is all that is made of a result that would take longer than a frame or is not kept. Throws `Error` as `halation apply`.
  Made visit(const Picture& picture, const Asked& asked, const Turn& turn, const Visitor& visitor);

  /// `visit`, and how many samples of the result were clipped.
  Clipping clipping(const Picture& picture, const Asked& asked, const Turn& turn, const Visitor& visitor);

  /// The prepared job, for reports. Throws `Error`.
  std::shared_ptr<const PageJob> job(const Picture& picture, const Asked& asked, const Turn& turn);

  /// Does `work` while nothing else computes, for measurements. What it throws comes out; throws `Superseded` after `end`.
  void alone(std::function<void()> work);

 private:
  struct Loaded;
  struct Kept;

  std::shared_ptr<Loaded> loaded(const Picture& picture) const;
  /// Throws `Superseded` where the work is no longer wanted.
  void check(const Turn& turn) const;
  /// Does `work` in the worker, unless the turn passes first; from its beginning again where it gave way to what is urgent.
  void in_turn(const Turn& turn, std::function<void()> work, OneThread::Urgency urgency = OneThread::Urgency::usual);
  // In the worker alone.
  Made visit_here(const Picture& picture, const Asked& asked, const Turn& turn, const Visitor& visitor);
  std::shared_ptr<const PageJob> prepared(const Loaded& of, const Asked& asked);
  Made visit_part(const Loaded& of, const Asked& asked, const PageJob& whole, const Region& part, const Visitor& visitor);
  bool make_room(std::size_t budget, std::size_t bytes, const Shape& shape, Pixel pixel, Image& reusable);
  Image filtered(Loaded& of, const PageJob& job, const Turn& turn, OneThread::Urgency urgency, Image reusable);
  void filter_in_strips(const Loaded& of, const PageJob& job, const Turn& turn, OneThread::Urgency urgency, Sink& sink);

  Device device_;
  bool device_is_asked_for_;
  std::atomic<bool> ends_{false};
  std::atomic<int> replaces_{0};  // pictures that wait to be the one
  mutable std::mutex picture_lock_;  // of loaded_ alone
  std::shared_ptr<Loaded> loaded_;
  // The worker's own.
  std::list<Kept> kept_;  // of the picture that is loaded, the latest first
  std::size_t kept_bytes_ = 0;
  struct Plans {
    std::string key;
    std::uint64_t picture = 0;
    std::shared_ptr<const PageJob> job;
  };
  std::list<Plans> plans_;  // the latest first
  std::uint64_t pictures_ = 0;
  std::mutex turns_lock_;  // of what follows
  std::list<std::pair<std::string, std::shared_ptr<std::atomic<std::uint64_t>>>> turns_;  // the latest first
  OneThread worker_;  // last: it uses the others
};

}  // namespace halation::app
