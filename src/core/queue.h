// queue.h: orders of work on a device with memory of its own, and how they wait for each other.
#pragma once

#include <memory>

#include "halation/device.h"
#include "halation/stream.h"

namespace halation {

/// A stream of the library's own, beside which others of the device run, with one mark in it.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual Stream stream() const = 0;
  /// Puts the mark behind all that has been queued until now.
  virtual void mark() = 0;
  /// What is queued from now on begins once `other` has come to its mark.
  virtual void wait_for(const Queue& other) = 0;
  /// Whether all that has been queued is done. Does not wait.
  virtual bool is_idle() const = 0;
};

/// What a backend offers whose devices have memory of their own, for copies and kernels side by side.
class Queues {
 public:
  virtual ~Queues() = default;
  /// Throws `Error{device}` where there is no such device.
  virtual std::unique_ptr<Queue> make_queue(Device device) const = 0;
  /// Whether devices read and write the memory directly: whether it is pinned. `data` may be of any kind.
  virtual bool is_pinned(const void* data) const = 0;
};

}  // namespace halation
