#include "src/report/comparable.hpp"

#include <set>
#include <utility>

#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::report {
namespace {

/// The runs' values by this counter, under their common names.
comparison::side side_of(const run& of, const std::string& file, const std::string& counter) {
  const auto metric = counter == time_counter ? gate::metric() : gate::metric::named(counter);
  auto side = comparison::side_of(of.read(), file, metric);
  for (const auto& [name, described] : of.read().benchmarks) {
    const auto common = common_name_of(described);
    for (auto& process : side.runs)
      if (auto entry = process.benchmarks.extract(name)) {
        entry.key() = common;
        process.benchmarks.insert(std::move(entry));
      }
    if (auto entry = side.facts.extract(name)) {
      entry.key() = common;
      side.facts.insert(std::move(entry));
    }
  }
  return side;
}

}  // namespace

comparable comparable_of(const run& of, const std::string& file) {
  comparable made{
      !of.read().on_host, of.is_falsified(), of.link_limit(), questions_of(of), {}, {}, {}};
  for (const auto& benchmark : of.benchmarks())
    if (trust::is_transfer(benchmark) || benchmark.described->role == "duplex")
      made.transfers.emplace(common_name_of(*benchmark.described), benchmark.described->name);
  try {
    std::set<std::string> counters{time_counter};
    for (const auto& asked : made.questions) counters.insert(asked.counter);
    for (const auto& counter : counters) made.sides.emplace(counter, side_of(of, file, counter));
  } catch (const gate::bad_input& error) {
    made.problem = error.what();
  }
  return made;
}

}  // namespace bench_transfers::report
