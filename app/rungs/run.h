// run.h: the rungs of the ladder on one job: what is asked, the running of it, and what came of it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "halation/image.h"
#include "ladder/measure.h"
#include "model/device_description.h"
#include "model/rungs.h"

namespace halation::app {

/// What every rung is to compute, and which rungs.
struct LadderJob {
  int dims = 2;
  Shape shape;  ///< of one plane
  std::size_t planes = 1;
  std::function<Image(std::size_t plane)>
      make_plane;             ///< f32, one channel; called once the sizes have been found to fit
  std::string source;         ///< "random values", "photo.jpg, red, green and blue"
  std::optional<int> radius;  ///< of the table; none: the sweep alone
  std::vector<int> radii;     ///< of the sweep; may be empty
  float outside = 0;
  std::vector<ladder::HostMemory> memories;
  std::vector<const ladder::Rung*> rungs;
  double budget_s = 0.8;  ///< of one rung with one kind of memory

  double outputs() const { return static_cast<double>(shape.elements()) * static_cast<double>(planes); }
  double taps(int of_radius) const;
  std::string size_text() const;  ///< "2048x2048", in as many extents as dims
};

/// The slides' Gaussian as a problem: weights exp(−(i/r)²/2) along each axis, normalised, those of radius 0
/// being 1.
ladder::Problem gaussian_problem(int dims, const Shape& shape, int radius, float outside);

/// One rung with one kind of host memory.
struct LadderRow {
  const ladder::Rung* rung = nullptr;
  ladder::HostMemory memory = ladder::HostMemory::pageable;
  std::string not_run;  ///< why it was not timed, if it was not
  bool failed = false;  ///< not timed because something is wrong, rather than left out
  double largest_error = 0;
  double tolerance = 0;
  ladder::Timings timings;  ///< summed over the planes
  std::optional<model::RungWork>
      paper;              ///< what the rung asks for, per output; none where its idea ends before this radius
  double operations = 0;  ///< an output, as the bound counts them: of factors where the rung may use them
  double bound_s = 0;     ///< the least time of that work on `LadderResults::device`; 0 without `paper`

  bool ran() const { return not_run.empty(); }
};

/// The kernel alone, at one radius.
struct SweepEntry {
  const ladder::Rung* rung = nullptr;
  int radius = 0;
  double kernel_s = 0;
  std::string not_run;
  bool failed = false;
};

struct LadderResults {
  LadderJob job;
  std::string command;  ///< as it could be typed again
  std::string date;     ///< of the run, UTC: "2026-11-21 06:40"
  std::string cpu;      ///< model and threads
  ladder::Gpu gpu;
  double device_copy_bytes_per_s = 0;  ///< 0 without a GPU
  model::DeviceDescription
      device;  ///< of the bounds: the present GPU where the model knows it, else the H200
  bool device_is_present = false;
  std::string oracle;
  double pinned_allocation_s = 0;  ///< input and output; 0 where none was asked for
  std::vector<LadderRow> rows;     ///< by host memory, then up the ladder; CPU rungs in the first block alone
  std::vector<SweepEntry> sweep;   ///< of the first plane, by radius, then up the ladder

  /// The first thing that was wrong, as a sentence; empty where nothing was.
  std::string complaint() const;
};

/// Runs everything. A rung whose result is wrong, or that the device has no memory for, says so in its row.
/// Throws `Error` where no rung could run at all: every radius above the rungs' limits, images larger than
/// the memory of the device, rungs of a GPU where there is none.
LadderResults run_ladder(LadderJob job);

/// Rates that follow from a row's times; none where the row did not run or what they compare with did not.
struct LadderRates {
  std::optional<double> fps, kernel_fps;
  std::optional<double> gflops;         ///< 2 · taps · outputs / kernel, with the taps of the dense filter
  std::optional<double> gb_per_s;       ///< 8 bytes an output / kernel
  std::optional<double> share_of_copy;  ///< of the measured device copy, GPU rungs
  std::optional<double> over_cpu_kernel;  ///< how many times faster than the plain loop on the CPU, by kernel
  std::optional<double> over_cpu_total;   ///< the same by total
  std::optional<double> over_previous;    ///< than the rung before that ran, by kernel
  std::optional<double> share_of_bound;   ///< bound / kernel, of GPU rungs whose GPU the bound is of
};
LadderRates rates_of(const LadderResults& results, const LadderRow& row);

/// "cpu_naive" in 2D, "cpu" else.
std::string_view baseline_rung(int dims);

}  // namespace halation::app
