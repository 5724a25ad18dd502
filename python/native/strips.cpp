// strips.cpp: filters over arrays of any numbers and any axes, in f64, a strip at a time.
//
// A strip of the input, with what lies outside of it where the filter needs that, is read into packed f64, filtered there, by a plan,
// tap by tap or as a window, and its sums are written as the output's numbers. Strips lie in the caches from the first step to
// the last, and each thread takes the next one when it is done. Threads are started for a call and end with it, so none is missing
// after a fork.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "any_side.h"
#include "gil.h"
#include "module.h"
#include "sum_taps.h"
#include "text.h"

namespace halation::python {
namespace {

/// Axes that lie one inside the other in both arrays become one; there are always two at the end. Of elements that lie one after
/// another inside the innermost axis with sources each source has as many.
std::vector<Step> joined(const std::vector<Step>& steps) {
  std::vector<Step> made;
  for (const Step& step : steps) {
    if (step.n == 1 && step.sources == nullptr) continue;
    const bool inside = !made.empty() && step.sources == nullptr && made.back().from == step.from * step.n &&
                        made.back().to == step.to * step.n;
    if (inside && made.back().sources == nullptr) {
      made.back() = {.n = made.back().n * step.n, .from = step.from, .to = step.to};
    } else {
      made.push_back(step);
    }
  }
  if (made.empty()) made.push_back({.n = 1, .from = 1, .to = 1});
  if (made.size() > 1 && made.back().sources == nullptr && made[made.size() - 2].sources != nullptr) {
    const Step inner = made.back();
    Step& outer = made[made.size() - 2];
    if (outer.from == inner.from * inner.n && outer.to == inner.to * inner.n) {
      outer.unit = inner.n;
      outer.from = inner.from;
      outer.to = inner.to;
      made.pop_back();
    }
  }
  if (made.size() == 1) made.insert(made.begin(), Step{.n = 1, .from = 0, .to = 0});
  return made;
}

/// Reads elements into packed f64.
class Gather {
 public:
  Gather(Number number, std::vector<Step> steps, double constant)
      : number_(number), steps_(std::move(steps)), constant_(constant) {
    cut_rows();
  }

  void run(const std::byte* from, double* to) const { walk(0, from, to); }

 private:
  void walk(std::size_t level, const std::byte* from, double* to) const {
    const Step& step = steps_[level];
    if (level + 2 == steps_.size()) return read_numbers(number_, from, step, steps_.back(), runs_, constant_, to);
    for (std::int64_t i = 0; i < step.n; ++i) {
      const std::int64_t source = step.sources == nullptr ? i : step.sources[i];
      if (source < 0) {
        std::fill_n(to + i * step.to, step.to, constant_);
      } else {
        walk(level + 1, from + source * step.from, to + i * step.to);
      }
    }
  }

  void cut_rows() {
    const Step& step = steps_.back();
    if (step.sources == nullptr) runs_.push_back({.first = 0, .way = 1, .to = 0, .n = step.n});
    for (std::int64_t i = 0; step.sources != nullptr && i < step.n;) {
      const std::int64_t first = step.sources[i];
      const std::int64_t next = i + 1 < step.n ? step.sources[i + 1] : first;
      const std::int64_t way = first >= 0 && next >= 0 && std::abs(next - first) <= 1 ? next - first : 0;
      std::int64_t end = i + 1;
      while (end < step.n && step.sources[end] == first + (end - i) * way) ++end;
      runs_.push_back({.first = first, .way = way, .to = i, .n = end - i});
      i = end;
    }
    std::ranges::stable_sort(runs_, [](const Run& a, const Run& b) { return a.n * (a.way == 1) > b.n * (b.way == 1); });
  }

  Number number_;
  std::vector<Step> steps_;
  std::vector<Run> runs_;  ///< of the innermost axis
  double constant_;
};

/// Writes sums as elements.
void scatter(const std::vector<Step>& steps, std::size_t level, Number number, const NumberRule& rule, const double* from,
             std::byte* to) {
  const Step& step = steps[level];
  if (level + 2 == steps.size()) return write_numbers(number, rule, from, step, steps.back(), to);
  for (std::int64_t i = 0; i < step.n; ++i) scatter(steps, level + 1, number, rule, from + i * step.from, to + i * step.to);
}

/// Taps of a filter: weights, and how far their elements lie from an output's first.
struct TapList {
  std::vector<double> weights;
  Numbers offsets;

