// lesson_answers.cpp: what the page /lesson is told, as JSON.
#include "lesson_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/refuse.h"
#include "app/report/records.h"
#include "app/rungs/random_job.h"
#include "app/rungs/run.h"
#include "app/rungs/table.h"
#include "app/studio/assets.h"
#include "halation/error.h"
#include "model/rungs.h"
#include "model/tile.h"

namespace halation::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double rung_budget_s = 0.1;  // kernels alone are shown, and previews wait meanwhile

void check_dims(std::int64_t dims) {
  if (dims < 1 || dims > 3) refuse(fmt::format("dims is 1, 2 or 3, got {}", dims));
}

/// What one block works on: its outputs, or of `tiled_input_block` the tile that it reads.
model::Tile block_of(const std::string& rung, std::int64_t outputs, std::int64_t mask, std::int64_t dims) {
  const std::int64_t extent = rung == "tiled_input_block" ? outputs + mask - 1 : outputs;
  return {dims > 2 ? extent : 1, dims > 1 ? extent : 1, extent};
}

/// The name of the first one, without touching it.
std::optional<std::string> gpu_here() {
  for (const DeviceInfo& info : devices()) {
    if (info.device.kind == Device::Kind::cuda) return info.description.substr(0, info.description.find(','));
  }
  return std::nullopt;
}

Json recorded(int dims) {
  const std::string path = fmt::format("/ladder_{}d.json", dims);
  const auto all = assets();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Asset& asset) { return asset.path == path; });
  if (found == all.end()) throw std::logic_error("no record of the ladder at " + path);
  return Json::parse(found->content);
}

Json measured(Workspace& workspace, int dims) {
  LadderJob job = random_job(usual_extents(dims));
  job.radius = dims == 1 ? 2 : 1;  // as recorded
  job.memories = {ladder::HostMemory::pageable};
  job.budget_s = rung_budget_s;
  std::string command = fmt::format("halation ladder --dims {} --radius {} --rung", dims, *job.radius);
  for (const ladder::Rung& rung : ladder::rungs(dims)) {
    if (rung.place != ladder::Rung::Place::gpu) continue;
    job.rungs.push_back(&rung);
    command += " " + std::string(rung.name);
  }
  LadderResults results;
  workspace.alone([&] {
    const ladder::Gpu gpu = ladder::present_gpu();
    if (!gpu.usable) throw Error{ErrorCode::device, "the rungs cannot be measured here: " + gpu.why_not};
    results = run_ladder(std::move(job));
  });
  results.command = std::move(command);
  results.date = now_utc();
  return Json::parse(json_of(results));
}

}  // namespace

Json tile_answer(std::int64_t outputs, std::int64_t mask, std::int64_t dims, const std::string& rung) {
  check_dims(dims);
  const std::vector<model::TileAxis> axes(static_cast<std::size_t>(dims), model::inside(outputs, mask));
  const model::TileTraffic traffic = model::traffic(axes);
  Json answer{{"outputs", outputs}, {"mask", mask}, {"dims", dims}, {"loads", traffic.loads}, {"accesses", traffic.accesses},
              {"reduction", traffic.reduction()}, {"reuse_along_an_axis", model::reuse(axes[0])}};
  if (rung.empty()) return answer;
  const model::RungWork work = model::rung_work(rung, static_cast<int>(dims), mask / 2, block_of(rung, outputs, mask, dims));
  answer["rung"] = rung;
  answer["operations"] = work.operations;
  answer["global_loads"] = work.global_loads;
  answer["operations_per_byte"] = work.operations_per_byte();
  return answer;
}

Json ladder_answer(Workspace& workspace, std::int64_t dims, bool measure) {
  check_dims(dims);
  const std::optional<std::string> gpu = gpu_here();
  const bool here = gpu && measure;
  Json answer = here ? measured(workspace, static_cast<int>(dims)) : recorded(static_cast<int>(dims));
  answer["measured_here"] = here;
  answer["gpu_here"] = gpu ? Json(*gpu) : Json(nullptr);
  return answer;
}

}  // namespace halation::app
