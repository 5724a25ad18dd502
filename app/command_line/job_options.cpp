// job_options.cpp: the options that say what is done to every image.
#include "job_options.h"

#include <algorithm>

#include "arguments.h"
#include "halation/error.h"
#include "memory_option.h"

namespace halation::app {

JobOptions::JobOptions(Command& command, Of what) : filter_options_(command) {
  const bool of_images = what == Of::images;
  command.positional("filter", filter_, "FILTER",
                     "a filter's name (see halation filters), custom with --weights, or a chain of filters with their parameters, "
                     "\"gaussian sigma=2 | edges\", rounded once, at the end");

  OptionGroup how = command.group("How it is applied");
  how.text("--border", border_, "constant|replicate|reflect|reflect101|wrap",
           "what lies outside the image, one for all axes, or one each for height,width or depth,height,width [reflect101]");
  how.text("--border-value", border_value_, "V", "the value of the border constant, in levels of the pixels [0]");
  if (of_images) {
    how.text("--extent", extent_, "same|valid|full",
             "which outputs exist: one for each pixel, those with the whole filter inside, all that it touches [same]");
    how.text("--anchor", anchor_, "Y,X",
             "the tap over the output pixel, counted from 0; X in 1D, Z,Y,X in 3D [the middle, n/2 rounded down]");
  }
  how.flag("--correlate", correlate_, "correlate in place of convolving (named filters give the same either way)");
  how.text("--scale", scale_, "S", "S in out = round(S · sum + O) [1]");
  how.text("--offset", offset_, "O", "O in out = round(S · sum + O), in levels of the pixels [0]");
  if (of_images) {
    how.text("--output-pixel", output_pixel_, "u8|u16|i16|f16|f32|f64|i8|u32|i32|u64|i64|c64|c128",
             "pixels of the result; values stay as they are unless --scale brings them to another range "
             "[those of the input]");
    how.text("--rounding", rounding_, "half_even|truncate", "how sums become integers [half_even]");
  }
  how.text("--view", view_, "signed|abs|stretch",
           "what the picture shows of results that its pixels cannot hold: zero as middle grey, all others as far from it as the "
           "weights make sure that nothing is lost (--scale adds contrast); magnitudes; or all from the smallest to the largest of "
           "a page or frame. Alpha stays, chroma of a video is as without [values, rounded and saturated]");
  if (of_images) {
    how.text("--sum", sum_, "automatic|f64",
             "precision of sums: automatic is f32 where that is enough, of u8 also fixed point, off by 1/16 of a level at "
             "most [automatic]");

    OptionGroup colours = command.group("Colour");
    colours.flag("--linear", linear_, "filter in linear light: sRGB is decoded, filtered and encoded again");
    colours.flag("--gray", gray_, "filter the luma 0.299 R + 0.587 G + 0.114 B; the result is gray");
  }

  OptionGroup machine = command.group("Machine");
  machine.text("--device", device_, "auto|cpu|cuda|reference",
               "where to compute; cuda:1 is the second GPU; of cuda:0,cuda:1, and cuda:all, each takes strips of large files, "
               "frames or files in turn; auto takes what ends soonest, start-up and transfers included [auto]");
  machine.text("--accuracy", accuracy_, "exact|fast",
               "fast allows errors of up to 1/1024 of the brightest, where that is quicker: large smooth filters such as Gaussians, at a cost "
               "that hardly depends on their size, and on a GPU weights along both axes of pixels in floats [exact]");
  if (of_images)
    machine.text(
        "--tune", tune_, "estimate|measure",
        "how the quickest method is found: from figures of the device, or by timing each one first, which "
        "takes as long as a few runs and pays for files of many pages [estimate]");
  machine.text("--threads", threads_, "N", "CPU threads, 0 for as many as HALATION_THREADS says, or all [0]");
  if (of_images) add_memory_option(machine);
}

Job JobOptions::job() const {
  Job job{.chain = filter_options_.chain(filter_)};
  if (anchor_) job.anchor = anchor_from(*anchor_);
  if (anchor_ && job.chain.stages.size() > 1)
    throw Error{ErrorCode::invalid_argument, "--anchor goes with one filter, got a chain of " + std::to_string(job.chain.stages.size())};

  const double value = border_value_ ? number_from("--border-value", *border_value_) : 0;
  if (border_) job.borders = borders_from(*border_, value);
  const auto is_constant = [](const Border& border) { return border.mode == Border::Mode::constant; };
  if (border_value_ && std::none_of(job.borders.begin(), job.borders.end(), is_constant))
    throw Error{ErrorCode::invalid_argument, "--border-value goes with --border constant"};

  Options& options = job.options;
  if (extent_) options.extent = extent_named(*extent_);
  if (correlate_) options.operation = Operation::correlation;
  if (output_pixel_) options.output = pixel_named(*output_pixel_);
  if (scale_) options.scale = number_from("--scale", *scale_);
  if (offset_) options.offset = number_from("--offset", *offset_);
  if (view_) job.view = display_named(*view_);
  if (rounding_) options.rounding = rounding_from(*rounding_);
  if (sum_) options.sum = sum_from(*sum_);
  if (threads_)
    options.threads = static_cast<int>(whole_number_from("--threads", *threads_, 0, 1024));
  if (accuracy_) options.accuracy = accuracy_named(*accuracy_);
  if (tune_) options.tune = tune_named(*tune_);
  if (device_) {
    const std::vector<Device> devices = devices_from(*device_);
    if (!devices.empty()) {
      job.device = devices.front();
      job.more_gpus.assign(devices.begin() + 1, devices.end());
    }
  }
  job.linear = linear_;
  job.gray = gray_;
  return job;
}

}  // namespace halation::app