  void add(double weight, std::int64_t offset) {
    weights.push_back(weight);
    offsets.push_back(offset);
  }
  std::int64_t size() const { return static_cast<std::int64_t>(weights.size()); }
};

/// Dense weights along any axes of packed f64 that has all they need on each side. Inner axes are summed as one long row, together
/// with the elements between, which belong to no output, where that is quicker. Weights of 0 are summed only where an element is not
/// finite, of which they make NaN.
class DenseSums {
 public:
  /// All in the order of the packed array of these extents, outermost first; `weights` packed as well, `taps` of them along each axis.
  /// Along an axis of one element all taps read that one.
  DenseSums(const double* weights, const std::vector<std::int64_t>& taps, std::vector<std::int64_t> outputs,
            const std::vector<std::int64_t>& extents)
      : outputs_(std::move(outputs)), strides_(outputs_.size()) {
    for (std::size_t axis = outputs_.size(); axis-- > 0;) {
      strides_[axis] = extents[axis] == 1 ? 0 : elements_;
      elements_ *= extents[axis];
    }
    std::vector<std::int64_t> at(taps.size(), 0);
    std::int64_t count = 1;
    for (const std::int64_t n : taps) count *= n;
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t offset = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis) offset += at[axis] * strides_[axis];
      all_.add(weights[i], offset);
      if (weights[i] != 0) without_zeros_.add(weights[i], offset);
      for (std::size_t axis = at.size(); axis-- > 0 && ++at[axis] == taps[axis];) at[axis] = 0;
    }
    choose_row();
  }

  void run(const double* in, double* out) const {
    const bool needs_zeros = without_zeros_.size() < all_.size() && !are_finite(in, elements_);
    walk(needs_zeros ? all_ : without_zeros_, 0, in, out);
  }

 private:
  /// Of one row beside its sums, and of a vector of sums, for each tap; nanoseconds that were measured on no machine in particular,
  /// only their ratio counts.
  static constexpr double row_cost = 2, vector_cost = 0.4;
  static constexpr std::int64_t lanes = 4;

  void choose_row() {
    std::int64_t rows = 1;
    for (const std::int64_t n : outputs_) rows *= n;
    std::int64_t length = 1;
    double least = static_cast<double>(rows) * (row_cost + vector_cost);
    rows_axes_ = outputs_.size();
    row_ = 1;
    for (std::size_t axis = outputs_.size(); axis-- > 0;) {
      rows /= outputs_[axis];
      length += (outputs_[axis] - 1) * strides_[axis];
      const std::int64_t vectors = (length + lanes - 1) / lanes;
      const double cost = static_cast<double>(rows) * (row_cost + vector_cost * static_cast<double>(vectors));
      if (cost > least) continue;
      least = cost;
      rows_axes_ = axis;
      row_ = length;
    }
  }

  void walk(const TapList& taps, std::size_t axis, const double* in, double* out) const {
    if (axis == rows_axes_) return sum_taps(in, taps.weights.data(), taps.offsets.data(), taps.size(), out, row_);
    for (std::int64_t i = 0; i < outputs_[axis]; ++i) walk(taps, axis + 1, in + i * strides_[axis], out + i * strides_[axis]);
  }

  Numbers outputs_, strides_;
  std::int64_t elements_ = 1;  ///< of the packed array
  TapList all_, without_zeros_;
  std::size_t rows_axes_ = 0;  ///< axes that rows are counted along; those inside of them make the row
  std::int64_t row_ = 1;
};

