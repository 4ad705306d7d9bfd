#include "src/result_file/summary/summary.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "src/result_file/reader.hpp"
#include "tests/basics.hpp"

// The summary of a family that the program does not know: its file says all that is needed. The
// built-in strategies are in tests/unit/bench/summary_test.cpp.

namespace bench_transfers::result_file::summary_test {
namespace {

json description(const std::string& strategy, const std::string& direction, json size) {
  return {{"family", "scan"},       {"strategy", strategy}, {"variant", nullptr},
          {"direction", direction}, {"size_bytes", size},   {"cache", "warm"},
          {"devices", {0}},         {"role", "scan"},       {"plainness", 0}};
}

/// A run of scans, whose role is shown so.
json scans(const std::string& table) {
  return {
      {"context",
       {{"transfers",
         {{"format", 2},
          {"device", {{"kind", "cuda"}, {"name", "Some GPU"}}},
          {"devices", {{{"kind", "cuda"}, {"name", "Some GPU"}}}},
          {"link", nullptr},
          {"roles", {{"scan", {{"description", "scans"}, {"table", table}}}}},
          {"metrics",
           {{"hits",
             {{"unit", "%"},
              {"better", "more"},
              {"kind", "share"},
              {"description", "found at once"},
              {"headline", true}}},
            {"probes",
             {{"unit", "1"}, {"better", "less"}, {"kind", "count"}, {"description", "looks"}}}}},
          {"benchmarks", json::object()},
          {"skipped", json::array()},
          {"warnings", json::array()}}}}},
      {"benchmarks", json::array()}};
}

void add(json& run, const std::string& name, json described, const json& counters) {
  run["context"]["transfers"]["benchmarks"][name] = std::move(described);
  json row{{"name", name}, {"run_name", name}, {"run_type", "iteration"}, {"time_unit", "ns"}};
  row.update(counters);
  row["real_time"] = row["median_ns"];
  run["benchmarks"].push_back(std::move(row));
}

TEST(summary_of_an_own_family, has_its_times_and_headline_metrics) {
  auto run = scans("times");
  add(run, "any name", description("scan/forward", "none", 4096),
      {{"bytes", 4096}, {"median_ns", 2000}, {"hits", 75}, {"probes", 12}});
  add(run, "another", description("scan/forward", "none", 1 << 20),
      {{"bytes", 1 << 20}, {"median_ns", 1.5e9}, {"hits", 97.2}, {"probes", 12}});
  add(run, "start", description("scan/start", "none", nullptr), {{"median_ns", 300}, {"hits", 50}});
  const auto text = summary(run);
  EXPECT_THAT(text,
              ContainsRegex("scan/forward +4KiB, 2.00 µs +1MiB, 1.50 s\n  1MiB: hits 97.2 %\n"));
  EXPECT_THAT(text, ContainsRegex("start +300.0 ns +hits 50.0 %\n"));
  EXPECT_THAT(text, Not(HasSubstr("probes")));
}

TEST(summary_of_an_own_family, says_what_its_headline_metrics_mean) {
  auto run = scans("times");
  auto& metrics = run["context"]["transfers"]["metrics"];
  metrics["over_plain_ns"] = metrics["unused_ns"] = {{"unit", "ns"},
                                                     {"kind", "duration"},
                                                     {"description", "how much longer than plain"},
                                                     {"headline", true}};
  add(run, "sized", description("scan/forward", "none", 4096),
      {{"bytes", 4096}, {"median_ns", 2000}, {"hits", 75}, {"probes", 12}});
  add(run, "start", description("scan/start", "none", nullptr),
      {{"median_ns", 300}, {"over_plain_ns", 50}});
  const auto text = summary(run);
  EXPECT_THAT(text, HasSubstr("4KiB: hits 75.0 %\nhits: found at once\n"));
  EXPECT_THAT(text, HasSubstr("over_plain 50.0 ns\nover_plain: how much longer than plain\n"));
  EXPECT_THAT(text, Not(HasSubstr("looks")));
  EXPECT_THAT(text, Not(HasSubstr("unused")));
}

TEST(summary_of_an_own_family, shows_where_a_difference_changes_its_sign) {
  auto run = scans("times");
  run["context"]["transfers"]["metrics"]["over_plain_ns"] = {{"unit", "ns"},
                                                             {"better", "less"},
                                                             {"kind", "duration"},
                                                             {"description", "over the plain one"},
                                                             {"headline", true}};
  // In the order of a run, which is random; each operation moves as much.
  const std::vector<std::pair<std::size_t, double>> scanned{
      {16384, 40}, {1024, 35}, {4096, -20}, {65536, 500}, {2048, -30}};
  for (const auto& [bytes, over] : scanned)
    add(run, "scan " + std::to_string(bytes), description("scan/once", "none", bytes),
        {{"bytes", 4096}, {"median_ns", 2000}, {"over_plain_ns", over}});
  add(run, "always slower", description("scan/slow", "none", 65536),
      {{"bytes", 4096}, {"median_ns", 2000}, {"over_plain_ns", 10}});
  add(run, "at every size", description("scan/slow", "none", 4096),
      {{"bytes", 4096}, {"median_ns", 2000}, {"over_plain_ns", 5}});
  add(run, "faster from here on", description("scan/two", "none", 65536),
      {{"bytes", 4096}, {"median_ns", 2000}, {"over_plain_ns", -10}});
  add(run, "slower", description("scan/two", "none", 4096),
      {{"bytes", 4096}, {"median_ns", 2000}, {"over_plain_ns", 5}});
  const auto text = summary(run);
  EXPECT_THAT(text, ContainsRegex("scan/once +1KiB, 2.00 µs +64KiB, 2.00 µs\n"
                                  "  4KiB: over_plain -20.0 ns\n"
                                  "  16KiB: over_plain 40.0 ns\n"
                                  "  64KiB: over_plain 500 ns\n"));
  EXPECT_THAT(text, ContainsRegex("scan/slow +4KiB, 2.00 µs +64KiB, 2.00 µs\n"
                                  "  64KiB: over_plain 10.0 ns\n"));
  EXPECT_THAT(text, ContainsRegex("scan/two +4KiB, 2.00 µs +64KiB, 2.00 µs\n"
                                  "  4KiB: over_plain 5.00 ns\n"
                                  "  64KiB: over_plain -10.0 ns\n"));
}

/// Scans of some strategies with each of these sizes, to the device.
json scans_of(const std::vector<std::string>& strategies, const std::vector<std::size_t>& sizes) {
  auto run = scans("directions");
  for (const auto& strategy : strategies)
    for (const auto bytes : sizes)
      add(run, strategy + std::to_string(bytes), description("scan/" + strategy, "h2d", bytes),
          {{"bytes", bytes}, {"median_ns", 1000 + static_cast<double>(bytes) / 50}});
  return run;
}

TEST(summary_of_few_strategies, has_every_size) {
  const auto text = summary(scans_of({"slow", "fast"}, {4096, 1 << 20, 64 << 20}));
  EXPECT_THAT(text, HasSubstr("every size, h2d     4KiB     1MiB    64MiB\n"
                              "strategy              µs     GB/s     GB/s\n"
                              "scan/fast          1.082     47.7     50.0\n"
                              "scan/slow          1.082     47.7     50.0\n"));
}

TEST(summary_of_few_strategies, is_as_wide_as_told) {
  const auto narrow = summary(scans_of({"only"}, {4096, 1 << 20, 64 << 20}), 40);
  EXPECT_THAT(narrow, ContainsRegex("every size, h2d +4KiB +1MiB\nstrategy +µs +GB/s\n"));
  EXPECT_THAT(narrow, ContainsRegex("every size, h2d +64MiB\nstrategy +GB/s\n"));
}

TEST(summary_of_few_strategies, has_no_more_than_the_ends_if_these_are_all) {
  EXPECT_THAT(summary(scans_of({"only"}, {4096, 1 << 20})), Not(HasSubstr("every size")));
}

TEST(summary_of_many_strategies, says_where_the_other_sizes_are) {
  std::vector<std::string> many;
  for (char letter = 'a'; letter < 'n'; ++letter) many.emplace_back(1, letter);
  const auto text = summary(scans_of(many, {4096, 1 << 20, 64 << 20}));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("every size, h2d")), HasSubstr("gate_transfers show")));
}

