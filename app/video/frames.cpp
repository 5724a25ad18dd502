// frames.cpp: a chain over raw frames, as one process writes them and others read them.
#include "frames.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "app/filtering/clipping.h"
#include "core/stopwatch.h"
#include "halation/frame_filter.h"
#include "pipeline/choose_device.h"
#include "pipeline/colour/display.h"

namespace halation::app {
namespace {

std::size_t bytes_in(const Shape& shape, Pixel pixel) { return static_cast<std::size_t>(shape.elements()) * bytes_of(pixel); }

/// What goes on beside the image of a frame: the container's bytes before it, its chroma planes, and, where what is clipped of it is
/// counted, the image as it was, in the filter's own buffer.
struct Beside {
  std::vector<std::byte> head, planes;
  const std::byte* original = nullptr;
};

/// That of frames on their way. The thread that reads puts it in, the one that writes takes it out, frame after frame.
class BesideQueue {
 public:
  explicit BesideQueue(std::size_t bytes_of_planes) : bytes_(bytes_of_planes) {}

  /// For the next frame's.
  Beside empty() {
    const std::lock_guard lock(mutex_);
    if (done_.empty()) return {.head = {}, .planes = std::vector<std::byte>(bytes_)};
    Beside beside = std::move(done_.back());
    done_.pop_back();
    return beside;
  }
  void put(Beside beside) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(beside));
  }
  /// Of the frame longest on its way.
  Beside take() {
    const std::lock_guard lock(mutex_);
    Beside beside = std::move(waiting_.front());
    waiting_.pop_front();
    return beside;
  }
  void give_back(Beside beside) {
    const std::lock_guard lock(mutex_);
    done_.push_back(std::move(beside));
  }

 private:
  const std::size_t bytes_;
  std::mutex mutex_;
  std::deque<Beside> waiting_;
  std::vector<Beside> done_;
};

/// Whether results may lie beyond what the format holds of the u16 that they are rounded to. Without offset and constant they are to the
/// format's range as those of all u16 are to theirs.
bool can_exceed(const FrameFormat& format, const Chain& chain, const Options& options) {
  if (format.uses_whole_pixel()) return false;
  const auto borders = options.border.axes();
  const bool has_constant = std::any_of(borders.begin(), borders.end(), [](const Border& border) {
    return border.mode == Border::Mode::constant && border.value != 0;
  });
  if (options.offset != 0 || has_constant) return true;
  constexpr double most = 65535;
  return results_of(chain, Pixel::u16, Pixel::u16, options).most > most * (1 + 1e-9);
}

std::vector<std::byte> neutral_planes(std::size_t bytes, const FrameFormat& format) {
  std::vector<std::byte> planes(bytes);
  const auto zero = static_cast<std::uint16_t>(format.zero());
  if (format.pixel == Pixel::u8) {
    std::fill(planes.begin(), planes.end(), static_cast<std::byte>(zero));
  } else {
    for (std::size_t i = 0; i < bytes; i += sizeof zero) std::memcpy(planes.data() + i, &zero, sizeof zero);
  }
  return planes;
}

}  // namespace

struct FramesFilter::Impl {
  FrameJob job;
  Shape image;
  std::size_t image_bytes = 0, chroma_bytes = 0;
  FrameFilter filter;
  std::optional<ChromaFilter> chroma;
  bool clamps_image = false, clamps_chroma = false, clips = false;
  std::vector<std::byte> neutral;  // chroma where it is dropped
  Image packed;                    // a result that is not as it lies in a frame
  std::vector<std::uint16_t> clamped;

  BesideQueue besides;
  NutReader nut;                       // where frames come with their times
  std::atomic<bool> stopping = false;  // the end of the source is this program's doing
  std::int64_t frames_read = 0;
  double beside_seconds = 0;  // of filtering while a frame is written
  FrameTimes times;

