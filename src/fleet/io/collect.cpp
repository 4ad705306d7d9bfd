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
std::string usual_of(const std::vector<measured_gpu>& gpus, std::string measured_gpu::*member) {
  std::vector<std::string> values;
  values.reserve(gpus.size());
  for (const auto& gpu : gpus) values.push_back(gpu.*member);
  return most_common(values).value_or("");
}

double in_hours(std::chrono::hours span) { return static_cast<double>(span.count()); }

double seconds_of(std::chrono::sys_seconds time) {
  return static_cast<double>(time.time_since_epoch().count());
}

/// The lower of both; none counts as unknown.
void lower(std::optional<int>& first, const std::optional<int>& second) {
  if (second && (!first || *second < *first)) first = second;
}

void add_problem(sweep& sweep, const gpu& gpu, const char* code, std::string text,
                 const nlohmann::ordered_json& more) {
  nlohmann::ordered_json data{{"gpu", gpu.uuid}, {"node", gpu.node}};
  data.update(more);
  sweep.problems.push_back({code, std::move(data), std::move(text)});
}

// First stage: problems of what was read. What is of another sweep is left out.

void leave_out(sweep& sweep, std::vector<measured_gpu>& gpus, std::string measured_gpu::*member,
               const char* code, const char* what) {
  const auto usual = usual_of(gpus, member);
  std::erase_if(gpus, [&](const measured_gpu& measured) {
    if (measured.*member == usual) return false;
    add_problem(sweep, measured.gpu, code,
                fmt::format("{} on {} is of {} '{}', the others of '{}': it is left out",
                            measured.gpu.uuid, measured.gpu.node, what, measured.*member, usual),
                {{what, measured.*member}});
    if (measured.gpu.rank) sweep.other_ranks.insert(*measured.gpu.rank);
    return true;
  });
}

/// Of all GPUs what several procedures have measured: none of its figures can be compared.
void leave_out_other_procedures(sweep& sweep, std::vector<measured_gpu>& gpus) {
  result_file::procedures known;
  for (const auto& measured : gpus)
    for (const auto& [name, benchmark] : measured.benchmarks) known.add(name, benchmark.procedure);
  for (auto& measured : gpus)
    std::erase_if(measured.benchmarks,
                  [&](const auto& entry) { return known.differing().contains(entry.first); });
  if (auto problem = result_file::procedures_differ(known.differing()))
    sweep.problems.push_back(std::move(*problem));
}

/// What was measured last night says nothing about this sweep.
void compare_starts(sweep& sweep, const std::vector<measured_gpu>& gpus, std::chrono::hours span) {
  std::vector<double> starts;
  for (const auto& measured : gpus)
    if (measured.started) starts.push_back(seconds_of(*measured.started));
  if (starts.empty()) return;
  const auto usual = statistics::median(std::move(starts));
  sweep.begin = std::chrono::sys_seconds(std::chrono::seconds(std::llround(usual)));
  for (const auto& measured : gpus) {
    if (!measured.started) continue;
    const auto hours = (seconds_of(*measured.started) - usual) / 3600;
    if (std::abs(hours) <= in_hours(span)) continue;
    add_problem(sweep, measured.gpu, "another_time",
                fmt::format("{} on {} was measured {:.0f} hours {} most others", measured.gpu.uuid,
                            measured.gpu.node, std::abs(hours), hours < 0 ? "before" : "after"),
                {{"file", measured.file}, {"hours", hours}});
  }
}

/// A sweep's id that was used again leaves the files of GPUs that have failed since. A GPU can have
/// several runs: its newest one counts.
void compare_starts_of_sweep(sweep& sweep, const std::vector<measured_gpu>& gpus) {
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
        sweep, measured->gpu, "far_apart",
        fmt::format(
            "{} on {} was measured {:.0f} minutes {} most others: was the sweep's id used twice?",
            uuid, measured->gpu.node, std::abs(minutes), minutes < 0 ? "before" : "after"),
        {{"file", measured->file}, {"minutes", minutes}});
  }
}

