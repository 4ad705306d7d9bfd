// A family that defines its own role and metric in one file: the summary, the result file, the
// gate, the report and the tables know nothing else about it. Only the operation advances the
// clock.
#include <chrono>

#include "bench/strategy/strategy.hpp"
#include "tests/unit/bench/fake_clock.hpp"

namespace bench_transfers::bench {
namespace {

const fake_clock program_clock;

const result_file::role exchange{"exchange", "exchanges between neighbours"};

const result_file::metric leaps{.name = "leaps",
                                .unit = "1",
                                .kind = result_file::metric_kind::count,
                                .better = result_file::better::less,
                                .description = "devices that a message passes",
                                .headline = true};

transfer prepare(const job& task) {
  // The seed makes runs differ slightly.
  const auto time = std::chrono::microseconds(20) +
                    std::chrono::nanoseconds(task.bytes / 10 + task.memory.pattern().seed);
  const double hop_count = task.variant == "torus" ? 2 : 3;
  transfer message;
  message.steps = {{"pass", [time] { fake_clock::advance(time); }}};
  message.derive = [hop_count](const metric_values&) {
    return std::vector<measured_metric>{{leaps, hop_count}};
  };
  return message;
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
