#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace bench_transfers::bench {

/// One of the small copies beside a bulk copy. Times are those of the host's clock.
struct small_copy_times {
  using time = std::chrono::duration<double, std::nano>;
  time begin, end;
  time bulk_end;  ///< when the bulk copy ended that was under way at its beginning
};

/// What the small copies waited for that a bulk copy could delay.
struct waits_beside {
  std::vector<double> ns;      ///< of each, from the call until its data were usable
  std::size_t outlasting = 0;  ///< ended only after the bulk copy
};

/// Counts the copies after whose beginning the bulk copy went on for at least `least`. Whether a
/// copy counts does not depend on how long it took: without those that end after the bulk copy, the
/// longest waits would be missing.
waits_beside count_waits(const std::vector<small_copy_times>& copies, small_copy_times::time least);

}  // namespace bench_transfers::bench
