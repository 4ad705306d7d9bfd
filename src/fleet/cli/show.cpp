#include <cstddef>
#include <filesystem>
#include <optional>

#include "src/common/program.hpp"
#include "src/fleet/cli/options.hpp"
#include "src/fleet/cli/sweeps.hpp"
#include "src/fleet/io/sweep_file.hpp"
#include "src/fleet/judge/judge.hpp"
#include "src/fleet/report/reports.hpp"

namespace bench_transfers::fleet {
namespace {

class show_command final : public commands::command {
 public:
  explicit show_command(CLI::App& options) {
    add_sweep(options, sweep_);
    add_references(options, references_, "a sweep that was accepted; may be repeated");
    options.add_option("--slowest", slowest_, "show only so many GPUs, the slowest ones first")
        ->check(CLI::Range(1, 1'000'000).description(""))
        ->type_name("COUNT");
  }

  [[nodiscard]] common::exit_code run() const override {
    const auto sweep = read_sweep(sweep_);
    const auto references = read_references(references_, sweep);
    common::print(table_of(sweep, judge(sweep, settings::usual(), references), slowest_));
    return exit_code::healthy;
  }

 private:
  std::filesystem::path sweep_;
  paths references_;                    ///< accepted sweeps
  std::optional<std::size_t> slowest_;  ///< none: all GPUs
};

const commands::registration<show_command> showing{"show",
                                                   "Show each GPU of a sweep beside its peers."};

}  // namespace
}  // namespace bench_transfers::fleet
