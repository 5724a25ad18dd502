// box.cu: windows of equal weights along x and y in a single pass, by additions whose number hardly depends
// on the window (box.cuh).
//
//   block → outputs    a strip of up to 1,024 columns (pixels, channels side by side), walked down 8 rows a
//   step a step             8 staged rows are summed along x, 8 neighbouring outputs a thread, into a ring of
//   rows; these are summed along y, a
//                      column or two of 8 outputs a thread, and stored. Four more warps stage the rows of the
//                      steps to come
//   staging            f32 rows of one channel on 16-byte boundaries arrive by bulk copies, one lane a row;
//   all others, and what lies
//                      outside the image, by the movers' instructions (lines.cuh)
//   shared memory      2 or 3 times 8 staged rows, with the window's columns but one beside them; a ring of
//   the window's rows but one, in
//                      whole eights, without these; and a number for each group of 8 in either
//   operations         about 25 instructions a pixel, 45 bytes of shared memory a pixel, whatever the window;
//   the window's columns but one
//                      are staged again a block, its rows but one are summed along x again a strip
//   traffic            DRAM: each element once, but for the rows above each strip; L2: columns beside each
//   block limits             one filter, sums in f32; any pixel, stride, border and extent; a ring that fits
//   shared memory instantiations     4: one column a thread or two, windows of 9 rows and more or of fewer
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "cuda/box.cuh"
#include "cuda/box.h"
#include "cuda/box_bulk.h"
#include "cuda/device.h"
#include "cuda/lines_of.h"

namespace halation::cuda_backend {
namespace {

constexpr int registers = 80;   // of a thread: two blocks of 512 columns find place on a multiprocessor
constexpr int least_taps = 18;  // along one axis at least; smaller windows are faster as plain factors

template <int Columns, bool Middle>
__global__ void __launch_bounds__(65536 / registers / 32 * 32) box(const __grid_constant__ BoxArguments job) {
  using namespace box_steps;
  extern __shared__ __align__(16) std::byte shared_memory[];
  Arrivals& arrivals = *reinterpret_cast<Arrivals*>(shared_memory);
  float* const staged = reinterpret_cast<float*>(shared_memory + sizeof(Arrivals));
  float* const ring = staged + job.buffers * box_group * job.row_pitch;
  float* const turns = ring + job.ring_groups * box_group * job.ring_pitch;
  float* const sums = turns + job.y.groups * job.width * job.lines.channels;
  float* const neighbours = sums + box_group * job.sums_pitch;
  const Way way = way_of(job);
  const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
  if (job.bulk) {
    if (thread < most_buffers) arrivals.of[thread].start(1);
    __syncthreads();
  }
  if (thread >= job.threads) {
    move_rows(job, way, staged, arrivals);
    return;
  }
  // Without a second column a thread does its first twice.
  const int many = job.lines.channels == 1 ? job.lines.width : job.width * job.lines.channels;
  const bool has_column = thread < many;
  ColumnSums<Columns, Middle> columns(job, ring, turns, has_column ? thread + job.shift : 0,
                                      thread + job.threads < many ? job.threads : 0);
  meet(job.threads, true);
  // Step s: what group s − 1 has completed goes out, then group s enters the ring.
  int slot = 0;
  int buffer = 0;
  int time = 0;  // that the buffer is read
#pragma unroll 1
  for (int s = 0;; ++s) {
    const int next_slot = slot + 1 == job.ring_groups ? 0 : slot + 1;
    if (s > 0) {
      Numbers<Columns> out[box_group];
      if (has_column) columns.enter(slot, out);
      const int first = (s - 1 - way.before) * box_group;
      slot = next_slot;
      if (first >= 0)
        put_columns(job, way, first, thread, many, out, ring + slot * box_group * job.ring_pitch);
    }
    if (s == way.steps) return;
    const float* const rows = staged + buffer * box_group * job.row_pitch;
    if (job.bulk) arrivals.of[buffer].wait(time);
    if (++buffer == job.buffers) {
      buffer = 0;
      ++time;
    }
    if (job.x.has_middle()) sum_groups(job, rows, sums);
    meet(job.threads, false);
    if (job.together > 0) {
      sum_neighbours(job, sums, neighbours);
      meet(job.threads, false);
    }
    sum_rows(job, rows, sums, neighbours, ring + slot * box_group * job.ring_pitch);
    meet(job.threads, true);
  }
}

using Kernel = void (*)(BoxArguments);

/// `columns` a thread, whether the window has nine rows or more.
Kernel kernel_of(int columns, bool middle) {
  if (columns == 2) return middle ? box<2, true> : box<2, false>;
  return middle ? box<1, true> : box<1, false>;
}

/// What blocks are to be.
struct Cut {
  int width = 0;  // outputs of a row, channels together: a multiple of 8
  int buffers = 2;
  double seconds = 0;

