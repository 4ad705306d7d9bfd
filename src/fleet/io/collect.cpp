#include "src/fleet/io/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "src/common/text.hpp"
#include "src/fleet/model/most_common.hpp"
#include "src/result_file/procedure.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

/// A file that does not tell its node stands for a node by itself, which has the file's name.
bool tells_node(const measured_gpu& measured) { return measured.gpu.node != measured.file; }

/// The value that most of them have; of equally many the largest.
template <class Member>
std::string usual_of(const std::vector<measured_gpu>& gpus, Member member) {
  std::vector<std::string> values;
  values.reserve(gpus.size());
  for (const auto& gpu : gpus) values.push_back(gpu.*member);
  return most_common(values).value_or("");
}

double in_hours(std::chrono::hours span) { return static_cast<double>(span.count()); }

double seconds_of(std::chrono::sys_seconds time) {
  return static_cast<double>(time.time_since_epoch().count());
}

bool is_more_than_half(std::size_t part, std::size_t whole) { return 2 * part > whole; }

/// The lower of both; none counts as unknown.
void lower(std::optional<int>& first, const std::optional<int>& second) {
  if (second && (!first || *second < *first)) first = second;
}

class putting_together {
 public:
  putting_together(std::vector<common::message> problems, std::optional<std::chrono::hours> span)
      : span_(span) {
    sweep_.problems = std::move(problems);
  }

  sweep run(std::vector<measured_gpu> gpus) {
    sweep_.id = usual_of(gpus, &measured_gpu::sweep);
    leave_out(gpus, &measured_gpu::sweep, "another_sweep", "sweep");
    leave_out(gpus, &measured_gpu::version, "another_version", "version");
    leave_out_other_procedures(gpus);
    compare_starts(gpus);
    compare_starts_of_sweep(gpus);
    compare_ranks(gpus);
    std::ranges::stable_sort(gpus, {}, [](const measured_gpu& measured) {
      return std::tie(measured.gpu.node, measured.gpu.rank, measured.gpu.uuid);
    });
    for (auto& measured : gpus) add(std::move(measured));
    choose_benchmarks();
    for (auto& measured : merged_) finish(std::move(measured));
    for (const auto& gpu : sweep_.gpus)
      if (gpu.rank) sweep_.other_ranks.erase(*gpu.rank);
    return std::move(sweep_);
  }

 private:
  void add_problem(const gpu& gpu, const char* code, std::string text,
                   const nlohmann::ordered_json& more = nlohmann::ordered_json::object()) {
    nlohmann::ordered_json data{{"gpu", gpu.uuid}, {"node", gpu.node}};
    data.update(more);
    sweep_.problems.push_back({code, std::move(data), std::move(text)});
  }

  /// A GPU that can do nothing is one problem, not one for each benchmark.
  void add_benchmarks_problem(const gpu& gpu, const char* code, const std::set<std::string>& names,
                              const char* what) {
    if (names.empty()) return;
    add_problem(gpu, code,
                fmt::format("{}{} {} on {} of {}", *names.begin(),
                            names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "",
                            what, gpu.uuid, gpu.node),
                {{"benchmarks", names}});
  }

  void leave_out(std::vector<measured_gpu>& gpus, std::string measured_gpu::*member,
                 const char* code, const char* what) {
    const auto usual = usual_of(gpus, member);
    std::erase_if(gpus, [&](const measured_gpu& measured) {
      if (measured.*member == usual) return false;
      add_problem(measured.gpu, code,
                  fmt::format("{} on {} is of {} '{}', the others of '{}': it is left out",
                              measured.gpu.uuid, measured.gpu.node, what, measured.*member, usual),
                  {{what, measured.*member}});
      if (measured.gpu.rank) sweep_.other_ranks.insert(*measured.gpu.rank);
      return true;
    });
  }

  /// Of all GPUs what several procedures have measured: none of its figures can be compared.
  void leave_out_other_procedures(std::vector<measured_gpu>& gpus) {
    result_file::procedures known;
    for (const auto& measured : gpus)
      for (const auto& [name, benchmark] : measured.benchmarks)
        known.add(name, benchmark.procedure);
    for (auto& measured : gpus)
      std::erase_if(measured.benchmarks,
                    [&](const auto& entry) { return known.differing().contains(entry.first); });
    if (auto problem = result_file::procedures_differ(known.differing()))
      sweep_.problems.push_back(std::move(*problem));
  }

