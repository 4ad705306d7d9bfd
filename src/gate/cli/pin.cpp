#include "src/gate/model/pin.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "src/claims/file_claim.hpp"
#include "src/command/options.hpp"
#include "src/common/writing.hpp"
#include "src/gate/cli/files.hpp"
#include "src/gate/cli/options.hpp"
#include "src/gate/io/read_baseline.hpp"
#include "src/gate/io/write_baseline.hpp"
#include "src/gate/judge/capability.hpp"
#include "src/gate/judge/lineage.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/gate/report/reports.hpp"

namespace bench_transfers::gate {
namespace {

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

class pin_command final : public commands::command {
 public:
  explicit pin_command(CLI::App& options) {
    add_runs(options, runs_).required();
    options.add_option("--out", out_, "write the baseline here; - prints it alone")
        ->required()
        ->type_name("FILE");
    add_metric(options, judged_by_);
    add_allow_different(options, permissions_.allow_different);
    options.add_flag("--allow-disturbed", permissions_.allow_disturbed,
                     "accept runs that were throttled or whose link changed");
    options.add_flag("--allow-noisy", permissions_.allow_noisy,
                     "accept runs by which the link cannot be judged, or with few figures");
    options
        .add_option("--replaces", replaces_,
                    "the baseline before, to see what got slower (default: that of --out)")
        ->type_name("FILE");
    options.add_flag("--new-line", new_line_,
                     "accept what got slower: compare later baselines with this one");
  }

  void check(const CLI::App& given) const override {
    if (common::is_standard_output(out_) && replaces_.empty())
      commands::refuse_without_effect(given, {"--new-line"}, "--out=- without --replaces");
  }

  [[nodiscard]] common::exit_code run() const override {
    const auto claimed = claims::claim_outputs({out_}, runs_);
    std::vector<pin_warning> of_line;
    const auto replaced = replaced_baseline(of_line);
    const auto runs = read_runs(runs_, judged_by_.judged_by);
    require_count(runs.size());
    require_known_keys(permissions_.allow_different, {}, runs);
    auto [baseline, warnings] = pin(runs, metric_of(judged_by_, runs), permissions_);
    if (!permissions_.allow_noisy) require_judged_link(baseline, {});
    if (replaced) add_line(*replaced, new_line_, baseline, of_line);
    warnings.insert(warnings.end(), of_line.begin(), of_line.end());
    for (const auto& [kind, slowdown] : distant_sessions(baseline, {}))
      warnings.emplace_back(pin_warnings::sessions_differ{kind, slowdown});
    const auto told = text_of(baseline, warnings, stakes_of(baseline), out_);
    common::write_output(out_, to_text(baseline));
    common::print_beside(out_, told);
    return exit_code::pass;
  }

  [[nodiscard]] commands::offers offered() const override { return metrics_offered(); }

 private:
  /// The baseline that the new one takes the place of. Nothing is compared with another file at
  /// --out.
  [[nodiscard]] std::optional<baseline> replaced_baseline(
      std::vector<pin_warning>& warnings) const {
    if (!replaces_.empty()) return read_baseline(replaces_);
    if (common::is_standard_output(out_) || !std::filesystem::exists(out_)) return std::nullopt;
    try {
      return read_baseline(out_);
    } catch (const bad_input& error) {
      warnings.emplace_back(pin_warnings::not_compared{error.what()});
      return std::nullopt;
    }
  }

  paths runs_;
  std::filesystem::path out_;
  metric_request judged_by_;
  pin_permissions permissions_;
  std::filesystem::path replaces_;  ///< empty: `out_`, if it is a baseline
  bool new_line_ = false;           ///< forget the first baseline of the line
};

const commands::registration<pin_command> pinning{
    "pin", "Make a baseline from the result files of several runs."};

}  // namespace
}  // namespace bench_transfers::gate
