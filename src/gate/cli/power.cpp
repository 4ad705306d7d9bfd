#include "src/gate/judge/power.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <string>

#include "src/common/number.hpp"
#include "src/common/program.hpp"
#include "src/gate/cli/options.hpp"
#include "src/gate/io/read_baseline.hpp"
#include "src/gate/judge/capability.hpp"
#include "src/gate/report/reports.hpp"

namespace bench_transfers::gate {
namespace {

std::size_t parse_runs(const std::string& text) {
  const auto runs = common::number_from<std::size_t>(text);
  if (!runs || *runs < 1 || *runs > most_runs)
    throw common::usage_error(
        fmt::format("bad --runs '{}': a whole number from 1 to {}", text, most_runs));
  return *runs;
}

class power_command final : public commands::command {
 public:
  explicit power_command(CLI::App& options) {
    add_baseline(options, baseline_);
    options
        .add_option_function<std::string>(
            "--runs", [this](const std::string& text) { new_runs_ = parse_runs(text); },
            "new runs to compare with it (default: 3)")
        ->type_name("N");
    add_limits(options, limits_);
  }

  [[nodiscard]] common::exit_code run() const override {
    const auto before = read_baseline(baseline_);
    common::print(text_of(before, power(before, new_runs_, limits_),
                          capabilities(before, new_runs_, limits_), new_runs_,
                          stakes_of(before, limits_).limits));
    return exit_code::pass;
  }

 private:
  std::filesystem::path baseline_;
  std::size_t new_runs_ = least_new_processes;
  limits limits_;
};

const commands::registration<power_command> foreseeing{
    "power", "Show how small a slowdown a baseline can find."};

}  // namespace
}  // namespace bench_transfers::gate
