// spread.cpp: typical jobs, by which the figures of a device are measured.
#include "spread.h"

#include <array>

#include "halation/filters.h"

namespace halation::app {
namespace {

struct Shapes {
  Shape small, large, colour, signal, volume;
};
constexpr Shapes on_cpu{.small = {.height = 256, .width = 256},
                        .large = {.height = 1024, .width = 1023},  // rows on no 16-byte boundaries
                        .colour = {.height = 512, .width = 512, .channels = 3},
                        .signal = {.width = 1 << 20},
                        .volume = {.depth = 96, .height = 96, .width = 96}};
constexpr Shapes on_gpu{.small = {.height = 1024, .width = 1024},
                        .large = {.height = 4096, .width = 4095},
                        .colour = {.height = 2048, .width = 2048, .channels = 3},
                        .signal = {.width = 1 << 24},
                        .volume = {.depth = 256, .height = 256, .width = 256}};

constexpr std::array pixels = {Pixel::u8, Pixel::u16, Pixel::f16, Pixel::f32, Pixel::f64};

}  // namespace

std::vector<PlanSpec> spread_for(Device device, int threads) {
  const Shapes& shapes = device.kind == Device::Kind::cuda ? on_gpu : on_cpu;
  const std::vector<Filter> of_pictures = {laplacian(),
                                           laplacian_of_gaussian({.sigma = 2.0}),
                                           gaussian({.sigma = 1.0}),
                                           gaussian({.sigma = 3.0}),
                                           gaussian({.sigma = 10.0}),
                                           gaussian({.sigma = 25.0}),
                                           box({.size = 3}),
                                           box({.size = 15}),
                                           disk(5),
                                           disk(20)};
  const std::vector<Filter> of_others = {gaussian({.sigma = 1.5}), box({.size = 9})};
  std::vector<PlanSpec> jobs;
  for (const Pixel pixel : pixels) {
    const auto add = [&](const Shape& shape, const std::vector<Filter>& filters) {
      for (const Filter& filter : filters) {
        PlanSpec job{.shape = shape,
                     .pixel = pixel,
                     .filters = {filter.with_dims(shape.dims())},
                     .device = device,
                     .options = {}};
        job.options.accuracy = Accuracy::fast;  // for multirate; others do not mind
        job.options.threads = threads;
        jobs.push_back(std::move(job));
      }
    };
    add(shapes.small, of_pictures);
    add(shapes.large, of_pictures);
    add(shapes.colour, of_others);
    add(shapes.signal, of_others);
    add(shapes.volume, of_others);
  }
  return jobs;
}

}  // namespace halation::app
