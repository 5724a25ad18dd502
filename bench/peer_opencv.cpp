// peer_opencv.cpp: OpenCV's C++ library, as this build was linked with it: filter2D, sepFilter2D,
// GaussianBlur, blur and Sobel.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "bench/peer.h"

namespace halation::bench {
namespace {

std::optional<int> depth_of(Pixel pixel) {
  switch (pixel) {
    case Pixel::u8:
      return CV_8U;
    case Pixel::u16:
      return CV_16U;
    case Pixel::i16:
      return CV_16S;
    case Pixel::f32:
      return CV_32F;
    default:
      return std::nullopt;
  }
}

/// OpenCV has no wrap here.
std::pair<int, std::string> border_of(Border border) {
  switch (border.mode) {
    case Border::Mode::constant:
      return {cv::BORDER_CONSTANT, "constant"};
    case Border::Mode::replicate:
      return {cv::BORDER_REPLICATE, "replicate"};
    case Border::Mode::reflect:
      return {cv::BORDER_REFLECT, "reflect"};
    default:
      return {cv::BORDER_REFLECT_101, "reflect101"};
  }
}

/// The same pixels as OpenCV sees them; it has no type for what may only be read.
cv::Mat mat_of(const ConstView& view, int depth) {
  return {static_cast<int>(view.shape.height), static_cast<int>(view.shape.width),
          CV_MAKETYPE(depth, static_cast<int>(view.shape.channels)), const_cast<std::byte*>(view.data),
          static_cast<std::size_t>(view.strides.height)};
}

/// Weights of a convolution are those of OpenCV's correlation from the other end.
cv::Mat flipped(std::vector<float> weights, std::int64_t width) {
  std::reverse(weights.begin(), weights.end());
  return cv::Mat(weights, true)
      .reshape(1, static_cast<int>(static_cast<std::int64_t>(weights.size()) / width));
}

/// Filters `in`, which may be a part of a larger image: then it sees the pixels around.
using Call = std::function<void(const cv::Mat& in, cv::Mat& out)>;

class OpenCv final : public Peer {
 public:
  std::string name() const override { return "OpenCV C++"; }
  std::string version() const override { return CV_VERSION; }
  void use_threads(int threads) override { threads_ = std::max(threads, 1); }

  std::vector<Candidate> candidates(const Job& job, const Filter& filter, ConstView in, View out) override {
    const std::optional<int> from = depth_of(job.pixel), depth = depth_of(job.output);
    if (job.dims() != 2 || job.shape.batch > 1 || job.shape.channels > CV_CN_MAX || !from || !depth)
      return {};
    const auto [border, border_name] = border_of(job.border);
    std::vector<Candidate> list;
    const auto add = [&, name = border_name](const std::string& how, const Call& call) {
      for (const bool strips : {false, true}) {
        if (strips && threads_ == 1) continue;
        list.push_back({how + (strips ? ", a strip a thread" : ""), name,
                        run_of(strips, call, mat_of(in, *from), mat_of(out, *depth))});
      }
    };
    const FilterSize size = filter.size();
    // Of a convolution its anchor counts from the other end, as the weights do.
    const auto anchor_of = [&](std::int64_t taps, std::int64_t at) {
      return static_cast<int>(filter.is_correlation() ? at : taps - 1 - at);
    };
    const cv::Point anchor(anchor_of(size.width, filter.anchor().x),
                           anchor_of(size.height, filter.anchor().y));
    if (worth_running_dense(filter)) {
      add("filter2D",
          [=, kernel = flipped(convolution_weights(filter), size.width), border = border](
              const cv::Mat& a, cv::Mat& b) { cv::filter2D(a, b, *depth, kernel, anchor, 0, border); });
    }
    if (filter.factors()) {
      add("sepFilter2D",
          [=, x = flipped(convolution_factor(filter, 2), size.width),
           y = flipped(convolution_factor(filter, 1), 1), border = border](const cv::Mat& a, cv::Mat& b) {
            cv::sepFilter2D(a, b, *depth, x, y, anchor, 0, border);
          });
    }
    const cv::Size window(static_cast<int>(size.width), static_cast<int>(size.height));
    const bool same_pixel = job.pixel == job.output;
    if (job.filter == FilterKind::gaussian && same_pixel && job.size % 2 == 1) {
      add("GaussianBlur", [=, sigma = job.sigma, border = border](const cv::Mat& a, cv::Mat& b) {
        cv::GaussianBlur(a, b, window, sigma, sigma, border);
      });
    }
    if (job.filter == FilterKind::box && same_pixel) {
      add("blur",
          [=, border = border](const cv::Mat& a, cv::Mat& b) { cv::blur(a, b, window, anchor, border); });
    }
    if (job.filter == FilterKind::sobel) {
      add("Sobel", [=, border = border](const cv::Mat& a, cv::Mat& b) {
        cv::Sobel(a, b, *depth, 1, 0, 3, 1, 0, border);
      });
    }
    return list;
  }

 private:
  /// OpenCV's own threads, or a strip of rows for each of ours.
  Work run_of(bool strips, const Call& call, const cv::Mat& in, const cv::Mat& out) const {
    return [strips, call, in, out, threads = threads_](Stream) {
      cv::setNumThreads(strips ? 1 : threads);
      const auto rows_from = [&](int strip) { return in.rows * strip / threads; };
      const auto filter = [&](const cv::Mat& part, cv::Mat result) {
        try {
          call(part, result);
        } catch (const cv::Exception& error) {
          throw Error{ErrorCode::unsupported, error.err};
        }
      };
      if (!strips) return filter(in, out);
      tbb::parallel_for(0, threads, [&](int strip) {
        filter(in.rowRange(rows_from(strip), rows_from(strip + 1)),
               out.rowRange(rows_from(strip), rows_from(strip + 1)));
      });
    };
  }

  int threads_ = 1;
};

}  // namespace

FoundPeer find_opencv() { return {"OpenCV C++", std::make_unique<OpenCv>(), ""}; }

}  // namespace halation::bench