TEST(summary_of_an_own_family, has_its_rates_where_the_role_says_so) {
  auto run = scans("directions");
  add(run, "up", description("scan/forward", "h2d", 1 << 20),
      {{"bytes", 1 << 20}, {"median_ns", (1 << 20) / 50.0}});
  add(run, "down", description("scan/forward", "d2h", 1 << 20),
      {{"bytes", 1 << 20}, {"median_ns", (1 << 20) / 40.0}});
  EXPECT_THAT(summary(run), ContainsRegex("scan/forward +50.00 \\* +40.00 \\*"));
}

TEST(summary_of_an_own_family, has_a_row_for_each_variant_of_one_direction) {
  auto run = scans("directions");
  for (const std::string variant : {"wide", "narrow"}) {
    auto described = description("scan/forward", "h2d", 1 << 20);
    described["variant"] = variant;
    add(run, variant, described, {{"bytes", 1 << 20}, {"median_ns", 1000}});
  }
  EXPECT_THAT(summary(run),
              AllOf(HasSubstr("\nscan/forward/wide "), HasSubstr("\nscan/forward/narrow ")));
}

TEST(summary_of_an_own_family, shows_by_its_time_what_has_no_direction_for_a_table_of_directions) {
  auto run = scans("directions");
  add(run, "both", description("scan/both", "both", 4096), {{"bytes", 4096}, {"median_ns", 2000}});
  EXPECT_THAT(summary(run), ContainsRegex("scan/both +4KiB, 2.00 µs\n"));
}

