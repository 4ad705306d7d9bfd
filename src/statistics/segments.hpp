#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/statistics/line.hpp"

namespace bench_transfers::statistics {

/// Neighbouring points that share a line.
struct segment {
  std::size_t first, last;  ///< of the points, both included
  line fitted;

  [[nodiscard]] bool is_lone_point() const { return first == last; }
};

/// How much choose_segments has done, for tests of its growth.
struct segment_work {
  std::size_t estimated = 0;  ///< segments whose cost was estimated, each from the one before
  std::size_t fitted = 0;     ///< points that went into a line
};

/// The segments of points of ascending sizes for which the sum of squared weighted residuals plus,
/// for each segment, ln(number of points) for every coefficient and for its beginning is smallest;
/// of equal ones those with the longest last segment.
std::vector<segment> choose_segments(std::span<const measured_time> points,
                                     segment_work* work = nullptr);

}  // namespace bench_transfers::statistics
