// backend.h: what a backend offers: memory, copies, methods, and a job made ready to run.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/job.h"
#include "core/memory.h"
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

/// One way to compute. Backends are stateless singletons listed in plan/backends.cpp.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Device::Kind kind() const = 0;
  /// Without the names of their methods, which are those of `methods()`.
  virtual std::vector<DeviceInfo> devices() const = 0;
  /// `direct` is always among them, and of two that should take the same time the first is chosen.
  virtual std::span<const Method> methods() const = 0;
  /// What one filter of the job should take by a method of `methods()`, no other beside it: of two methods
  /// the quicker is chosen; infinite where the method does not do this filter. `taps` has size and lead, and weights or the factors given where they are few.
  /// Throws `Error{device}` where there is no such device.
  virtual double expected_seconds(const Job& job, const Taps& taps, Method method, Device device) const = 0;
  /// Levels of an integer output that the backend may put sums of one filter off by, beside what `error_bound` counts: where whole
  /// numbers stand for the weights, at most 1/16.
  virtual double added_error(const Job&, const Taps&) const { return 0; }
  /// What the tiles are that one filter of the job is transformed in, where `methods()` has `fft`: for the bound on its error.
  virtual TransformFacts transform_facts(const Job&, const Taps&, Device) const { return {}; }
  /// Which of its ways the backend takes for the job, what it passes over, and why: for `Plan::explain`.
  virtual std::string explain_choice(const Job&, Device) const { return {}; }
  /// Throws `Error{device}` where there is no such device.
  virtual std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job> job, Device device) const = 0;
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
};

}  // namespace halation
