// plan.h: a filter job, checked and prepared once, run any number of times.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halation/border.h"
#include "halation/device.h"
#include "halation/filter.h"
#include "halation/image.h"
#include "halation/stream.h"

namespace halation {

/// Which outputs exist along each axis, for n pixels and k taps.
enum class Extent {
  same,   ///< n outputs, one over each input pixel
  valid,  ///< n − k + 1: only where the whole filter lies inside
  full,   ///< n + k − 1: wherever the filter touches the input
};

/// The definition that `Filter` gives for each.
enum class Operation { convolution, correlation };

/// The precision of sums. `automatic`: f32, but f64 where input or output is f64, and where f32 could put an integer output
/// more than half a level off: never with up to 15 × 15 weights whose magnitudes sum to 1, no scale, and constants that the pixels can
/// hold. Of float inputs such are thought of as weights of one sign turn into outputs within the pixel's range; of larger ones, whose
/// sums cancel, an integer output may be more than one level off, by `Plan::error_bound` of theirs. On the CPU, and by `Method::banded`, sums of u8 may
/// be in fixed point instead, off by 1/16 of a level at most before they are rounded, and not at all where they are truncated; with
/// `f64` none are. Sums in f32 are infinite where they pass its largest number on their way, and keep no sign of zero.
enum class Sum { automatic, f64 };

/// What approximations are allowed. All results are within `Plan::error_bound`, which counts them.
enum class Accuracy {
  exact,  ///< none: what is rounded is all that is off
  fast,   ///< up to 2^-10 · Σ|w| · max|x|, half precision's unit roundoff for weights and for pixels, where that is quicker:
          ///< `Method::multirate` may be chosen, and `Method::banded` over floats.
          ///< Integer outputs may be off by as much, those of u16 by some levels; NaN and infinity may reach a few steps of the lower
          ///< rate further than the filter does. Where nothing quicker fits, as `exact`
};

/// How a filter is computed. `DeviceInfo::methods` names what a device offers; a plan refuses others, with a sentence that says
/// what there is, and a method that the weights do not allow.
enum class Method {
  automatic,  ///< what the device should do quickest, see `Tune`
  direct,     ///< weight by weight: any filter; all devices
  separable,  ///< along one axis after the other: weights that are a product of factors; cpu and cuda
  low_rank,   ///< as a sum of up to 8 products of factors along height and width, in one pass: over integers, whose sums are finite; cpu
  banded,     ///< as products of matrices, by tensor cores: filters over u8 of up to some 40 × 40 weights, or products of factors of up to
              ///< 97, that whole numbers of 16 bits stand for; with `Accuracy::fast` also filters over f32 and f16 of up to some 31 × 31
              ///< weights, of which 11 bits count, as of pixels; cuda, of compute capability 8.0 and later
  box,        ///< sums that neighbouring outputs share, at a cost that hardly grows with the size: factors each of which has equal
              ///< weights; cpu and cuda
  fft,        ///< as a product of spectra, tile by tile: any filter, at a cost that hardly grows with its size; cpu and cuda
  multirate,  ///< thinned out along y and x, filtered by few taps, brought back to full rate: smooth products of factors, such as
              ///< Gaussians from σ = 5 on, at a cost that hardly depends on σ; approximates, so `Accuracy::fast` alone; cpu and cuda.
              ///< Others use recursive filters for these (Deriche; Young and van Vliet), whose passes forth and back read and write an
              ///< image twice along each axis, and depend on what lies far away. P. P. Vaidyanathan, Multirate Systems and Filter
              ///< Banks, 1993; R. E. Crochiere and L. R. Rabiner, Multirate Digital Signal Processing, 1983
};

/// How a plan finds the quickest method.
///
/// `estimate` computes what each should take from the figures of the device: microseconds. `measure` runs the
/// three methods that should be quickest on scratch images of the plan's shapes and pixels, packed and
/// interleaved, on the plan's device, one filter at a time, and takes the quickest; a method expected to take
/// ten times as long as another is not tried. With a method given there is nothing to choose, and its time is
/// measured alone.
///
/// Cost of `measure`: memory for an input, an output and a workspace while it lasts; two runs of each method,
/// and more for up to 0.2 s, or a single one where it takes a second. Times are remembered by device, shapes,
/// pixels, filter size, borders, precision of sums and threads: a second plan of the kind times nothing.
/// Where the memory is not there, the estimate decides, and `Plan::explain` says so. Worth it for plans that
/// run often.
///
/// Times outlive the process in a file, the cache: $HALATION_CACHE names it, else it is
/// $XDG_CACHE_HOME/halation/timings, else $HOME/.cache/halation/timings; where HALATION_CACHE is set and
/// empty there is none. Processes share it and lose nothing of each other's. It is read once a process, when
/// the first plan is made; plans that time something write to it. What another version of the library or
/// another machine (CPU, instruction set, threads; GPU, driver) has left there does not count, nor does a
/// damaged file. Where the file cannot be read or written, plans are made without it.
///
/// `halation tune` leaves figures there too: what a start, a step, a multiply-add, a byte takes on this
/// machine, by which `estimate` goes. Without them it goes by those that the library comes with.
///
/// Any number of threads may make such plans at once: they time one after the other. What else the machine
/// does meanwhile slows what is timed. On a GPU all of it goes through the default stream and is waited for:
/// make no such plan while a stream is captured.
enum class Tune { estimate, measure };

std::string_view name_of(Extent extent);
std::string_view name_of(Operation operation);
std::string_view name_of(Accuracy accuracy);
std::string_view name_of(Method method);
std::string_view name_of(Tune tune);
/// The inverses of `name_of`. Throw `Error{invalid_argument}` naming the choices.
Extent extent_named(std::string_view name);
Accuracy accuracy_named(std::string_view name);
Method method_named(std::string_view name);
Tune tune_named(std::string_view name);

/// Everything about a job but the image and the filters. Each output pixel is  round(scale · Σ + offset).
struct Options {
  Borders border = Border::reflect101();
  Extent extent = Extent::same;
  Operation operation = Operation::convolution;
  std::optional<Pixel> output = {};  ///< the output's pixel; the input's unless given
  double scale = 1;
  double offset = 0;
  Rounding rounding = Rounding::half_even;
  Overflow overflow = Overflow::saturate;
  Sum sum = Sum::automatic;
  Accuracy accuracy = Accuracy::exact;  ///< `fast` allows approximations
  Method method = Method::automatic;
  Tune tune = Tune::estimate;
  int threads = 0;  ///< CPU threads at most; 0: `available_threads()` (halation/threads.h), one for small images
};

/// A job: images of this shape and pixel, these filters, this device.
struct PlanSpec {
  Shape shape;
  Pixel pixel = Pixel::u8;
  std::vector<Filter> filters;
  Combine combine = Combine::none;
  Device device = cpu();
  Options options = {};
  /// Of the input and output to come, where there are several channels: methods are chosen by it, runs take any strides. `convolve` takes
  /// it from the strides of its images.
  Layout layout = Layout::interleaved;
  /// Rows of the input and output to come start on multiples of so many bytes, a power of two, 16 where they
  /// may be more; packed images of odd widths need not say so. On a GPU methods are chosen by it, runs take
  /// any rows. `convolve` takes it from its images.
  int input_alignment = 16, output_alignment = 16;
};

/// A method of a plan's device, for one of its filters by itself.
struct RankedMethod {
  Method method = Method::direct;
  std::optional<double> expected_seconds = {};  ///< none where the method does not do this filter
  std::optional<double> measured_seconds = {};  ///< where such a job has been timed on this machine
  std::string why_not = {};  ///< why it is not among those to choose from, in a few words; empty where it is
};

/// What one run may be given.
struct RunOptions {
  Stream stream = {};
  std::span<std::byte> workspace = {};  ///< at least `workspace_bytes()`, 64-byte aligned; none: from the library's pool
};

/// A prepared job. Immutable: any number of threads may run one plan at once, each with a workspace of its own.
class Plan {
 public:
  /// Checks everything that does not depend on pixels. Throws `Error` with the sentence that says what is
  /// wrong. Cost: microseconds unless `Options::tune` asks for more.
  explicit Plan(const PlanSpec& spec);

