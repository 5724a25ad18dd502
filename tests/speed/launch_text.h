// launch_text.h: a launch's shape as members of a JSON object.
#pragma once

#include <cstdio>
#include <string>

#include "cuda/device/gpu.h"

namespace halation::speed {

inline std::string text_of(const cuda_backend::LaunchShape& shape, const cuda_backend::Gpu& gpu) {
  const cuda_backend::Gpu::Rounds rounds = gpu.rounds_of(shape.blocks, shape.together);
  char text[512];
  std::snprintf(
      text, sizeof text,
      ", \"kernel\": \"%s\", \"launches\": %lld, \"starts\": %d, \"rounds\": %.6g, \"each\": %.6g, "
      "\"steps\": %.6g, "
      "\"chain\": %.6g, \"outputs\": %.6g, \"staged\": %.6g, \"mads\": %.6g, \"bytes\": %.0f, \"traits\": [",
      std::string(shape.kernel).c_str(), static_cast<long long>(shape.launches), shape.starts,
      rounds.in_a_place, rounds.in_all, shape.steps, shape.chain, shape.outputs, shape.staged, shape.mads,
      shape.bytes);
  std::string all = text;
  const char* separator = "";
  shape.traits.for_each([&](std::size_t trait) {
    all += separator + ('"' + std::string(cuda_backend::trait_names[trait]) + '"');
    separator = ", ";
  });
  return all + "]";
}

}  // namespace halation::speed
