// box.cu: windows of equal weights along rows or columns, over f32 rows that the copy engine brings (box.cuh): which, and how.
//
//   block → outputs    a strip of 96 to 256 columns of one channel, walked down 8 rows a step
//   warps              width ÷ 32 sum along y, a column a thread; one more than these, or than twice these in narrow blocks, sum along
//                      x, 8 neighbouring outputs of a row a thread; one brings rows. They work on neighbouring steps at once and meet
//                      once a step
//   shared memory      3 or 4 times 8 staged rows, with the window's columns but one beside them; a ring of the window's rows but one, in
//                      whole eights, without these, and 8 more; sums of groups of 8 in either
//   traffic            DRAM: each element once, but for the rows above each strip; L2: columns beside each block
//   limits             one filter, f32 to f32, rows on 16-byte boundaries; any border and extent; a ring that fits shared memory
//   instantiations     10: 5 widths; windows along rows, along columns
#include "cuda/box.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cuda/box.cuh"
#include "cuda/device.h"
#include "cuda/lines_of.h"
#include "cuda/rows.h"

namespace halation::cuda_backend {
namespace {

// Measured on an H200 (docs/performance.md). Along columns every window of 18 and more is faster so. Along rows as many multiply-adds
// (rows.cu) are up to 128, and both at once in registers (march_image.cuh) up to 33.
constexpr std::size_t least_rows = 18;
constexpr std::size_t most_at_once = 33;
constexpr std::size_t most_taps = 4096;

using Kernel = void (*)(BoxArguments);

/// A width that the kernel is compiled for.
struct Size {
  int width;
  int threads;
  Kernel along_rows, along_columns;

