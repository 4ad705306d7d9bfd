#include "bench/cli/command.hpp"
#include "bench/cli/run.hpp"

namespace bench_transfers::bench {
namespace {

/// For --help and the shell: its options are those of a run and more, and `fleet` comes first.
class fleet_in_help final : public command {
 public:
  explicit fleet_in_help(CLI::App& /*options*/) {}
  [[nodiscard]] int run() const override { return bad_usage; }
};

const command_registration in_help{
    {.name = "fleet",
     .summary = "Measure one GPU as one of many processes (fleet --help).",
     .make = make_command<fleet_in_help>}};

}  // namespace
}  // namespace bench_transfers::bench
