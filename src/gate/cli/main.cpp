#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <vector>

#include "src/claims/file_claim.hpp"
#include "src/common/command_line.hpp"
#include "src/common/outputs.hpp"
#include "src/common/program.hpp"
#include "src/common/terminal.hpp"
#include "src/common/whole_file.hpp"
#include "src/gate/cli/files.hpp"
#include "src/gate/cli/options.hpp"
#include "src/gate/cli/programs.hpp"
#include "src/gate/cli/shell.hpp"
#include "src/gate/io/read_baseline.hpp"
#include "src/gate/io/write_baseline.hpp"
#include "src/gate/judge/capability.hpp"
#include "src/gate/judge/check.hpp"
#include "src/gate/judge/confirm.hpp"
#include "src/gate/judge/history.hpp"
#include "src/gate/judge/lineage.hpp"
#include "src/gate/judge/power.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/gate/model/pin.hpp"
#include "src/gate/report/reports.hpp"
#include "src/gate/report/show.hpp"
#include "src/gate/report/wording.hpp"

namespace {

using namespace bench_transfers;
using namespace bench_transfers::gate;

int complain(const std::string& sentence) {
  common::complain("gate_transfers", sentence);
  return static_cast<int>(exit_code::bad_input);
}

int number(exit_code code) { return static_cast<int>(code); }

int answer(const help_request& request) {
  common::print(request.text);
  return number(exit_code::pass);
}

/// The baseline that the new one takes the place of. Nothing is compared with another file at
/// --out.
std::optional<baseline> replaced_baseline(const pin_request& request,
                                          std::vector<pin_warning>& warnings) {
  if (!request.replaces.empty()) return read_baseline(request.replaces);
  if (common::is_standard_output(request.out) || !std::filesystem::exists(request.out))
    return std::nullopt;
  try {
    return read_baseline(request.out);
  } catch (const gate::bad_input& error) {
    warnings.emplace_back(pin_warnings::not_compared{error.what()});
    return std::nullopt;
  }
}

bool has_predecessor(const baseline& baseline) {
  return std::ranges::any_of(baseline.benchmarks,
                             [](const auto& entry) { return entry.second.reference.has_value(); });
}

void add_line(const baseline& replaced, bool new_line, baseline& next,
              std::vector<pin_warning>& warnings) {
  if (!is_comparable(replaced, next)) {
    warnings.emplace_back(pin_warnings::not_compared{
        "it is judged by another figure, or one of them is of the host device"});
    return;
  }
  const auto limits = stakes_of(next).limits;  // as a check of it counts
  if (const auto slower = slower_than(replaced, next, limits); slower.count > 0)
    warnings.emplace_back(
        pin_warnings::slower_than_replaced{slower.count, slower.worst, slower.slowdown});
  if (new_line) return;
  continue_line(replaced, next);
  if (!has_predecessor(replaced)) return;  // the first of the line is what was compared above
  if (const auto slower = slower_than_first(next, limits); slower.count > 0)
    warnings.emplace_back(pin_warnings::crept{slower.count, slower.worst, slower.slowdown});
}

int answer(const pin_request& request) {
  const auto claimed = claims::claim_outputs({request.out}, request.runs);
  require_count(request.runs.size());
  std::vector<pin_warning> of_line;
  const auto replaced = replaced_baseline(request, of_line);
  const auto runs = read_runs(request.runs, request.judged_by.judged_by);
  require_known_keys(request.permissions.allow_different, {}, runs);
  auto [baseline, warnings] = pin(runs, judged_by(request.judged_by, runs), request.permissions);
  if (!request.permissions.allow_noisy) require_judged_link(baseline, {});
  if (replaced) add_line(*replaced, request.new_line, baseline, of_line);
  warnings.insert(warnings.end(), of_line.begin(), of_line.end());
  for (const auto& [kind, slowdown] : distant_sessions(baseline, {}))
    warnings.emplace_back(pin_warnings::sessions_differ{kind, slowdown});
  common::write_output(request.out, to_text(baseline));
  const auto text = text_of(baseline, warnings, request.out);
  if (common::has_standard_output({request.out}))
    std::fputs(text.c_str(), stderr);
  else
    common::print(text);
  return number(exit_code::pass);
}

void show_progress(std::size_t finished, std::size_t runs) {
  common::show_progress(stderr, measuring_again_text(finished, runs), finished == runs);
}

void write_answer(const report& report, const check_request& request) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  common::write_outputs({{request.markdown, [&] { return markdown_of(report); }},
                         {request.junit, [&] { return junit_of(report, now); }},
                         {request.json, [&] { return json_of(report); }}},
                        [&] { return text_of(report, request.all); });
}

int answer(const check_request& request) {
  const auto claimed =
      claims::claim_outputs({request.markdown, request.junit, request.json}, inputs_of(request));
  const auto programs =
      request.confirm.empty() ? std::nullopt : std::optional(parse_programs(request.confirm));
  const auto before = read_baseline(request.baseline);
  require_facts(request.question.allow_different, before.machine);
  require_classes(before, request.question);
  if (request.dry_run) return number(exit_code::pass);
  const auto after = read_runs(request.runs, before.judged_by);
  require_known_keys(request.question.allow_different, before.machine, after);
  auto report = check(before, after, request.question);
  if (programs) confirm(report, *programs, measure_with_shell(before.judged_by), show_progress);
  write_answer(report, request);
  return number(report.code);
}

int answer(const power_request& request) {
  const auto before = read_baseline(request.baseline);
  common::print(text_of(before, power(before, request.new_runs, request.limits), request.new_runs,
                        stakes_of(before, request.limits).limits));
  return number(exit_code::pass);
}

int answer(const show_request& request) {
  const auto runs = read_runs(request.runs, request.judged_by.judged_by);
  common::print(side_by_side(runs, judged_by(request.judged_by, runs),
                             common::columns_of(stdout, common::terminal_columns)));
  return number(exit_code::pass);
}

int answer(const history_request& request) {
  auto inputs = request.runs;
  inputs.push_back(request.baseline);
  const auto claimed = claims::claim_outputs({request.json}, inputs);
  const auto line = read_baseline(request.baseline);
  require_facts(request.question.allow_different, line.machine);
  const auto runs = read_runs(request.runs, line.judged_by);
  require_known_keys(request.question.allow_different, line.machine, runs);
  const auto history = history_of(line, runs, request.question);
  common::write_outputs({{request.json, [&] { return json_of(history); }}},
                        [&] { return text_of(history); });
  return number(history.code());
}

int run_program(int argc, char** argv) {
  common::let_oversized_writes_fail();
  try {
    return std::visit([](const auto& request) { return answer(request); },
                      parse_command_line(argc, argv));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const interrupted& signal) {
    complain("interrupted");
    return 128 + signal.number();
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const std::bad_alloc&) {  // complain() may need memory, too
    std::fputs("gate_transfers: there is not enough memory\n", stderr);
    return static_cast<int>(exit_code::bad_input);
  }
}