  Kernel kernel(const BoxWindow& x) const { return x.has_middle() ? along_rows : along_columns; }
};

template <int Width>
constexpr Size size_of() {
  return {Width, BoxBlock<Width>::threads, box<Width, true, false>, box<Width, false, true>};
}

constexpr std::array sizes{size_of<256>(), size_of<192>(), size_of<160>(), size_of<128>(), size_of<96>()};

/// What a device has.
struct Places {
  int multiprocessors = 1;
  std::size_t shared_limit = 0;
};

Places places_of(Device device) {
  Places places;
  HALATION_CUDA_CHECK(
      cudaDeviceGetAttribute(&places.multiprocessors, cudaDevAttrMultiProcessorCount, device.index));
  places.shared_limit = shared_memory_limit(device);
  return places;
}

constexpr int rounded_up(int count, int unit) { return (count + unit - 1) / unit * unit; }

/// The number of strips that ends soonest, as `rounds` of all blocks, as many at a time as there are `places`:
/// rows that a place walks.
std::int64_t rows_walked(std::int64_t height, std::int64_t others, std::int64_t places, int taps, std::int64_t& strips) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  constexpr int longest_strip = 1 << 20;
  const std::int64_t fewest = (height + longest_strip - 1) / longest_strip;
  const std::int64_t first_round = std::max<std::int64_t>(1, (others * fewest + places - 1) / places);
  for (std::int64_t rounds = first_round; rounds < first_round + 8; ++rounds) {
    const std::int64_t many = std::clamp<std::int64_t>(rounds * places / others, fewest,
                                                       std::max<std::int64_t>(fewest, height / box_group));
    const std::int64_t strip = (height + many - 1) / many;
    const std::int64_t walked = ((others * many + places - 1) / places) *
                                (rounded_up(static_cast<int>(strip), box_group) + taps - 1 + box_group);
    if (walked >= least) continue;
    least = walked;
    strips = many;
  }
  return least;
}

/// The pitches and bytes of shared memory of blocks of `width` columns.
std::size_t shape_block(BoxArguments& job, int width) {
  const int columns = width + box_group;
  job.row_pitch = width + job.x.groups * box_group + 28;
  job.sums_pitch = rounded_up(columns / box_group + job.x.groups, 8) + 4;
  job.ring_groups = (job.y.taps - 1 + box_group - 1) / box_group + 1;
  if (!job.y.has_middle()) job.ring_groups = 2;
  const int sums = job.x.has_middle() ? 2 * box_group * job.sums_pitch : 0;
  const std::size_t numbers = std::size_t{1} * job.buffers * box_group * job.row_pitch +
                              std::size_t{1} * job.ring_groups * box_group * (columns + 4) + std::size_t{1} * job.y.groups * columns + sums;
  return most_box_buffers * sizeof(Arrival) + numbers * sizeof(float);
}

/// How a job is cut, by what it should take. Where little fits shared memory, what a step takes however little it does counts; else
/// instructions or bytes do. Instructions are counted, and warps are taken to fill places for them as 12 a multiprocessor did in an
/// earlier kernel (docs/performance.md; 36%), the more the better.
struct Cut {
  const Size* size = nullptr;
  int buffers = 0;
  int blocks = 0;  // that share a multiprocessor
  std::size_t bytes = 0;
  double seconds = 0;
};

Cut cut_of(const Job& job, const Places& places, const BoxWindow& y, const BoxWindow& x) {
  constexpr double clock = 1.8e9;
  constexpr double step_cycles = 700;
  constexpr double bytes_a_cycle = 17;  // of a multiprocessor, to and from DRAM
  constexpr double halo_share = 0.6;    // of a byte from DRAM, that one costs which another block has read as well
  Cut best;
  for (const Size& size : sizes) {
    const auto kernel = reinterpret_cast<const void*>(size.kernel(x));
    HALATION_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(places.shared_limit)));
    for (const int buffers : {4, 3}) {
      BoxArguments shape{};
      shape.y = y;
      shape.x = x;
      shape.buffers = buffers;
      Cut cut{.size = &size, .buffers = buffers, .bytes = shape_block(shape, size.width)};
      if (cut.bytes > places.shared_limit) continue;
      HALATION_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&cut.blocks, kernel, size.threads, cut.bytes));
      if (cut.blocks == 0) continue;
      const std::int64_t others =
          (job.out.width + size.width - 1) / size.width * job.out.depth * job.out.batch * job.out.channels;
      const std::int64_t all_places = std::int64_t{places.multiprocessors} * cut.blocks;
      std::int64_t strips = 1;
      const std::int64_t walked = rows_walked(job.out.height, others, all_places, y.taps, strips);
      const double busy = std::min(1.0, static_cast<double>(others * strips) / static_cast<double>(all_places));
      const double rows = box_group * cut.blocks * busy;  // of all blocks of a multiprocessor, a step
      const double along_x = x.has_middle() ? 15 + 0.3 * x.groups : 3 + x.taps;
      const double along_y = y.has_middle() ? 17 : 10 + y.taps;
      const double brought = 900;  // a row, by lanes of the warp that brings it
      const double filled = std::min(0.65, cut.blocks * busy * size.threads / 32 / 33);
      const double summed = rows * (size.width * (along_x + along_y) + (size.width + x.taps - 1) * 2 + brought) / (128 * filled);
      const double moved = rows * 4 * (2 * size.width + halo_share * (x.taps - 1)) / bytes_a_cycle;
      cut.seconds = static_cast<double>(walked) / box_group * std::max({step_cycles, summed, moved}) / clock;
      if (best.size == nullptr || cut.seconds < best.seconds) best = cut;
    }
  }
  return best;
}

double weight_of(const Taps& taps) {
  const auto& [z, y, x] = *taps.factors;
  return z.front() * y.front() * x.front();
}

/// Whether a filter has equal weights whose product is as good as one after the other.
bool has_one_weight(const Job& job) {
  if (job.filters.size() != 1 || job.combine != Combine::none || job.sum_f64) return false;
  const Taps& taps = job.filters.front();
  if (taps.method != Method::box || taps.size[0] != 1) return false;
  const double weight = std::fabs(weight_of(taps));
  return weight >= std::numeric_limits<float>::min() && weight <= std::numeric_limits<float>::max();
}

