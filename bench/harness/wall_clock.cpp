#include "bench/harness/wall_clock.hpp"

namespace bench_transfers::bench {

wall_clock::time_point wall_clock::now() noexcept { return std::chrono::steady_clock::now(); }

}  // namespace bench_transfers::bench
