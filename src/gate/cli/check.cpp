#include "src/gate/judge/check.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "src/claims/file_claim.hpp"
#include "src/command/options.hpp"
#include "src/common/program.hpp"
#include "src/common/regular_expression.hpp"
#include "src/common/text.hpp"
#include "src/common/writing.hpp"
#include "src/gate/cli/files.hpp"
#include "src/gate/cli/options.hpp"
#include "src/gate/cli/programs.hpp"
#include "src/gate/cli/shell.hpp"
#include "src/gate/io/read_baseline.hpp"
#include "src/gate/judge/capability.hpp"
#include "src/gate/judge/confirm.hpp"
#include "src/gate/report/reports.hpp"
#include "src/gate/report/wording.hpp"

namespace bench_transfers::gate {
namespace {

/// Refuses an invalid expression before anything is measured or read.
std::string valid_expression(const std::string& text) {
  try {
    static_cast<void>(common::regular_expression(text));
  } catch (const common::expression_error& error) {
    throw common::usage_error(
        fmt::format("--allow-missing='{}' {}", common::printable_in_short(text), error.what()));
  }
  return text;
}

void show_progress(std::size_t finished, std::size_t runs) {
  common::show_progress(stderr, measuring_again_text(finished, runs), finished == runs);
}

class check_command final : public commands::command {
 public:
  explicit check_command(CLI::App& options) {
    add_baseline(options, baseline_);
    add_runs(options, runs_);
    add_limits(options, question_.limits);
    options
        .add_option_function<std::string>(
            "--allow-missing",
            [this](const std::string& text) { question_.allow_missing = valid_expression(text); },
            "benchmarks that may be missing, or fail")
        ->type_name("REGEX");
    add_allow_different(options, question_.allow_different);
    add_decide_by(options, question_);
    options
        .add_option("--looks", question_.limits.looks,
                    "checks that share the rate of false alarms, 1 to 100 (default: 1)")
        ->check(CLI::Range(1, 100).description(""))
        ->type_name("N");
    options
        .add_option("--look-runs", question_.look_runs,
                    "runs of each of these checks, by time, 1 to 1000 (default: 3)")
        ->check(CLI::Range(std::size_t{1}, most_runs).description(""))
        ->type_name("N");
    options.add_option("--confirm", confirm_, "measure suspects again with two programs, in turn")
        ->type_name("COMMAND_A,COMMAND_B");
    options.add_flag("--all", all_, "also list benchmarks that are unchanged or not known");
    commands::add_json(options, json_);
    commands::add_markdown(options, markdown_);
    commands::add_junit(options, junit_);
    options.add_flag("--dry-run", dry_run_,
                     "without RUN: check only the other arguments (exit code 0 or 2)");
  }

  void check(const CLI::App& given) const override {
    if (common::has_standard_output({json_, markdown_, junit_}))
      commands::refuse_without_effect(given, {"--all"}, "an answer on standard output");
    if (runs_.empty() && !dry_run_) throw common::usage_error("RUN is required");
    if (!runs_.empty() && dry_run_) throw common::usage_error("--dry-run takes no runs");
  }

  [[nodiscard]] common::exit_code run() const override {
    const auto claimed =
        claims::claim_outputs({markdown_, junit_, json_}, inputs_of(runs_, baseline_));
    const auto programs = confirm_.empty() ? std::nullopt : std::optional(parse_programs(confirm_));
    const auto before = read_baseline(baseline_);
    require_facts(question_.allow_different, before.machine);
    require_classes(before, question_);
    if (dry_run_) return exit_code::pass;
    const auto after = read_runs(runs_, before.judged_by);
    require_known_keys(question_.allow_different, before.machine, after);
    auto report = gate::check(before, after, question_);
    try {
      if (programs) confirm(report, *programs, measure_with_shell(before.judged_by), show_progress);
    } catch (const interrupted& signal) {
      common::complain("gate_transfers", signal.what());
      return common::code_of_signal(signal.number());
    }
    write_answer(report);
    return report.code;
  }

  [[nodiscard]] commands::offers offered() const override { return classes_offered(); }

 private:
  void write_answer(const report& report) const {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    common::write_outputs({{markdown_, [&] { return markdown_of(report); }},
                           {junit_, [&] { return junit_of(report, now); }},
                           {json_, [&] { return json_of(report); }}},
                          [&] { return text_of(report, all_); });
  }

  std::filesystem::path baseline_;
  paths runs_;
  question question_;
  std::filesystem::path markdown_, junit_, json_;  ///< empty: none
  std::string confirm_;                            ///< "COMMAND_A,COMMAND_B"; empty: none
  bool all_ = false;                               ///< also list benchmarks that are the same
  bool dry_run_ = false;                           ///< without runs: only check the other options
};

const commands::registration<check_command> checking{"check", "Compare new runs with a baseline."};

}  // namespace
}  // namespace bench_transfers::gate
