// backend.h: what a backend offers: memory, copies, methods, and a job made ready to run.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/job.h"
#include "core/memory.h"
#include "core/numbers.h"
#include "core/transform.h"
#include "halation/device.h"
#include "halation/plan.h"
#include "halation/view.h"

namespace halation {

/// A job made ready: constants only, shared by threads. Arguments of `run` have been checked against the job; `workspace` has at
/// least `workspace_bytes()` and is 64-byte aligned.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual std::size_t workspace_bytes() const = 0;
  /// Of spectra and tables, beside the weights of the job: bytes that stay taken while the runner lives, wherever they lie.
  virtual std::size_t constant_bytes() const { return 0; }
  virtual void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const = 0;
  /// How views that are not packed or planar rows are handled, tile sizes, instruction set: lines for `Plan::explain`.
  virtual std::string explain() const = 0;
};

/// What a family of kernels makes of a job: what it should take, or why it does not do it.
struct Offer {
  std::string_view family;
  double seconds = std::numeric_limits<double>::infinity();
  const char* why_not = nullptr;  ///< in words; null where it does the job
};

/// The offer of which least time is expected, of equals the first; an offer by none where there is no other.
inline Offer best_of(std::span<const Offer> offers) {
  Offer best;
  for (const Offer& offer : offers) {
    if (offer.why_not == nullptr && (best.family.empty() || offer.seconds < best.seconds)) best = offer;
  }
  return best;
}

/// What an offer took, of images that lie like these.
struct TimedOffer {
  std::shared_ptr<const Job> job;
  View in, out;  ///< of which only how they lie is asked
  std::string_view family;
  double seconds = 0;
  double weight = 1;  ///< the share of its time that the quickest offer for these images takes: slower ones
                      ///< are not chosen
};

/// Where to compute. Backends are stateless singletons listed in plan/backends.cpp.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Device::Kind kind() const = 0;
  /// Without the names of their methods, which the plan knows.
  virtual std::vector<DeviceInfo> devices() const = 0;
  /// The forms of weights that it takes; `dense` is always among them.
  virtual std::span<const Form> forms() const = 0;
  /// What each family makes of filters in place of the job's: those of the job, or one of them as if it were
  /// by itself. They have size, lead and form, and the numbers that stand for their weights where they are
  /// few. Of offers that should take the same time the first counts. Throws `Error{device}` where there is no
  /// such device.
  virtual std::vector<Offer> offers(const Job& job, std::span<const Taps> filters, Device device) const = 0;
  /// Levels of an integer output that the backend may put sums of one filter off by, beside what `error_bound` counts: where whole
  /// numbers stand for the weights, at most 1/16.
  virtual double added_error(const Job&, const Taps&) const { return 0; }
  /// What the tiles are that one filter of the job is transformed in, where `forms()` has `spectrum`: for the
  /// bound on its error.
  virtual TransformFacts transform_facts(const Job&, const Taps&, Device) const { return {}; }
  /// Figures by which families would expect what these took, as lines of text that `use_figures` takes
  /// (core/figures_text.h). Those of what nothing was measured stay as they are.
  virtual std::string figures_of(std::span<const TimedOffer>, Device) const { return {}; }
  /// The machine whose figures families expect by; empty where they expect by none.
  virtual std::string figures_machine(Device) const { return {}; }
  /// Has families expect by these from now on. Threads must not ask for offers meanwhile. Throws
  /// `Error{invalid_argument}` that names the line that is wrong, and leaves all as it was.
  virtual void use_figures(std::string_view, Device) const {}
  /// Throws `Error{device}` where there is no such device. Jobs are over native pixels, and saturate.
  virtual std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job> job, Device device) const = 0;
  /// Any integers as packed images of f64, and those as any pixels that are not complex (core/numbers.h).
  virtual void read_numbers(const ConstView& from, std::span<const View> numbers, int threads, Stream) const {
    halation::read_numbers(from, numbers, threads);
  }
  virtual void write_elements(std::span<const ConstView> numbers, const View& to, const ElementRule& rule,
                              int threads, Stream) const {
    halation::write_elements(numbers, to, rule, threads);
  }
};

/// What a device takes beside filtering images of the host.
struct TransferFigures {
  double start_seconds;                                       ///< of a process: driver and context
  double upload_bytes_per_second, download_bytes_per_second;  ///< from and to pageable memory
};

/// What a backend offers whose devices have memory of their own. See halation/transfer.h for what each promises.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual Memory allocate(std::size_t bytes, Device device, Stream stream, const std::string& what) const = 0;
  virtual Memory allocate_pinned(std::size_t bytes, const std::string& what) const = 0;
  /// At least one of the views lies on such a device.
  virtual void copy(const ConstView& from, const View& to, Stream stream) const = 0;
  virtual void synchronise(Device device, Stream stream) const = 0;
  /// Asks no driver.
  virtual TransferFigures transfer_figures() const = 0;
};

}  // namespace halation
