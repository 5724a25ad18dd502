// measure.h: one rung on one problem: its result compared with an oracle, and the time of each of its phases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "halation/image.h"
#include "ladder/ladder.h"

namespace halation::ladder {

/// What GPU rungs run on: the first CUDA device.
struct Gpu {
  bool usable = false;
  std::string why_not;  ///< one clause, where it is not usable
  std::string name;
  std::string driver;  ///< "580.82.07, CUDA 13.0"
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::size_t free_bytes = 0;
};

/// Asks the driver; not usable in a build without CUDA, without a driver and without a device.
Gpu present_gpu();

/// Bytes read and written a second by copies from device to device, of 512 MiB at a time or as much as a
/// quarter of the free memory holds. Throws `Error{device}` without a GPU.
double device_copy_bytes_per_s();

/// The host memory that a rung's input comes from and its output goes to.
enum class HostMemory { pageable, pinned };
std::string_view name_of(HostMemory memory);

Shape shape_of(const Problem& problem);

/// Input and output of problems of one shape in host memory, shared by all rungs; packed f32 of one channel,
/// uninitialised.
struct HostImages {
  HostImages(const Shape& shape, HostMemory memory);

  HostMemory memory;
  Image in, out;
  double allocation_s = 0;  ///< taking both from the system
};

/// Seconds. A GPU rung has them all, a CPU rung `kernel` and `total` alone.
struct Phases {
  double allocation = 0;  ///< input and output on the device, from the library's warm pool
  double upload = 0;      ///< the image
  double filter_upload = 0;
  double kernel = 0;  ///< every kernel of the rung, launched back to back
  double download = 0;
  double total = 0;  ///< by the wall clock, from before the allocation until the result is on the host

  Phases& operator+=(const Phases& more);
};

/// Medians of warm runs.
struct Timings {
  Phases frame;  ///< an image from the host and back
  Phases
      second_filter;  ///< another filter on the image that is still on the device: no allocation, no upload
  double preparation_s =
      0;  ///< once a problem and in no total: what the rung allocates for itself and computes beforehand
  int repeats = 0;  ///< of whole frames

  /// Planes of one image, one after the other.
  Timings& operator+=(const Timings& more);
};

/// Fills `images.out` by the rung, each output poisoned before.
void run_once(const Rung& rung, const Problem& problem, HostImages& images);

/// Times the rung, warm: medians of as many repeats as fit `budget_s` seconds, of eleven at least on a GPU
/// and of one on the CPU. A GPU rung's kernel is timed by events around batches of launches that last 2 ms at
/// least, so that the events weigh nothing; its other phases by events of the same pass as the total. Throws
/// `Error`, device memory returned, where the device fails.
Timings measure(const Rung& rung, const Problem& problem, HostImages& images, double budget_s);

/// The kernel alone, timed likewise.
double measure_kernel_s(const Rung& rung, const Problem& problem, HostImages& images, double budget_s);

/// The right result of a problem in f64, and how far an f32 rung may be from it.
class Expected {
 public:
  /// By the reference up to 2^20 outputs and 2·10⁹ products; above, by the library with sums in f64, on the
  /// GPU where one is usable.
  Expected(const Problem& problem, ConstView in, bool gpu_usable);

  /// What computed it: "reference", "cuda:0, sums in f64".
  const std::string& oracle() const { return oracle_; }

  /// Largest difference allowed: (taps + 3) · 2⁻²³ · Σ|w| · max|x| by the roundings of a sum of products,
  /// and, of a rung that filters by factors, 3 · 2⁻²³ · Σ|w| · max|x| more for the products of factors.
  double tolerance(const Rung& rung) const;

  /// How a result differs.
  struct Difference {
    double largest = 0;              ///< infinite where an output is not a number
    std::int64_t wrong_outputs = 0;  ///< beyond the tolerance
  };
  Difference difference(const Rung& rung, ConstView out) const;

 private:
  Image values_;
  std::string oracle_;
  double taps_ = 0;
  double scale_ = 0;  // Σ|w| · max|x|
};

}  // namespace halation::ladder
