// contest_json.cpp: the record of a contest.
#include "bench/contest_json.h"

#include <nlohmann/json.hpp>
namespace halation::bench {
namespace {

using Json = nlohmann::ordered_json;

void add_time(Json& json, const Spread& time) {
  json["ms"] = time.median_s * 1e3;
  json["quartiles_ms"] = {time.low_s * 1e3, time.high_s * 1e3};
  json["repeats"] = time.repeats;
}

Json json_of(const PeerRow& peer, const Row& row) {
  Json json = {{"peer", peer.peer},
               {"version", peer.version},
               {"how", peer.how},
               {"border", peer.border},
               {"status", name_of(peer.status)}};
  if (peer.status != PeerRow::Status::verified) {
    json["reason"] = peer.reason;
    return json;
  }
  add_time(json, peer.time);
  for (const double copy_s : peer.copies_s) json["copies_ms"].push_back(copy_s * 1e3);
  json["gpix_per_s"] = row.job.pixels() / peer.time.median_s * 1e-9;
  if (row.ran()) json["over_peer"] = peer.time.median_s / row.time.median_s;
  return json;
}

Json json_of(const Contest& contest, const Row& row) {
  Json json = {{"job", row.job.name},
               {"status", row.ran()    ? "verified"
                          : row.failed ? "failed"
                                       : "not run"},
               {"fields", Json::parse(row.job.fields)}};
  if (row.threads > 0) json["threads"] = row.threads;
  if (!row.ran()) json["reason"] = row.not_run;
  if (!row.methods.empty()) json["method"] = row.methods;
  if (row.verdict.outputs > 0) {
    json["error"] = {{"largest", row.verdict.largest_error},
                     {"allowed", row.verdict.largest_allowed},
                     {"outputs", row.verdict.outputs},
                     {"wrong", row.verdict.wrong}};
  }
  if (!row.ran()) return json;
  add_time(json, row.time);
  if (row.rounds > 0) json["rounds"] = row.rounds;
  json["gpix_per_s"] = row.gpix_per_s();
  json["gb_per_s"] = row.gb_per_s();
  json["copy_ms"] = row.copy_s * 1e3;
  json["share_of_copy"] = row.share_of_copy();
  if (const std::string_view verdict = contest.verdict_on_target(row); !verdict.empty()) {
    const auto reached = contest.reached(row);
    json["target"] = {{"reached", reached ? Json(*reached) : Json()}, {"verdict", verdict}};
  }
  if (const PeerRow* best = row.best_peer())
    json["best_peer"] = {{"peer", best->peer}, {"over", *row.over_best_peer()}};
  for (const PeerRow& peer : row.peers) json["peers"].push_back(json_of(peer, row));
  return json;
}

}  // namespace

Json json_of(const Contest& contest) {
  Json json;
  json["device"] = name_of(contest.device);
  if (contest.copy_f32_8192_bytes_per_s > 0)
    json["copy_f32_8192_gb_per_s"] = contest.copy_f32_8192_bytes_per_s * 1e-9;
  for (const auto& [name, version] : contest.peers)
    json["peers"].push_back({{"peer", name}, {"version", version}});
  for (const Row& row : contest.rows) json["rows"].push_back(json_of(contest, row));
  return json;
}

}  // namespace halation::bench
