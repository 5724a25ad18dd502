// colour.cpp: pixels become light, luma, premultiplied floats; are filtered; become pixels, rounded once.
#include "pipeline/colour/colour.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/border_index.h"
#include "core/convert.h"
#include "core/figures_text.h"
#include "core/threads.h"
#include "halation/error.h"
#include "halation/strips.h"
#include "halation/threads.h"
#include "pipeline/chain/prepared_chain.h"
#include "pipeline/colour/light.h"
#include "pipeline/strips.h"
#include "plan/methods/methods.h"

namespace halation {

extern const char* const figures_colour_zen4;  // made by CMake of src/pipeline/figures/

namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error{ErrorCode::invalid_argument, sentence}; }

/// What stands for 1, in light and in alpha.
double full_scale(Pixel pixel) { return is_float(pixel) ? 1 : largest(pixel); }

constexpr std::int64_t worth_a_table = 1 << 18;  // samples, below which a table of their levels takes longer than they do

/// Calls body(b, z, y) for each row. At most `threads` run at once, in the caller's oneTBB arena; 0:
/// `available_threads()`.
template <class Body>
void for_each_row(const Shape& shape, int threads, const Body& body) {
  const std::int64_t rows = shape.batch * shape.depth * shape.height;
  constexpr std::int64_t worth_threads = 1 << 16;  // elements, below which starting threads costs too much
  std::int64_t blocks = threads > 0 ? threads : available_threads();
  if (threads == 0 && blocks == arena_threads()) blocks *= 4;  // no more threads than that run them
  if (shape.elements() < worth_threads) blocks = 1;
  const auto run_block = [&](std::int64_t block) {
    for (std::int64_t row = rows * block / blocks; row < rows * (block + 1) / blocks; ++row) {
      const std::int64_t plane = row / shape.height;
      body(plane / shape.depth, plane % shape.depth, row % shape.height);
    }
  };
  if (blocks == 1) return run_block(0);  // does not touch oneTBB
  in_threads(blocks, run_block);
}

/// Address of an element of channel 0 in a row.
template <class AnyView>
auto* row_of(const AnyView& view, std::int64_t b, std::int64_t z, std::int64_t y) {
  return view.data + b * view.strides.batch + z * view.strides.depth + y * view.strides.height;
}

template <class T>
T load(const std::byte* from) {
  T element;
  std::memcpy(&element, from, sizeof element);
  return element;
}

/// Light in [0, 1] of every value of an integer pixel, the least value first.
template <class T>
const std::vector<double>& light_of_levels() {
  const HoldsForks held;  // until the table is made
  static const std::vector<double> table = [] {
    std::vector<double> light;
    for (int value = std::numeric_limits<T>::min(); value <= std::numeric_limits<T>::max(); ++value)
      light.push_back(srgb_decode(value / static_cast<double>(std::numeric_limits<T>::max())));
    return light;
  }();
  return table;
}

/// Elements of type T as the numbers that are filtered, as `Sum`: light in [0, 1] where asked for, else the
/// values as they are.
template <class T, class Sum>
class Decoder {
 public:
  explicit Decoder(bool linear) : linear_(linear) {
    if constexpr (std::is_integral_v<T>) {
      if (linear) light_ = light_of_levels<T>().data() - std::numeric_limits<T>::min();
    }
  }
  double operator()(T element) const {
    if constexpr (std::is_integral_v<T>) return linear_ ? light_[element] : element;
    const auto value = static_cast<double>(element);
    if (!linear_) return value;
    return std::is_same_v<Sum, double> ? srgb_decode(value) : quick_light_.decode(value);
  }

 private:
  bool linear_;
  const double* light_ = nullptr;  ///< of 0
  const QuickLight& quick_light_ = quick_light();
};

/// Nanoseconds a sample, on one thread.
struct SampleFigures {
  double looked_up = 0, by_polynomial = 0, by_power = 0;

  SampleFigures() {
    set_figures({&looked_up, &by_polynomial, &by_power}, figure_lines(figures_colour_zen4).front());
  }
};

std::int64_t colours_filtered(const Shape& shape, const ColourOptions& colour) {
  return colour.gray ? 1 : shape.channels - (colour.alpha ? 1 : 0);
}