  int columns() const { return width > 256 ? 2 : 1; }  // a thread
  int threads() const {
    return std::max(256, rounded_up(width / columns(), 32));
  }  // more than columns may need: rows are shared by all
};

int groups_together(const BoxWindow& x) {
  return x.groups >= 8 ? static_cast<int>(std::lround(std::sqrt(x.groups))) : 0;
}

int ring_groups(const BoxWindow& y) { return y.has_middle() ? (y.taps - 1 + box_group - 1) / box_group : 2; }

/// The pitches and bytes of shared memory of blocks of `channels` times `width` outputs a row, a multiple
/// of 8.
std::size_t shape_block(BoxArguments& job, int width, int channels) {
  job.width = width;
  job.plane_pitch = width + (job.x.groups + 2) * box_group;
  job.row_pitch = channels * job.plane_pitch + 4;
  job.ring_pitch = channels * width + 4;
  job.ring_groups = ring_groups(job.y);
  job.together = groups_together(job.x);
  job.sums_pitch = rounded_up(channels * (width / box_group + job.x.groups), 8) + 4;
  // As many sections as share the movers evenly.
  constexpr int most = box_steps::section_elements;
  const int sections = rounded_up((channels * job.plane_pitch + most - 1) / most, box_steps::movers);
  job.section = std::min(rounded_up((job.plane_pitch + sections - 1) / sections, box_group), most / channels);
  const int sums = job.x.has_middle() ? (job.together > 0 ? 2 : 1) * box_group * job.sums_pitch : 0;
  const std::int64_t numbers = std::int64_t{job.buffers} * box_group * job.row_pitch +
                               std::int64_t{job.ring_groups} * box_group * job.ring_pitch +
                               std::int64_t{job.y.groups} * channels * width + sums;
  return sizeof(box_steps::Arrivals) + static_cast<std::size_t>(numbers) * sizeof(float);
}

/// Blocks that share a multiprocessor: by shared memory, of which each takes 1 KB more, and by registers.
int blocks_together(const BoxPlaces& places, std::size_t bytes, int threads) {
  const int all_threads = threads + 32 * box_steps::movers;
  return std::max(
      1, std::min(places.shared_bytes / static_cast<int>(bytes + 1024), 65536 / registers / all_threads));
}

/// How the kernel should cut a job, by what it should take; none where a window fits no block. What a step
/// takes is instructions, of which 65 a pixel in 36% of all places were measured for 31 by 31 taps on an H200, or bytes to
/// and from memory, whichever takes longer.
std::optional<Cut> cut_of(const Job& job, const BoxWindow& y, const BoxWindow& x, const BoxPlaces& places,
                          bool first, bool last) {
  constexpr std::array widths{1024, 768, 640, 512, 448, 384, 320, 256, 224, 192, 160, 128, 96, 64, 32};
  constexpr double clock = 1.8e9;
  constexpr double step_cycles = 600;   // however little there is to do
  constexpr double lanes_a_cycle = 128 * 0.36;
  constexpr double bytes_a_cycle = 17;  // of a multiprocessor, to and from DRAM
  constexpr double halo_share =
      0.6;  // of a byte from DRAM, that one costs which another block has read as well
  const bool signal = job.in.height == 1 && job.in.depth == 1 && job.out.height == 1 && job.out.depth == 1;
  const std::int64_t all_columns = job.out.width * job.out.channels;
  const double in_bytes = first ? static_cast<double>(bytes_of(job.in_pixel)) : 4;
  const double out_bytes = last ? static_cast<double>(bytes_of(job.out_pixel)) : 4;
  std::optional<Cut> best;
  for (const int widest : widths) {
    const std::int64_t across = (all_columns + widest - 1) / widest;
    const auto narrowest = static_cast<int>((all_columns + across - 1) / across);
    for (const int buffers : {3, 2}) {
      Cut cut;
      cut.width = signal ? widest : std::min(widest, rounded_up(narrowest, box_group));
      cut.buffers = buffers;
      BoxArguments shape{};
      shape.x = x;
      shape.y = y;
      shape.buffers = buffers;
      const std::size_t bytes = shape_block(shape, cut.width + box_group, 1);
      if (bytes > places.shared_limit) continue;
      const int blocks = blocks_together(places, bytes, cut.threads());
      const std::int64_t height = signal ? (job.out.width + cut.width - 1) / cut.width : job.out.height;
      const std::int64_t others = (signal ? job.out.channels : across) * job.out.depth * job.out.batch;
      std::int64_t strips = 1;
      const std::int64_t places_all = std::int64_t{places.multiprocessors} * blocks;
      const std::int64_t walked = rows_walked(height, others, places_all, y.taps, strips);
      const double busy =
          std::min(1.0, static_cast<double>(others * strips) / static_cast<double>(places_all));
      const double staged = cut.width + x.taps - 1;
      const double summed = box_group * blocks * busy *
                            (staged * (x.has_middle() ? 17 : 8) + cut.width * 50) / lanes_a_cycle;
      const double moved = box_group * blocks * busy *
                           (in_bytes * (cut.width + halo_share * (x.taps - 1)) + out_bytes * cut.width) /
                           bytes_a_cycle;
      const double late = buffers > 2 ? 0 : 0.1 * moved;
      cut.seconds =
          static_cast<double>(walked) / box_group * (std::max(step_cycles + summed, moved) + late) / clock;
      if (!best || cut.seconds < best->seconds) best = cut;
    }
  }
  return best;
}

bool all_equal(const std::vector<double>& factor) {
  return std::all_of(factor.begin(), factor.end(), [&](double w) { return w == factor.front(); });
}

double weight_of(const Taps& taps) {
  const auto& [z, y, x] = *taps.factors;
  return z.front() * y.front() * x.front();
}

/// What a pass of windows of y by x taps should take, the job's first or last or neither.
std::optional<double> seconds_of(const Job& job, Device device, const BoxWindow& y, const BoxWindow& x,
                                 const BoxPlaces& places, bool first, bool last) {
  Job pass = job;
  if (!first) pass.in_pixel = Pixel::f32;
  if (!last) pass.out_pixel = Pixel::f32;
  if (const std::unique_ptr<const BoxBulk> bulk = make_box_bulk(pass, device, y, x, 1)) return bulk->seconds();
  const std::optional<Cut> cut = cut_of(job, y, x, places, first, last);
  return cut ? std::optional(cut->seconds) : std::nullopt;
}

class BoxRunner final : public Runner {
 public:
  BoxRunner(std::shared_ptr<const Job> job, Device device, const BoxWindow& y, const BoxWindow& x,
            const Cut& cut, const BoxPlaces& places, std::unique_ptr<const BoxBulk> whole_fours)
      : job_(std::move(job)),
        device_(device),
        cut_(cut),
        places_(places),
        whole_fours_(std::move(whole_fours)),
        kernel_(kernel_of(cut.columns(), y.has_middle())) {
    const Taps& taps = job_->filters.front();
    std::copy(taps.lead.begin(), taps.lead.end(), constants_.lead);
    constants_.y = y;
    constants_.x = x;
    constants_.weight = static_cast<float>(weight_of(taps));
    constants_.buffers = cut.buffers;
    constants_.threads = cut.threads();
    HALATION_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel_),
                                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(places.shared_limit)));
    bulk_ = copies_in_bulk(kernel_);
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    return "windows of " + std::to_string(constants_.y.taps) + " rows and " +
           std::to_string(constants_.x.taps) + " columns by sums to and from whole eights, down strips of " +
           std::to_string(whole_fours_ ? whole_fours_->width() : cut_.width) + " columns, " + std::to_string(ring_groups(constants_.y) * box_group) +
           " rows in a ring";
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    BoxArguments job = constants_;
    const View& out = outs[0];
    if (whole_fours_ && whole_fours_->launch(in, out, stream)) return;
    std::size_t bytes = 0;
    const auto channels = static_cast<int>(std::min<std::int64_t>(in.shape.channels, 17));
    for (const bool side_by_side : {true, false}) {
      // As many groups of 8 as all channels can have alike.
      const int beside = side_by_side && cut_.width / box_group >= channels ? channels : 1;
      job.lines = lines_of(in, out, *job_,
                           {.groups = cut_.width / box_group / beside * 2 * beside,
                            .rows = box_group,
                            .fold = job.y.taps == 1,
                            .side_by_side = beside > 1});
      job.bulk = bulk_ && !job.lines.folded && !job.lines.long_strides && loads_whole(job.lines, in);
      job.shift = job.bulk ? static_cast<int>(job.lead[2] & 3) : 0;
      bytes = shape_block(job, rounded_up(job.shift + job.lines.width, box_group), job.lines.channels);
      if (bytes <= places_.shared_limit) break;
    }
    job.out = out.data;
    job.float_rows = out.pixel == Pixel::f32 && job.lines.channels == 1 && job.lines.out_packed;
    job.rows =
        job.lines.folded ? (out.shape.width + job.lines.width - 1) / job.lines.width : out.shape.height;
    job.lines.blocks_y = Divisor(1);
    const std::int64_t others = blocks_of(job.lines);
    const std::int64_t places =
        std::int64_t{places_.multiprocessors} * blocks_together(places_, bytes, job.threads);
    std::int64_t strips = 1;
    rows_walked(job.rows, others, places, job.y.taps, strips);
    job.strip = static_cast<int>((job.rows + strips - 1) / strips);
    job.lines.blocks_y = Divisor((job.rows + job.strip - 1) / job.strip);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    kernel_<<<blocks_of(job.lines), dim3(32, static_cast<unsigned>(job.threads / 32 + box_steps::movers)),
              bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("box", queue);
  }

 private:
  std::shared_ptr<const Job> job_;
  Device device_;
  Cut cut_;
  BoxPlaces places_;
  std::unique_ptr<const BoxBulk> whole_fours_;  // for rows that the copy engine can bring
  Kernel kernel_;
  bool bulk_ = false;
  BoxArguments constants_{};
};

}  // namespace