/// Calls body(0) … body(count − 1), several at once.
template <class Body>
void in_workers(int workers, std::int64_t count, const Body& body) {
  std::atomic<std::int64_t> next = 0;
  std::exception_ptr thrown;
  std::mutex throwing;
  const auto work = [&] {
    try {
      for (std::int64_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      const std::scoped_lock lock(throwing);
      thrown = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> others;
  try {
    for (int i = 1; i < workers; ++i) others.emplace_back(work);
  } catch (...) {  // no more are to be had: those that are do it all
  }
  work();
  for (std::thread& other : others) other.join();
  if (thrown) std::rethrow_exception(thrown);
}

/// By axes: extents of a strip's input and of its outputs, and where these begin among its sums.
using CutWords = std::tuple<Numbers, Numbers, Numbers>;

/// A filter prepared for arrays of given shapes and strides. Immutable; any number of threads may run one.
class Strips {
 public:
  /// `how`: a Call for strips, dense weights in the order of `order`, or (axis, length of a window or matrix).
  Strips(const AnyWords& in, const AnyWords& out, Numbers order, std::vector<Numbers> sources, double constant, const CutWords& cut,
         const Numbers& sums_shape, nb::handle how, const RuleWords& rule, int workers)
      : in_(in), out_(out), order_(std::move(order)), sources_(std::move(sources)), constant_(constant), workers_(workers), rule_(rule_from(rule)) {
    std::tie(strip_in_, strip_out_, lead_) = cut;
    in_strides_ = packed(strip_in_);
    sums_strides_ = packed(sums_shape);
    if (nb::isinstance<Call>(how)) {
      call_ = nb::cast<Call>(how);
    } else if (nb::isinstance<nb::tuple>(how)) {
      const auto words = nb::cast<nb::tuple>(how);
      axis_ = nb::cast<std::size_t>(words[0]);
      if (nb::isinstance<nb::int_>(words[1])) {
        window_ = nb::cast<std::int64_t>(words[1]);
        // A power of 2, which rounds nothing.
        while (window_weight_ * static_cast<double>(window_) > 1) window_weight_ /= 2;
        rule_.scale /= window_weight_;
      } else {
        const Array weights(words[1], Access::read);
        const auto* first = reinterpret_cast<const double*>(weights.data);
        matrix_.assign(first, first + weights.elements());
      }
      for (std::int64_t i = 0; i < strip_in_[axis_]; ++i) lines_.push_back(i * in_strides_.strides[axis_]);
    } else {
      const Array weights(how, Access::read);
      Numbers taps, outputs, extents;
      for (const std::int64_t at : order_) {
        const auto i = static_cast<std::size_t>(at);
        taps.push_back(weights.shape[taps.size()]);
        outputs.push_back(strip_out_[i]);
        extents.push_back(strip_in_[i]);
      }
      dense_.emplace(reinterpret_cast<const double*>(weights.data), taps, std::move(outputs), extents);
    }
  }

  /// False where an array is not as this call expects it (nothing has been done then).
  bool run(nb::handle in, nb::handle out) const {
    const Array from(in, Access::read);
    const Array to(out, Access::write);
    if (!in_.fits(from) || !out_.fits(to)) return false;
    const WithoutGil released;
    std::int64_t strips = 1;
    for (std::size_t i = 0; i < strip_out_.size(); ++i) strips *= (out_.shape[i] + strip_out_[i] - 1) / strip_out_[i];
    in_workers(static_cast<int>(std::min<std::int64_t>(workers_, strips)), strips, [&](std::int64_t i) {
      thread_local Room strip, sums;
      run_strip(i, from.data, to.data, strip, sums);
    });
    return true;
  }

 private:
  /// Uninitialised memory of a thread.
  class Room {
   public:
    double* of(std::int64_t elements) {
      if (elements > elements_) {
        memory_.reset();
        memory_.reset(new double[static_cast<std::size_t>(elements)]);
        elements_ = elements;
      }
      return memory_.get();
    }
    /// What is larger than a strip's is not kept.
    void trim(std::int64_t most) {
      if (elements_ <= most) return;
      memory_.reset();
      elements_ = 0;
    }

   private:
    std::unique_ptr<double[]> memory_;
    std::int64_t elements_ = 0;
  };
  static constexpr std::int64_t most_kept = std::int64_t{1} << 18;

  /// Strides of a packed array of these extents in `order_`, by the array's axes, and the number of all elements.
  struct Packed {
    Numbers strides;
    std::int64_t elements = 1;
  };
  Packed packed(const Numbers& extents) const {
    Packed made{.strides = Numbers(extents.size())};
    for (std::size_t at = order_.size(); at-- > 0;) {
      const auto axis = static_cast<std::size_t>(order_[at]);
      made.strides[axis] = made.elements;
      made.elements *= extents[axis];
    }
    return made;
  }

  /// The last strip along an axis begins earlier, to be as long as the others, and writes what those have left.
  void run_strip(std::int64_t index, const std::byte* from, std::byte* to, Room& strip_room, Room& sums_room) const {
    double* strip = strip_room.of(in_strides_.elements + sum_slack);
    double* sums = sums_room.of(std::max(in_strides_.elements, sums_strides_.elements) + sum_slack);
    const double* done = sums;
    std::vector<Step> steps, back;
    for (const std::int64_t at : order_) {
      const auto i = static_cast<std::size_t>(at);
      const std::int64_t count = (out_.shape[i] + strip_out_[i] - 1) / strip_out_[i];
      const std::int64_t first = index % count * strip_out_[i];
      index /= count;
      const std::int64_t begin = std::min(first, out_.shape[i] - strip_out_[i]);
      const std::int64_t* sources = sources_[i].empty() ? nullptr : sources_[i].data() + begin;
      steps.push_back({.n = strip_in_[i], .from = in_.strides[i], .to = in_strides_.strides[i], .sources = sources});
      if (sources == nullptr) from += begin * in_.strides[i];
      back.push_back({.n = begin + strip_out_[i] - first, .from = sums_strides_.strides[i], .to = out_.strides[i]});
      done += (lead_[i] + first - begin) * sums_strides_.strides[i];
      to += first * out_.strides[i];
    }
    Gather(in_.number, joined(steps), constant_).run(from, strip);
    if (call_) {
      call_->run_at(reinterpret_cast<const std::byte*>(strip), cpu(), reinterpret_cast<std::byte*>(sums), cpu(), 0);
    } else if (dense_) {
      dense_->run(strip, sums);
    } else {
      along_axis(strip, sums);
    }
    scatter(joined(back), 0, out_.number, rule_, done, to);
    strip_room.trim(most_kept);
    sums_room.trim(most_kept);
  }

  /// A window, or a matrix, along one axis. Sums of a window lie as the strip does.
  void along_axis(const double* strip, double* sums) const {
    const std::int64_t inner = in_strides_.strides[axis_];
    const std::int64_t lines = strip_in_[axis_], made = strip_out_[axis_];
    const std::int64_t blocks = in_strides_.elements / (lines * inner);
    if (window_ > 0) return window_sums(strip, window_, window_weight_, sums, made, inner, blocks, lines * inner);
    for (std::int64_t block = 0; block < blocks; ++block) {
      const double* from = strip + block * lines * inner;
      double* to = sums + block * made * inner;
      // All sums of some columns while those are near, the last columns first: what is written behind them is written again.
      for (std::int64_t first = (inner - 1) / near * near; first >= 0; first -= near) {
        const std::int64_t columns = std::min(near, inner - first);
        for (std::int64_t i = 0; i < made; ++i) {
          sum_taps(from + first, matrix_.data() + i * lines, lines_.data(), lines, to + i * inner + first, columns);
        }
      }
    }
  }
  static constexpr std::int64_t near = 64;

  AnySide in_, out_;
  Numbers order_;
  std::vector<Numbers> sources_;  ///< by axes: where each element of a strip is read, empty where they are read one after another
  double constant_;
  Numbers strip_in_, strip_out_, lead_;
  int workers_;
  NumberRule rule_;
  Packed in_strides_, sums_strides_;
  std::optional<Call> call_;
  std::optional<DenseSums> dense_;
  std::size_t axis_ = 0;         ///< where there are neither, the one that is filtered along:
  std::int64_t window_ = 0;      ///< elements of a window, or 0,
  double window_weight_ = 1;     ///< what they weigh in its sum, and
  std::vector<double> matrix_;   ///< a row for each output, a column for each line of the strip,
  Numbers lines_;                ///< and where those begin
};

}  // namespace

void bind_strips(nb::module_& module) {
  nb::class_<Strips>(module, "Strips", "A filter in f64 over arrays of any numbers, strip by strip; see strips.cpp.")
      .def(nb::init<const AnyWords&, const AnyWords&, Numbers, std::vector<Numbers>, double, const CutWords&, const Numbers&,
                    nb::handle, const RuleWords&, int>(),
           nb::arg("input"), nb::arg("output"), nb::arg("order"), nb::arg("sources"), nb::arg("constant"), nb::arg("cut"),
           nb::arg("sums_shape"), nb::arg("how"), nb::arg("rule"), nb::arg("workers"))
      .def("run", &Strips::run, nb::arg("input"), nb::arg("output"),
           "Filters one array into another; False, with nothing done, where one of them is not as this call expects it.");
}

}  // namespace halation::python
