#include "src/result_file/spread.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "src/result_file/reader.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::result_file::spread_test {
namespace {

/// Times of one benchmark by process.
using processes = std::vector<std::vector<double>>;

contents run_of(const std::map<std::string, processes>& times) {
  json rows = json::array(), described = json::object(), parts = json::array();
  for (const auto& [name, by_process] : times) {
    described[name] = {{"family", "scan"},   {"strategy", "scan/" + name},
                       {"variant", nullptr}, {"direction", "h2d"},
                       {"size_bytes", 1000}, {"cache", "warm"},
                       {"devices", {0}},     {"role", "scan"},
                       {"plainness", 0}};
    int index = 0;
    for (std::size_t i = 0; i < by_process.size(); ++i)
      for (const double ns : by_process[i])
        rows.push_back({{"name", name},
                        {"run_name", name},
                        {"run_type", "iteration"},
                        {"repetition_index", index++},
                        {"process", i + 1},
                        {"real_time", ns},
                        {"time_unit", "ns"},
                        {"median_ns", ns}});
  }
  for (std::size_t i = 0; i < times.begin()->second.size(); ++i)
    parts.push_back(
        {{"number", static_cast<unsigned>(i + 1)}, {"complete", true}, {"resumed", false}});
  return read_json({{"context",
                     {{"transfers",
                       {{"format", 2},
                        {"device", {{"kind", "cuda"}, {"name", "Some GPU"}}},
                        {"devices", {{{"kind", "cuda"}, {"name", "Some GPU"}}}},
                        {"link", nullptr},
                        {"run", {{"processes", parts.size()}}},
                        {"parts", parts},
                        {"roles", {{"scan", {{"description", "scans"}, {"table", "times"}}}}},
                        {"metrics", json::object()},
                        {"benchmarks", described},
                        {"skipped", json::array()},
                        {"warnings", json::array()}}}}},
                    {"benchmarks", rows}},
                   "this run");
}

/// That of the benchmark of this name.
spread spread_of(const contents& read, const std::string& name) {
  for (const auto& [described, found] : spreads_of(read))
    if (described->name == name) return found;
  ADD_FAILURE() << name;
  return {};
}

TEST(spread, of_short_times_is_wider_for_other_minutes_than_within_the_run) {
  const auto read = run_of({{"a", {{100}, {101}, {103}}}});
  const auto width_for = [&](compared_with others) {
    const auto interval = spreads_of(read, others).begin()->second.interval.value();
    return std::log(interval.high / interval.low);
  };
  // Of the mean of three processes and the median of seven: docs/METHOD.md, "Intervals".
  constexpr double within = 1.0 / 3 + std::numbers::pi / 14;
  EXPECT_NEAR(width_for(compared_with::other_minutes) / width_for(compared_with::same_run),
              std::sqrt((within + 0.2) / within), 1e-6);
}

TEST(spread, has_no_interval_of_a_single_process) {
  const auto read = run_of({{"a", {{100, 101, 102}}}});
  EXPECT_FALSE(spread_of(read, "a").interval);
}

TEST(spread, has_an_interval_of_the_medians_of_processes) {
  // One repetition is far off: the median of its process does not see that.
  const auto read = run_of({{"a", {{100, 101, 300}, {102, 102, 102}, {103, 103, 103}}}});
  const auto interval = spread_of(read, "a").interval;
  ASSERT_TRUE(interval);
  EXPECT_LT(interval->low, 100);
  EXPECT_GT(interval->high, 103);
  EXPECT_LT(interval->high, 110);
}

TEST(spread, of_few_processes_is_learnt_from_benchmarks_of_its_class) {
  const processes same{{100}, {100}, {100}}, apart{{100}, {110}, {95}};
  const auto alone = run_of({{"a", same}});
  EXPECT_FALSE(spread_of(alone, "a").interval);
  const auto beside = run_of({{"a", same}, {"b", apart}, {"c", apart}, {"d", apart}});
  EXPECT_GT(spread_of(beside, "a").interval->high, 105);
  processes longer = apart;
  for (auto& process : longer) process.front() *= 1e6;  // of another class
  const auto of_others = run_of({{"a", same}, {"b", longer}, {"c", longer}, {"d", longer}});
  EXPECT_FALSE(spread_of(of_others, "a").interval);
}

TEST(spread, has_both_modes_in_its_interval) {
  const auto read = run_of({{"a", {{60, 60, 71}, {60, 61, 71}, {60, 61, 71}}}});
  const auto found = spread_of(read, "a");
  ASSERT_TRUE(found.modes && found.interval);
  EXPECT_EQ(found.modes->low, (statistics::mode{60, 6}));
  EXPECT_EQ(found.modes->high, (statistics::mode{71, 3}));
  EXPECT_LE(found.interval->low, 60);
  EXPECT_GE(found.interval->high, 71);
}

}  // namespace
}  // namespace bench_transfers::result_file::spread_test
