// The program of the profile `quick`, which scripts/bench builds first: it measures, and has no
// commands.
#include "bench/cli/options.hpp"
#include "bench/fleet/fleet.hpp"
#include "src/common/program.hpp"

namespace bench_transfers::bench {

void add_completion(CLI::App&) {}

common::exit_code measure_in_fleet(settings, const fleet_request&) {
  throw common::usage_error("this program measures alone: build bench_transfers for a fleet");
}

}  // namespace bench_transfers::bench
