// contest_json.h: the record of a contest.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/contest.h"

namespace halation::bench {

inline constexpr const char* record_schema = "halation-bench-1";

/// "peers" and "rows": each row with the job's fields as the matrix has them, what was verified, times in
/// milliseconds with quartiles, rates, what was reached of the target, and every peer. bench/compare reads
/// it.
nlohmann::ordered_json json_of(const Contest& contest);

}  // namespace halation::bench
