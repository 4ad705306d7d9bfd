#include "src/gate/model/pin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::gate {
namespace {

void require_count(std::size_t runs) {
  if (runs < least_processes)
    throw bad_input(fmt::format("a baseline needs at least {} runs, better {}; {} {} given",
                                least_processes, recommended_processes, runs,
                                runs == 1 ? "is" : "are"));
  if (runs > most_processes)
    throw bad_input(
        fmt::format("a baseline can have at most {} runs; {} are given", most_processes, runs));
}

class pinning {
 public:
  pinning(std::span<const run> runs, const metric& judged_by, const std::set<std::string>& allowed)
      : runs_(runs), allowed_(allowed) {
    const auto& first = runs.front();
    auto& baseline = result_.made;
    baseline.judged_by = judged_by;
    baseline.ours = first.ours;
    baseline.on_host = first.on_host;
    baseline.device = first.device;
    baseline.machine = first.machine;
  }

  pinned result() {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      require_no_faults(runs_[i]);
      take_out_differences(runs_[i]);
      add_process(i);
    }
    if (result_.made.ours && result_.made.machine.empty())
      throw bad_input(
          "no fact of the machine is the same in all runs, so another one could not be recognised");
    keep_what_enough_have_measured();
    warn_of_the_whole();
    return std::move(result_);
  }

 private:
  template <class Warning>
  void warn(Warning warning) {
    result_.warnings.emplace_back(std::move(warning));
  }

  static void require_no_faults(const run& process) {
    if (!process.faults.empty())
      throw bad_input(fmt::format("{} has faults injected on purpose ({}): no baseline",
                                  quoted(process.file), process.faults.front()));
  }

  /// What is not the same in all runs cannot tell whether a new one is like them.
  void take_out_differences(const run& process) {
    auto& machine = result_.made.machine;
    for (const auto& fact : differences(machine, process.machine)) {
      if (!allowed_.contains(fact.key))
        throw bad_input(fmt::format(
            "{} and {} differ in {}: '{}' and '{}' (--allow-different={} takes them together)",
            quoted(runs_.front().file), quoted(process.file), fact.key, fact.before, fact.after,
            fact.key));
      std::erase_if(machine, [&](const auto& entry) { return entry.first == fact.key; });
    }
  }

  void add_process(std::size_t place) {
    const auto& process = runs_[place];
    const auto& judged_by = result_.made.judged_by;
    const auto file = quoted(process.file);
    if (!process.complete) warn(pin_warnings::interrupted{file});
    result_.made.processes.push_back(origin_of(process));
    for (const auto& name : process.unjudged) {
      lacking_field_.insert(name);
      warn(pin_warnings::no_such_field{name, judged_by.key, process.file.string()});
    }
    for (const auto& [name, benchmark] : process.benchmarks) {
      auto& known = measured_[name];
      known.figures.resize(runs_.size());
      if (benchmark.bytes) known.bytes = benchmark.bytes;
      known.figures[place] = figure_of(benchmark, judged_by);
      if (benchmark.failed > 0) warn(pin_warnings::failed{name, file});
    }
  }

  void keep_what_enough_have_measured() {
    for (auto& [name, known] : measured_) {
      const auto measured_by = static_cast<std::size_t>(
          std::ranges::count_if(known.figures, [](const auto& figure) { return !!figure; }));
      if (measured_by >= least_processes)
        result_.made.benchmarks.emplace(name, std::move(known));
      else
        warn(pin_warnings::left_out{name, measured_by, runs_.size()});
    }
  }

  void warn_of_the_whole() {
    if (!lacking_field_.empty())
      warn(pin_warnings::lacking_field{lacking_field_.size(), result_.made.judged_by.key,
                                       *lacking_field_.begin()});
    if (result_.made.benchmarks.empty())
      throw bad_input("no benchmark was measured by three runs or more");
    if (runs_.size() < recommended_processes)
      warn(pin_warnings::few_runs{runs_.size(), recommended_processes});
    if (number_of_sessions(result_.made.processes) < 2) warn(pin_warnings::one_session{});
  }

  std::span<const run> runs_;
  const std::set<std::string>& allowed_;
  std::map<std::string, history> measured_;
  std::set<std::string> lacking_field_;
  pinned result_;
};

}  // namespace

pinned pin(std::span<const run> runs, const metric& judged_by,
           const std::set<std::string>& allowed) {
  require_count(runs.size());
  require_comparable(runs);
  return pinning(runs, judged_by, allowed).result();
}

}  // namespace bench_transfers::gate
