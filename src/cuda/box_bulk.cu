// box_bulk.cu: windows of equal weights along x and y over f32 rows that the copy engine brings (box_bulk.cuh), in a single pass.
//
//   block → outputs    a strip of 96 to 256 columns of one channel, walked down 8 rows a step
//   warps              width ÷ 32 sum along y, a column a thread; one more than these, or than twice these in narrow blocks, sum along
//                      x, 8 neighbouring outputs of a row a thread; one brings rows. They work on neighbouring steps at once and meet
//                      once a step
//   shared memory      3 or 4 times 8 staged rows, with the window's columns but one beside them; a ring of the window's rows but one, in
//                      whole eights, without these, and 8 more; sums of groups of 8 in either
//   traffic            DRAM: each element once, but for the rows above each strip; L2: columns beside each block
//   limits             one filter, f32 to f32, rows on 16-byte boundaries; any border and extent; a ring that fits shared memory
//   instantiations     20: 5 widths; windows of 9 columns and more or fewer; of 9 rows and more or fewer
#include "cuda/box_bulk.h"

#include <algorithm>
#include <array>

#include "cuda/box_bulk.cuh"
#include "cuda/lines_of.h"

namespace halation::cuda_backend {
namespace {

using Kernel = void (*)(BoxBulkArguments);

/// A width that the kernel is compiled for.
struct Size {
  int width;
  int threads;
  std::array<Kernel, 4> kernels;  // windows of few columns and rows, of many rows, of many columns, of many of both

  Kernel kernel(const BoxWindow& y, const BoxWindow& x) const { return kernels[(x.has_middle() ? 2 : 0) + (y.has_middle() ? 1 : 0)]; }
};

template <int Width>
constexpr Size size_of() {
  return {Width,
          BoxBlock<Width>::threads,
          {box_bulk<Width, false, false>, box_bulk<Width, false, true>, box_bulk<Width, true, false>, box_bulk<Width, true, true>}};
}

constexpr std::array sizes{size_of<256>(), size_of<192>(), size_of<160>(), size_of<128>(), size_of<96>()};

/// The pitches and bytes of shared memory of blocks of `width` columns.
std::size_t shape_block(BoxBulkArguments& job, int width) {
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
/// instructions or bytes do. Instructions are counted, and warps are taken to fill places for them as 12 a multiprocessor did in an earlier kernel (docs/performance.md)
/// (36%), the more the better.
struct Cut {
  const Size* size = nullptr;
  int buffers = 0;
  int blocks = 0;  // that share a multiprocessor
  std::size_t bytes = 0;
  double seconds = 0;
};

Cut cut_of(const Job& job, const BoxPlaces& places, const BoxWindow& y, const BoxWindow& x) {
  constexpr double clock = 1.8e9;
  constexpr double step_cycles = 700;
  constexpr double bytes_a_cycle = 17;  // of a multiprocessor, to and from DRAM
  constexpr double halo_share = 0.6;    // of a byte from DRAM, that one costs which another block has read as well
  Cut best;
  for (const Size& size : sizes) {
    const auto kernel = reinterpret_cast<const void*>(size.kernel(y, x));
    HALATION_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(places.shared_limit)));
    for (const int buffers : {4, 3}) {
      BoxBulkArguments shape{};
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

class Sized final : public BoxBulk {
 public:
  Sized(const Job& job, const BoxPlaces& places, const Cut& cut, const BoxWindow& y, const BoxWindow& x, float weight)
      : job_(job), places_(places), cut_(cut) {
    const Taps& taps = job.filters.front();
    std::copy(taps.lead.begin(), taps.lead.end(), constants_.lead);
    constants_.y = y;
    constants_.x = x;
    constants_.weight = weight;
    constants_.scale = static_cast<float>(job.scale);
    constants_.offset = static_cast<float>(job.offset);
    constants_.shift = static_cast<int>(constants_.lead[2] & 3);
    constants_.buffers = cut.buffers;
    shape_block(constants_, cut.size->width);
  }

  bool launch(const ConstView& in, const View& out, Stream stream) const override {
    BoxBulkArguments job = constants_;
    job.lines = lines_of(in, out, job_, {.groups = cut_.size->width / 4, .rows = box_group, .fold = false, .side_by_side = false});
    if (out.pixel != Pixel::f32 || !job.lines.out_packed || !loads_whole(job.lines, in)) return false;
    job.out = out.data;
    job.lines.blocks_y = Divisor(1);
    std::int64_t strips = 1;
    rows_walked(out.shape.height, blocks_of(job.lines), std::int64_t{places_.multiprocessors} * cut_.blocks, job.y.taps, strips);
    job.strip = static_cast<int>((out.shape.height + strips - 1) / strips);
    job.lines.blocks_y = Divisor((out.shape.height + job.strip - 1) / job.strip);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const Kernel kernel = cut_.size->kernel(job.y, job.x);
    kernel<<<blocks_of(job.lines), dim3(32, static_cast<unsigned>(cut_.size->threads / 32)), cut_.bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("box_bulk", queue);
    return true;
  }

  int width() const override { return cut_.size->width; }

 private:
  const Job& job_;
  BoxPlaces places_;
  Cut cut_;
  BoxBulkArguments constants_{};
};

}  // namespace

std::unique_ptr<const BoxBulk> make_box_bulk(const Job& job, Device device, const BoxWindow& y, const BoxWindow& x, float weight) {
  if (job.in_pixel != Pixel::f32 || job.out_pixel != Pixel::f32 || !copies_in_bulk(sizes.front().kernel(y, x))) return nullptr;
  const BoxPlaces places = box_places_of(device);
  const Cut cut = cut_of(job, places, y, x);
  if (cut.size == nullptr) return nullptr;
  return std::make_unique<Sized>(job, places, cut, y, x, weight);
}

}  // namespace halation::cuda_backend
