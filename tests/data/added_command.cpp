// A complete example of a command: to add it to bench_transfers, put this file into
// bench/commands/. The tests link it to a separate program and run it.
#include <algorithm>
#include <iostream>

#include "bench/cli/run.hpp"
#include "bench/strategy/strategy.hpp"
#include "src/command/command.hpp"

namespace bench_transfers::bench {
namespace {

/// Counts strategies.
class count_command final : public commands::command {
 public:
  explicit count_command(CLI::App& options) {
    options.add_option("--family", family_, "only those of this family")->type_name("NAME");
  }

  [[nodiscard]] int run() const override {
    std::cout << std::ranges::count_if(registered_strategies({}), [&](const strategy& counted) {
      return family_.empty() || counted.family == family_;
    }) << "\n";
    return all_ran;
  }

 private:
  std::string family_;
};

const commands::registration<count_command> counting{"count", "Count the strategies."};

}  // namespace
}  // namespace bench_transfers::bench
