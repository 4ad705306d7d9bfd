#include "src/gate/model/pin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "src/common/text.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/gate/model/identity.hpp"

namespace bench_transfers::gate {
namespace {

class pinning {
 public:
  pinning(std::span<const run> runs, const metric& judged_by, const pin_permissions& permissions)
      : runs_(runs), permissions_(permissions) {
    const auto& first = runs.front();
    auto& baseline = result_.baseline;
    baseline.judged_by = judged_by;
    baseline.ours = first.ours;
    baseline.on_host = first.on_host;
    baseline.device = first.device;
    baseline.machine = first.machine;
    if (std::ranges::all_of(runs, [&](const run& run) { return run.options == first.options; }))
      baseline.options = first.options;
  }

  pin_result result() {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      require_no_doubt(runs_[i]);
      repeat_warnings(runs_[i]);
      remove_differing_facts(runs_[i]);
      add_process(i);
    }
    if (result_.baseline.ours && result_.baseline.machine.empty())
      throw bad_input(
          "no fact of the machine is the same in all runs, so another one could not be recognised");
    keep_benchmarks_with_enough_runs();
    check_result();
    return std::move(result_);
  }

 private:
  template <class Warning>
  void warn(Warning warning) {
    result_.warnings.emplace_back(std::move(warning));
  }

  /// A baseline of slow runs would let slow code pass.
  void require_no_doubt(const run& process) const {
    for (const auto why : doubts_of(process))
      if (why != doubt::disturbed || !permissions_.allow_disturbed)
        throw bad_input(refusal_text(process, why));
  }

  static std::string refusal_text(const run& process, doubt why) {
    switch (why) {
      case doubt::faults_injected:
        return fmt::format("{} has faults injected on purpose ({}): no baseline",
                           quoted(process.file), process.faults.front());
      case doubt::disturbed: {
        const auto warning = std::ranges::find_if(process.warnings, is_disturbance);
        return fmt::format("{}: {} (--allow-disturbed permits that)", quoted(process.file),
                           common::printable(warning->text));
      }
      case doubt::nothing_measured: break;
    }
    const bool is_short = std::ranges::any_of(process.benchmarks, [](const auto& entry) {
      return has_too_few_repetitions(entry.second);
    });
    return fmt::format("{} has no benchmark with a figure{}: no baseline", quoted(process.name()),
                       is_short ? ", which takes half of its repetitions (measure without "
                                  "--max-time, and on a quiet machine)"
                                : "");
  }

  void repeat_warnings(const run& process) {
    if (!process.tells_of_file()) return;
    for (const auto& warning : process.warnings)
      if (concerns_figures(warning))
        warn(pin_warnings::warned{quoted(process.file), warning.code, warning.text});
  }

  /// A fact that differs between the runs cannot tell whether a new run is like them.
  void remove_differing_facts(const run& process) {
    auto& machine = result_.baseline.machine;
    for (const auto& fact : differences(machine, process.machine)) {
      if (!permissions_.allow_different.contains(fact.key))
        throw bad_input(
            fmt::format("{} and {} differ in {}: '{}' and '{}' (--allow-different={} permits that)",
                        quoted(runs_.front().file), quoted(process.file), fact.key, fact.before,
                        fact.after, fact.key));
      std::erase_if(machine, [&](const auto& entry) { return entry.first == fact.key; });
    }
  }

  /// The benchmark of a name must be the same in all runs.
  static void require_same(const std::string& name, const run& process,
                           const benchmark_values& benchmark, const history& known) {
    if (is_other_procedure(known.work, benchmark.work))
      throw bad_input(fmt::format(
          "{} measured {} by procedure {}, a run before it by procedure {}: pin runs of one "
          "version of the program",
          quoted(process.file), common::printable_in_short(name), benchmark.work.procedure,
          known.work.procedure));
    if (known.bytes != benchmark.bytes || known.limited_by != benchmark.limited_by)
      throw bad_input(
          fmt::format("{} describes {} otherwise than the runs before it: bytes, role or memory",
                      quoted(process.file), common::printable_in_short(name)));
  }