class BoxRunner final : public Runner {
 public:
  BoxRunner(std::shared_ptr<const Job> job, Device device, const Places& places, const Cut& cut, const BoxWindow& y, const BoxWindow& x,
            std::unique_ptr<const Runner> otherwise)
      : job_(std::move(job)), device_(device), places_(places), cut_(cut), otherwise_(std::move(otherwise)) {
    const Taps& taps = job_->filters.front();
    std::copy(taps.lead.begin(), taps.lead.end(), constants_.lead);
    constants_.y = y;
    constants_.x = x;
    constants_.weight = static_cast<float>(weight_of(taps));
    constants_.scale = static_cast<float>(job_->scale);
    constants_.offset = static_cast<float>(job_->offset);
    constants_.shift = static_cast<int>(constants_.lead[2] & 3);
    constants_.buffers = cut.buffers;
    shape_block(constants_, cut.size->width);
  }

  std::size_t workspace_bytes() const override { return otherwise_->workspace_bytes(); }
  std::string explain() const override {
    return "sums to and from whole eights, in strips of " + std::to_string(cut_.size->width) + " columns";
  }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const UseDevice use(device_);
    if (!launch(in, outs[0], stream)) otherwise_->run(in, outs, workspace, stream);
  }

 private:
  /// False where the copy engine cannot bring the rows, or outputs do not lie side by side.
  bool launch(const ConstView& in, const View& out, Stream stream) const {
    BoxArguments job = constants_;
    job.lines = lines_of(in, out, *job_, {.groups = cut_.size->width / 4, .rows = box_group, .fold = false, .side_by_side = false});
    if (!job.lines.out_packed || !loads_whole(job.lines, in)) return false;
    job.out = out.data;
    job.lines.blocks_y = Divisor(1);
    std::int64_t strips = 1;
    rows_walked(out.shape.height, blocks_of(job.lines), std::int64_t{places_.multiprocessors} * cut_.blocks, job.y.taps, strips);
    job.strip = static_cast<int>((out.shape.height + strips - 1) / strips);
    job.lines.blocks_y = Divisor((out.shape.height + job.strip - 1) / job.strip);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const Kernel kernel = cut_.size->kernel(job.x);
    kernel<<<blocks_of(job.lines), dim3(32, static_cast<unsigned>(cut_.size->threads / 32)), cut_.bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("box", queue);
    return true;
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  Places places_;
  Cut cut_;
  std::unique_ptr<const Runner> otherwise_;
  BoxArguments constants_{};
};

}  // namespace

bool box_by_axes(const Job& job) {
  if (!has_one_weight(job) || job.out_pixel != Pixel::f32) return false;
  const auto& [z, y, x] = *job.filters.front().factors;
  return y.size() > 1 && x.size() > 1 && y.size() >= least_rows && std::max(y.size(), x.size()) > most_at_once;
}

std::unique_ptr<const Runner> make_box(std::shared_ptr<const Job> job, Device device, const MakeRunner& otherwise) {
  if (!has_one_weight(*job)) return nullptr;
  const Taps& taps = job->filters.front();
  if (windows_take(*job, taps, taps.method)) return make_windows(job, weight_of(taps), device, otherwise());
  if (job->in_pixel != Pixel::f32 || job->out_pixel != Pixel::f32) return nullptr;
  const auto& factors = *taps.factors;
  const BoxWindow y(static_cast<int>(factors[1].size()));
  const BoxWindow x(static_cast<int>(factors[2].size()));
  if (factors[2].size() != 1 || factors[1].size() < least_rows || factors[1].size() > most_taps) return nullptr;
  if (!copies_in_bulk(sizes.front().kernel(x))) return nullptr;
  const Places places = places_of(device);
  const Cut cut = cut_of(*job, places, y, x);
  if (cut.size == nullptr) return nullptr;
  return std::make_unique<BoxRunner>(std::move(job), device, places, cut, y, x, otherwise());
}

}  // namespace halation::cuda_backend
