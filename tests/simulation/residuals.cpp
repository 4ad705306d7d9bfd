#include "tests/simulation/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "src/fleet/judge/scores.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::simulation {

using namespace fleet;

namespace {

using costs = std::vector<std::optional<double>>;  ///< by benchmark

costs costs_of(const gpu& gpu) {
  costs list;
  for (const auto& runs : gpu.times) list.push_back(usual_cost(runs));
  return list;
}

/// The medians over GPUs; 0 where none has measured a benchmark.
std::vector<double> medians_of(const std::vector<costs>& gpus, std::size_t benchmarks) {
  std::vector<double> medians(benchmarks, 0.0), values;
  for (std::size_t b = 0; b < benchmarks; ++b) {
    values.clear();
    for (const auto& gpu : gpus)
      if (gpu[b]) values.push_back(*gpu[b]);
    if (!values.empty()) medians[b] = statistics::median(values);
  }
  return medians;
}

std::vector<costs> less(std::vector<costs> gpus, const std::vector<double>& centre) {
  for (auto& gpu : gpus)
    for (std::size_t b = 0; b < gpu.size(); ++b)
      if (gpu[b]) *gpu[b] -= centre[b];
  return gpus;
}

std::vector<double> or_zero(const costs& values) {
  std::vector<double> list;
  for (const auto& value : values) list.push_back(value.value_or(0));
  return list;
}

/// By benchmark and run.
std::vector<benchmark_times> repetitions_of(const gpu& gpu) {
  std::vector<benchmark_times> by_benchmark;
  for (const auto& runs : gpu.times) {
    auto& list = by_benchmark.emplace_back();
    const auto centre = usual_cost(runs);
    for (const auto& run : runs) {
      auto& differences = list.emplace_back();
      for (const auto time : run) differences.push_back(std::log(time) - *centre);
    }
  }
  return by_benchmark;
}

std::set<std::size_t> named_gpus(const judgement& judged) {
  std::set<std::size_t> named;
  for (const auto& found : judged.findings)
    if (found.scope != scope::fleet) named.insert(found.gpus.begin(), found.gpus.end());
  return named;
}

template <class Values>
const auto& any_of(const Values& values, std::mt19937_64& random) {
  return values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
}

}  // namespace

residuals::residuals(const sweep& sweep, const judgement& judged) : sweep_(sweep) {
  for (const auto& alike : peers_of(sweep)) models_.push_back(differences_of(alike, judged));
}

residuals::differences residuals::differences_of(const peers& alike,
                                                 const judgement& judged) const {
  const auto benchmarks = sweep_.benchmarks.size();
  const auto named = named_gpus(judged);
  const bool all_are_named =
      std::ranges::all_of(alike.gpus, [&](std::size_t gpu) { return named.contains(gpu); });
  differences result{alike, {}, {}, {}, {}};
  std::vector<costs> all;
  for (const auto gpu : alike.gpus) all.push_back(costs_of(sweep_.gpus[gpu]));
  result.centre = medians_of(all, benchmarks);
  all = less(std::move(all), result.centre);
  for (const auto& node : alike.nodes) {
    std::vector<costs> gpus;
    for (const auto i : node) {
      if (!all_are_named && named.contains(alike.gpus[i])) continue;
      gpus.push_back(all[i]);
      result.of_repetitions.push_back(repetitions_of(sweep_.gpus[alike.gpus[i]]));
    }
    if (gpus.empty()) continue;
    result.of_nodes.push_back(medians_of(gpus, benchmarks));
    for (const auto& gpu : less(gpus, result.of_nodes.back()))
      result.of_gpus.push_back(or_zero(gpu));
  }
  return result;
}

sweep residuals::draw(std::size_t runs, std::mt19937_64& random) const {
  auto made = sweep_;
  // More runs draw more repetitions, and the same parts.
  std::mt19937_64 of_repetitions(random());
  made.problems.clear();
  for (const auto& model : models_)
    for (const auto& node : model.alike.nodes) {
      const auto& of_node = any_of(model.of_nodes, random);
      for (const auto i : node)
        measure(model, of_node, model.alike.gpus[i], runs, random, of_repetitions,
                made.gpus[model.alike.gpus[i]]);
    }
  return made;
}

void residuals::measure(const differences& model, const effects& of_node, std::size_t index,
                        std::size_t runs, std::mt19937_64& random,
                        std::mt19937_64& random_of_repetitions, gpu& gpu) const {
  const auto& of_gpu = any_of(model.of_gpus, random);
  // Each repetition is that of another GPU: drawn from those of one, a single disturbed repetition
  // of five would be three of a run.
  const auto difference = [&](std::size_t benchmark, std::size_t repetition) {
    const auto& runs_of_another = any_of(model.of_repetitions, random_of_repetitions)[benchmark];
    if (runs_of_another.empty()) return 0.0;
    const auto& run = any_of(runs_of_another, random_of_repetitions);
    return run[repetition % run.size()];
  };
  for (std::size_t b = 0; b < gpu.times.size(); ++b) {
    const auto& measured = sweep_.gpus[index].times[b];
    if (measured.empty()) continue;
    const auto level = model.centre[b] + of_node[b] + of_gpu[b];
    gpu.times[b].assign(runs, {});
    for (auto& run : gpu.times[b])
      for (std::size_t r = 0; r < measured.front().size(); ++r)
        run.push_back(std::exp(level + difference(b, r)));
  }
}

}  // namespace bench_transfers::simulation
