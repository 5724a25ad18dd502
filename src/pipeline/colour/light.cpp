// light.cpp: the tables by which light becomes pixels.
#include "pipeline/colour/light.h"

#include "core/threads.h"

namespace halation {

const QuickLight& quick_light() {
  const HoldsForks held;  // until the tables are made
  static const QuickLight tables;
  return tables;
}

ByteTable::ByteTable(const Encoding& by) : by_(by) {
  if (!(by.scale > 0)) return;  // levels must not fall where light grows
  const auto level_at = [&](std::uint32_t bits) {
    return static_cast<std::int32_t>(quickly_encoded<std::uint8_t>(std::bit_cast<float>(bits), by_, *quick_light_));
  };
  for (std::uint32_t i = 0; i < entries; ++i) {
    std::uint32_t low = (first + i) << shift;
    std::uint32_t high = low + (1U << shift) - 1;
    const bool has_joint = std::bit_cast<float>(low) <= 0.0031308 && std::bit_cast<float>(high) >= 0.0031308;
    const std::int32_t level = level_at(low);
    const std::int32_t last = level_at(high);
    if (has_joint || last > level + 1) continue;
    table_[i].level = level;
    if (last == level) continue;
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (level_at(middle) == level ? low : high) = middle;
    }
    table_[i].next = std::bit_cast<float>(high);
  }
}

}  // namespace halation
