// model.cpp: `halation explain` without a filter: tiles, occupancy, and which GPU is meant.
#include "model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "halation/device.h"
#include "halation/error.h"

namespace halation::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view present = "present";

std::string names_of_gpus() {
  std::vector<std::string> names;
  for (const model::DeviceDescription& device : model::built_in_devices()) names.push_back(device.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// `usual` and one more, in order.
Numbers with(std::initializer_list<std::int64_t> usual, std::int64_t more) {
  std::set<std::int64_t> all(usual);
  all.insert(more);
  return {all.begin(), all.end()};
}

/// One row a mask and one column a tile.
std::string table_of(const Numbers& tiles, const Numbers& masks,
                     const std::vector<std::vector<double>>& values) {
  std::string text = fmt::format("{:>13}", "mask \\ tile");
  for (const std::int64_t tile : tiles) text += fmt::format("{:>8}", tile);
  for (std::size_t row = 0; row < masks.size(); ++row) {
    text += fmt::format("\n{:>13}", masks[row]);
    for (const double value : values[row]) text += fmt::format("{:>8.1f}", value);
  }
  return text + "\n";
}

std::string reuse_text(int dims, std::int64_t tile, std::int64_t mask) {
  const Numbers uses = model::reuse(model::inside(tile, mask));
  std::string text =
      fmt::format("\nreuse of the {} elements loaded by an inside tile", power(tile + mask - 1, dims));
  const bool draws = dims == 2 && uses.size() <= most_columns;
  if (draws) {
    const std::size_t width = fmt::formatted_size(" {}", mask * mask);
    text += "\n";
    for (const Numbers& row : picture_of(uses)) {
      for (const std::int64_t count : row) text += fmt::format("{:>{}}", count, width);
      text += "\n";
    }
    return text;
  }
  text += dims == 1 ? "\n" : ", along each axis; the product of these is that of an element\n";
  text += fmt::format(" {}\n", fmt::join(uses, " "));
  if (dims == 1)
    text += fmt::format("reuse of the {} elements loaded by a boundary tile\n {}\n",
                        model::traffic(model::boundary(tile, mask)).loads,
                        fmt::join(model::reuse(model::boundary(tile, mask)), " "));
  return text;
}

}  // namespace

std::string power(std::int64_t side, int dims) {
  return fmt::format("{}", fmt::join(std::vector<std::int64_t>(static_cast<std::size_t>(dims), side), "x"));
}

std::vector<NamedTile> tiles_of(const Tiling& tiling) {
  const auto [dims, tile, mask] = tiling;
  constexpr std::string_view names[3][4] = {
      {"inside", "boundary"}, {"inside", "edge", "corner"}, {"inside", "face", "edge", "corner"}};
  std::vector<NamedTile> tiles;
  for (int at_border = 0; at_border <= dims; ++at_border) {
    std::vector<model::TileAxis> axes;
    axes.reserve(static_cast<std::size_t>(dims));
    for (int axis = 0; axis < dims; ++axis)
      axes.push_back(axis < at_border ? model::boundary(tile, mask) : model::inside(tile, mask));
    tiles.push_back({names[dims - 1][at_border], std::move(axes)});
  }
  return tiles;
}

Numbers usual_tiles(const Tiling& tiling) {
  if (tiling.dims == 1) return with({8, 16, 32, 64, 128, 256}, tiling.tile);
  if (tiling.dims == 2) return with({8, 16, 32, 64}, tiling.tile);
  return with({4, 8, 16, 32}, tiling.tile);
}

Numbers usual_masks(const Tiling& tiling) { return with({3, 5, 7, 9}, tiling.mask); }

std::vector<Numbers> picture_of(const Numbers& uses) {
  std::vector<Numbers> rows;
  for (const std::int64_t y : uses) {
    Numbers& row = rows.emplace_back();
    for (const std::int64_t x : uses) row.push_back(y * x);
  }
  return rows;
}

std::string allowed(const model::DeviceDescription& device, std::int64_t blocks) {
  return blocks > device.registers ? "any number" : fmt::format("{}", blocks);
}

std::vector<int> block_sizes(const model::DeviceDescription& device) {
  std::vector<int> sizes;
  for (const int size : {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024})
    if (size <= device.max_threads_per_block) sizes.push_back(size);
  return sizes;
}

std::string text_of(const Tiling& tiling) {
  const auto [dims, tile, mask] = tiling;
  std::string text =
      fmt::format("{} outputs a block, mask {}, f32\n\n{:<10}{:>16}{:>24}{:>12}\n", power(tile, dims),
                  power(mask, dims), "tile", "loads", "accesses replaced", "reduction");
  for (const NamedTile& each : tiles_of(tiling)) {
    const model::TileTraffic traffic = model::traffic(each.axes);
    text += fmt::format("{:<10}{:>16}{:>24}{:>12.1f}\n", each.name, traffic.loads, traffic.accesses,
                        traffic.reduction());
  }
  text += reuse_text(dims, tile, mask);
  const Numbers tiles = usual_tiles(tiling), masks = usual_masks(tiling);
  text += "\nbandwidth reduction of inside tiles, accesses replaced / loads\n" +
          table_of(tiles, masks, model::reduction_table(dims, tiles, masks));
  text += fmt::format(
      "\noperations per byte loaded from global memory\n"
      "  filter and image in global memory      {:.2f}\n"
      "  filter in constant memory              {:.2f}\n"
      "  and an input tile of {:<17} {:.2f}\n",
      model::operations_per_byte(false), model::operations_per_byte(true), power(tile + mask - 1, dims),
      model::tiled_operations_per_byte(dims, tile + mask - 1, mask));
  if (tile > mask)
    text += fmt::format("  and an input tile of {:<17} {:.2f}\n", power(tile, dims),
                        model::tiled_operations_per_byte(dims, tile, mask));
  return text;
}

Json json_of(const Tiling& tiling) {
  const auto [dims, tile, mask] = tiling;
  Json report{{"dims", dims}, {"tile", tile}, {"mask", mask}};
  for (const NamedTile& each : tiles_of(tiling)) {
    const model::TileTraffic traffic = model::traffic(each.axes);
    report["tiles"][std::string(each.name)] = {
        {"loads", traffic.loads}, {"accesses", traffic.accesses}, {"reduction", traffic.reduction()}};
  }
  const Numbers uses = model::reuse(model::inside(tile, mask));
  report["reuse_along_an_axis"] = uses;
  if (dims == 2 && uses.size() <= most_columns) report["reuse"] = picture_of(uses);
  const Numbers tiles = usual_tiles(tiling), masks = usual_masks(tiling);
  report["reductions"] = {
      {"tiles", tiles}, {"masks", masks}, {"values", model::reduction_table(dims, tiles, masks)}};
  report["operations_per_byte"] = {
      {"global_memory", model::operations_per_byte(false)},
      {"constant_memory", model::operations_per_byte(true)},
      {"output_tile", model::tiled_operations_per_byte(dims, tile + mask - 1, mask)}};
  if (tile > mask)
    report["operations_per_byte"]["input_tile"] = model::tiled_operations_per_byte(dims, tile, mask);
  return report;
}

std::string text_of(const OccupancyQuestion& question) {
  const auto& [device_asked_for, needs] = question;
  const model::DeviceDescription& device = *device_asked_for;
  const model::Occupancy found = model::occupancy(device, needs);
  std::string text = fmt::format(
      "{} registers a thread, {} threads and {} bytes of shared memory a block, on {} ({})\n\n"
      "blocks         {:>6}   on a multiprocessor\n"
      "threads        {:>6}   of {}\n"
      "warps          {:>6}   of {}\n"
      "occupancy      {:>5.1f}%\n"
      "limited by     {}\n\n",
      needs.registers_per_thread, needs.threads_per_block, needs.shared_bytes_per_block, device.name,
      device.title, found.blocks, found.threads, device.max_threads, found.warps, device.max_warps(),
      100 * found.fraction, found.limited_by());
  text += "blocks that each resource alone allows\n";
  for (const model::Resource resource : model::all_resources)
    text += fmt::format("  {:<15}{}\n", model::name_of(resource),
                        allowed(device, found.blocks_allowed[static_cast<std::size_t>(resource)]));
  if (needs.registers_per_thread > 0)
    text +=
        fmt::format("threads that {} registers allow: {}\n", device.registers, found.threads_by_registers);

  text += fmt::format("\n{:>15}{:>9}{:>9}{:>12}   limited by\n", "threads a block", "blocks", "threads",
                      "occupancy");
  for (const int threads : block_sizes(device)) {
    model::BlockNeeds other = needs;
    other.threads_per_block = threads;
    const model::Occupancy of_size = model::occupancy(device, other);
    text += fmt::format("{:>15}{:>9}{:>9}{:>11.1f}%   {}\n", threads, of_size.blocks, of_size.threads,
                        100 * of_size.fraction, of_size.limited_by());
  }
  return text;
}

namespace {

Json json_of(const model::Occupancy& found) {
  Json limits = Json::array();
  for (const model::Resource resource : found.limits) limits.push_back(model::name_of(resource));
  return {{"blocks", found.blocks},
          {"threads", found.threads},
          {"warps", found.warps},
          {"occupancy", found.fraction},
          {"limited_by", std::move(limits)}};
}

}  // namespace

Json json_of(const OccupancyQuestion& question) {
  const auto& [device_asked_for, needs] = question;
  const model::DeviceDescription& device = *device_asked_for;
  const model::Occupancy found = model::occupancy(device, needs);
  Json report{{"gpu", device.name},
              {"registers_per_thread", needs.registers_per_thread},
              {"threads_per_block", needs.threads_per_block},
              {"shared_bytes_per_block", needs.shared_bytes_per_block}};
  report.update(json_of(found));
  for (const model::Resource resource : model::all_resources) {
    const std::int64_t blocks = found.blocks_allowed[static_cast<std::size_t>(resource)];
    report["blocks_allowed"][std::string(model::name_of(resource))] =
        blocks > device.registers ? Json(nullptr) : Json(blocks);
  }
  report["threads_by_registers"] =
      needs.registers_per_thread > 0 ? Json(found.threads_by_registers) : Json(nullptr);
  for (const int threads : block_sizes(device)) {
    model::BlockNeeds other = needs;
    other.threads_per_block = threads;
    Json row{{"threads_per_block", threads}};
    row.update(json_of(model::occupancy(device, other)));
    report["block_sizes"].push_back(std::move(row));
  }
  return report;
}

const model::DeviceDescription& gpu_named(const std::string& name) {
  if (name != present) return model::device_described(name);
  const std::vector<DeviceInfo> all = devices();
  const auto gpu = std::find_if(
      all.begin(), all.end(), [](const DeviceInfo& info) { return info.device.kind == Device::Kind::cuda; });
  if (gpu == all.end())
    throw Error{ErrorCode::unsupported,
                "--gpu present: there is no GPU here; choose from " + names_of_gpus()};
  // Namesakes (mobile, PCIe, Ti) differ in the number of multiprocessors, which the description states.
  for (const model::DeviceDescription& device : model::built_in_devices()) {
    if (gpu->description.find(device.model) != std::string::npos &&
        gpu->description.find(fmt::format(" {} multiprocessors", device.multiprocessors)) !=
            std::string::npos)
      return device;
  }
  throw Error{ErrorCode::unsupported, fmt::format("--gpu present: no description of '{}'; choose from {}",
                                                  gpu->description, names_of_gpus())};
}

}  // namespace halation::app
