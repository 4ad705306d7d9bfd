#include "src/advice/alternatives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "src/result_file/contents.hpp"
#include "src/result_file/reader.hpp"
#include "src/result_file/spread.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::advice {
namespace {

using result_file::benchmark;

/// How benchmarks of a role compare.
struct rules {
  std::string_view role;
  /// Benchmarks that differ in it do different jobs.
  std::optional<std::string> benchmark::*apart = &benchmark::setting;
  std::string_view time = "median_ns";
  bool counts_memory = true;
  std::string_view rate_of_loss = {};  ///< the metric of which a loss is a part
  std::string_view read_again = {};    ///< the time in which the CPU reads the memory afterwards
};

/// Of roles that differ from the others. A small copy that must not wait is judged by its tail, and
/// what the memory of the bulk copy beside it costs is another question. What the bulk copy loses
/// is a part of its own rate, which differs from method to method.
/// What fills memory and copies it has the CPU's writes in its time.
constexpr std::array different{
    rules{"interference", &benchmark::variant, "p99_ns", false, "bulk_alone_gb_per_s"},
    rules{"fill", &benchmark::setting, "median_ns", false, {}, "read_again_ns"}};

/// Benchmarks of these do different jobs each, or are terms of other answers.
constexpr auto not_alternatives = std::to_array<std::string_view>(
    {"copy",       "array",        "conversion",   "arguments",      "first_call",
     "allocation", "cpu_read",     "cpu_write",    "cpu_read_write", "cpu_after_transfer",
     "concurrent", "deallocation", "staged_parts", "stalls",         "loaded",
     "company",    "blocked",      "asleep",       "floor",          "other"});

rules rules_of(std::string_view role) {
  const auto* const entry = std::ranges::find(different, role, &rules::role);
  return entry == different.end() ? rules{role} : *entry;
}

bool is_rankable(const benchmark& described, std::size_t device) {
  return std::ranges::find(not_alternatives, described.role) == not_alternatives.end() &&
         described.size_bytes && described.cache == result_file::cache_state::warm &&
         !described.node && described.devices == std::vector{device};
}

/// "overlap/pinned/chosen": a variant is part of it unless it only says the direction, or the job.
std::string strategy_of(const benchmark& described, const rules& rules) {
  const bool says_direction =
      described.variant == result_file::to_string(described.direction) ||
      (described.in_place && (described.variant == "read" || described.variant == "write"));
  if (!described.variant || says_direction || rules.apart == &benchmark::variant)
    return described.strategy;
  return described.strategy + "/" + *described.variant;
}

/// What it takes from others: a number of cores or multiprocessors, or a part of a rate. And the
/// rate itself.
bool is_price(const result_file::metric& metric, const rules& rules) {
  using result_file::metric_kind;
  const bool is_cost =
      metric.better == result_file::better::less &&
      (metric.kind == metric_kind::count || (metric.kind == metric_kind::share && metric.headline));
  return is_cost || (!metric.name.empty() && metric.name == rules.rate_of_loss);
}

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

class job_reader {
 public:
  job_reader(const result_file::contents& content, std::size_t device, const rules& rules,
             double reads, const row_list& rows_of_memory)
      : content_(content),
        device_(device),
        rules_(rules),
        reads_(reads),
        rows_of_memory_(rows_of_memory),
        spreads_(result_file::spreads_of(content, result_file::compared_with::same_run)) {}

