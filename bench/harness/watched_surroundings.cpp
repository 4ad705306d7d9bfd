#include "bench/harness/surroundings.hpp"

namespace bench_transfers::bench {

std::unique_ptr<surroundings> watched_surroundings() {
  return std::make_unique<true_surroundings>();
}

}  // namespace bench_transfers::bench
