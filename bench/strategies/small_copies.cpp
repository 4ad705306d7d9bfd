#include "bench/strategies/small_copies.hpp"

namespace bench_transfers::bench {

waits_beside count_waits(const std::vector<small_copy_times>& copies,
                         small_copy_times::time least) {
  waits_beside counted;
  for (const auto& copy : copies) {
    if (copy.begin + least > copy.bulk_end) continue;
    counted.ns.push_back((copy.end - copy.begin).count());
    if (copy.end > copy.bulk_end) ++counted.outlasting;
  }
  return counted;
}

}  // namespace bench_transfers::bench