/// The image as it is filtered, in float or double: colours (or luma) premultiplied, and alpha in [0, 1].
struct Work {
  Image colours;
  Image alpha;         ///< empty where there is none, or where it is 1 everywhere
  bool divide = true;  ///< whether filtered colours are still to be divided by filtered alpha
};

/// Fills `to_colours` and, where the image has alpha, `to_alpha`; whether alpha is 1 everywhere.
template <class T, class Sum>
bool decode(const ConstView& in, const ColourOptions& colour, int threads, const View& to_colours, const View& to_alpha) {
  const std::int64_t colours = in.shape.channels - (colour.alpha ? 1 : 0);
  const Decoder<T, Sum> light_of(colour.linear);
  const double opaque = full_scale(in.pixel);
  const bool is_packed = in.strides.channels == sizeof(T) && in.strides.width == colours * static_cast<std::int64_t>(sizeof(T));
  std::atomic<bool> all_opaque{true};
  for_each_row(in.shape, threads, [&](std::int64_t b, std::int64_t z, std::int64_t y) {
    const std::byte* from = row_of(in, b, z, y);
    auto* to = reinterpret_cast<Sum*>(row_of(to_colours, b, z, y));
    auto* alpha_to = colour.alpha ? reinterpret_cast<Sum*>(row_of(to_alpha, b, z, y)) : nullptr;
    if (is_packed && !colour.alpha && !colour.gray) {
      const auto* first = reinterpret_cast<const T*>(from);
      std::transform(first, first + in.shape.width * colours, to, [&](T element) { return static_cast<Sum>(light_of(element)); });
      return;
    }
    for (std::int64_t x = 0; x < in.shape.width; ++x, from += in.strides.width) {
      const auto channel = [&](std::int64_t c) { return load<T>(from + c * in.strides.channels); };
      double alpha = 1;
      if (colour.alpha) {
        alpha = static_cast<double>(channel(colours)) / opaque;
        *alpha_to++ = static_cast<Sum>(alpha);
        if (alpha != 1) all_opaque.store(false, std::memory_order_relaxed);
      }
      if (colour.gray) {
        const double luma = 0.299 * light_of(channel(0)) + 0.587 * light_of(channel(1)) + 0.114 * light_of(channel(2));
        *to++ = static_cast<Sum>(alpha * luma);
      } else {
        for (std::int64_t c = 0; c < colours; ++c) *to++ = static_cast<Sum>(alpha * light_of(channel(c)));
      }
    }
  });
  return all_opaque;
}

template <class Sum>
bool decode(const ConstView& in, const ColourOptions& colour, int threads, const View& to_colours, const View& to_alpha = {}) {
  return visit_pixel(in.pixel, [&](auto element) { return decode<decltype(element), Sum>(in, colour, threads, to_colours, to_alpha); });
}

template <class Sum>
Work decoded(const ConstView& in, const ColourOptions& colour, int threads) {
  Shape shape = in.shape;
  shape.channels = colours_filtered(in.shape, colour);
  Work work{.colours = Image(shape, PixelOf<Sum>::value), .alpha = {}};
  shape.channels = 1;
  if (colour.alpha) work.alpha = Image(shape, PixelOf<Sum>::value);
  if (decode<Sum>(in, colour, threads, work.colours.view(), work.alpha.view())) work.alpha = {};
  return work;
}

/// What has been filtered, on its way back to pixels.
struct Filtered {
  ConstView colours;
  ConstView alpha;     ///< none where it is 1 everywhere
  bool divide = true;  ///< whether colours are still to be divided by alpha
};

/// Pixels of type T: divided by alpha, and what `encoded` makes of that.
template <class T, class Sum, class Encoded>
void encode(const Filtered& filtered, const View& out, int threads, bool has_alpha, const Encoded& encoded) {
  const bool blended = filtered.alpha.data != nullptr;
  const double unit = full_scale(out.pixel);
  const std::int64_t colours = filtered.colours.shape.channels;
  for_each_row(out.shape, threads, [&](std::int64_t b, std::int64_t z, std::int64_t y) {
    const auto* from = reinterpret_cast<const Sum*>(row_of(filtered.colours, b, z, y));
    const auto* alpha_from = blended ? reinterpret_cast<const Sum*>(row_of(filtered.alpha, b, z, y)) : nullptr;
    auto* to = reinterpret_cast<T*>(row_of(out, b, z, y));
    if (!has_alpha) {
      std::transform(from, from + out.shape.width * colours, to, encoded);
      return;
    }
    for (std::int64_t x = 0; x < out.shape.width; ++x) {
      const double alpha = blended ? *alpha_from++ : 1.0;
      for (std::int64_t c = 0; c < colours; ++c) {
        double value = *from++;
        if (filtered.divide) value /= alpha;
        *to++ = encoded(alpha <= 0 ? 0 : value);
      }
      *to++ = to_element<T>(unit * alpha, Rounding::half_even);
    }
  });
}

