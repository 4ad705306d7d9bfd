#include "src/result_file/summary/summary.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/strategy/strategy.hpp"
#include "src/common/message.hpp"
#include "src/common/sizes.hpp"

namespace bench_transfers::result_file::summary_test {
namespace {

using json = nlohmann::ordered_json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

json facts(const json& device, json link = nullptr) {
  const json headline{{"unit", "ns"},
                      {"better", "less"},
                      {"kind", "duration"},
                      {"description", "of the difference"},
                      {"headline", true}};
  return {{"format", 2},
          {"device", device},
          {"link", std::move(link)},
          {"devices", {device}},
          {"roles", json::object()},
          {"benchmarks", json::object()},
          {"metrics", {{"over_plain_ns", headline}}},
          {"skipped", json::array()},
          {"warnings", json::array()}};
}

json message(const std::string& text) { return common::to_json({.code = "other", .text = text}); }

json content(json facts) {
  return {{"context", {{"transfers", std::move(facts)}}}, {"benchmarks", json::array()}};
}

json on_host() { return content(facts({{"kind", "host"}, {"name", "host (no GPU)"}})); }

json on_gpu(const std::string& name = "NVIDIA H200") {
  return content(
      facts({{"kind", "cuda"}, {"name", name}}, {{"type", "pcie"},
                                                 {"generation", 5},
                                                 {"width", 16},
                                                 {"limit_gb_per_s", 63.02},
                                                 {"packet_limit_gb_per_s", {57.61, 58.45}}}));
}

/// Without its size and its cache state: "copy/pinned/h2d".
std::string front_of(std::string name) {
  if (name.ends_with("/cold")) name.erase(name.rfind('/'));
  const auto last = name.rfind('/') + 1;
  if (last > 0 && std::isdigit(name[last]) != 0 && name.ends_with('B')) name.erase(last - 1);
  return name;
}

/// What its strategy says of a benchmark; of one that has none here what its name may mean.
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
  benchmark unknown;
  unknown.name = name;
  unknown.strategy = front;
  unknown.size_bytes = size;
  unknown.cache = cold;
  unknown.family = front.substr(0, front.find('/'));
  const auto last = front.substr(front.rfind('/') + 1);
  role own{"other", "other benchmarks", table::times};
  if (const auto way = direction_from(last); way && last != front) {
    unknown.strategy = front.substr(0, front.rfind('/'));
    unknown.variant = last;
    unknown.direction = *way;
    own = {"copy", "copies", table::directions};
  }
  unknown.role = own.name;
  return {unknown, own};
}

void describe(json& all, const std::string& name) {
  auto& facts = all["context"]["transfers"];
  const auto [meant, own] = described(name);
  facts["benchmarks"][name] = to_json(meant);
  facts["roles"][own.name] = to_json(own);
}

void add(json& all, const std::string& name, double bytes, double median_ns) {
  describe(all, name);
  json row{{"name", name}, {"run_name", name}, {"run_type", "iteration"}, {"median_ns", median_ns}};
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
    std::istringstream words(line);
    std::vector<std::string> cells;
    for (std::string word; words >> word;) cells.push_back(word);
    if (!cells.empty() && cells.front() == strategy) return cells;
  }
  return {};
}

std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
}

void expect_narrow(const std::string& text) {
  for (const auto& line : lines_of(text)) EXPECT_LE(columns(line), 100U) << line;
}

TEST(summary_of_gpu, has_the_figures_and_marks_the_best) {
  auto all = on_gpu();
  add_strategy(all, "copy/pageable", "h2d", "d2h", {3.0, 9.0}, {12.0, 11.0});
  add_strategy(all, "copy/pinned", "h2d", "d2h", {2.5, 8.0}, {55.0, 50.0});
  add_strategy(all, "zero_copy/registered", "read", "write", {5.0, 5.0}, {54.5, 30.0});
  const auto text = summary(all);
  using cells = std::vector<std::string>;
  EXPECT_EQ(row_of(text, "copy/pageable"),
            (cells{"copy/pageable", "3.000", "9.000", "12.00", "11.00", "19", "17"}));
  EXPECT_EQ(row_of(text, "copy/pinned"),
            (cells{"copy/pinned", "2.500", "*", "8.000", "55.00", "*", "50.00", "*", "87", "79"}));
  // 54.5 GB/s is within one percent of the best.
  EXPECT_EQ(row_of(text, "zero_copy/registered"), (cells{"zero_copy/registered", "5.000", "5.000",
                                                         "*", "54.50", "*", "30.00", "86", "48"}));
  EXPECT_THAT(text,
              AllOf(HasSubstr("4B latency"), HasSubstr("1MiB, GB/s"), HasSubstr("% of link")));
}