/// A rank is one process, and has written one file about its GPUs, or several about the same.
void compare_ranks(sweep& sweep, const std::vector<measured_gpu>& gpus) {
  std::map<std::size_t, const measured_gpu*> first_of_rank;
  std::map<std::string, const measured_gpu*> first_of_gpu;
  const auto contradict = [&](const measured_gpu& measured, const std::string& why) {
    add_problem(sweep, measured.gpu, "contradictory_ranks",
                fmt::format("rank {} ({} on {}) {}", *measured.gpu.rank, measured.gpu.uuid,
                            measured.gpu.node, why),
                {{"rank", *measured.gpu.rank}});
  };
  for (const auto& measured : gpus)
    sweep.world_size = std::max(sweep.world_size, measured.world_size);
  for (const auto& measured : gpus) {
    if (!measured.gpu.rank) continue;
    const auto rank = *measured.gpu.rank;
    sweep.other_ranks.insert(rank);
    if (sweep.world_size && rank >= *sweep.world_size)
      contradict(measured, fmt::format("is none of {}", *sweep.world_size));
    if (measured.world_size != sweep.world_size)
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

/// Also finds out which sweep it is, and of how many ranks.
void check(sweep& sweep, std::vector<measured_gpu>& gpus, std::optional<std::chrono::hours> span) {
  sweep.id = usual_of(gpus, &measured_gpu::sweep);
  leave_out(sweep, gpus, &measured_gpu::sweep, "another_sweep", "sweep");
  leave_out(sweep, gpus, &measured_gpu::version, "another_version", "version");
  leave_out_other_procedures(sweep, gpus);
  compare_starts(sweep, gpus, span.value_or(usual_span));
  if (!sweep.id.empty() && !span) compare_starts_of_sweep(sweep, gpus);
  compare_ranks(sweep, gpus);
}

// Second stage: one measured_gpu of each GPU.

/// The GPU keeps its runs apart.
void add_runs(measured_gpu& first, measured_gpu more) {
  for (auto& [name, benchmark] : more.benchmarks) {
    auto [entry, is_new] = first.benchmarks.try_emplace(name, benchmark);
    if (is_new) continue;
    auto& runs = entry->second.times;
    // The same file may have been copied.
    for (auto& run : benchmark.times)
      if (std::ranges::find(runs, run) == runs.end()) runs.push_back(std::move(run));
  }
  std::ranges::move(more.faults, std::back_inserter(first.faults));
  std::ranges::move(more.failed, std::back_inserter(first.failed));
  std::ranges::move(more.skipped, std::back_inserter(first.skipped));
  first.ran.merge(more.ran);
  first.gpu.parts = std::max(first.gpu.parts, more.gpu.parts);
  first.gpu.warnings.merge(more.gpu.warnings);
  first.gpu.wrong_data.merge(more.gpu.wrong_data);
  for (const auto part : {&link::generation, &link::width})
    lower(first.gpu.link.*part, more.gpu.link.*part);
}

/// In the order of nodes, ranks and UUIDs. A GPU cannot be on two nodes.
std::vector<measured_gpu> merged(sweep& sweep, std::vector<measured_gpu> gpus) {
  std::ranges::stable_sort(gpus, {}, [](const measured_gpu& measured) {
    return std::tie(measured.gpu.node, measured.gpu.rank, measured.gpu.uuid);
  });
  std::vector<measured_gpu> result;
  std::map<std::string, std::size_t> places;
  for (auto& measured : gpus) {
    const auto [place, is_new] = places.try_emplace(measured.gpu.uuid, result.size());
    if (is_new) {
      result.push_back(std::move(measured));
      continue;
    }
    auto& first = result[place->second];
    if (tells_node(measured) && !tells_node(first)) first.gpu.node = measured.gpu.node;
    if (tells_node(measured) && first.gpu.node != measured.gpu.node)
      add_problem(sweep, measured.gpu, "duplicate_gpu",
                  fmt::format("{} is on {} and on {}: the latter is left out", measured.gpu.uuid,
                              first.gpu.node, measured.gpu.node),
                  {{"other_node", first.gpu.node}});
    else
      add_runs(first, std::move(measured));
  }
  return result;
}

// Third stage: the benchmarks of the sweep, and what each GPU has measured of them.

/// The name of a benchmark of the sweep, and the models that have measured it as such.
using column = std::pair<std::string, std::set<std::string>>;

/// A benchmark of several models can be limited by something else on each: it is one benchmark of
/// each class then, of which every model has one.
std::vector<column> choose_benchmarks(sweep& sweep, const std::vector<measured_gpu>& gpus) {
  std::map<std::string, std::map<std::string, std::vector<double>>> times;  // by name and model
  std::map<std::string, const measured_benchmark*> described;
  for (const auto& measured : gpus)
    for (const auto& [name, benchmark] : measured.benchmarks) {
      if (benchmark.times.empty()) continue;
      times[name][measured.gpu.model].push_back(statistics::median(benchmark.times.front()));
      described.emplace(name, &benchmark);
    }
  std::vector<column> columns;
  for (auto& [name, of_models] : times) {
    const auto& benchmark = *described.at(name);
    std::map<benchmark_class, std::set<std::string>> classes;
    for (auto& [model, values] : of_models)
      classes[class_of(benchmark.limited_by, statistics::median(std::move(values)))].insert(model);
    for (auto& [kind, models] : classes) {
      columns.emplace_back(name, std::move(models));
      sweep.benchmarks.push_back({name,
                                  {kind, benchmark.towards, benchmark.together},
                                  benchmark.copied_bytes,
                                  benchmark.procedure});
    }
  }
  return columns;
}

/// A GPU that can do nothing is one problem, not one for each benchmark.
void add_benchmarks_problem(sweep& sweep, const gpu& gpu, const char* code,
                            const std::set<std::string>& names, const char* what) {
  if (names.empty()) return;
  add_problem(sweep, gpu, code,
              fmt::format("{}{} {} on {} of {}", *names.begin(),
                          names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "",
                          what, gpu.uuid, gpu.node),
              {{"benchmarks", names}});
}

/// `ran`: on how many GPUs each benchmark ran.
void add_problems_of_gpu(sweep& sweep, const measured_gpu& measured, std::size_t others,
                         const std::map<std::string, std::size_t>& ran) {
  const auto& gpu = measured.gpu;
  const std::set failed(measured.failed.begin(), measured.failed.end());
  add_benchmarks_problem(sweep, gpu, "failed_benchmark", failed, "failed");
  std::set skipped(measured.skipped.begin(), measured.skipped.end());
  std::erase_if(skipped, [&](const std::string& name) {
    const auto on_all = ran.contains(name) ? ran.at(name) : 0;
    return 2 * (on_all - (measured.ran.contains(name) ? 1 : 0)) <= others;
  });
  add_benchmarks_problem(sweep, gpu, "skipped_benchmark", skipped,
                         "could not run, which ran on most others,");
  if (!measured.faults.empty())
    add_problem(sweep, gpu, faults_injected_code,
                fmt::format("faults were injected on purpose on {} of {}", gpu.uuid, gpu.node),
                {{"faults", measured.faults}});
}

void add_gpus(sweep& sweep, std::vector<measured_gpu> gpus, const std::vector<column>& columns) {
  std::map<std::string, std::size_t> ran;  // on how many GPUs
  for (const auto& measured : gpus)
    for (const auto& name : measured.ran) ++ran[name];
  for (auto& measured : gpus) {
    for (const auto& [name, models] : columns) {
      const auto found = measured.benchmarks.find(name);
      const bool is_there =
          found != measured.benchmarks.end() && models.contains(measured.gpu.model);
      measured.gpu.times.push_back(is_there ? std::move(found->second.times) : benchmark_times());
    }
    add_problems_of_gpu(sweep, measured, gpus.size() - 1, ran);
    if (measured.gpu.rank) sweep.other_ranks.erase(*measured.gpu.rank);
    sweep.gpus.push_back(std::move(measured.gpu));
  }
}

}  // namespace

sweep collect(found_files found, std::optional<std::chrono::hours> span,
              const progress_function& progress) {
  auto read = read_files(std::move(found), progress);
  return sweep_of(std::move(read.gpus), std::move(read.problems), span);
}

sweep sweep_of(std::vector<measured_gpu> gpus, std::vector<common::message> problems,
               std::optional<std::chrono::hours> span) {
  sweep sweep;
  sweep.problems = std::move(problems);
  check(sweep, gpus, span);
  gpus = merged(sweep, std::move(gpus));
  const auto columns = choose_benchmarks(sweep, gpus);
  add_gpus(sweep, std::move(gpus), columns);
  return sweep;
}

}  // namespace bench_transfers::fleet
