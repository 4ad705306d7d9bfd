#include "src/fleet/io/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "src/fleet/io/doubts.hpp"
#include "src/fleet/io/gpu_problem.hpp"
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

/// The lower of both; none counts as unknown.
void lower(std::optional<int>& first, const std::optional<int>& second) {
  if (second && (!first || *second < *first)) first = second;
}

std::set<std::size_t> ranks_of(const std::vector<measured_gpu>& gpus) {
  std::set<std::size_t> ranks;
  for (const auto& measured : gpus)
    if (measured.gpu.rank) ranks.insert(*measured.gpu.rank);
  return ranks;
}

// First stage: what is of another sweep, or cannot be compared, is left out.

void leave_out(sweep& sweep, std::vector<measured_gpu>& gpus, std::string measured_gpu::*member,
               const char* code, const char* what) {
  const auto usual = usual_of(gpus, member);
  std::erase_if(gpus, [&](const measured_gpu& measured) {
    if (measured.*member == usual) return false;
    add_problem(sweep, measured.gpu, code,
                fmt::format("{} on {} is of {} '{}', the others of '{}': it is left out",
                            measured.gpu.uuid, measured.gpu.node, what, measured.*member, usual),
                {{what, measured.*member}});
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
  auto ranks = ranks_of(gpus);
  sweep.id = usual_of(gpus, &measured_gpu::sweep);
  leave_out(sweep, gpus, &measured_gpu::sweep, "another_sweep", "sweep");
  leave_out(sweep, gpus, &measured_gpu::version, "another_version", "version");
  leave_out_other_procedures(sweep, gpus);
  for (const auto& measured : gpus)
    sweep.world_size = std::max(sweep.world_size, measured.world_size);
  add_doubts(sweep, gpus, span);
  gpus = merged(sweep, std::move(gpus));
  const auto columns = choose_benchmarks(sweep, gpus);
  add_gpus(sweep, std::move(gpus), columns);
  for (const auto& gpu : sweep.gpus)
    if (gpu.rank) ranks.erase(*gpu.rank);
  sweep.other_ranks = std::move(ranks);
  return sweep;
}

}  // namespace bench_transfers::fleet