TEST(summary_of_a_run, knows_write_combined_memory_by_its_field) {
  const auto summary_with = [](const std::string& memory, bool write_combined) {
    auto run = scans("times");
    run["context"]["transfers"]["buffers"] = {
        {{"memory", memory},
         {"write_combined", write_combined},
         {"memory_type", "write-back"},
         {"cpu_reads", {{"plain_gb_per_s", 9}}},
         {"cpu_reads_of_ordinary_memory", {{"plain_gb_per_s", 10}}}}};
    return summary(run);
  };
  EXPECT_THAT(summary_with("own", true), HasSubstr("WRITECOMBINED had no effect"));
  EXPECT_THAT(summary_with("own_wc", false), Not(HasSubstr("WRITECOMBINED")));
}

TEST(summary_of_a_run, tells_skips_once_for_each_reason_whatever_its_words) {
  auto run = scans("times");
  const json reason{{"code", "unsupported"}, {"data", json::object()}, {"text", "any words"}};
  for (const auto* const name : {"a", "b", "c"})
    run["context"]["transfers"]["skipped"].push_back({{"name", name}, {"reason", reason}});
  run["context"]["transfers"]["warnings"].push_back(
      {{"code", "numa_far"}, {"data", json::object()}, {"text", "far away"}});
  EXPECT_THAT(summary(run), AllOf(HasSubstr("Skipped a and 2 more: any words.\n"),
                                  HasSubstr("Note: far away\n")));
}

TEST(summary_of_a_run, refuses_what_a_reader_would_refuse) {
  auto run = scans("times");
  add(run, "a", description("scan/a", "sideways", 4096), {{"median_ns", 1}});
  EXPECT_THROW(static_cast<void>(summary(run)), unusable_file);
}

}  // namespace
}  // namespace bench_transfers::result_file::summary_test