  /// The shape and pixel of each output, and how many outputs there are.
  const Shape& output_shape() const;
  Pixel output_pixel() const;
  std::size_t outputs() const;

  /// Filters `in` into `out`. Both must have the plan's shapes and pixels and lie in memory of the plan's device; they must not
  /// overlap (filtering in place would read pixels already replaced). Strides are free, but each element of an output needs bytes of
  /// its own.
  /// Which kernels run depends on how the images lie: a crop or channels in planes may come out different from a packed copy in the
  /// last bits, both within `error_bound`. The same images give the same bits, with any number of threads.
  void run(ConstView in, View out, RunOptions options = {}) const;
  void run(ConstView in, std::span<const View> outs, RunOptions options = {}) const;

  /// Scratch bytes that one run needs.
  std::size_t workspace_bytes() const;
  /// Bytes that stay taken while the plan lives: weights, and the spectra and roots of transforms; small tables are not counted.
  std::size_t constant_bytes() const;
  /// The methods chosen, one a filter.
  const std::vector<Method>& methods() const;
  /// What a run should take, of all filters together as if each were by itself: what was measured of such a
  /// job on this machine, else what is expected. Without what a run waits for: transfers, threads that are
  /// busy, the start of a device.
  double expected_seconds() const;
  /// Largest possible difference, before rounding to the output pixel, from exact arithmetic on the filter's weights, for inputs
  /// (the border's constant among them) of magnitude at most `max_abs`: derived, c · ε · Σ|w| · max|x| in shape, c between half of the
  /// taps, where weights are equal, and all of them, where one outweighs the others. Of a direct filter over integers it knows as well
  /// where sums round by less, for whatever such pixels can hold; what fixed point (u8) leaves out, at most 1/16 level; and
  /// what is lost where numbers too small to be normal are taken as 0: a few of the least normal number for each tap. It
  /// holds where Σ|w| · max|x| is finite in the type of sums, and of a magnitude where its square is a normal number of f64.
  ///
  /// Of method fft it is norm-wise, of a tile: c · ε · log2(N) · ‖w‖₂ · √N · max|x| in shape, N the samples of a tile, c some 4
  /// (core/transform.h). Of floats at accuracy exact an output is off by `error_bound(4 · ‖x‖₂ of its box)` (core/own_box.h).
  double error_bound(double max_abs) const;
  /// All methods that the device offers, for each filter: the one chosen, then the others, best first, by
  /// what was measured where the plan measures, else by what is expected; last those that are not to choose
  /// from. Cost: as much as making the plan by estimate.
  std::vector<std::vector<RankedMethod>> ranking() const;
  /// What will be done and why, in a few lines: for each filter its method with the time expected of it and,
  /// where one is known, measured, each filter by itself, and below it the other methods of the device as
  /// `ranking` has them, a line each; then the family of kernels that does the job, and of those passed over
  /// what they were expected to take or why they do not do it.
  std::string explain() const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace halation