template <class T, class Sum>
void encode(const Filtered& filtered, const View& out, const Options& options, const ColourOptions& colour) {
  const Encoding by{.unit = full_scale(out.pixel), .scale = options.scale, .offset = options.offset, .rounding = options.rounding};
  const auto encode_by = [&](const auto& encoded) { encode<T, Sum>(filtered, out, options.threads, colour.alpha, encoded); };
  if (!colour.linear) return encode_by([by](double value) { return to_element<T>(by.scale * value + by.offset, by.rounding); });
  if constexpr (std::is_same_v<Sum, float> && std::is_same_v<T, std::uint8_t>) {
    if (filtered.alpha.data == nullptr && out.shape.elements() >= worth_a_table) return encode_by(ByteTable(by));
  }
  if constexpr (std::is_same_v<Sum, float> || std::is_integral_v<T>) {
    encode_by([by, &quick = quick_light()](double value) { return quickly_encoded<T>(value, by, quick); });
  } else {
    encode_by([by](double value) { return exactly_encoded<T>(value, by); });
  }
}

template <class Sum>
void encode(const Filtered& filtered, const View& out, const Options& options, const ColourOptions& colour) {
  visit_pixel(out.pixel, [&](auto element) { encode<decltype(element), Sum>(filtered, out, options, colour); });
}

/// Σw, or nothing where alpha must stay as it is: weights that cancel, so that (w * A)/Σw would be noise, and
/// magnitudes.
std::optional<double> gain(const FilterSet& filter) {
  if (filter.combine != Combine::none) return {};
  const Filter& only = filter.filters.front();
  const auto total = [](std::span<const double> weights) {
    return std::accumulate(weights.begin(), weights.end(), 0.0,
                           [](double sum, double weight) { return sum + std::abs(weight); });
  };
  double magnitude = 1;
  if (only.factors()) {
    for (const std::span<const double> factor : only.factors()->axes()) magnitude *= total(factor);
  } else {
    magnitude = total(only.weights());
  }
  const double sum = only.sum();
  if (std::abs(sum) <= magnitude / 256) return {};
  return sum;
}

/// A weight of 1 at the filter's anchor amid zeros: cuts or widens an image as the filter does, and changes
/// nothing else.
Filter anchor_of(const Filter& filter) {
  const auto unit = [](std::int64_t taps, std::int64_t place) {
    std::vector<double> weights(taps, 0.0);
    weights[place] = 1;
    return weights;
  };
  const FilterSize size = filter.size();
  const Anchor anchor = filter.anchor();
  const Filter picked =
      Filter::separable({.z = unit(size.depth, anchor.z), .y = unit(size.height, anchor.y), .x = unit(size.width, anchor.x)})
          .with_anchor(anchor);
  return filter.is_correlation() ? picked.as_correlation() : picked;
}

/// Filters the alpha of `work`; `options` are those of the work, with borders of 1.
void filter_alpha(Work& work, const FilterSet& filter, Options options, Device device, TransferTimes* times) {
  const std::optional<double> sum = gain(filter);
  work.divide = sum.has_value();
  if (sum) {
    options.scale = 1 / *sum;
    work.alpha = convolve_on(device, work.alpha, filter, options, times);
  } else if (options.extent != Extent::same) {
    work.alpha = convolve_on(device, work.alpha, anchor_of(filter.filters.front()), options, times);
  }
}

/// `borders` with each constant replaced by `change` of it.
template <class Change>
Borders with_constants(Borders borders, const Change& change) {
  for (Border* const border : {&borders.z, &borders.y, &borders.x}) {
    if (border->mode == Border::Mode::constant) border->value = change(border->value);
  }
  return borders;
}

