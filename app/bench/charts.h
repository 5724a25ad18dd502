// charts.h: the charts of the benchmark's report.
#pragma once

#include <string>
#include <vector>

#include "bench/contest.h"

namespace halation::app {

/// Rows that differ in pixel and size of the filter alone: dense filters on one shape with one border, by as
/// many threads.
struct Family {
  std::string title;  ///< "8192x8192, 3 channels, reflect101"
  std::string id;
  std::vector<const bench::Row*> rows;
};

/// Those with three sizes of a pixel at least; the largest images first, then by channels.
std::vector<Family> families_of(const bench::Contest& contest);

// Each is an <svg> element; empty where there is nothing to draw.

/// A line for each pixel: share of the copy over the size of the filter.
std::string share_chart(const Family& family);

/// A line for each pixel: how many times as fast as the best peer, over the size of the filter.
std::string peers_chart(const Family& family);

/// A bar for each row that has a target or belongs to none of the families: how many times as fast as the
/// best peer.
std::string bars_chart(const bench::Contest& contest, const std::vector<Family>& families);

}  // namespace halation::app