  explicit Impl(const FrameJob& asked);
  std::optional<ConstView> read(Process& source, View buffer);
  void write(const FramePipes& pipes, const ConstView& result);
  void count_clipped_of(const std::byte* original, const ConstView& result);
  bool send(const FramePipes& pipes, const std::byte* data, std::size_t size);
  void send_clamped(const FramePipes& pipes, const std::byte* data, std::size_t size, bool clamps);
};

namespace {

/// Alpha and views take one device.
std::vector<Device> devices_for(const FrameJob& job) {
  std::vector<Device> devices{job.device};
  if (!job.format.has_alpha() && !job.view) devices.insert(devices.end(), job.more_gpus.begin(), job.more_gpus.end());
  return devices;
}

}  // namespace

FramesFilter::Impl::Impl(const FrameJob& asked)
    : job(asked),
      image(job.format.image(job.width, job.height)),
      image_bytes(bytes_in(image, job.format.pixel)),
      chroma_bytes(job.format.kind == FrameFormat::Kind::yuv ? bytes_in(job.format.chroma(job.width, job.height), job.format.pixel) : 0),
      filter(image, job.format.pixel, job.chain, job.options, {.alpha = job.format.has_alpha()}, job.view, {.devices = devices_for(job)}),
      clamps_image(can_exceed(job.format, job.chain, job.options)),
      clips(!job.view && (clamps_image || can_clip(job.chain, job.format.pixel, job.format.pixel, job.options, {.alpha = job.format.has_alpha()}))),
      besides(chroma_bytes) {
  if (chroma_bytes == 0) return;
  if (job.drops_chroma) {
    neutral = neutral_planes(chroma_bytes, job.format);
  } else if (job.chroma_chain) {
    const Options options = chroma_options(job.options, *job.chroma_chain, job.format);
    clamps_chroma = can_exceed(job.format, *job.chroma_chain, options);
    chroma.emplace(job.format.chroma(job.width, job.height), job.format.pixel, *job.chroma_chain, options, job.device);
  }
}

std::optional<ConstView> FramesFilter::Impl::read(Process& source, View buffer) {
  Beside next = besides.empty();
  try {
    std::size_t bytes = image_bytes + chroma_bytes;
    if (job.keeps_times && !nut.read_head(source, next.head, bytes)) return {};
    if (bytes != image_bytes + chroma_bytes) throw NotNut();
  } catch (const NotNut&) {
    if (stopping) return {};
    throw BrokenPipe::source;
  }
  const auto is_there = [&](std::byte* data, std::size_t size) {
    const std::size_t got = source.read(data, size);
    if (stopping || (got == 0 && data == buffer.data && !job.keeps_times)) return false;
    if (got < size) throw BrokenPipe::source;
    return true;
  };
  if (!is_there(buffer.data, image_bytes) || !is_there(next.planes.data(), chroma_bytes)) return {};
  next.original = clips && std::has_single_bit(static_cast<std::uint64_t>(++frames_read)) ? buffer.data : nullptr;
  besides.put(std::move(next));
  return buffer;
}

/// False where nobody takes frames any more.
bool FramesFilter::Impl::send(const FramePipes& pipes, const std::byte* data, std::size_t size) {
  if (pipes.encoder != nullptr && !pipes.encoder->write(data, size)) {
    stopping = true;
    pipes.source.stop();
    throw BrokenPipe::encoder;
  }
  if (pipes.player != nullptr && !times.player_left && !pipes.player->write(data, size)) times.player_left = true;
  return pipes.encoder != nullptr || !times.player_left;
}

void FramesFilter::Impl::send_clamped(const FramePipes& pipes, const std::byte* data, std::size_t size, bool clamps) {
  if (clamps) {
    clamped.resize(size / sizeof(std::uint16_t));
    clamp(reinterpret_cast<const std::uint16_t*>(data), clamped.data(), clamped.size(), job.format.most());
    data = reinterpret_cast<const std::byte*>(clamped.data());
  }
  if (send(pipes, data, size) || stopping) return;
  stopping = true;
  pipes.source.stop();
}

