#include "bench/cli/run.hpp"
#include "src/command/command.hpp"

namespace bench_transfers::bench {
namespace {

/// For --help and the shell: its options are those of a run and more, and `fleet` comes first.
class fleet_in_help final : public commands::command {
 public:
  explicit fleet_in_help(CLI::App& /*options*/) {}
  [[nodiscard]] common::exit_code run() const override { return exit_code::bad_input; }
};

const commands::registration<fleet_in_help> in_help{
    "fleet", "Measure one GPU as one of many processes (fleet --help)."};

}  // namespace
}  // namespace bench_transfers::bench
