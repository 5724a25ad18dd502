// pipeline.cpp: whole jobs, from host memory or files and back, beside the limit of what they go through.
//
// Image and frames: 2048×2048, f32 and u8, 3×3 weights. On a GPU their limit is the bus: one way for an image alone, which must go up
// before the last of it can come down, both ways at once for frames; on a CPU it is the filter. Where there are several GPUs, a gigapixel by
// 63×63 weights: their multiply-adds. A file of u8 by a Gaussian of σ = 8: the
// slower of reading, filtering and writing. Photographs of 2 to 12 megapixels, JPEG, by a Gaussian of σ = 3: decoding and encoding on all
// processors.
#include "pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "app/filtering/files/batch.h"
#include "app/report/text/printable.h"
#include "app/report/text/table.h"
#include "core/memory.h"
#include "halation/filters.h"
#include "halation/frame_filter.h"
#include "halation/strip_filter.h"
#include "halation/threads.h"
#include "halation/transfer.h"
#include "plan/backends.h"

namespace halation::app {
namespace {

constexpr double mega = 1e6;
constexpr Shape frame_shape{.height = 2048, .width = 2048};

template <class Work>
double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Work>
double median_seconds(int repeats, const Work& work) {
  std::vector<double> times(static_cast<std::size_t>(repeats));
  for (double& time : times) time = seconds_of(work);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double bytes_in(const Shape& shape, Pixel pixel) {
  return static_cast<double>(shape.elements()) * static_cast<double>(halation::bytes_of(pixel));
}

/// Grain on slopes: what neither compresses to nothing nor is noise alone.
void draw(View view, std::uint32_t seed) {
  std::uint32_t state = seed * 2654435761U + 1;
  const std::int64_t row = view.shape.width * view.shape.channels;
  for (std::int64_t y = 0; y < view.shape.height; ++y) {
    std::byte* to = view.data + y * view.strides.height;
    for (std::int64_t i = 0; i < row; ++i) {
      state = state * 1664525U + 1013904223U;
      const double slope = 120 + 90 * std::sin(static_cast<double>(i) * 0.003 + seed) * std::cos(static_cast<double>(y) * 0.005);
      const double value = slope + static_cast<double>(state >> 28U);
      if (view.pixel == Pixel::f32) {
        reinterpret_cast<float*>(to)[i] = static_cast<float>(value);
      } else {
        to[i] = static_cast<std::byte>(value);
      }
    }
  }
}

Filter small_filter() { return Filter::dense({.height = 3, .width = 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1}); }

class Bench {
 public:
  Bench(const PipelineBench& bench, const std::function<void(std::string_view)>& before) : bench_(bench), before_(before) {
    for (const DeviceInfo& info : devices()) {
      if (on_gpu() && info.device.kind == Device::Kind::cuda) gpus_.push_back(info.device);
    }
  }

  std::vector<PipelineRow> run() {
    for (const Pixel pixel : {Pixel::f32, Pixel::u8}) {
      if (on_gpu()) {
        one_image(pixel, true);
        one_image(pixel, false);
        frames(pixel);
      } else {
        image_on_cpu(pixel);
      }
    }
    if (gpus_.size() > 1) gigapixel();
    large_file();
    photographs();
    return std::move(rows_);
  }

 private:
  bool on_gpu() const { return bench_.device.kind == Device::Kind::cuda; }
  Options options() const { return {.scale = 1.0 / 16}; }
  StripOptions where() const { return {.devices = {bench_.device}}; }

  PipelineRow& add(const std::string& name) {
    before_(name);
    rows_.emplace_back().name = name;
    return rows_.back();
  }

  /// Seconds of a copy up, of one down, and of both at once.
  std::array<double, 3> bus_seconds(Pixel pixel) const {
    constexpr int copies = 50;
    Image host_up = allocate_pinned(frame_shape, pixel), host_down = allocate_pinned(frame_shape, pixel);
    Image up = allocate(frame_shape, pixel, bench_.device), down = allocate(frame_shape, pixel, bench_.device);
    synchronise(bench_.device);
    const std::unique_ptr<Queue> upwards = device_queues()->make_queue(bench_.device);
    const std::unique_ptr<Queue> downwards = device_queues()->make_queue(bench_.device);
    const auto timed_copies = [&](bool goes_up, bool comes_down) {
      return median_seconds(bench_.repeats, [&] {
        for (int i = 0; i < copies; ++i) {
          if (goes_up) copy(host_up.view(), up.view(), upwards->stream());
          if (comes_down) copy(down.view(), host_down.view(), downwards->stream());
        }
        synchronise(bench_.device, upwards->stream());
        synchronise(bench_.device, downwards->stream());
      }) / copies;
    };
    return {timed_copies(true, false), timed_copies(false, true), timed_copies(true, true)};
  }

  double kernel_seconds(Pixel pixel) const {
    constexpr int runs = 50;
    const Plan plan({.shape = frame_shape, .pixel = pixel, .filters = {small_filter()}, .device = bench_.device, .options = options()});
    Image in = allocate(frame_shape, pixel, bench_.device), out = allocate(frame_shape, pixel, bench_.device);
    return median_seconds(bench_.repeats, [&] {
             for (int i = 0; i < runs; ++i) plan.run(in, out);
             synchronise(bench_.device);
           }) / runs;
  }

  void one_image(Pixel pixel, bool pinned) {
    PipelineRow& row = add(fmt::format("one image {} 3x3, {}", name_of(pixel), pinned ? "pinned" : "pageable"));
    const auto make = [&] { return pinned ? allocate_pinned(frame_shape, pixel) : Image(frame_shape, pixel); };
    Image in = make(), out = make();
    draw(in, 1);
    StripFilter filter(frame_shape, pixel, small_filter(), options(), {}, {}, where());
    filter.run(in, out);
    row.seconds = median_seconds(4 * bench_.repeats, [&] { filter.run(in, out); });
    row.megabytes = 2 * bytes_in(frame_shape, pixel) / mega;
    const auto [up, down, both] = bus_seconds(pixel);
    row.alone = {{"up", up}, {"kernel", kernel_seconds(pixel)}, {"down", down}};
    row.limit = "bus, one way";
    row.limit_seconds = std::max(up, down);
  }

  void frames(Pixel pixel) {
    constexpr std::int64_t count = 2000;
    constexpr std::size_t ring = 8;
    PipelineRow& row = add(fmt::format("frames {} 3x3, pinned", name_of(pixel)));
    std::vector<Image> in, out;
    for (std::size_t i = 0; i < ring; ++i) {
      in.push_back(allocate_pinned(frame_shape, pixel));
      out.push_back(allocate_pinned(frame_shape, pixel));
      draw(in.back(), static_cast<std::uint32_t>(i));
    }
    const auto at = [](std::int64_t frame) { return static_cast<std::size_t>(frame) % ring; };
    FrameFilter filter(frame_shape, pixel, small_filter(), options(), {}, {}, where());
    const Frames all{.read = [&](std::int64_t frame, View) -> std::optional<ConstView> {
                       if (frame == count) return {};
                       return in[at(frame)].view();
                     },
                     .place = [&](std::int64_t frame, View) { return out[at(frame)].view(); },
                     .write = [](std::int64_t, ConstView) {}};
    filter.run(all);
    row.items = count;
    row.seconds = median_seconds(3, [&] { filter.run(all); });
    row.megabytes = 2 * bytes_in(frame_shape, pixel) * row.items / mega;
    const auto [up, down, both] = bus_seconds(pixel);
    row.alone = {{"up", up * count}, {"kernel", kernel_seconds(pixel) * count}, {"down", down * count}, {"up and down", both * count}};
    row.limit = "bus, both ways";
    row.limit_seconds = both * count;
  }

  /// What takes the GPUs longer than the bus: large weights, tap by tap, over a gigapixel.
  void gigapixel() {
    constexpr Shape shape{.height = 32768, .width = 32768};
    constexpr std::int64_t taps = 63;
    if (static_cast<double>(available_host_bytes()) < 4 * bytes_in(shape, Pixel::f32)) return;
    PipelineRow& row = add(fmt::format("{} f32 {}x{} direct, pinned, {} GPUs", to_string(shape), taps, taps, gpus_.size()));
    Image in = allocate_pinned(shape, Pixel::f32), out = allocate_pinned(shape, Pixel::f32);
    draw(in, 1);
    std::vector<double> weights(taps * taps);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(1 + i * 7 % 64) / (64 * taps * taps);
    const Filter filter = Filter::dense({.height = taps, .width = taps}, weights);
    const Options direct{.method = Method::direct};
    const auto seconds_on = [&](const std::vector<Device>& devices) {
      StripFilter strips(shape, Pixel::f32, filter, direct, {}, {}, {.devices = devices});
      strips.run(in, out);
      return median_seconds(3, [&] { strips.run(in, out); });
    };
    row.seconds = seconds_on(gpus_);
    row.megabytes = 2 * bytes_in(shape, Pixel::f32) / mega;
    const double one = seconds_on({gpus_[0]});
    constexpr Shape part = {.height = shape.height / 4, .width = shape.width};
    const Plan plan({.shape = part, .pixel = Pixel::f32, .filters = {filter}, .device = gpus_[0], .options = direct});
    Image there = allocate(part, Pixel::f32, gpus_[0]), result = allocate(part, Pixel::f32, gpus_[0]);
    copy(part_of(in.view(), 0, part.height), there.view(), {});
    const auto run = [&] {
      plan.run(there, result);
      synchronise(gpus_[0]);
    };
    run();
    const double kernel = 4 * median_seconds(3, run);
    row.alone = {{"one GPU", one}, {"kernel on one GPU", kernel}};
    row.limit = "kernel, on all GPUs";
    row.limit_seconds = kernel / static_cast<double>(gpus_.size());
  }

  void image_on_cpu(Pixel pixel) {
    PipelineRow& row = add(fmt::format("one image {} 3x3", name_of(pixel)));
    Image in(frame_shape, pixel), out(frame_shape, pixel);
    draw(in, 1);
    const Plan plan({.shape = frame_shape, .pixel = pixel, .filters = {small_filter()}, .options = options()});
    StripFilter filter(frame_shape, pixel, small_filter(), options());
    filter.run(in, out);
    row.seconds = median_seconds(bench_.repeats, [&] { filter.run(in, out); });
    row.megabytes = 2 * bytes_in(frame_shape, pixel) / mega;
    row.limit_seconds = median_seconds(bench_.repeats, [&] { plan.run(in, out); });
    row.alone = {{"filter", row.limit_seconds}};
    row.limit = "filter";
  }

  std::string file(const std::string& name) const { return (std::filesystem::path(bench_.folder) / name).string(); }

  void large_file() {
    const auto side = static_cast<std::int64_t>(std::sqrt(bench_.megapixels * mega));
    const Shape shape{.height = side, .width = side};
    PipelineRow& row = add(fmt::format("file .npy {} u8 Gaussian 8", to_string(shape)));
    PageFacts facts;
    facts.shape = shape;
    facts.layout = ArrayLayout::hw;
    const std::int64_t part = std::max<std::int64_t>(1, (16 << 20) / side);
    Image rows({.height = part, .width = side}, Pixel::u8);
    draw(rows, 3);
    const auto write = [&](const std::string& path) {
      const std::unique_ptr<PagesSink> sink = create_pages(path, {facts});
      Sink& page = sink->page(0);
      for (std::int64_t y = 0; y < side; y += part) page.write(y, part_of(rows.view(), 0, std::min(part, side - y)));
      sink->commit();
    };
    const auto read = [&](const std::string& path) {
      const auto pages = open_pages(path);
      for (std::int64_t y = 0; y < side; y += part) pages[0]->read(y, part_of(rows.view(), 0, std::min(part, side - y)));
    };
    write(file("in.npy"));
    const double writing = median_seconds(3, [&] { write(file("again.npy")); });
    const double reading = median_seconds(3, [&] { read(file("in.npy")); });
    const double both = median_seconds(3, [&] { copied(file("in.npy"), file("again.npy"), facts, part); });
    double filtering = 0;
    row.seconds = median_seconds(3, [&] {
      const auto pages = open_pages(file("in.npy"));
      StripFilter filter(shape, Pixel::u8, gaussian({.sigma = 8}), {}, {}, {}, where());
      const std::unique_ptr<PagesSink> sink = create_pages(file("out.npy"), {facts});
      filtering = filter.run(*pages[0], sink->page(0)).compute;
      sink->commit();
    });
    row.megabytes = 2 * bytes_in(shape, Pixel::u8) / mega;
    row.alone = {{"read", reading}, {"filter, beside the others", filtering}, {"write", writing}, {"read and write", both}};
    row.limit = "read and write";
    row.limit_seconds = both;
  }

  /// Reading and writing side by side, without a filter.
  static void copied(const std::string& from, const std::string& to, const PageFacts& facts, std::int64_t part) {
    const auto pages = open_pages(from);
    const std::unique_ptr<PagesSink> sink = create_pages(to, {facts});
    Sink& page = sink->page(0);
    const std::int64_t length = facts.shape.height;
    std::array<Image, 2> buffers;
    for (Image& buffer : buffers) buffer = Image(with_length(facts.shape, part), facts.pixel);
    std::thread writer;
    for (std::int64_t y = 0, turn = 0; y < length; y += part, ++turn) {
      const View buffer = part_of(buffers[static_cast<std::size_t>(turn % 2)].view(), 0, std::min(part, length - y));
      pages[0]->read(y, buffer);
      if (writer.joinable()) writer.join();
      writer = std::thread([&page, y, buffer] { page.write(y, buffer); });
    }
    if (writer.joinable()) writer.join();
    sink->commit();
  }

  void photographs() {
    PipelineRow& row = add(fmt::format("{} photographs, JPEG, Gaussian 3", bench_.photographs));
    std::vector<BatchFile> files;
    std::vector<Image> results;
    double pixels = 0;
    for (int i = 0; i < bench_.photographs; ++i) {
      const double area = (2 + 10.0 * i / std::max(1, bench_.photographs - 1)) * mega;
      const auto width = static_cast<std::int64_t>(std::sqrt(1.5 * area));
      Image photo({.height = static_cast<std::int64_t>(area / static_cast<double>(width)), .width = width, .channels = 3}, Pixel::u8);
      draw(photo, static_cast<std::uint32_t>(i));
      files.push_back({.in = file(fmt::format("in{}.jpg", i)), .out = file(fmt::format("out{}.jpg", i))});
      write_image(files.back().in, photo, {.quality = 90});
      results.push_back(convolve(photo, gaussian({.sigma = 3})));
      pixels += static_cast<double>(photo.shape().height * photo.shape().width);
    }
    const int workers = available_threads();
    const auto in_workers = [&](const std::function<void(std::size_t)>& work) {
      std::atomic<std::size_t> next{0};
      const auto loop = [&] {
        for (std::size_t i = next++; i < files.size(); i = next++) work(i);
      };
      std::vector<std::thread> threads;
      for (int i = 1; i < workers; ++i) threads.emplace_back(loop);
      loop();
      for (std::thread& thread : threads) thread.join();
    };
    const double decoding = median_seconds(3, [&] { in_workers([&](std::size_t i) { read_pages(files[i].in); }); });
    const double encoding =
        median_seconds(3, [&] { in_workers([&](std::size_t i) { write_image(files[i].out, results[i], {.quality = 90}); }); });
    const double filtering = median_seconds(3, [&] {
      in_workers([&](std::size_t i) { convolve(results[i], gaussian({.sigma = 3}), {.threads = 1}); });
    });
    BatchJob job{.job = {.chain = Chain(gaussian({.sigma = 3}))}, .workers = workers};
    job.job.device = bench_.device;
    job.job.options.threads = workers > 1 ? 1 : 0;
    job.write.quality = 90;
    row.seconds = median_seconds(3, [&] { run_batch(files, job, [](const BatchResult&) {}); });
    row.items = static_cast<double>(files.size());
    row.megabytes = 6 * pixels / mega;
    row.alone = {{"decode", decoding}, {"filter, on the CPU", filtering}, {"encode", encoding}};
    row.limit = "decode and encode";
    row.limit_seconds = decoding + encoding;
  }

  const PipelineBench& bench_;
  const std::function<void(std::string_view)>& before_;
  std::vector<Device> gpus_;
  std::vector<PipelineRow> rows_;
};

}  // namespace

std::vector<PipelineRow> run_pipeline_bench(const PipelineBench& bench, const std::function<void(std::string_view)>& before) {
  return Bench(bench, before).run();
}

std::string text_of(const PipelineResults& results) {
  std::string text = fmt::format("{}{}\n", results.device, results.gpu.empty() ? "" : ", " + results.gpu);
  for (const PipelineRow& row : results.rows) {
    text += fmt::format("\n{}: {} ms an item, {} a second, {} GB/s, {:.0f}% of its limit ({}: {} ms)\n", row.name,
                        short_number(row.seconds / row.items * 1e3), short_number(row.items / row.seconds),
                        short_number(row.megabytes / row.seconds * 1e-3), 100 * row.share_of_limit(), row.limit,
                        short_number(row.limit_seconds / row.items * 1e3));
    for (const auto& [stage, seconds] : row.alone)
      text += fmt::format("  {}: {} ms\n", stage, short_number(seconds / row.items * 1e3));
  }
  return text;
}

std::string json_of(const PipelineResults& results) {
  const bench::Circumstances& now = results.circumstances;
  nlohmann::ordered_json record{{"schema", "halation-pipeline-1"}, {"machine", now.machine},   {"cores", now.cores},
                                {"instruction_set", now.instruction_set},
                                {"system", now.system},            {"compiler", now.compiler}, {"commit", now.commit},
                                {"modified", now.modified},        {"date", now.date},         {"command", now.command},
                                {"device", results.device}};
  if (!results.gpu.empty()) record["gpu"] = results.gpu;
  for (const PipelineRow& row : results.rows) {
    nlohmann::ordered_json alone = nlohmann::ordered_json::object();
    for (const auto& [stage, seconds] : row.alone) alone[stage] = seconds * 1e3;
    record["rows"].push_back({{"job", row.name},
                              {"items", row.items},
                              {"megabytes", row.megabytes},
                              {"ms", row.seconds * 1e3},
                              {"alone_ms", std::move(alone)},
                              {"limit", row.limit},
                              {"limit_ms", row.limit_seconds * 1e3},
                              {"share_of_limit", row.share_of_limit()}});
  }
  return json_text(std::move(record));
}

}  // namespace halation::app