  [[nodiscard]] alternatives read(const std::filesystem::path& file, const job_key& key,
                                  const job_parts& parts) const {
    auto rows = parts.rows;
    rows.insert(rows.end(), rows_of_memory_.begin(), rows_of_memory_.end());
    alternatives read{
        .role = std::string(rules_.role),
        .job = key.job,
        .direction = key.direction,
        .time = std::string(rules_.time),
        .reads = reads_,
        .families = {parts.families.begin(), parts.families.end()},
        .measured = measurements_in(content_, spreads_, rows, file, device_, transfers()),
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
    return {
        .belongs = [this](const benchmark& described) { return described.role == rules_.role; },
        .strategy = [this](const benchmark& described) { return strategy_of(described, rules_); },
        .timing = {.counter = std::string(rules_.time),
                   .read_again = read_again(),
                   .is_of_its_size = true},
        .counts_memory = rules_.counts_memory,
        .includes_forms = true,
        .needs_memory = false};
  }

  [[nodiscard]] std::optional<timing::reads> read_again() const {
    if (!(reads_ > 0)) return std::nullopt;
    return timing::reads{std::string(rules_.read_again), reads_};
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
    const auto metric = content_.metrics.find(series.strategy + "_ns");
    if (is_transfer(series.measures) && metric != content_.metrics.end())
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
    for (const auto& [name, metric] : content_.metrics)
      if (is_price(metric, rules_)) names.insert(name);
    std::map<std::tuple<std::string, double, std::string>, std::vector<double>> values;
    for (const auto* row : rows) {
      if (row->kind != result_file::row_kind::repetition || row->failed) continue;
      for (const auto& [name, value] : prices_of(*row, names))
        values[{strategy_of(*row->benchmark, rules_),
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

  const result_file::contents& content_;
  std::size_t device_;
  const rules& rules_;
  double reads_;
  const row_list& rows_of_memory_;
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

bool has_costs_of_memory(std::string_view role) { return rules_of(role).counts_memory; }
bool is_read_afterwards(std::string_view role) { return !rules_of(role).read_again.empty(); }

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
  if (rules.read_again.empty()) reads = 0;  // a term of what memory costs
  std::map<job_key, job_parts> parts;
  const auto part_of = [&](const benchmark& described) -> job_parts* {
    if (described.role != role || !is_rankable(described, device)) return nullptr;
    return &parts[{described.direction, described.*rules.apart}];
  };
  for (const auto& [name, described] : content.benchmarks)
    if (auto* const part = part_of(described)) part->families.insert(described.family);
  for (const auto& row : content.rows)
    if (auto* const part = part_of(*row.benchmark)) part->rows.push_back(&row);
  const auto of_memory = rows_of_memory(content, device);
  const job_reader reader(content, device, rules, reads, of_memory);
  std::vector<alternatives> jobs;
  for (const auto& [key, part] : parts)
    if (!part.rows.empty()) jobs.push_back(reader.read(file, key, part));
  return jobs;
}

namespace {

/// The same without what memory costs.
measurements without_memory(measurements measured) {
  for (auto& series : measured.all_series)
    if (is_transfer(series.measures)) series.memory.reset();
  return measured;
}

ranked_job answer_about(const alternatives& job, const question& asked) {
  cost_model model(job.measured);
  auto ranked = model.rank(asked);
  if (ranked.strategies.size() < 2 && model.has_memory()) {
    cost_model other_model(without_memory(job.measured));
    if (auto others = other_model.rank(asked); others.strategies.size() > ranked.strategies.size())
      return {&job, std::move(other_model), asked, std::move(others), true};
  }
  return {&job, std::move(model), asked, std::move(ranked)};
}

unranked_job unranked(const ranked_job& answer) {
  const auto& left_out = answer.ranked.left_out;
  if (!left_out.empty()) return {answer.job, left_out.front().code, left_out.front().reason};
  if (answer.job->measured.ignored_transfers.unusable > 0)
    return {answer.job, "no_times", "none of its rows has a positive time"};
  return {answer.job, "all_failed", "all of its benchmarks failed"};
}

}  // namespace

ignored_rows role_answers::ignored() const {
  ignored_rows sum;
  for (const auto& answer : ranked) sum += answer.job->measured.ignored_transfers;
  for (const auto& job : left_out) sum += job.job->measured.ignored_transfers;
  // All jobs share the other rows.
  const auto with_memory = std::ranges::find_if(
      ranked, [](const ranked_job& answer) { return answer.model.has_memory(); });
  if (with_memory != ranked.end()) sum += with_memory->job->measured.ignored_others;
  return sum;
}

role_answers answers_about(
    const std::vector<alternatives>& jobs,
    const std::function<std::optional<question>(result_file::direction)>& ask) {
  role_answers answers;
  for (const auto& job : jobs) {
    const auto asked = ask(job.direction);
    if (!asked) continue;
    auto answer = answer_about(job, *asked);
    if (answer.ranked.strategies.empty())
      answers.left_out.push_back(unranked(answer));
    else
      answers.ranked.push_back(std::move(answer));
  }
  return answers;
}

file_for_answers read_for_answers(const std::filesystem::path& file, const std::string& device,
                                  const std::string& role, double reads,
                                  result_file::cache_state lines) {
  const auto content = result_file::read(file);
  result_file::require_bench_transfers(content, file);
  const auto index = index_of_device(content, file, device);
  return {measurements_in(content, file, index, lines),
          alternatives_in(content, file, index, role, reads), rankable_roles(content, index),
          lacks(result_file::needed::a_time, content)};
}

}  // namespace bench_transfers::advice