std::string brief(const json& all) { return summary(all, 100, detail::brief); }

TEST(brief_summary, has_one_row_for_strategies_of_a_family_that_are_alike) {
  auto all = on_gpu();
  add_strategy(all, "copy/pageable", "h2d", "d2h", {3.0, 9.0}, {12.0, 11.0});
  add_strategy(all, "copy/pinned", "h2d", "d2h", {2.5, 8.0}, {55.0, 50.0});
  add_strategy(all, "copy/pinned_mapped", "h2d", "d2h", {2.7, 7.9}, {55.2, 50.1});
  add_strategy(all, "copy/pinned_mapped_wc", "h2d", "d2h", {2.6, 8.1}, {54.9, 49.9});
  add_strategy(all, "zero_copy/registered", "read", "write", {2.5, 8.0}, {55.0, 50.0});
  const auto text = brief(all);
  EXPECT_THAT(row_of(text, "copy/pinned"),
              ElementsAre("copy/pinned", "(+2)", "2.500", "*", "8.000", "*", "55.00", "*", "50.00",
                          "*", "87", "79"));
  EXPECT_THAT(row_of(text, "copy/pinned_mapped"), IsEmpty());
  EXPECT_THAT(row_of(text, "copy/pinned_mapped_wc"), IsEmpty());
  EXPECT_THAT(row_of(text, "copy/pageable"), Not(IsEmpty()));
  EXPECT_THAT(row_of(text, "zero_copy/registered"), Not(IsEmpty())) << "another family";
  EXPECT_THAT(text, HasSubstr("(+N) and N more of the family, within 10 % of it in each column; "
                              "* if one of them is best.\n"));
  EXPECT_LT(text.find("copy/pageable"), text.find("copy/pinned"));
  expect_narrow(text);
}

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