  /// What was measured last night says nothing about this sweep.
  void compare_starts(const std::vector<measured_gpu>& gpus) {
    std::vector<double> starts;
    for (const auto& measured : gpus)
      if (measured.started) starts.push_back(seconds_of(*measured.started));
    if (starts.empty()) return;
    const auto usual = statistics::median(std::move(starts));
    sweep_.begin = std::chrono::sys_seconds(std::chrono::seconds(std::llround(usual)));
    for (const auto& measured : gpus) {
      if (!measured.started) continue;
      const auto hours = (seconds_of(*measured.started) - usual) / 3600;
      if (std::abs(hours) <= in_hours(span_.value_or(usual_span))) continue;
      add_problem(
          measured.gpu, "another_time",
          fmt::format("{} on {} was measured {:.0f} hours {} most others", measured.gpu.uuid,
                      measured.gpu.node, std::abs(hours), hours < 0 ? "before" : "after"),
          {{"file", measured.file}, {"hours", hours}});
    }
  }

  /// A sweep's id that was used again leaves the files of GPUs that have failed since. A GPU can
  /// have several runs: its newest one counts.
  void compare_starts_of_sweep(const std::vector<measured_gpu>& gpus) {
    if (sweep_.id.empty() || span_) return;
    std::map<std::string, const measured_gpu*> newest;
    std::vector<double> starts, lengths;
    for (const auto& measured : gpus) {
      if (!measured.started) continue;
      auto& known = newest.emplace(measured.gpu.uuid, &measured).first->second;
      if (*measured.started > *known->started) known = &measured;
      if (measured.finished)
        lengths.push_back(seconds_of(*measured.finished) - seconds_of(*measured.started));
    }
    if (lengths.empty()) return;
    for (const auto& [uuid, measured] : newest) starts.push_back(seconds_of(*measured->started));
    // From the farther one of two in the middle: of two GPUs neither is usual.
    std::ranges::sort(starts);
    const auto low = starts[(starts.size() - 1) / 2];
    const auto high = starts[starts.size() / 2];
    const auto most = runs_apart * std::max(0.0, statistics::median(std::move(lengths))) +
                      static_cast<double>(std::chrono::seconds(starting_apart).count());
    for (const auto& [uuid, measured] : newest) {
      const auto start = seconds_of(*measured->started);
      const auto minutes = (start - (start > low ? low : high)) / 60;
      // Beyond this it is of another time.
      if (60 * std::abs(minutes) <= most || std::abs(minutes) > 60 * in_hours(usual_span)) continue;
      add_problem(
          measured->gpu, "far_apart",
          fmt::format("{} on {} was measured {:.0f} minutes {} most others: was the sweep's "
                      "id used twice?",
                      uuid, measured->gpu.node, std::abs(minutes),
                      minutes < 0 ? "before" : "after"),
          {{"file", measured->file}, {"minutes", minutes}});
    }
  }

  /// A rank is one process, and has written one file about its GPUs, or several about the same.
  void compare_ranks(const std::vector<measured_gpu>& gpus) {
    std::map<std::size_t, const measured_gpu*> first_of_rank;
    std::map<std::string, const measured_gpu*> first_of_gpu;
    const auto contradict = [&](const measured_gpu& measured, const std::string& why) {
      add_problem(measured.gpu, "contradictory_ranks",
                  fmt::format("rank {} ({} on {}) {}", *measured.gpu.rank, measured.gpu.uuid,
                              measured.gpu.node, why),
                  {{"rank", *measured.gpu.rank}});
    };
    for (const auto& measured : gpus)
      if (measured.world_size && (!sweep_.world_size || *measured.world_size > *sweep_.world_size))
        sweep_.world_size = measured.world_size;
    for (const auto& measured : gpus) {
      if (!measured.gpu.rank) continue;
      const auto rank = *measured.gpu.rank;
      sweep_.other_ranks.insert(rank);
      if (sweep_.world_size && rank >= *sweep_.world_size)
        contradict(measured, fmt::format("is none of {}", *sweep_.world_size));
      if (measured.world_size != sweep_.world_size)
        contradict(measured, "is of a fleet of another size");
      const auto& by_rank = *first_of_rank.emplace(rank, &measured).first->second;
      if (by_rank.file != measured.file &&
          (by_rank.gpu.uuid != measured.gpu.uuid || by_rank.gpu.node != measured.gpu.node))
        contradict(measured, fmt::format("is {} on {}, too", by_rank.gpu.uuid, by_rank.gpu.node));
      const auto& by_gpu = *first_of_gpu.emplace(measured.gpu.uuid, &measured).first->second;
      if (by_gpu.gpu.rank != measured.gpu.rank)
        contradict(measured,
                   fmt::format("has measured the GPU of rank {}", by_gpu.gpu.rank.value_or(0)));
    }
  }

