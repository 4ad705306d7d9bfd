#include "src/result_file/summary/summary.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/strategy/strategy.hpp"
#include "src/common/quantities.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::result_file::summary_test {
namespace {

constexpr double mib = 1 << 20;

json on_gpu() {
  const json device{{"kind", "cuda"}, {"name", "NVIDIA H200"}};
  const json link{{"type", "pcie"},
                  {"generation", 5},
                  {"width", 16},
                  {"limit_gb_per_s", 63.02},
                  {"packet_limit_gb_per_s", {57.61, 58.45}}};
  const json facts{{"format", 2},
                   {"device", device},
                   {"link", link},
                   {"devices", {device}},
                   {"roles", json::object()},
                   {"benchmarks", json::object()},
                   {"metrics", json::object()},
                   {"skipped", json::array()},
                   {"warnings", json::array()}};
  return {{"context", {{"transfers", facts}}}, {"benchmarks", json::array()}};
}

/// Without its size and its cache state: "copy/pinned/h2d".
std::string front_of(std::string name) {
  if (name.ends_with("/cold")) name.erase(name.rfind('/'));
  const auto last = name.rfind('/') + 1;
  if (last > 0 && std::isdigit(name[last]) != 0 && name.ends_with('B')) name.erase(last - 1);
  return name;
}

/// What its strategy says of a benchmark.
std::pair<benchmark, role> described(const std::string& name) {
  const auto front = front_of(name);
  const auto cold = name.ends_with("/cold") ? cache_state::cold : cache_state::warm;
  auto rest = name.substr(front.size());
  if (cold == cache_state::cold) rest.erase(rest.rfind('/'));
  const auto size = rest.empty() ? std::nullopt : std::optional(common::parse_size(rest.substr(1)));
  const auto taken_from = [&](const bench::strategy& strategy, const bench::variant* variant) {
    const auto& own = variant != nullptr && variant->role ? *variant->role : strategy.role;
    return std::pair(bench::describe(strategy, variant, size, cold), own);
  };
  for (const auto& strategy : bench::registered_strategies()) {
    if (strategy.name() == front) return taken_from(strategy, nullptr);
    for (const auto& variant : strategy.variants)
      if (strategy.name() + "/" + variant.name == front) return taken_from(strategy, &variant);
  }
  throw std::invalid_argument(name);
}

void add(json& all, const std::string& name, double bytes, double median_ns) {
  auto& facts = all["context"]["transfers"];
  const auto [meant, own] = described(name);
  facts["benchmarks"][name] = to_json(meant);
  facts["roles"][own.name] = to_json(own);
  json row{{"name", name},           {"run_name", name},  {"run_type", "iteration"},
           {"real_time", median_ns}, {"time_unit", "ns"}, {"median_ns", median_ns}};
  if (bytes > 0) row["bytes"] = bytes;
  all["benchmarks"].push_back(row);
}

/// Adds a strategy with both directions: latencies at 4 B and rates at 1 MiB.
void add_strategy(json& all, const std::string& name, const std::string& to,
                  const std::string& from, std::vector<double> microseconds,
                  std::vector<double> gb_per_s) {
  add(all, name + "/" + to + "/4B", 4, microseconds.at(0) * 1000);
  add(all, name + "/" + from + "/4B", 4, microseconds.at(1) * 1000);
  add(all, name + "/" + to + "/1MiB", mib, mib / gb_per_s.at(0));
  add(all, name + "/" + from + "/1MiB", mib, mib / gb_per_s.at(1));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The cells of a strategy's row; marks are separate words.
std::vector<std::string> row_of(const std::string& text, const std::string& strategy) {
  for (const auto& line : lines_of(text)) {
    if (line.find(strategy) == std::string::npos) continue;
    std::istringstream words(line);
    std::vector<std::string> cells;
    for (std::string word; words >> word;) cells.push_back(word);
    if (!cells.empty() && cells.front() == strategy) return cells;
  }
  return {};
}

std::string brief(const json& all) { return summary(all, 100, detail::brief); }

TEST(brief_summary, marks_the_row_that_stands_for_the_best) {
  auto all = on_gpu();
  add_strategy(all, "copy/pinned", "h2d", "d2h", {2.5, 8.0}, {50.0, 50.0});
  add_strategy(all, "copy/pinned_mapped", "h2d", "d2h", {2.4, 8.2}, {54.0, 49.0});
  add_strategy(all, "zero_copy/registered", "read", "write", {2.5, 7.9}, {50.0, 50.6});
  const auto text = brief(all);
  EXPECT_THAT(row_of(text, "copy/pinned"), ElementsAre("copy/pinned", "(+1)", "2.500", "*", "8.000",
                                                       "50.00", "*", "50.00", "79", "79"));
  EXPECT_THAT(row_of(text, "zero_copy/registered"),
              ElementsAre("zero_copy/registered", "2.500", "7.900", "*", "50.00", "50.60", "*",
                          "79", "80"));
}

TEST(brief_summary, has_a_row_for_each_strategy_that_differs_in_a_column) {
  const auto rows_of_two = [](std::vector<double> microseconds, std::vector<double> gb_per_s) {
    auto all = on_gpu();
    add_strategy(all, "copy/pinned", "h2d", "d2h", {2.0, 8.0}, {50.0, 50.0});
    add_strategy(all, "copy/pinned_mapped", "h2d", "d2h", std::move(microseconds),
                 std::move(gb_per_s));
    return row_of(brief(all), "copy/pinned_mapped").empty() ? 1 : 2;
  };
  EXPECT_EQ(rows_of_two({2.19, 8.79}, {45.5, 54.9}), 1);
  EXPECT_EQ(rows_of_two({2.21, 8.0}, {50.0, 50.0}), 2);
  EXPECT_EQ(rows_of_two({2.0, 8.81}, {50.0, 50.0}), 2);
  EXPECT_EQ(rows_of_two({2.0, 8.0}, {55.1, 50.0}), 2);
  EXPECT_EQ(rows_of_two({2.0, 8.0}, {50.0, 45.4}), 2);
}

TEST(brief_summary, tells_strategies_with_fewer_sizes_from_the_others) {
  auto all = on_gpu();
  add_strategy(all, "copy/pinned", "h2d", "d2h", {2.0, 8.0}, {50.0, 50.0});
  add(all, "copy/pinned_mapped/h2d/4B", 4, 2000);
  add(all, "copy/pinned_mapped/d2h/4B", 4, 8000);
  EXPECT_THAT(row_of(brief(all), "copy/pinned_mapped"),
              ElementsAre("copy/pinned_mapped", "2.000", "*", "8.000", "*", "-", "-", "-", "-"));
}

TEST(brief_summary, leaves_out_no_warning_that_makes_figures_doubtful) {
  const std::set<std::string> of_the_machine{
      "virtual_machine", "mig_instance", "confidential_computing", "cpu_governor", "numa_far",
      "memlock_limit",   "imported"};
  // Every code that a warning has by docs/result_file.schema.json, and one of a later version.
  for (const std::string code :
       {"faults_injected", "link_below_maximum", "link_changed",           "cpu_governor",
        "virtual_machine", "mig_instance",       "confidential_computing", "numa_far",
        "memlock_limit",   "other_load",         "gpu_throttled",          "gpu_clock_fell",
        "pcie_replays",    "cpu_throttled",      "repetitions_disturbed",  "too_few_processors",
        "rank_lost",       "max_time_reached",   "parts_differ",           "imported",
        "rounds_slowed",   "of_a_later_version"}) {
    auto all = on_gpu();
    add_strategy(all, "copy/pinned", "h2d", "d2h", {2.0, 8.0}, {50.0, 50.0});
    all["context"]["transfers"]["warnings"] = {
        {{"code", code}, {"data", json::object()}, {"text", "what has happened"}}};
    const bool is_counted = of_the_machine.contains(code);
    EXPECT_THAT(brief(all),
                EndsWith(is_counted ? "Not shown: 1 note.\n" : "Note: what has happened\n"))
        << code;
  }
}

TEST(brief_summary, is_the_whole_summary_where_nothing_moves_in_one_direction) {
  auto all = on_gpu();
  add(all, "allocate/pinned/1MiB", mib, 100'000);
  add(all, "null/single", 0, 5000);
  EXPECT_EQ(brief(all), summary(all));
}

TEST(summary_of_gpu, equals_of_the_best_are_marked_up_to_one_percent) {
  auto all = on_gpu();
  add_strategy(all, "copy/pinned", "h2d", "d2h", {1.000, 1.000}, {100.0, 100.0});
  add_strategy(all, "copy/pageable", "h2d", "d2h", {1.0099, 1.0099}, {99.01, 99.01});
  add_strategy(all, "copy_async/pinned", "h2d", "d2h", {1.011, 1.011}, {98.9, 98.9});
  const auto marks = [&](const std::string& strategy) {
    return std::ranges::count(row_of(summary(all), strategy), "*");
  };
  EXPECT_EQ(marks("copy/pinned"), 4);
  EXPECT_EQ(marks("copy/pageable"), 4);
  EXPECT_EQ(marks("copy_async/pinned"), 0);
}

TEST(summary_of_gpu, takes_the_median_over_repetitions_and_leaves_out_the_rest) {
  auto all = on_gpu();
  for (const double microseconds : {9.0, 2.0, 3.0})
    add(all, "copy/pinned/h2d/4B", 4, microseconds * 1000);
  add(all, "copy/pinned/h2d/4B/cold", 4, 1);  // of the other cache state
  auto aggregate = all["benchmarks"][0];
  aggregate["run_type"] = "aggregate";
  aggregate["median_ns"] = 1;
  all["benchmarks"].push_back(aggregate);
  all["benchmarks"].push_back({{"name", "copy/pinned/h2d/4B"},
                               {"run_name", "copy/pinned/h2d/4B"},
                               {"run_type", "iteration"},
                               {"error_occurred", true},
                               {"error_message", "broken"}});
  EXPECT_EQ(row_of(summary(all), "copy/pinned").at(1), "3.000");
}

TEST(summary_of_gpu, rates_are_those_of_the_median_time_as_other_programs_have_them) {
  auto all = on_gpu();
  for (const double ns : {10'000.0, 40'000.0}) {
    add(all, "copy/pinned/h2d/1MiB", mib, ns);
    all["benchmarks"].back()["gb_per_s"] = mib / ns;
  }
  // 1 MiB in the median time, 25 us, and not the median of the rates, (104.86 + 26.21) / 2.
  EXPECT_THAT(summary(all), AllOf(HasSubstr(" 41.94 "), Not(HasSubstr("65.54"))));
}

TEST(summary_of_gpu, has_latencies_of_a_small_size_measured_alone) {
  auto all = on_gpu();
  add(all, "copy/pinned/h2d/4B", 4, 5000);
  const auto text = summary(all);
  EXPECT_THAT(text, HasSubstr("4B latency"));
  EXPECT_THAT(row_of(text, "strategy"),
              ElementsAre("strategy", "h2d", "d2h", "h2d", "d2h", "h2d", "d2h"));
}

bool is_directed(const bench::strategy& strategy) {
  return strategy.role.shown_in == result_file::table::directions;
}

/// The prefixes of its benchmarks' names.
std::vector<std::string> fronts_of(const bench::strategy& strategy) {
  if (strategy.variants.empty()) return {strategy.name()};
  std::vector<std::string> fronts;
  for (const auto& variant : strategy.variants)
    fronts.push_back(strategy.name() + "/" + variant.name);
  return fronts;
}

/// A complete run: all strategies, with the figures of a fast link.
void add_all_strategies(json& all) {
  for (const auto& strategy : bench::registered_strategies()) {
    if (is_directed(strategy)) {
      add_strategy(all, strategy.name(), strategy.variants.front().name,
                   strategy.variants.back().name, {12345.678, 12345.678}, {57.31, 1057.31});
      all["benchmarks"].back().update(
          {{"cpu_s_per_gb", 123.4567}, {"cores", 128}, {"multiprocessors", 132}});
    } else if (strategy.sampling.sized) {
      for (const auto& front : fronts_of(strategy)) {
        add(all, front + "/4B", 4, 12345.678);
        add(all, front + "/1GiB", 1 << 30, 1e9);
      }
    } else {
      for (const auto& front : fronts_of(strategy)) add(all, front, 0, 24.9);
    }
  }
}

TEST(summary_of_gpu, fits_a_terminal_with_all_strategies) {
  auto all = on_gpu();
  add_all_strategies(all);
  const auto text = summary(all);
  for (const auto& strategy : bench::registered_strategies()) {
    if (strategy.family == "duplex" || strategy.family == "overlap" || strategy.concurrent)
      continue;
    const bool has_line_of_its_own =
        strategy.variants.empty() &&
        (!strategy.sampling.sized || strategy.role.shown_in == result_file::table::times);
    EXPECT_EQ(row_of(text, strategy.name()).empty(), !is_directed(strategy) && !has_line_of_its_own)
        << strategy.name();
  }
  for (const auto& line : lines_of(text)) {
    const auto columns = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_LE(columns, 100) << line;
  }
}

}  // namespace
}  // namespace bench_transfers::result_file::summary_test