void check_input(const ConstView& in, const ColourOptions& colour) {
  const std::int64_t colours = in.shape.channels - (colour.alpha ? 1 : 0);
  if (!is_native(in.pixel)) {
    refuse("alpha, linear light and gray need pixels u8, u16, i16, f16, f32 or f64, got " +
           std::string(name_of(in.pixel)));
  }
  if (colours < 1) refuse("alpha needs a colour beside it, got an image of 1 channel");
  if (colour.gray && colours != 3) refuse("gray needs 3 colours, got " + std::to_string(colours));
  if (in.data == nullptr) refuse("input has no data");
  if (!shares_memory(in.device, cpu())) {
    refuse("alpha, linear light and gray need an image in host memory, got one on " + name_of(in.device));
  }
}

/// Colours as they are multiplied by alpha again, where a stage that cancels has left them straight; none where alpha is 0.
template <class Sum>
void premultiply(Work& work, int threads) {
  const View colours = work.colours.view();
  const ConstView alphas = work.alpha.view();
  const bool is_straight = !work.divide;
  for_each_row(colours.shape, threads, [&](std::int64_t b, std::int64_t z, std::int64_t y) {
    auto* to = reinterpret_cast<Sum*>(row_of(colours, b, z, y));
    const auto* from = reinterpret_cast<const Sum*>(row_of(alphas, b, z, y));
    for (std::int64_t x = 0; x < colours.shape.width; ++x, ++from) {
      for (std::int64_t c = 0; c < colours.shape.channels; ++c, ++to) {
        if (is_straight) *to *= *from;
        if (*from <= 0) *to = 0;
      }
    }
  });
}

/// How the image is cut so that floats between the steps need not be a whole image: a strip of them stays in
/// caches, and memory that was never used takes long to come. Nothing where cutting could change a bit of the
/// result: where methods, and sums with them, depend on the size or the place.
std::optional<Strips> strips_of(const ConstView& in, const CheckedChain& checked, const Options& inner, const ColourOptions& colour,
                                Device device) {
  const std::size_t axis = axis_of_parts(in.shape);
  const bool wraps = is_periodic(inner.border.axes()[axis].mode);
  if (device.kind != Device::Kind::cpu || colour.alpha || in.shape.batch != 1 || wraps || axis != axis_of_parts(checked.out)) return {};
  Shape shape = in.shape;
  shape.channels = colours_filtered(shape, colour);
  const std::int64_t samples = shape.elements() / length_of(shape);
  const double bytes = static_cast<double>(samples) * static_cast<double>(bytes_of(*inner.output));
  const Strips strips({.input = length_of(shape), .output = length_of(checked.out), .input_bytes = bytes, .output_bytes = bytes},
                      checked.reach, wraps, {.device = device.kind});
  if (strips.count() == 1) return {};
  const auto methods = [&](const Shape& extents) {
    const PreparedChain prepared(extents, *inner.output, checked.chain, device, inner);
    std::vector<Method> all;
    for (const Plan& plan : prepared.plans()) all.insert(all.end(), plan.methods().begin(), plan.methods().end());
    return all;
  };
  const std::vector<Method> of_all = methods(shape);
  const bool by_taps = std::all_of(of_all.begin(), of_all.end(), [](Method method) {
    const Form form = record_of(method).form;
    return form == Form::dense || form == Form::factors;
  });
  if (!by_taps || methods(with_length(shape, strips.length())) != of_all) return {};
  return strips;
}

template <class Sum>
void convolve_strips(const ConstView& in, const View& out, const CheckedChain& checked, const Options& options, const Options& inner,
                     const ColourOptions& colour, Device device, const Strips& strips) {
  Shape shape = with_length(in.shape, strips.length());
  shape.channels = colours_filtered(shape, colour);
  const PreparedChain prepared(shape, PixelOf<Sum>::value, checked.chain, device, inner);
  Image light(shape, PixelOf<Sum>::value);
  Image filtered(prepared.output_shape(), PixelOf<Sum>::value);
  std::vector<Image> between = prepared.images_between();
  for (std::int64_t i = 0; i < strips.count(); ++i) {
    const Strip strip = strips.at(i);
    decode<Sum>(part_of(in, strip.first, strips.length()), colour, options.threads, light.view());
    prepared.run(light, filtered.view(), between);
    encode<Sum>({.colours = part_of(ConstView(filtered), strip.skipped, strip.outputs), .alpha = {}},
                part_of(out, strip.output, strip.outputs), options, colour);
  }
}

