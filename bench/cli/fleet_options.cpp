#include "bench/cli/fleet_options.hpp"

#include <fmt/format.h>

#include <string_view>

#include "bench/cli/options.hpp"
#include "src/common/number.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/fleet/ranks/node_ranks.hpp"

namespace bench_transfers::bench {
namespace {

/// CLI::Range writes its limits with six decimals, and lets "nan" pass.
CLI::Validator seconds_within(double least, double most) {
  const auto why_not = [=](const std::string& text) -> std::string {
    const auto value = common::number_from<double>(text);
    if (value && *value >= least && *value <= most) return {};
    return fmt::format("'{}' is no number of seconds from {} to {}",
                       common::printable_in_short(text), least, most);
  };
  return {why_not, ""};
}

}  // namespace

bool is_fleet_command(std::span<const char* const> arguments) {
  return arguments.size() > 1 && std::string_view(arguments[1]) == "fleet";
}

std::vector<const char*> without_command(std::span<const char* const> arguments) {
  std::vector<const char*> others(arguments.begin(), arguments.end());
  others.erase(others.begin() + 1);
  return others;
}

std::string fleet_description() {
  return "Measures one GPU. srun, mpirun, flux run, torchrun or a Kubernetes Job starts one for "
         "each GPU.";
}

void add_fleet_options(option_table& table) {
  auto& request = table.fleet;
  const auto of_other_ranks = {mode::list, mode::list_benchmarks, mode::by_itself};
  table.add("--sweep", request.sweep,
            "name of the sweep (default: TRANSFERS_SWEEP, or the launcher's job)", "ID",
            {.without_effect = any_list});
  table.add("--rack", request.rack, "name of the node's rack", "NAME",
            {.without_effect = any_list});
  table.add("--mpi", request.mpi,
            "auto (default: mpirun's, if its plugin is there), none, or a plugin", "FILE",
            {.without_effect = any_list});
  table
      .add("--wait", request.wait_s,
           "for another rank of the node; then go on without it (default: 60)", "SECONDS",
           {.without_effect = of_other_ranks})
      .check(seconds_within(0.1, 86400));
  table
      .add("--ranks-per-node", request.ranks_per_node, "where the launcher does not say it", "N",
           {.without_effect = of_other_ranks})
      .check(CLI::Range(std::size_t{1}, fleet::most_ranks_of_node).description(""));
}

void check_fleet_request(const fleet_request& request, const settings& settings) {
  const bool only_lists = settings.list_strategies != listing::none || settings.list_benchmarks;
  if (request.out.empty() && !only_lists) throw common::usage_error("--out is required: a folder");
  if (request.out == "-") throw common::usage_error("--out is a folder, not standard output");
  if (settings.out_format != "json")
    throw common::usage_error("fleet writes JSON: --benchmark_out_format does not apply");
}

std::optional<fleet::launched_rank> rank_by_launcher(const fleet_request& request) {
  try {
    return fleet::rank_of(fleet::own_environment(), request.ranks_per_node);
  } catch (const fleet::bad_rank& error) {
    throw common::usage_error(error.what());
  }
}

}  // namespace bench_transfers::bench
