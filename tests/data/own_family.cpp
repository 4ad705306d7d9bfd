// A family with a role and a metric of its own in one file: what it says here is all that the
// summary, the result file, the gate, the report and the tables know of it. The clock stands still
// but for what the operation advances it.
#include <chrono>

#include "bench/strategy/strategy.hpp"
#include "tests/unit/bench/fake_clock.hpp"

namespace bench_transfers::bench {
namespace {

const fake_clock clock_of_the_program;

const result_file::role exchange{"exchange", "exchanges between neighbours"};

const result_file::metric hops{.name = "hops",
                               .unit = "1",
                               .kind = result_file::metric_kind::count,
                               .better = result_file::better::less,
                               .description = "devices that a message passes",
                               .headline = true};

transfer prepare(const job& task) {
  // By the seed, so that runs differ by a little.
  const auto time = std::chrono::microseconds(20) +
                    std::chrono::nanoseconds(task.bytes / 10 + task.memory.pattern().seed);
  const double passed = task.variant == "torus" ? 2 : 3;
  transfer ring;
  ring.steps = {{"pass", [time] { fake_clock::advance(time); }}};
  ring.derive = [passed](const metric_values&) {
    return std::vector<measured_metric>{{hops, passed}};
  };
  return ring;
}

const registration neighbours(strategy{.family = "neighbours",
                                       .parts = {method("pass")},
                                       .summary = "passes a message to the next device",
                                       .variants = named({"ring", "torus"}),
                                       .role = exchange,
                                       .prepare = prepare,
                                       .sampling = {.essential = true}});

}  // namespace
}  // namespace bench_transfers::bench