bool box_takes(const Job& job, const Taps& taps) {
  if (job.filters.size() != 1 || job.combine != Combine::none || job.sum_f64 ||
      taps.method != Method::box)
    return false;
  const auto& [z, y, x] = *taps.factors;
  constexpr std::size_t most_taps = 4096;
  if (z.size() != 1 || std::max(y.size(), x.size()) < least_taps || std::max(y.size(), x.size()) > most_taps)
    return false;
  // One product of all weights must be as good as one after the other.
  const double weight = std::fabs(weight_of(taps));
  return all_equal(y) && all_equal(x) && weight >= std::numeric_limits<float>::min() &&
         weight <= std::numeric_limits<float>::max();
}

std::unique_ptr<const Runner> make_box(std::shared_ptr<const Job> job, Device device) {
  const Taps& taps = job->filters.front();
  if (!box_takes(*job, taps)) return nullptr;
  const BoxWindow y(static_cast<int>((*taps.factors)[1].size()));
  const BoxWindow x(static_cast<int>((*taps.factors)[2].size()));
  const BoxPlaces places = box_places_of(device);
  const std::optional<Cut> cut = cut_of(*job, y, x, places, true, true);
  if (!cut) return nullptr;
  const auto weight = static_cast<float>(weight_of(taps));
  std::unique_ptr<const BoxBulk> bulk = make_box_bulk(*job, device, y, x, weight);
  if (y.taps >= least_taps && x.taps >= least_taps) {
    const std::optional<double> rows = seconds_of(*job, device, BoxWindow(1), x, places, true, false);
    const std::optional<double> columns = seconds_of(*job, device, y, BoxWindow(1), places, false, true);
    if (rows && columns && *rows + *columns < (bulk ? bulk->seconds() : cut->seconds)) return nullptr;
  }
  return std::make_unique<BoxRunner>(std::move(job), device, y, x, *cut, places, std::move(bulk));
}

}  // namespace halation::cuda_backend
