// A complete example of a command: to add it to bench_transfers, gate_transfers or fleet_transfers,
// put this file into bench/commands/, src/gate/cli/ or src/fleet/cli/. The tests link it to a
// separate program of each and run it.
#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "src/command/command.hpp"
#include "src/common/exit_code.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"

namespace bench_transfers {
namespace {

/// Counts sizes.
class count_command final : public commands::command {
 public:
  explicit count_command(CLI::App& options) {
    options.add_option("--sizes", sizes_, "such as 4KiB:1GiB:x4")->required()->type_name("SIZES");
  }

  [[nodiscard]] common::exit_code run() const override {
    common::print(fmt::format("{}\n", common::parse_sizes(sizes_, SIZE_MAX).size()));
    return common::exit_code::done;
  }

 private:
  std::string sizes_;
};

const commands::registration<count_command> counting{"count", "Count the sizes of a list."};

}  // namespace
}  // namespace bench_transfers
