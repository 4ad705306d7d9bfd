#pragma once

#include <span>

namespace bench_transfers::statistics {

/// A value with its 95 % interval, all in one unit.
struct estimate {
  double value = 0, low = 0, high = 0;

  friend bool operator==(const estimate&, const estimate&) = default;
};

/// `one` times a factor that is exact and not negative.
estimate scaled(const estimate& one, double factor);

/// Of independent quantities: values add up, the distances to the ends of the intervals add up in
/// squares.
estimate sum(std::span<const estimate> all);

/// By how much `one` exceeds `other`, of independent quantities.
estimate difference(const estimate& one, const estimate& other);

}  // namespace bench_transfers::statistics
