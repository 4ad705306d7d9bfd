#include "src/gate/model/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "src/common/text.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/result_file/format.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::gate {
namespace {

double median_of(std::vector<double> values, const metric& judged_by) {
  if (judged_by.key != "gb_per_s") return statistics::median(std::move(values));
  // The bandwidth of the median time, as in summaries and reports.
  const auto inverse = [](double value) { return 1 / value; };
  std::ranges::transform(values, values.begin(), inverse);
  return inverse(statistics::median(std::move(values)));
}

/// "a rate in 'GB/s', more is better"
std::string described(const declaration& counter) {
  return fmt::format("a {} in '{}'{}", result_file::to_string(counter.kind),
                     common::printable_in_short(counter.unit),
                     !counter.more_is_better   ? ""
                     : *counter.more_is_better ? ", more is better"
                                               : ", less is better");
}

}  // namespace

std::filesystem::path run::name() const {
  if (process.count == 1) return file;
  return fmt::format("{} (process {})", file.string(), process.number);
}

bool is_disturbance(const run_warning& warning) {
  static const std::set<std::string> codes{"gpu_throttled", "gpu_clock_fell", "cpu_throttled",
                                           "link_changed"};
  return codes.contains(warning.code);
}

bool concerns_figures(const run_warning& warning) {
  static const std::set<std::string> codes{
      "pcie_replays", "other_load", "repetitions_disturbed", "rounds_slowed",
      "parts_differ", "imported",   "confidential_computing"};
  return is_disturbance(warning) || codes.contains(warning.code);
}

bool is_disturbed(const run& process) {
  return std::ranges::any_of(process.warnings, is_disturbance);
}

bool is_fine(double number) {
  constexpr double rounding = 1e-12;
  return std::isfinite(number) &&
         std::abs(number - std::stod(fmt::format("{:.6g}", number))) > rounding * std::abs(number);
}

bool has_too_few_repetitions(const benchmark_values& benchmark) {
  return benchmark.values.size() < benchmark.left_out;
}

bool is_usable(const benchmark_values& benchmark) {
  return !benchmark.values.empty() && benchmark.failed == 0 && !has_too_few_repetitions(benchmark);
}

std::optional<double> figure_of(const benchmark_values& benchmark, const metric& judged_by) {
  const auto& values = benchmark.values;
  if (!is_usable(benchmark)) return std::nullopt;
  if (!judged_by.fastest_repetition) return median_of(values, judged_by);
  return judged_by.more_is_better ? std::ranges::max(values) : std::ranges::min(values);
}

std::optional<double> mean_of(const benchmark_values& benchmark, const metric& judged_by) {
  const auto& values = benchmark.means.empty() ? benchmark.values : benchmark.means;
  if (!is_usable(benchmark) || benchmark.lacks_means) return std::nullopt;
  // The mean rate is that of the mean time.
  const double sign = judged_by.more_is_better ? -1 : 1;
  double sum = 0;
  for (const double value : values) sum += std::pow(value, sign);
  return std::pow(sum / static_cast<double>(values.size()), sign);
}

std::optional<double> fastest_of(const benchmark_values& benchmark) {
  return is_usable(benchmark) ? benchmark.fastest : std::nullopt;
}

std::optional<declaration> declaration_in(std::span<const run> runs, const metric& judged_by) {
  const run* first = nullptr;
  for (const auto& run : runs) {
    if (!run.declared) continue;
    if (first == nullptr) first = &run;
    if (*run.declared != *first->declared)
      throw bad_input(fmt::format("{} and {} disagree about {}: {}, and {}", quoted(first->file),
                                  quoted(run.file), common::printable_in_short(judged_by.key),
                                  described(*first->declared), described(*run.declared)));
  }
  return first == nullptr ? std::nullopt : first->declared;
}

std::string device_label(const std::string& device, bool on_host) {
  if (on_host) return "host device (no GPU)";
  return device.empty() ? "unknown device" : device;
}

}  // namespace bench_transfers::gate
