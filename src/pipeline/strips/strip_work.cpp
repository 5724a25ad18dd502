// strip_work.cpp: a job cut into strips, with the plans and buffers for them.
#include "pipeline/strips/strip_work.h"

#include <algorithm>

#include "core/border_index.h"
#include "core/memory.h"
#include "halation/error.h"
#include "halation/transfer.h"
#include "plan/backends.h"

namespace halation {
namespace {

constexpr std::size_t slots_of_cpu = 3;  ///< one is read, one computed, one written
constexpr std::size_t slots_of_gpu = 4;  ///< the same, and one that goes up while another comes down

}  // namespace

StripWork::StripWork(const Shape& image, Pixel of_image, const Chain& filters, const Options& how, const ColourOptions& treated,
                     std::optional<Display> shown, const StripOptions& wanted, Kind of_work)
    : shape(image), pixel(of_image), chain(filters), options(how), colour(treated), view(shown), asked(wanted), kind(of_work) {
  check_job();
  cut();
  prepare();
  while (!is_gpu(asked.devices[0]) && bytes_beside_slots() + host_bytes_of_slot() > available_bytes() && can_be_shorter()) {
    ++halvings;
    cut();
    prepare();
  }
  make_slots();
}

double StripWork::host_bytes_of_slot() const { return bytes_in(strip_in, pixel) + bytes_in(strip_out, out_pixel); }

void StripWork::check_job() {
  if (asked.devices.empty()) asked.devices = {cpu()};
  for (const Device device : asked.devices) {
    if (asked.devices.size() > 1 && !is_gpu(device))
      throw Error(ErrorCode::invalid_argument, "several devices must be GPUs, got " + name_of(device));
  }
  if (shape.batch != 1) throw Error(ErrorCode::invalid_argument, "strips need one image, got a batch of " + std::to_string(shape.batch));
  is_plain = !colour.alpha && !colour.linear && !colour.gray && !view;
  if (!is_plain && asked.devices.size() > 1)
    throw Error(ErrorCode::invalid_argument, "alpha, linear light, gray and views take one device, got " + std::to_string(asked.devices.size()));
  const std::int64_t alphas = colour.alpha ? 1 : 0;
  Shape filtered = shape;
  filtered.channels = colour.gray ? 1 : shape.channels - alphas;
  const CheckedChain checked = check(filtered, pixel, chain, asked.devices[0], options);
  chain = checked.chain;
  out_shape = checked.out;
  out_shape.channels += alphas;
  out_pixel = checked.out_pixel;
  reach = checked.reach;
  const std::size_t axis = axis_of_parts(shape);
  wraps = is_periodic(options.border.axes()[axis].mode);
  // Each stage but the first would wrap around what the one before it has added at both ends.
  const bool wraps_longer = wraps && options.extent == Extent::full && chain.stages.size() > 1;
  is_one = kind == Kind::frames || axis != axis_of_parts(out_shape) || wraps_longer;
}

void StripWork::cut() {
  const auto length = static_cast<double>(length_of(shape));
  // Images between stages, or those that colour is filtered in.
  const auto between = static_cast<double>(chain.stages.size() - 1 + (is_plain ? 0 : 3)) *
                       static_cast<double>(bytes_of(pixel_between(options, pixel)));
  const Length along{.input = length_of(shape),
                     .output = length_of(out_shape),
                     .input_bytes = static_cast<double>(shape.elements()) / length * (static_cast<double>(bytes_of(pixel)) + between),
                     .output_bytes = bytes_in(out_shape, out_pixel) / length};
  strips.emplace(along, reach, wraps,
                 StripSize{.device = asked.devices[0].kind,
                           .bytes = static_cast<double>(asked.strip_bytes),
                           .halvings = halvings,
                           .is_all = is_one});
  const bool is_whole = strips->count() == 1;
  strip_in = is_whole ? shape : with_length(shape, strips->length());
  strip_out = is_whole ? out_shape : with_length(out_shape, strips->output_length());
}

void StripWork::prepare() {
  prepared.clear();
  if (!is_plain) return;
  for (const Device device : asked.devices) prepared.emplace_back(strip_in, pixel, chain, device, options);
}

/// While a third of a strip is new at least: what overlaps is computed again.
bool StripWork::can_be_shorter() const {
  const std::int64_t overlap = reach.before + reach.after;
  return !is_one && strips->length() / 2 > overlap + overlap / 2 + 1;
}

/// In host memory: scratch, and the images that colour is filtered in.
double StripWork::bytes_beside_slots() const {
  if (!is_plain) return 3 * static_cast<double>(strip_in.elements()) * 4;
  return is_gpu(asked.devices[0]) ? 0 : prepared[0].scratch_bytes();
}

double StripWork::available_bytes() const {
  return static_cast<double>(asked.memory_bytes > 0 ? asked.memory_bytes : available_host_bytes());
}

std::size_t StripWork::slots_that_fit() const {
  const std::size_t usual = is_gpu(asked.devices[0]) ? slots_of_gpu * asked.devices.size() : slots_of_cpu;
  const std::size_t wanted = kind == Kind::frames ? usual : std::min(usual, static_cast<std::size_t>(strips->count()));
  const double beside = bytes_beside_slots(), available = available_bytes(), one = host_bytes_of_slot();
  if (beside + one > available)
    refuse_memory("filtering in strips of " + to_string(strip_in) + " " + std::string(name_of(pixel)), beside + one, available);
  // Of what is left over, other buffers take some.
  const double left = 0.75 * available - beside;
  return std::clamp(static_cast<std::size_t>(std::max(left, 0.0) / one), std::size_t{1}, wanted);
}

void StripWork::make_slots() {
  const std::size_t wanted = slots_that_fit();
  for (std::size_t count = wanted;; count = std::max(count / 2, std::size_t{1})) {
    slots.clear();
    try {
      slots.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        Slot& slot = slots[i];
        const PreparedChain* chain_of = is_plain ? &prepared[i % prepared.size()] : nullptr;
        if (chain_of == nullptr || !is_gpu(chain_of->device())) continue;
        slot.queue = device_queues()->make_queue(chain_of->device());
        const Stream stream = slot.queue->stream();
        slot.device_in = allocate(strip_in, pixel, chain_of->device(), Layout::interleaved, stream);
        slot.device_out = allocate(strip_out, out_pixel, chain_of->device(), Layout::interleaved, stream);
        slot.between = chain_of->images_between(stream);
      }
      if (is_plain && !is_gpu(asked.devices[0])) slots[0].between = prepared[0].images_between();
      return;
    } catch (const Error& error) {
      slots.clear();
      if (error.code() != ErrorCode::out_of_memory || !is_gpu(asked.devices[0])) throw;
      if (count > asked.devices.size()) continue;
      // Not even one strip a device.
      if (!can_be_shorter()) throw;
      ++halvings;
      cut();
      prepare();
      count = 2 * slots_that_fit();
    }
  }
}

void StripWork::wait_for_queues() noexcept {
  for (const Slot& slot : slots) {
    if (slot.queue == nullptr) continue;
    try {
      synchronise(slot.device_in.device(), slot.queue->stream());
    } catch (const Error&) {  // a device that has gone does nothing any more
    }
  }
}

void StripWork::make_host_buffers(bool for_inputs, bool for_outputs) {
  const bool pinned = is_plain && is_gpu(asked.devices[0]);
  const auto make = [&](const Shape& extents, Pixel type) { return pinned ? allocate_pinned(extents, type) : Image(extents, type); };
  for (Slot& slot : slots) {
    if (for_inputs && slot.in.empty()) slot.in = make(strip_in, pixel);
    if (for_outputs && is_plain && slot.out.empty()) slot.out = make(strip_out, out_pixel);
  }
}

}  // namespace halation
