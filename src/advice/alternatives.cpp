#include "src/advice/alternatives.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "src/advice/role_rules.hpp"
#include "src/result_file/contents.hpp"
#include "src/result_file/spread.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::advice {
namespace {

using result_file::benchmark;

/// The benchmarks of one job.
struct job_key {
  result_file::direction direction;
  std::optional<std::string> job;

  auto operator<=>(const job_key&) const = default;
};

/// What a file has of a job.
struct job_parts {
  std::set<std::string> families;
  row_list rows;
};

/// A role of a file, of which the jobs are read.
struct asked_role {
  const result_file::contents& content;
  const std::filesystem::path& file;
  std::size_t device;
  role_rules rules;
  double reads;
  row_list rows_of_memory;
};

class job_reader {
 public:
  explicit job_reader(asked_role asked)
      : asked_(std::move(asked)),
        spreads_(result_file::spreads_of(asked_.content, result_file::compared_with::same_run)) {}

  [[nodiscard]] alternatives read(const job_key& key, const job_parts& parts) const {
    auto rows = parts.rows;
    rows.insert(rows.end(), asked_.rows_of_memory.begin(), asked_.rows_of_memory.end());
    alternatives read{.role = std::string(asked_.rules.role),
                      .job = key.job,
                      .direction = key.direction,
                      .time = std::string(asked_.rules.time),
                      .reads = asked_.reads,
                      .families = {parts.families.begin(), parts.families.end()},
                      .measured = measurements_in(asked_.content, spreads_, rows, asked_.file,
                                                  asked_.device, transfers()),
                      .sizes = {},
                      .in_turn = {}};
    std::set<double> sizes;
    for (const auto& series : read.measured.all_series)
      if (is_transfer(series.measures))
        for (const auto& measured : series.times) sizes.insert(measured.bytes);
    read.sizes.assign(sizes.begin(), sizes.end());
    read.all_prices = all_prices(parts.rows);
    for (const auto& series : read.measured.all_series) add_form(read, series);
    leave_out_common_memory(read.measured);
    return read;
  }

 private:
  [[nodiscard]] transfer_choice transfers() const {
    return {.belongs =
                [this](const benchmark& described) { return described.role == asked_.rules.role; },
            .strategy =
                [this](const benchmark& described) { return strategy_of(described, asked_.rules); },
            .timing = {.counter = std::string(asked_.rules.time),
                       .read_again = read_again(),
                       .is_of_its_size = true},
            .counts_memory = asked_.rules.counts_memory,
            .includes_forms = true,
            .needs_memory = false};
  }

  [[nodiscard]] std::optional<timing::reads> read_again() const {
    if (!(asked_.reads > 0)) return std::nullopt;
    return timing::reads{std::string(asked_.rules.read_again), asked_.reads};
  }

  /// What all of them have to pay for is no reason to choose one, and would hide those that are.
  static void leave_out_common_memory(measurements& measured) {
    std::set<std::optional<std::string>> kinds;
    for (const auto& series : measured.all_series)
      if (is_transfer(series.measures)) kinds.insert(series.memory);
    if (kinds.size() > 1) return;
    for (auto& series : measured.all_series)
      if (is_transfer(series.measures)) series.memory.reset();
  }

  /// A form that was timed in turn has a metric instead of a benchmark.
  void add_form(alternatives& read, const series& series) const {
    const auto metric = asked_.content.metrics.find(series.strategy + "_ns");
    if (is_transfer(series.measures) && metric != asked_.content.metrics.end())
      read.in_turn.emplace(series.strategy, metric->second.description);
  }

  /// As row.number() has them, in one pass over its values.
  [[nodiscard]] static std::map<std::string_view, double> prices_of(
      const result_file::row& row, const std::set<std::string_view>& names) {
    std::map<std::string_view, double> prices;
    for (const auto& value : row.values)
      if (std::isfinite(value.number) && names.contains(*value.name))
        prices.emplace(*value.name, value.number);
    return prices;
  }

  [[nodiscard]] std::map<std::string, std::map<double, price_list>> all_prices(
      const row_list& rows) const {
    std::set<std::string_view> names;
    for (const auto& [name, metric] : asked_.content.metrics)
      if (is_price(metric, asked_.rules)) names.insert(name);
    std::map<std::tuple<std::string, double, std::string>, std::vector<double>> values;
    for (const auto* row : rows) {
      if (row->kind != result_file::row_kind::repetition || row->failed) continue;
      for (const auto& [name, value] : prices_of(*row, names))
        values[{strategy_of(*row->benchmark, asked_.rules),
                static_cast<double>(*row->benchmark->size_bytes), std::string(name)}]
            .push_back(value);
    }
    std::map<std::string, std::map<double, price_list>> all;
    for (const auto& [key, repetitions] : values) {
      const auto& [strategy, size, name] = key;
      all[strategy][size][name] = statistics::median(repetitions);
    }
    return all;
  }

  asked_role asked_;
  spread_list spreads_;  // of all jobs: each would go through the whole file
};

}  // namespace

std::map<std::string, price_list> alternatives::prices_at(double bytes) const {
  std::map<std::string, price_list> next;
  for (const auto& [strategy, by_size] : all_prices)
    next[strategy] = std::ranges::min_element(by_size, {}, [bytes](const auto& size) {
                       return std::abs(std::log(size.first / bytes));
                     })->second;
  return next;
}

std::vector<rankable_role> rankable_roles(const result_file::contents& content,
                                          std::size_t device) {
  std::set<std::string> names;
  for (const auto& [name, described] : content.benchmarks)
    if (is_rankable(described, device)) names.insert(described.role);
  std::vector<rankable_role> roles;
  for (const auto& name : names) roles.push_back({name, content.roles.at(name).description});
  return roles;
}

std::vector<alternatives> alternatives_in(const result_file::contents& content,
                                          const std::filesystem::path& file, std::size_t device,
                                          const std::string& role, double reads) {
  const auto rules = rules_of(role);
  std::map<job_key, job_parts> parts;
  const auto part_of = [&](const benchmark& described) -> job_parts* {
    if (described.role != role || !is_rankable(described, device)) return nullptr;
    return &parts[{described.direction, described.*rules.apart}];
  };
  for (const auto& [name, described] : content.benchmarks)
    if (auto* const part = part_of(described)) part->families.insert(described.family);
  for (const auto& row : content.rows)
    if (auto* const part = part_of(*row.benchmark)) part->rows.push_back(&row);
  const job_reader reader(
      {.content = content,
       .file = file,
       .device = device,
       .rules = rules,
       .reads = rules.read_again.empty() ? 0 : reads,  // a term of what memory costs
       .rows_of_memory = rows_of_memory(content, device)});
  std::vector<alternatives> jobs;
  for (const auto& [key, part] : parts)
    if (!part.rows.empty()) jobs.push_back(reader.read(key, part));
  return jobs;
}

}  // namespace bench_transfers::advice