template <class Sum>
Image convolve_with(ConstView in, const CheckedChain& checked, const Options& options, const ColourOptions& colour, Device device,
                    TransferTimes* times) {
  Shape shape = checked.out;
  shape.channels = colours_filtered(shape, colour) + (colour.alpha ? 1 : 0);
  const Options inner = options_between(options, in.pixel, colour);
  if (const std::optional<Strips> strips = strips_of(in, checked, inner, colour, device)) {
    Image out(shape, checked.out_pixel);
    convolve_strips<Sum>(in, out.view(), checked, options, inner, colour, device, *strips);
    return out;
  }
  Work work = decoded<Sum>(in, colour, options.threads);
  if (work.alpha.empty()) {
    work.colours = convolve_on(device, work.colours, checked.chain, inner, times);
  } else {
    Options of_alpha = inner;
    of_alpha.border = with_constants(options.border, [](double) { return 1.0; });
    for (const FilterSet& stage : checked.chain.stages) {
      if (&stage != &checked.chain.stages.front()) premultiply<Sum>(work, options.threads);
      filter_alpha(work, stage, of_alpha, device, times);
      work.colours = convolve_on(device, work.colours, stage, inner, times);
    }
  }
  Image out(shape, checked.out_pixel);
  encode<Sum>({.colours = work.colours, .alpha = work.alpha.empty() ? ConstView{} : ConstView(work.alpha), .divide = work.divide},
              out.view(), options, colour);
  return out;
}

}  // namespace

void check_saturates(const Options& options, const std::string& what) {
  if (options.overflow == Overflow::wrap)
    refuse(what + " saturate integers; Overflow::wrap goes with filtering only");
}

Options options_between(const Options& options, Pixel input, const ColourOptions& colour) {
  Options inner = options;
  const bool in_f64 = input == Pixel::f64 || options.output.value_or(input) == Pixel::f64 || options.sum == Sum::f64;
  inner.output = in_f64 ? Pixel::f64 : Pixel::f32;
  inner.scale = 1;
  inner.offset = 0;
  inner.border =
      with_constants(options.border, [&](double value) { return colour.linear ? srgb_decode(value / full_scale(input)) : value; });
  return inner;
}

double expected_colour_seconds(const Shape& in, Pixel in_pixel, const Shape& out, Pixel out_pixel, const ColourOptions& colour,
                               int threads) {
  if (!is_any(colour)) return 0;
  static const SampleFigures figures;
  const auto a_sample = [&](Pixel pixel, bool has_table) {
    return !colour.linear || has_table ? figures.looked_up
           : pixel == Pixel::f64       ? figures.by_power
                                       : figures.by_polynomial;
  };
  const double nanoseconds =
      static_cast<double>(in.elements()) * a_sample(in_pixel, !is_float(in_pixel)) +
      static_cast<double>(out.elements()) * a_sample(out_pixel, out_pixel == Pixel::u8 && !colour.alpha);
  return 1e-9 * nanoseconds / (threads > 0 ? threads : available_threads());
}

Image convolve_colour_on(Device device, ConstView in, const Chain& chain, const Options& options,
                         const ColourOptions& colour, TransferTimes* times) {
  if (!is_any(colour)) return convolve_on(device, in, chain, options, times);

  const CheckedChain checked = check(in.shape, in.pixel, chain, device, options);
  check_input(in, colour);
  check_saturates(options, "alpha, linear light and gray");
  return options_between(options, in.pixel, colour).output == Pixel::f64
             ? convolve_with<double>(in, checked, options, colour, device, times)
             : convolve_with<float>(in, checked, options, colour, device, times);
}

Image convolve_colour(ConstView in, const FilterSet& filter, const Options& options,
                      const ColourOptions& colour, std::optional<Device> device) {
  const Device where = device.value_or(in.device);
  if (!is_any(colour)) return convolve(in, filter, options, where);
  return convolve_colour_on(where, in, filter, options, colour);
}

Image convolve_chain(ConstView in, const Chain& chain, const Options& options, const ColourOptions& colour,
                     std::optional<Device> device) {
  const Device where = device.value_or(in.device);
  if (!is_any(colour)) return convolved(in, chain, options, where);
  return convolve_colour_on(where, in, chain, options, colour);
}

}  // namespace halation
