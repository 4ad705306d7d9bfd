#include "bench/cli/compare.hpp"

#include <CLI/CLI.hpp>
#include <utility>

#include "src/claims/file_claim.hpp"
#include "src/common/command_line.hpp"
#include "src/common/output_options.hpp"
#include "src/common/outputs.hpp"
#include "src/comparison/reports.hpp"
#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::bench {
namespace {

constexpr const char* comparison_footer =
    "compare A.json B.json, or compare A1.json A2.json A3.json -- B1.json B2.json. With three runs "
    "of\n"
    "one side the intervals cover what runs differ by; docs/EXPORTS.md says more.\n"
    "Exit codes: 0 compared, 1 writing has failed, 2 usage, or files that cannot be used or\n"
    "compared. Whether B is slower does not change it: gate_transfers decides that.";

comparison_request with_both_sides(const comparison_request& request) {
  auto complete = request;
  if (request.second.empty() && request.first.size() == 2) {
    complete.second = {complete.first.back()};
    complete.first.pop_back();
  }
  if (complete.second.empty() || complete.first.empty())
    throw common::usage_error(
        "compare needs two result files, or the files of each side with -- between them");
  return complete;
}

}  // namespace

CLI::App* add_compare(CLI::App& app, comparison_request& request) {
  auto* const command =
      app.add_subcommand("compare", "Show how two result files, or sets of them, differ.");
  command->option_defaults()->take_last();
  command->get_formatter()->column_width(32);
  command->footer(comparison_footer);
  const auto add_files = [&](const char* name, auto& files, const char* description) {
    return command->add_option(name, files, description)
        ->type_name("FILE")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  add_files("RESULT", request.first, "result files of A, or one of A and one of B")->required();
  add_files(second_side, request.second, "result files of B; -- means the same");
  common::add_json(*command, request.json);
  common::add_markdown(*command, request.markdown);
  return command;
}

void compare_results(const comparison_request& request) {
  const auto both = with_both_sides(request);
  auto inputs = both.first;
  inputs.insert(inputs.end(), both.second.begin(), both.second.end());
  const auto claimed = claims::claim_outputs({both.json, both.markdown}, inputs);
  try {
    const auto first = bench_transfers::comparison::read_side(both.first);
    const auto second = bench_transfers::comparison::read_side(both.second);
    const auto result = bench_transfers::comparison::compare(first, second);
    namespace answer = bench_transfers::comparison;
    common::write_outputs(
        {{both.json, [&] { return answer::json_of(first, second, result); }},
         {both.markdown, [&] { return answer::markdown_of(first, second, result); }}},
        [&] { return answer::text_of(first, second, result); });
  } catch (const gate::bad_input& error) {
    throw common::usage_error(error.what());
  }
}

}  // namespace bench_transfers::bench