TEST(brief_summary, is_one_table_and_counts_what_it_leaves_out) {
  auto all = on_gpu();
  add_strategy(all, "copy/pinned", "h2d", "d2h", {2.0, 8.0}, {50.0, 50.0});
  add(all, "allocate/pinned/1MiB", mib, 100'000);
  add(all, "launch/empty", 0, 5000);
  auto& said = all["context"]["transfers"];
  auto note = message("virtual machine");
  note["code"] = "virtual_machine";
  said["warnings"] = {note};
  said["skipped"] = {{{"name", "copy/a/h2d/4B"}, {"reason", message("no reason")}},
                     {{"name", "copy/b/h2d/4B"}, {"reason", message("no reason")}}};
  const auto text = brief(all);
  EXPECT_THAT(text, StartsWith("Device: NVIDIA H200, PCIe 5.0 x16"));
  EXPECT_THAT(text, Not(HasSubstr("allocat")));
  EXPECT_THAT(text, Not(HasSubstr("launch")));
  EXPECT_THAT(text, EndsWith("* best of its column, or within 1 % of it.\n"
                             "Not shown: 1 note and 2 skipped benchmarks.\n"));
}

TEST(brief_summary, leaves_out_no_warning_that_makes_figures_doubtful) {
  const std::set<std::string> of_the_machine{
      "virtual_machine", "mig_instance", "confidential_computing", "cpu_governor", "numa_far",
      "memlock_limit",   "imported"};
  // Every code that a warning of docs/RESULT_FILE.md has, and one of a later version.
  for (const std::string code :
       {"faults_injected",   "link_below_maximum", "link_changed",           "cpu_governor",
        "virtual_machine",   "mig_instance",       "confidential_computing", "numa_far",
        "memlock_limit",     "other_load",         "gpu_throttled",          "gpu_clock_fell",
        "pcie_replays",      "cpu_throttled",      "repetitions_disturbed",  "too_few_processors",
        "rank_lost",         "max_time_reached",   "parts_differ",           "imported",
        "of_a_later_version"}) {
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

TEST(brief_summary, keeps_failures) {
  auto all = on_gpu();
  add_strategy(all, "copy/pinned", "h2d", "d2h", {2.0, 8.0}, {50.0, 50.0});
  describe(all, "copy/pageable/h2d/4B");
  all["benchmarks"].push_back({{"name", "copy/pageable/h2d/4B"},
                               {"run_name", "copy/pageable/h2d/4B"},
                               {"run_type", "iteration"},
                               {"error_occurred", true},
                               {"error_message", "wrong data"}});
  EXPECT_THAT(brief(all), EndsWith("FAILED copy/pageable/h2d/4B: wrong data\n"));
}

TEST(brief_summary, is_the_whole_summary_where_nothing_moves_in_one_direction) {
  auto all = on_gpu();
  add(all, "allocate/pinned/1MiB", mib, 100'000);
  add(all, "launch/empty", 0, 5000);
  EXPECT_EQ(brief(all), summary(all));
}

TEST(summary_of_gpu, equals_of_the_best_are_marked_up_to_one_percent) {
  auto all = on_gpu();
  add_strategy(all, "a/best", "h2d", "d2h", {1.000, 1.000}, {100.0, 100.0});
  add_strategy(all, "a/equal", "h2d", "d2h", {1.0099, 1.0099}, {99.01, 99.01});
  add_strategy(all, "a/worse", "h2d", "d2h", {1.011, 1.011}, {98.9, 98.9});
  const auto marks = [&](const std::string& strategy) {
    return std::ranges::count(row_of(summary(all), strategy), "*");
  };
  EXPECT_EQ(marks("a/best"), 4);
  EXPECT_EQ(marks("a/equal"), 4);
  EXPECT_EQ(marks("a/worse"), 0);
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

TEST(summary_of_gpu, of_cold_caches_alone_says_so) {
  auto all = on_gpu();
  add(all, "copy/pinned/h2d/4B/cold", 4, 7000);
  EXPECT_THAT(summary(all), HasSubstr("(cold)"));
  EXPECT_EQ(row_of(summary(all), "copy/pinned").at(1), "7.000");
  add(all, "copy/pinned/h2d/4B", 4, 5000);
  EXPECT_THAT(summary(all), Not(HasSubstr("(cold)")));
  EXPECT_EQ(row_of(summary(all), "copy/pinned").at(1), "5.000");
}

TEST(summary_of_gpu, a_strategy_of_one_direction_has_dashes) {
  auto all = on_gpu();
  add(all, "copy/pinned/h2d/1MiB", mib, mib / 50);
  const auto row = row_of(summary(all), "copy/pinned");
  EXPECT_THAT(row, testing::ElementsAre("copy/pinned", "50.00", "*", "-", "79", "-"));
}

TEST(summary_of_gpu, has_no_latencies_where_one_large_size_alone_was_measured) {
  auto all = on_gpu();
  add(all, "copy/pinned/h2d/1MiB", mib, mib / 50);
  add(all, "copy/pinned/d2h/1MiB", mib, mib / 40);
  const auto text = summary(all);
  EXPECT_THAT(text, AllOf(HasSubstr("1MiB, GB/s"), Not(HasSubstr("latency"))));
  EXPECT_THAT(row_of(text, "strategy"), ElementsAre("strategy", "h2d", "d2h", "h2d", "d2h"));
  EXPECT_THAT(row_of(text, "copy/pinned"),
              ElementsAre("copy/pinned", "50.00", "*", "40.00", "*", "79", "63"));
  // The columns end where their headings end.
  const auto lines = lines_of(text);
  const auto head =
      std::ranges::find_if(lines, [](const auto& line) { return line.starts_with("strategy"); });
  ASSERT_NE(head, lines.end());
  EXPECT_EQ(head->size(), std::next(head)->size());
  EXPECT_EQ(head->find("h2d"), std::next(head)->find("50.00") + 2);
}

TEST(summary_of_gpu, has_latencies_of_a_small_size_measured_alone) {
  auto all = on_gpu();
  add(all, "copy/pinned/h2d/4B", 4, 5000);
  const auto text = summary(all);
  EXPECT_THAT(text, HasSubstr("4B latency"));
  EXPECT_THAT(row_of(text, "strategy"),
              ElementsAre("strategy", "h2d", "d2h", "h2d", "d2h", "h2d", "d2h"));
}

/// Adds CPU and GPU use to the last row.
void add_price(json& all, double cpu_s_per_gb, double cores, double multiprocessors = 0) {
  auto& row = all["benchmarks"].back();
  row["cpu_s_per_gb"] = cpu_s_per_gb;
  row["cores"] = cores;
  if (multiprocessors > 0) row["multiprocessors"] = multiprocessors;
}

TEST(summary_of_gpu, has_cpu_and_gpu_use_of_the_largest_transfers) {
  auto all = on_gpu();
  for (const double cores : {1.0, 3.0, 1.04}) {
    add(all, "copy/pinned/h2d/1MiB", mib, mib / 50);
    add_price(all, cores / 50, cores);
  }
  add(all, "copy/pinned/d2h/1MiB", mib, mib / 40);
  add_price(all, 0.5 / 40, 0.5);
  add(all, "copy/pinned/h2d/4B", 4, 5000);
  add_price(all, 1234, 77);
  add(all, "zero_copy/registered/read/1MiB", mib, mib / 51);
  add_price(all, 0.02, 1, 132);
  const auto text = summary(all);
  const auto costs = text.substr(text.find("cost, 1MiB"));
  EXPECT_THAT(text, AllOf(HasSubstr("CPU s per GB"), HasSubstr("cores busy")));
  EXPECT_THAT(row_of(costs, "copy/pinned"),
              ElementsAre("copy/pinned", "0.0208", "0.0125", "1.04", "0.50", "-", "-"));
  EXPECT_THAT(row_of(costs, "zero_copy/registered"),
              ElementsAre("zero_copy/registered", "0.0200", "-", "1.00", "-", "132", "-"));
  expect_narrow(text);
}

TEST(summary_of_gpu, has_rates_of_both_directions_at_once_and_their_slowdowns) {
  auto all = on_gpu();
  add(all, "duplex/engines/pinned/1MiB", 2 * mib, 2 * mib / 101.4);
  auto& row = all["benchmarks"].back();
  row["h2d_gb_per_s"] = 52.2;
  row["h2d_alone_gb_per_s"] = 55.5;
  row["d2h_alone_gb_per_s"] = 55.4;
  add(all, "duplex/engines/pinned/4KiB", 8 * kib, 1);
  const auto text = summary(all);
  EXPECT_THAT(text, HasSubstr("both ways at once, 1MiB"));
  EXPECT_THAT(
      row_of(text, "duplex/engines/pinned"),
      ElementsAre("duplex/engines/pinned", "101.40", "52.20", "-", "55.50", "55.40", "5.9", "-"));
  expect_narrow(text);
}

TEST(summary_of_gpu, has_rates_of_strategies_with_smaller_largest_sizes) {
  auto all = on_gpu();
  add_strategy(all, "copy/pinned", "h2d", "d2h", {2.5, 8.0}, {55.0, 50.0});
  add(all, "scatter/loop/4KiB_blocks/pinned/h2d/4KiB", 4 * kib, 8 * kib);
  add(all, "scatter/loop/4KiB_blocks/pinned/h2d/16KiB", 16 * kib, 4 * kib);
  const auto text = summary(all);
  EXPECT_THAT(row_of(text, "scatter/loop/4KiB_blocks/pinned"),
              ElementsAre("scatter/loop/4KiB_blocks/pinned", "16KiB", "4.00", "-"));
  expect_narrow(text);
}

TEST(summary_of_gpu, has_the_share_of_the_copies_that_pieces_hide) {
  auto all = on_gpu();
  add(all, "overlap/pinned/serial/1MiB", mib, 100e3);
  all["benchmarks"].back()["upload_ns"] = 45e3;
  all["benchmarks"].back()["download_ns"] = 35e3;
  add(all, "overlap/pinned/chosen/1MiB", mib, 60e3);
  add(all, "overlap/pinned/pieces_2/1MiB", mib, 120e3);
  add(all, "overlap/pageable/chosen/1MiB", mib, 60e3);
  add(all, "overlap/pinned/chosen/4KiB", 4 * kib, 10e3);
  const auto text = summary(all);
  EXPECT_THAT(text, HasSubstr("upload, compute, download, 1MiB each way"));
  EXPECT_THAT(row_of(text, "overlap/pinned/serial"),
              ElementsAre("overlap/pinned/serial", "0.10", "-"));
  EXPECT_THAT(row_of(text, "overlap/pinned/chosen"),
              ElementsAre("overlap/pinned/chosen", "0.06", "50"));
  EXPECT_THAT(row_of(text, "overlap/pinned/pieces_2"),
              ElementsAre("overlap/pinned/pieces_2", "0.12", "none"));
  EXPECT_THAT(row_of(text, "overlap/pageable/chosen"),
              ElementsAre("overlap/pageable/chosen", "0.06", "-"));
  expect_narrow(text);
}

TEST(summary_of_gpu, of_an_older_file_has_no_prices) {
  auto all = on_gpu();
  add_strategy(all, "copy/pinned", "h2d", "d2h", {2.5, 8.0}, {55.0, 50.0});
  EXPECT_THAT(summary(all), Not(HasSubstr("cost, ")));
}

TEST(summary_of_gpu, names_device_and_link) {
  const auto first = lines_of(summary(on_gpu())).front();
  EXPECT_THAT(first, AllOf(HasSubstr("NVIDIA H200"), HasSubstr("PCIe 5.0 x16"), HasSubstr("63.0"),
                           HasSubstr("57.6"), HasSubstr("58.5")));
}

TEST(summary_of_gpu, a_link_that_is_not_known_is_left_out) {
  auto all = on_gpu();
  all["context"]["transfers"]["link"] = nullptr;
  add_strategy(all, "copy/pinned", "h2d", "d2h", {2.5, 8.0}, {55.0, 50.0});
  const auto text = summary(all);
  EXPECT_THAT(text, Not(HasSubstr("PCIe")));
  const auto row = row_of(text, "copy/pinned");
  ASSERT_GE(row.size(), 2U);
  EXPECT_EQ(row[row.size() - 2], "-");
  EXPECT_EQ(row[row.size() - 1], "-");
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
      add_price(all, 123.4567, 128, 132);
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
  expect_narrow(text);
}

TEST(summary_of_gpu, fits_a_terminal_whatever_the_name_of_the_device) {
  for (const char* name : {"NVIDIA H100 80GB HBM3", "NVIDIA RTX 6000 Ada Generation"})
    expect_narrow(summary(on_gpu(name)));
}

TEST(summary_of_host, says_what_the_figures_are_and_nothing_about_a_link) {
  auto all = on_host();
  add_strategy(all, "copy/pinned", "h2d", "d2h", {0.5, 0.5}, {10.0, 10.0});
  const auto text = summary(all);
  EXPECT_THAT(lines_of(text).front(), AllOf(HasSubstr("host, no GPU"), HasSubstr("memory")));
  for (const char* word : {"PCIe", "CUDA", "NVIDIA", "cuda"})
    EXPECT_THAT(text, Not(HasSubstr(word)));
  const auto row = row_of(text, "copy/pinned");
  EXPECT_EQ(std::ranges::count(row, "-"), 2);
  expect_narrow(text);
}

TEST(summary_of_host, of_this_computer_fits_a_terminal) {
  auto all = on_host();
  add_all_strategies(all);
  const auto device = transfers::open_host_device();
  for (const auto& strategy : bench::registered_strategies()) {
    const auto reason = bench::why_unsupported(strategy, *device);
    if (reason)
      for (const auto& front : fronts_of(strategy))
        all["context"]["transfers"]["skipped"].push_back(
            {{"name", front + "/4B"}, {"reason", message(*reason)}});
  }
  expect_narrow(summary(all));
}

TEST(summary_text, lists_benchmarks_without_direction_with_their_times) {
  auto all = on_gpu();
  add_strategy(all, "copy/pinned", "h2d", "d2h", {2.5, 8.0}, {55.0, 50.0});
  add(all, "gpu_array/round_trip/pinned/pooled/float32/1KiB", 1024, 25'300);
  add(all, "gpu_array/round_trip/pinned/pooled/float32/1MiB", 1 << 20, 64'000'000);
  add(all, "launch/prepared/4_arguments", 0, 3210);
  const auto text = summary(all);
  EXPECT_THAT(text, HasSubstr("1KiB, 25.30 µs"));
  EXPECT_THAT(text, HasSubstr("1MiB, 64.00 ms"));
  EXPECT_THAT(row_of(text, "launch/prepared/4_arguments"),
              ElementsAre("launch/prepared/4_arguments", "3.21", "µs"));
  EXPECT_THAT(text, HasSubstr("4B latency"));
  expect_narrow(text);
}

TEST(summary_text, compares_launches_with_plain_ones_in_the_order_of_their_arguments) {
  auto all = on_gpu();
  for (const double over : {-30.0, 80.0, 95.0})
    for (const int arguments : {16, 2}) {
      add(all, fmt::format("launch/generic/{}_arguments", arguments), 0, 3210);
      all["benchmarks"].back()["over_plain_ns"] = over + arguments;
    }
  const auto text = summary(all);
  EXPECT_THAT(text, HasSubstr("over_plain 82.0 ns\n"));
  EXPECT_LT(text.find("over_plain 82.0 ns"), text.find("over_plain 96.0 ns"));
  expect_narrow(text);
}

TEST(summary_text, has_reasons_for_what_was_skipped_once_each) {
  auto all = on_host();
  auto& skipped = all["context"]["transfers"]["skipped"];
  for (const char* name : {"copy/a/h2d/4B", "copy/a/d2h/4B", "copy/b/h2d/4B"})
    skipped.push_back({{"name", name}, {"reason", message("too heavy")}});
  skipped.push_back({{"name", "copy/c/h2d/4B"}, {"reason", message("too light")}});
  const auto text = summary(all);
  EXPECT_THAT(text, HasSubstr("Skipped copy/a/h2d/4B and 2 more: too heavy."));
  EXPECT_THAT(text, HasSubstr("Skipped copy/c/h2d/4B: too light."));
  const auto lines = lines_of(text);
  EXPECT_EQ(std::ranges::count_if(lines, [](const auto& l) { return l.starts_with("Skipped"); }),
            2);
}

TEST(summary_text, names_failures_and_warnings) {
  auto all = on_host();
  add(all, "copy/good/h2d/4B", 4, 1000);
  describe(all, "copy/bad/h2d/4B");
  all["benchmarks"].push_back({{"name", "copy/bad/h2d/4B"},
                               {"run_name", "copy/bad/h2d/4B"},
                               {"run_type", "iteration"},
                               {"error_occurred", true},
                               {"error_message", "wrong data: 1 of 4 bytes differ"}});
  all["context"]["transfers"]["warnings"].push_back(message("the governor is asleep"));
  const auto text = summary(all);
  EXPECT_THAT(text, HasSubstr("FAILED copy/bad/h2d/4B: wrong data: 1 of 4 bytes differ\n"));
  EXPECT_THAT(text, Not(HasSubstr("FAILED copy/good")));
  EXPECT_THAT(text, HasSubstr("Note: the governor is asleep\n"));
  EXPECT_TRUE(row_of(text, "copy/bad").empty());
}

TEST(summary_text, shows_the_floor_of_the_harness) {
  auto all = on_gpu();
  add(all, "null/batched", 0, 1.26);
  all["benchmarks"].back()["batch"] = 1000;
  add(all, "null/single", 0, 24.94);
  all["benchmarks"].back()["batch"] = 1;
  const auto text = summary(all);
  EXPECT_THAT(text, HasSubstr("24.9 ns per operation timed alone"));
  EXPECT_THAT(text, HasSubstr("1.3 ns in a batch"));
  EXPECT_TRUE(row_of(text, "null").empty());
}

// --- Memory types -------------------------------------------------------------------------------

json block_of(const std::string& memory, json type, double plain, json streaming,
              double ordinary = 10) {
  json block{{"memory", memory},
             {"bytes", 1 << 20},
             {"write_combined", memory.ends_with("_wc")},
             {"memory_type", std::move(type)}};
  if (block["memory_type"].is_null()) {
    block["cpu_reads"] = nullptr;
    block["cpu_reads_of_ordinary_memory"] = nullptr;
  } else {
    block["cpu_reads"] = {{"plain_gb_per_s", plain}, {"streaming_gb_per_s", std::move(streaming)}};
    block["cpu_reads_of_ordinary_memory"] = {{"plain_gb_per_s", ordinary},
                                             {"streaming_gb_per_s", ordinary}};
  }
  return block;
}

/// The summary of a run with these blocks, in one line.
std::string with_buffers(const std::vector<json>& blocks) {
  auto all = on_gpu();
  all["context"]["transfers"]["buffers"] = blocks;
  const auto text = summary(all);
  expect_narrow(text);
  std::string joined;
  for (const auto& line : lines_of(text)) {
    const auto indent = line.find_first_not_of(' ');
    joined += (joined.empty() ? "" : " ") + line.substr(indent == std::string::npos ? 0 : indent);
  }
  return joined;
}

TEST(memory_types, that_are_ordinary_or_unknown_are_not_mentioned) {
  for (const auto& text :
       {with_buffers({}), with_buffers({block_of("pageable", "write-back", 9, 9)}),
        with_buffers({block_of("pinned", "write-back", 10, 9),
                      block_of("registered_huge", "write-back", 10, nullptr)}),
        with_buffers({block_of("pinned_wc", nullptr, 0, nullptr)})})
    EXPECT_THAT(text, Not(HasSubstr("Note")));
}

TEST(memory_types, of_a_file_that_does_not_know_them_are_not_mentioned) {
  auto all = on_gpu();
  EXPECT_EQ(lines_of(summary(all)).size(), 1U);
  all["context"]["transfers"]["buffers"] = {{{"memory", "pinned_wc"}, {"bytes", 4096}}};
  EXPECT_EQ(lines_of(summary(all)).size(), 1U);
}

TEST(memory_types, that_are_ordinary_against_the_flag_get_a_note_that_says_what_follows) {
  const auto text = with_buffers({block_of("pinned_wc", "write-back", 9.76, 9, 10.2)});
  EXPECT_THAT(text,
              HasSubstr("Note: the flag WRITECOMBINED had no effect here: the CPU reads "
                        "pinned_wc at 9.8 GB/s against 10 for ordinary memory, caches cold."));
  EXPECT_THAT(text, HasSubstr("hypervisor"));
  EXPECT_THAT(text, HasSubstr("on bare metal such reads are slow"));
}

TEST(memory_types, that_are_ordinary_against_the_flag_are_noted_once) {
  const auto count = [](const std::string& text) {
    std::size_t notes = 0;
    for (auto at = text.find("WRITECOMBINED"); at != std::string::npos;
         at = text.find("WRITECOMBINED", at + 1))
      ++notes;
    return notes;
  };
  const auto cached = [](const std::string& memory) {
    return block_of(memory, "write-back", 10, 9);
  };
  EXPECT_EQ(count(with_buffers({cached("pinned"), cached("pinned_wc"), cached("pinned_mapped_wc"),
                                cached("pinned_portable_mapped_wc")})),
            1U);
  // Whichever kind with the flag was measured.
  EXPECT_EQ(count(with_buffers({cached("pinned"), cached("pinned_mapped_wc")})), 1U);
  EXPECT_EQ(count(with_buffers({cached("pinned"), cached("pinned_portable_mapped")})), 0U);
}

TEST(memory_types, that_are_write_combined_get_a_note_with_the_remedy) {
  const auto text = with_buffers({block_of("pinned_wc", "write-combined", 0.123, 4.56)});
  EXPECT_THAT(text, HasSubstr("Note: pinned_wc is write-combined: the CPU reads it at 0.12 GB/s "
                              "against 10 for ordinary memory"));
  EXPECT_THAT(text, HasSubstr("Only write to it"));
  EXPECT_THAT(text, HasSubstr("transfers::streaming_load does it at 4.6 GB/s"));
  EXPECT_THAT(text, Not(HasSubstr("no effect")));
}

TEST(memory_types, that_are_uncached_or_unclear_get_a_note_each) {
  const auto text = with_buffers({block_of("pinned_wc", "uncached", 0.05, 0.05),
                                  block_of("managed", "unclear", 3.21, nullptr)});
  EXPECT_THAT(text, HasSubstr("Note: the memory type of pinned_wc is uncached: the CPU reads it at "
                              "0.05 GB/s against 10 for ordinary memory, caches cold."));
  EXPECT_THAT(text, HasSubstr("Note: the memory type of managed is unclear: the CPU reads it at "
                              "3.2 GB/s"));
}

TEST(memory_types, of_all_kinds_fit_a_terminal) {
  for (const char* const type : {"write-back", "write-combined", "uncached", "unclear"}) {
    std::vector<json> blocks;
    for (const auto kind : transfers::all_host_memory_kinds())
      blocks.push_back(block_of(to_string(kind), type, 0.0123456, 123.456, 12.3456));
    const auto text = with_buffers(blocks);
    EXPECT_THAT(text, HasSubstr("Note"));
    EXPECT_THAT(text, Not(HasSubstr("e+")));
  }
}

TEST(summary_text, without_any_rows_is_the_device_alone) {
  EXPECT_EQ(lines_of(summary(on_host())).size(), 1U);
  EXPECT_EQ(lines_of(summary(on_gpu())).size(), 1U);
}

}  // namespace
}  // namespace bench_transfers::result_file::summary_test
