#include "src/gate/judge/history.hpp"

#include <filesystem>

#include "src/claims/file_claim.hpp"
#include "src/command/options.hpp"
#include "src/common/writing.hpp"
#include "src/gate/cli/files.hpp"
#include "src/gate/cli/options.hpp"
#include "src/gate/io/read_baseline.hpp"
#include "src/gate/report/reports.hpp"

namespace bench_transfers::gate {
namespace {

class history_command final : public commands::command {
 public:
  explicit history_command(CLI::App& options) {
    add_baseline(options, baseline_, "any of the line, made by pin");
    add_runs(options, runs_);
    add_limits(options, question_.limits);
    add_allow_different(options, question_.allow_different);
    add_decide_by(options, question_);
    commands::add_json(options, json_);
  }

  [[nodiscard]] common::exit_code run() const override {
    const auto claimed = claims::claim_outputs({json_}, inputs_of(runs_, baseline_));
    const auto line = read_baseline(baseline_);
    require_facts(question_.allow_different, line.machine);
    const auto runs = read_runs(runs_, line.judged_by);
    require_known_keys(question_.allow_different, line.machine, runs);
    const auto history = history_of(line, runs, question_);
    common::write_outputs({{json_, [&] { return json_of(history); }}},
                          [&] { return text_of(history); });
    return history.code();
  }

  [[nodiscard]] commands::offers offered() const override { return classes_offered(); }

 private:
  std::filesystem::path baseline_;
  paths runs_;
  question question_;  ///< its limits, the classes that decide, and what may differ
  std::filesystem::path json_;
};

const commands::registration<history_command> following{
    "history", "Follow runs over time, against the first baseline of a line."};

}  // namespace
}  // namespace bench_transfers::gate
