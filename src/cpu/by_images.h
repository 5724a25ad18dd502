// by_images.h: the runner of a job that several families do, each of them for images that lie otherwise.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "core/backend.h"
#include "cpu/packed.h"

namespace halation::cpu_backend {

class ByImages final : public Runner {
 public:
  struct Way {
    std::string_view family;
    std::unique_ptr<const Runner> runner;
  };
  /// Which way is taken, by whether images are packed: first where channels are filtered together, then where apart.
  using Taken = std::array<std::array<std::size_t, all_packed.size()>, 2>;

  ByImages(std::vector<Way> ways, const Taken& taken);

  std::size_t workspace_bytes() const override;
  std::size_t constant_bytes() const override;
  std::string explain() const override;
  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override;

 private:
  std::vector<Way> ways_;  ///< the first for packed images
  Taken taken_;
};

}  // namespace halation::cpu_backend
