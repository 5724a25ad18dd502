// matrix.h: the jobs of a benchmark, and the file that lists them.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halation/border.h"
#include "halation/device.h"
#include "halation/image.h"
#include "halation/plan.h"

namespace halation::bench {

/// Where a job's filter comes from. Weights are random, but the same every time, and sum to 1 unless said
/// otherwise.
enum class FilterKind {
  dense,      ///< size taps along each axis, positive, no product of factors
  integer,    ///< size taps along each axis, whole numbers from -2 to 2 but for the middle one
  gaussian,   ///< factors exp(-(i/s)²/2) of size taps, s = 0.3 · ((size − 1)/2 − 1) + 0.8 unless said
              ///< otherwise
  separable,  ///< positive factors of size taps
  symmetric,  ///< the same, but each factor reads the same from both ends
  box,        ///< the mean of size pixels along each axis
  sobel,      ///< the derivative along x, 3 taps an axis; sums to 0
};
std::string_view name_of(FilterKind kind);

/// What a job is to reach.
struct Target {
  enum class Unit {
    share_of_copy,  ///< of a device copy of as many bytes
    gpix_per_s,
    us,            ///< a run, at most
    share_of_job,  ///< of the rate of the job called `than`
    times_best_peer,
  };
  Unit unit = Unit::share_of_copy;
  double least = 0;  ///< of `us`: most
  double aim = 0;
  std::string than = {};
  double or_share_of_copy = 0;  ///< is enough as well; 0 where it is not
};
std::string_view name_of(Target::Unit unit);

/// One filter on one shape.
struct Job {
  std::string name;
  Shape shape;
  Pixel pixel = Pixel::f32;
  Pixel output = Pixel::f32;
  FilterKind filter = FilterKind::dense;
  int size = 3;
  double sigma = 0;  ///< of a Gaussian
  Border border = Border::reflect101();
  Method method = Method::automatic;
  Accuracy accuracy = Accuracy::exact;
  std::optional<Device::Kind> on;  ///< where it runs unless it is asked for by name; anywhere without
  std::optional<Target> target;
  std::map<std::string, double>
      known_gpix_per_s;  ///< of peers by name: a run where one is far slower is void
  std::string fields;    ///< the JSON that the matrix has, multiplied out

  int dims() const { return shape.dims(); }
  /// Positions that are filtered: all but channels.
  double pixels() const {
    return static_cast<double>(shape.elements()) / static_cast<double>(shape.channels);
  }
  double in_bytes() const;
  double out_bytes() const;
  /// "8192x8192", without batch and channels.
  std::string extents_text() const;
};

/// The jobs of a matrix in the form that `matrix_format` describes. Throws `Error{invalid_argument}` whose
/// sentence names `source` and the job: "matrix.json: job 'f32 3x3': unknown pixel 'f33'; choose from …".
std::vector<Job> jobs_from(std::string_view text, const std::string& source);

/// The job whose `fields` these are. Throws likewise, without naming anything.
Job job_from(const nlohmann::ordered_json& fields);

/// The form of a matrix in words.
std::string_view matrix_format();

/// Those that any of the patterns matches, * for any characters, ? for one; without patterns those whose `on`
/// is not another device. Throws `Error{invalid_argument}` for a pattern that matches none.
std::vector<Job> jobs_matching(const std::vector<Job>& jobs, const std::vector<std::string>& patterns,
                               Device::Kind device);

}  // namespace halation::bench