void FramesFilter::Impl::count_clipped_of(const std::byte* original, const ConstView& result) {
  const ConstView in{.data = original, .shape = image, .strides = strides_of(image, job.format.pixel), .pixel = job.format.pixel};
  // Those above what the format holds, which u16 does hold.
  std::int64_t above = 0;
  if (clamps_image) {
    const auto* const samples = reinterpret_cast<const std::uint16_t*>(result.data);
    above = std::count_if(samples, samples + image_bytes / sizeof *samples, [&](std::uint16_t x) { return x > job.format.most(); });
  }
  const double rest = clipping_worth_saying - static_cast<double>(above) / static_cast<double>(image.elements());
  Clipped clipped = counted(in, result, job.chain, job.options, {.alpha = job.format.has_alpha()}, job.device, std::max(rest, 0.0));
  if (clamps_image) clipped.above = above;
  if (clipped.share() <= times.clipped.share()) return;
  times.clipped = clipped;
  times.clipped_frame = times.frames + 1;
}

void FramesFilter::Impl::write(const FramePipes& pipes, const ConstView& result) {
  ConstView shown = result;
  if (result.strides != strides_of(result.shape, result.pixel)) {
    if (packed.empty()) packed = Image(result.shape, result.pixel);
    copy(result, packed);
    shown = packed;
  }
  Beside beside = besides.take();
  if (beside.original != nullptr) timed(beside_seconds, [&] { count_clipped_of(beside.original, shown); });
  if (!beside.head.empty()) send_clamped(pipes, beside.head.data(), beside.head.size(), false);
  send_clamped(pipes, shown.data, image_bytes, clamps_image);
  if (chroma_bytes > 0) {
    const std::byte* after = beside.planes.data();
    if (job.drops_chroma) after = neutral.data();
    if (chroma) after = timed(beside_seconds, [&] { return chroma->run(beside.planes.data()); }).data;
    send_clamped(pipes, after, chroma_bytes, clamps_chroma);
  }
  besides.give_back(std::move(beside));
  ++times.frames;
  if (pipes.progress) pipes.progress(times.frames);
}

FramesFilter::FramesFilter(const FrameJob& job) : impl_(std::make_unique<Impl>(job)) {}
FramesFilter::~FramesFilter() = default;

FrameTimes FramesFilter::run(const FramePipes& pipes) {
  Impl& impl = *impl_;
  const FrameReport report = impl.filter.run({.read = [&](std::int64_t, View buffer) { return impl.read(pipes.source, buffer); },
                                              .write = [&](std::int64_t, const ConstView& result) { impl.write(pipes, result); }});
  FrameTimes times = impl.times;
  times.player_left = times.player_left && pipes.encoder == nullptr;
  times.decoding = report.read;
  times.filtering = report.compute + impl.beside_seconds;
  times.encoding = report.write - impl.beside_seconds;
  return times;
}

ChosenDevice device_for(const FrameJob& job, std::optional<std::int64_t> frames) {
  constexpr std::int64_t many = 1000;
  Shape image = job.format.image(job.width, job.height);
  if (job.format.has_alpha()) --image.channels;
  const PreparedChain prepared(image, job.format.pixel, job.chain, cpu(), job.options);
  const std::vector<Plan>& plans = prepared.plans();
  const std::int64_t times = std::clamp<std::int64_t>(frames.value_or(many), 1, many);
  std::vector<PlannedJob> planned;
  for (std::size_t i = 0; i < plans.size(); ++i)
    planned.push_back({prepared.specs()[i], plans[i], i == 0, i + 1 == plans.size(), 0, times});
  const DeviceChoice choice = choose_device(planned);
  return {choice.device, choice.reason};
}

}  // namespace halation::app