  void add_process(std::size_t index) {
    const auto& process = runs_[index];
    const auto& judged_by = result_.baseline.judged_by;
    const auto file = quoted(process.name());
    if (!process.complete && process.tells_of_file())
      warn(pin_warnings::interrupted{quoted(process.file)});
    result_.baseline.processes.push_back(origin_of(process));
    for (const auto& name : process.unjudged) {
      lacking_field_.insert(name);
      warn(pin_warnings::no_such_field{name, judged_by.key, process.name().string()});
    }
    std::size_t few = 0;
    for (const auto& [name, benchmark] : process.benchmarks) {
      auto& history = histories_[name];
      history.figures.resize(runs_.size());
      history.means.resize(runs_.size());
      history.fastest.resize(runs_.size());
      describe(name, process, benchmark, history);
      history.figures[index] = figure_of(benchmark, judged_by);
      history.means[index] = mean_of(benchmark, judged_by);
      history.fastest[index] = fastest_of(benchmark);
      if (benchmark.failed > 0) warn(pin_warnings::failed{name, file});
      if (!has_too_few_repetitions(benchmark)) continue;
      ++few;
      short_of_repetitions_.insert(name);
    }
    if (few > 0) warn(pin_warnings::few_repetitions{file, few});
  }

  /// As the first run that has measured it does; the others must agree.
  static void describe(const std::string& name, const run& process,
                       const benchmark_values& benchmark, history& known) {
    const bool is_first = std::ranges::none_of(known.figures, [](const auto& f) { return !!f; });
    if (is_first) {
      known.work = benchmark.work;
    } else if (!benchmark.values.empty()) {
      require_same(name, process, benchmark, known);
      keep_common(known.work, benchmark.work);
    }
    if (benchmark.bytes) known.bytes = benchmark.bytes;
    known.limited_by = benchmark.limited_by;
  }

  void keep_benchmarks_with_enough_runs() {
    pin_warnings::left_out left_out{0, histories_.size(), {}, 0, runs_.size()};
    for (auto& [name, history] : histories_) {
      const auto measured_by = static_cast<std::size_t>(
          std::ranges::count_if(history.figures, [](const auto& figure) { return !!figure; }));
      for (auto* others : {&history.means, &history.fastest})
        if (!has_all(history, *others)) others->clear();
      if (measured_by >= least_processes) {
        result_.baseline.benchmarks.emplace(name, std::move(history));
      } else if (left_out.benchmarks++ == 0) {
        left_out.first = name;
        left_out.measured = measured_by;
      }
    }
    require_most();
    if (left_out.benchmarks > 0) warn(std::move(left_out));
  }

  /// A check of a few benchmarks would pass for one of all that the runs measure. Those that runs
  /// lack, or that fail, have warnings of their own.
  void require_most() const {
    std::size_t few = 0;
    for (const auto& name : short_of_repetitions_)
      if (!result_.baseline.benchmarks.contains(name)) ++few;
    const auto kept = result_.baseline.benchmarks.size();
    if (kept == 0 || few <= kept || permissions_.allow_noisy) return;
    throw bad_input(fmt::format(
        "{} benchmarks have less than half of their repetitions, and only {} have a figure in {} "
        "runs or more: no baseline (--allow-noisy permits that; longer runs on a quieter machine "
        "have more)",
        few, kept, least_processes));
  }

  void check_result() {
    if (!lacking_field_.empty())
      warn(pin_warnings::lacking_field{lacking_field_.size(), result_.baseline.judged_by.key,
                                       *lacking_field_.begin()});
    if (result_.baseline.benchmarks.empty())
      throw bad_input("no benchmark was measured by three runs or more");
    if (runs_.size() < recommended_processes)
      warn(pin_warnings::few_runs{runs_.size(), recommended_processes});
    const auto sessions = number_of_sessions(result_.baseline.processes);
    if (sessions < 2)
      warn(pin_warnings::one_session{});
    else if (sessions < recommended_sessions)
      warn(pin_warnings::few_sessions{sessions, recommended_sessions});
  }

  std::span<const run> runs_;
  const pin_permissions& permissions_;
  std::map<std::string, history> histories_;
  std::set<std::string> lacking_field_;
  std::set<std::string> short_of_repetitions_;  ///< benchmarks, in a run at least
  pin_result result_;
};

}  // namespace

void require_count(std::size_t runs) {
  if (runs < least_processes)
    throw bad_input(fmt::format("a baseline needs at least {} runs, better {}; {} {} given",
                                least_processes, recommended_processes, runs,
                                runs == 1 ? "is" : "are"));
  if (runs > most_processes)
    throw bad_input(
        fmt::format("a baseline can have at most {} runs; {} are given", most_processes, runs));
}

pin_result pin(std::span<const run> runs, const metric& judged_by,
               const pin_permissions& permissions) {
  require_count(runs.size());
  require_comparable(runs);
  return pinning(runs, judged_by, permissions).result();
}

}  // namespace bench_transfers::gate