  /// A GPU keeps its runs apart. It cannot be on two nodes.
  void add(measured_gpu measured) {
    const auto known = by_uuid_.find(measured.gpu.uuid);
    if (known == by_uuid_.end()) {
      by_uuid_.emplace(measured.gpu.uuid, merged_.size());
      merged_.push_back(std::move(measured));
      return;
    }
    auto& first = merged_[known->second];
    if (tells_node(measured) && !tells_node(first)) first.gpu.node = measured.gpu.node;
    if (tells_node(measured) && first.gpu.node != measured.gpu.node) {
      add_problem(measured.gpu, "duplicate_gpu",
                  fmt::format("{} is on {} and on {}: the latter is left out", measured.gpu.uuid,
                              first.gpu.node, measured.gpu.node),
                  {{"other_node", first.gpu.node}});
      return;
    }
    for (auto& [name, more] : measured.benchmarks) {
      auto [entry, is_new] = first.benchmarks.try_emplace(name, more);
      if (is_new) continue;
      auto& runs = entry->second.times;
      // The same file may have been copied.
      for (auto& run : more.times)
        if (std::ranges::find(runs, run) == runs.end()) runs.push_back(std::move(run));
    }
    std::ranges::move(measured.faults, std::back_inserter(first.faults));
    std::ranges::move(measured.failed, std::back_inserter(first.failed));
    std::ranges::move(measured.skipped, std::back_inserter(first.skipped));
    first.ran.merge(measured.ran);
    first.gpu.parts = std::max(first.gpu.parts, measured.gpu.parts);
    first.gpu.warnings.merge(measured.gpu.warnings);
    first.gpu.wrong_data.merge(measured.gpu.wrong_data);
    for (const auto part : {&link::generation, &link::width})
      lower(first.gpu.link.*part, measured.gpu.link.*part);
  }

  /// A benchmark of several models can be limited by something else on each: it is one benchmark of
  /// each class then, of which every model has one.
  void choose_benchmarks() {
    std::map<std::string, std::map<std::string, std::vector<double>>> times;  // by name and model
    std::map<std::string, const measured_benchmark*> described;
    for (const auto& measured : merged_) {
      for (const auto& [name, benchmark] : measured.benchmarks) {
        if (benchmark.times.empty()) continue;
        times[name][measured.gpu.model].push_back(statistics::median(benchmark.times.front()));
        described.emplace(name, &benchmark);
      }
      for (const auto& name : measured.ran) ++ran_[name];
    }
    for (auto& [name, of_models] : times) {
      const auto& benchmark = *described.at(name);
      std::map<benchmark_class, std::set<std::string>> classes;
      for (auto& [model, values] : of_models)
        classes[class_of(benchmark.limited_by, statistics::median(std::move(values)))].insert(
            model);
      for (auto& [kind, models] : classes) {
        columns_.push_back({name, std::move(models)});
        sweep_.benchmarks.push_back({name,
                                     {kind, benchmark.towards, benchmark.together},
                                     benchmark.copied_bytes,
                                     benchmark.procedure});
      }
    }
  }

  void finish(measured_gpu measured) {
    for (const auto& [name, models] : columns_) {
      const auto found = measured.benchmarks.find(name);
      const bool is_there =
          found != measured.benchmarks.end() && models.contains(measured.gpu.model);
      measured.gpu.times.push_back(is_there ? std::move(found->second.times) : benchmark_times());
    }
    const auto& gpu = measured.gpu;
    const std::set failed(measured.failed.begin(), measured.failed.end());
    add_benchmarks_problem(gpu, "failed_benchmark", failed, "failed");
    std::set skipped(measured.skipped.begin(), measured.skipped.end());
    std::erase_if(skipped, [&](const std::string& name) {
      const auto on_others = ran_[name] - (measured.ran.contains(name) ? 1 : 0);
      return !is_more_than_half(on_others, merged_.size() - 1);
    });
    add_benchmarks_problem(gpu, "skipped_benchmark", skipped,
                           "could not run, which ran on most others,");
    if (!measured.faults.empty())
      add_problem(gpu, "faults_injected",
                  fmt::format("faults were injected on purpose on {} of {}", gpu.uuid, gpu.node),
                  {{"faults", measured.faults}});
    sweep_.gpus.push_back(std::move(measured.gpu));
  }

  std::optional<std::chrono::hours> span_;
  sweep sweep_;
  std::vector<measured_gpu> merged_;
  std::map<std::string, std::size_t> by_uuid_;
  std::map<std::string, std::size_t> ran_;  ///< on how many GPUs
  /// The names of the sweep's benchmarks, and the models that have measured them as such.
  std::vector<std::pair<std::string, std::set<std::string>>> columns_;
};

}  // namespace

sweep collect(found_files found, std::optional<std::chrono::hours> span,
              const progress_function& progress) {
  auto read = read_files(std::move(found), progress);
  return sweep_of(std::move(read.gpus), std::move(read.problems), span);
}

sweep sweep_of(std::vector<measured_gpu> gpus, std::vector<common::message> problems,
               std::optional<std::chrono::hours> span) {
  return putting_together(std::move(problems), span).run(std::move(gpus));
}

}  // namespace bench_transfers::fleet
