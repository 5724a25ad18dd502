// strip_work.h: a job cut into strips, with the plans and buffers for them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/queue.h"
#include "halation/strip_filter.h"
#include "pipeline/chain/prepared_chain.h"
#include "pipeline/strips.h"

namespace halation {

inline bool is_gpu(Device device) { return !shares_memory(device, cpu()); }

inline double bytes_in(const Shape& shape, Pixel pixel) {
  return static_cast<double>(shape.elements()) * static_cast<double>(bytes_of(pixel));
}

/// Buffers for a strip on its way.
struct Slot {
  std::unique_ptr<Queue> queue;  // first, to outlive what is allocated in its order
  Image device_in, device_out;
  std::vector<Image> between;
  Image in, out;  // in host memory, where views are not taken as they lie
  Image result;   // of work that makes its own images
  ConstView frame;  // of frames: what was read, and where the result is
  View placed;
};

/// A job cut into strips, with the plans and buffers for them.
struct StripWork {
  enum class Kind { strips, frames };  ///< frames are not cut, and there are many of them

  Shape shape;
  Pixel pixel;
  Chain chain;
  Options options;
  ColourOptions colour;
  std::optional<Display> view;
  StripOptions asked;

  Shape out_shape;
  Pixel out_pixel = Pixel::u8;
  Reach reach;
  bool wraps = false;
  bool is_one = false;     // cannot be cut
  bool is_plain = false;   // a chain of plans, without colour and views
  Kind kind = Kind::strips;
  int halvings = 0;        // of the strips, where memory is short
  std::optional<Strips> strips;
  Shape strip_in, strip_out;
  std::vector<PreparedChain> prepared;  // one each device, where it is plain
  std::vector<Slot> slots;

  StripWork(const Shape& image, Pixel of_image, const Chain& filters, const Options& how, const ColourOptions& treated,
            std::optional<Display> shown, const StripOptions& wanted, Kind of_work = Kind::strips);

  /// Buffers in host memory for inputs and outputs, where they are not there yet.
  void make_host_buffers(bool for_inputs, bool for_outputs);
  double host_bytes_of_slot() const;
  /// Calls `run`; where it throws, what is queued on devices has come by before that goes on: it may read and write the caller's memory.
  template <class Run>
  decltype(auto) waiting_for_queues(const Run& run) {
    try {
      return run();
    } catch (...) {
      wait_for_queues();
      throw;
    }
  }
  /// The plans on the device of the item's slot.
  const PreparedChain& chain_of(std::int64_t item) const {
    return prepared[static_cast<std::size_t>(item) % slots.size() % prepared.size()];
  }
  Slot& slot_of(std::int64_t item) { return slots[static_cast<std::size_t>(item) % slots.size()]; }
  bool keeps_shared_on_device() const { return is_plain && asked.devices.size() == 1 && is_gpu(asked.devices[0]) && slots.size() > 1; }

 private:
  void wait_for_queues() noexcept;
  void check_job();
  void cut();
  void prepare();
  bool can_be_shorter() const;
  double bytes_beside_slots() const;
  double available_bytes() const;
  std::size_t slots_that_fit() const;
  void make_slots();
};

}  // namespace halation
