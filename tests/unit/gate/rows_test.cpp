
#include <string>
#include <tuple>

#include "src/gate/model/run.hpp"
#include "tests/basics.hpp"
#include "tests/unit/gate/made_up_result_files.hpp"

namespace bench_transfers::gate::rows_test {
namespace {

// What benchmarks are judged by.

TEST(gate_metric, rates_are_known_by_their_names) {
  for (const auto* rate : {"gb_per_s", "bytes_per_second", "link_percent"})
    EXPECT_TRUE(metric::named(rate).more_is_better) << rate;
  for (const auto* cost : {"real_time", "cpu_time", "median_ns", "cpu_s_per_gb", "ns_per_access"})
    EXPECT_FALSE(metric::named(cost).more_is_better) << cost;
  EXPECT_EQ(metric::named("gb_per_s").key, "gb_per_s");
}

// Rows.

TEST(gate_rows, repetitions_are_kept_by_benchmark_and_in_order) {
  const auto all = foreign({row("a", 1, 20), row("b", 0, 5), row("a", 0, 10), row("b", 1, 6.5)});
  EXPECT_THAT(values(all, "a"), ElementsAre(10, 20));
  EXPECT_THAT(values(all, "b"), ElementsAre(5, 6.5));
  EXPECT_THAT(read(all).benchmarks, SizeIs(2));
  EXPECT_THAT(read(all).unjudged, IsEmpty());
}

TEST(gate_rows, an_index_tells_of_the_repetitions_before_it) {
  EXPECT_EQ(read(foreign({row("a", 4, 20)})).benchmarks.at("a").left_out, 4);
  EXPECT_EQ(read(foreign({row("a", 0, 20), row("a", 1, 20)})).benchmarks.at("a").left_out, 0);
}

TEST(gate_rows, times_are_in_ns_whatever_their_units_and_counters_as_they_are) {
  const auto all = foreign({row("a", 0, 1.5, "s"), row("a", 1, 1.5, "ms"), row("a", 2, 1.5, "us"),
                            row("a", 3, 1.5, "ns")});
  EXPECT_THAT(values(all, "a"), ElementsAre(1.5e9, 1.5e6, 1.5e3, 1.5));
  const auto counted = foreign({with(row("a", 0, 1, "us"), "gb_per_s", 52.5)});
  EXPECT_THAT(values(counted, "a", "cpu_time"), ElementsAre(7000));
  EXPECT_THAT(values(counted, "a", "gb_per_s"), ElementsAre(52.5));
}

TEST(gate_rows, bytes_are_those_of_the_row) {
  const auto bytes_of = [](const json& row) {
    return read(foreign({row})).benchmarks.at("a").bytes;
  };
  EXPECT_EQ(bytes_of(with(row("a", 0, 1), "bytes", 4096)), 4096);
  EXPECT_EQ(bytes_of(row("a", 0, 1)), std::nullopt);
  for (const json& none : {json(0), json(-4), json("4"), json(nullptr)})
    EXPECT_EQ(bytes_of(with(row("a", 0, 1), "bytes", none)), std::nullopt) << none;
}

TEST(gate_rows, the_key_is_run_name_where_there_is_one) {
  EXPECT_THAT(read(foreign({with(row("a", 0, 1), "name", "shown otherwise")})).benchmarks,
              ElementsAre(Key("a")));
  EXPECT_THAT(read(foreign({without(row("a", 0, 1), "run_name")})).benchmarks,
              ElementsAre(Key("a")));
}

TEST(gate_rows, aggregates_are_left_out) {
  const auto all = foreign({row("a", 0, 10), row("a", 1, 20), aggregate("a", "mean"),
                            aggregate("a", "median"), aggregate("a", "BigO")});
  EXPECT_THAT(values(all, "a"), ElementsAre(10, 20));
  EXPECT_THAT(read(all).benchmarks, SizeIs(1));
  EXPECT_THAT(read(all).unjudged, IsEmpty());
  // A benchmark of aggregates alone is not forgotten. Asymptotic complexity is none.
  const auto read_both = read(foreign({row("a", 0, 10), aggregate("b", "mean")}));
  EXPECT_THAT(read_both.benchmarks, ElementsAre(Key("a")));
  EXPECT_THAT(read_both.unjudged, ElementsAre("b"));
  EXPECT_THAT(
      read(foreign({row("f/8", 0, 10), aggregate("f", "BigO"), aggregate("f", "RMS")})).unjudged,
      IsEmpty());
}

TEST(gate_rows, files_of_old_releases_have_aggregates_by_name) {
  const auto all = foreign({old_row("a", 10), old_row("a", 20), old_row("a_mean", 15),
                            old_row("a_median", 15), old_row("a_stddev", 7), old_row("b", 3),
                            old_row("b_cv", 0), old_row("f_BigO", 1), old_row("f_RMS", 1)});
  EXPECT_THAT(values(all, "a"), ElementsAre(10, 20));
  EXPECT_THAT(read(all).benchmarks, ElementsAre(Key("a"), Key("b")));
  EXPECT_THAT(read(all).unjudged, IsEmpty());
  EXPECT_THAT(complaint(foreign({old_row("a_mean", 15), old_row("a_stddev", 15)})),
              HasSubstr("only aggregates"));
}

TEST(gate_rows, a_benchmark_with_the_name_of_an_aggregate_counts) {
  EXPECT_THAT(values(foreign({old_row("compute_mean", 15), old_row("b", 1)}), "compute_mean"),
              ElementsAre(15));
  EXPECT_THAT(values(foreign({row("a", 0, 15), row("a_mean", 0, 3)}), "a_mean"), ElementsAre(3));
}

TEST(gate_rows, errors_count_as_failed_and_never_as_fast) {
  const auto all =
      foreign({row("a", 0, 10), failed(row("a", 1, 1)), failed(row("b", 0, 1)),
               with(row("c", 0, 0), "skipped", true), with(row("d", 0, 0), "error_message", "why"),
               without(without(failed(row("e", 0, 1)), "real_time"), "time_unit"),
               with(row("f", 0, 1), "skip_message", "not today")});
  const auto benchmarks = read(all).benchmarks;
  EXPECT_THAT(benchmarks.at("a").values, ElementsAre(10));
  EXPECT_EQ(benchmarks.at("a").failed, 1U);
  for (const auto* name : {"b", "c", "d", "e", "f"}) {
    EXPECT_THAT(benchmarks.at(name).values, IsEmpty()) << name;
    EXPECT_EQ(benchmarks.at(name).failed, 1U) << name;
  }
  // A file in which everything failed is a run.
  EXPECT_EQ(read(foreign({failed(row("a", 0, 1))})).benchmarks.at("a").failed, 1U);
  // No errors.
  for (const auto& fine :
       {with(row("a", 0, 10), "skipped", 3), with(row("a", 0, 10), "error_occurred", false),
        with(row("a", 0, 10), "error_occurred", nullptr)})
    EXPECT_THAT(values(foreign({fine}), "a"), ElementsAre(10)) << fine;
}

TEST(gate_rows, rows_with_invalid_error_fields_are_refused_and_named) {
  const std::vector<std::pair<const char*, json>> invalid_fields{
      {"error_occurred", "true"},
      {"error_occurred", 1},
      {"error_occurred", json::array({true})},
      {"skipped", "true"},
      {"skipped", json::object()},
      {"error_message", 5},
      {"skip_message", true}};
  for (const auto& [key, value] : invalid_fields)
    EXPECT_THAT(complaint_about_row(with(row("slow/one", 0, 1), key, value)),
                AllOf(HasSubstr("slow/one"), HasSubstr(std::string("its ") + key + " is n")))
        << key << value;
}

TEST(gate_rows, implausible_times_are_refused) {
  EXPECT_EQ(complaint_about_row(row("a", 0, 1e15)), "");
  EXPECT_EQ(complaint_about_row(row("a", 0, 1e-3)), "");
  EXPECT_EQ(complaint_about_row(row("a", 0, 1e6, "s")), "");
  for (const auto& absurd : {row("a", 0, 1.1e15), row("a", 0, 0.9e-3), row("a", 0, 1.1e6, "s"),
                             row("a", 0, 1e308, "s"), row("a", 0, 5e-324)})
    EXPECT_THAT(complaint_about_row(absurd), HasSubstr("nobody can have measured")) << absurd;
  EXPECT_THAT(complaint_about_row(with(row("a", 0, 1), "copy_ns", 1e16), "copy_ns"),
              HasSubstr("nobody can have measured"));
  EXPECT_EQ(complaint_about_row(with(row("a", 0, 1), "bytes_per_second", 1e16), "bytes_per_second"),
            "");
}

TEST(gate_rows, counters_are_checked_in_the_same_way) {
  for (const json& value : {json(0), json(-3), json(nullptr), json("12"), json(true)})
    EXPECT_THAT(complaint_about_row(with(row("a", 0, 1), "gb_per_s", value), "gb_per_s"),
                AllOf(HasSubstr("benchmark a"), HasSubstr("gb_per_s")))
        << value;
}

TEST(gate_rows, a_counter_that_only_other_benchmarks_have_is_reported) {
  const auto some =
      read(foreign({row("a", 0, 1), with(row("b", 0, 1), "gb_per_s", 5)}), "gb_per_s");
  EXPECT_THAT(some.benchmarks, ElementsAre(Key("b")));
  EXPECT_THAT(some.unjudged, ElementsAre("a"));
  EXPECT_THAT(complaint(foreign({row("a", 0, 1)}), "gb_per_s"),
              HasSubstr("none of its benchmarks has gb_per_s"));
  EXPECT_THAT(complaint(foreign({row("a", 0, 1), with(row("a", 1, 1), "gb_per_s", 5)}), "gb_per_s"),
              AllOf(HasSubstr("benchmark a"), HasSubstr("only some")));
  const auto other_failed =
      read(foreign({row("a", 0, 1), failed(row("a", 1, 1)), with(row("b", 0, 1), "gb_per_s", 5)}),
           "gb_per_s");
  EXPECT_THAT(other_failed.unjudged, ElementsAre("a"));
}

TEST(gate_rows, unnumbered_repetitions_follow_one_another) {
  EXPECT_THAT(values(foreign({old_row("a", 1), old_row("a", 2), old_row("b", 3)}), "a"),
              ElementsAre(1, 2));
  EXPECT_THAT(complaint(foreign({old_row("a", 1), old_row("b", 2), old_row("a", 3)})),
              AllOf(HasSubstr("benchmark a"), HasSubstr("twice")));
  EXPECT_THAT(complaint(foreign({old_row("a", 1), old_row("a_mean", 1), old_row("a", 3)})),
              HasSubstr("twice"));
  EXPECT_THAT(complaint(foreign(
                  {row("a", 0, 1), without(row("a", 1, 1), "repetition_index"), row("a", 1, 1)})),
              HasSubstr("twice"));
}

TEST(gate_rows, that_are_not_judged_are_read_as_strictly) {
  const auto judged_row = with(row("a", 0, 1), "gb_per_s", 5);
  EXPECT_EQ(complaint(foreign({judged_row, row("b", 0, 1)}), "gb_per_s"), "");
  for (const auto* key : {"repetition_index", "error_occurred", "skip_message"})
    EXPECT_THAT(
        complaint(foreign({judged_row, with(row("b", 0, 1), key, json::array())}), "gb_per_s"),
        AllOf(HasSubstr("benchmark b"), HasSubstr(key)));
}

TEST(gate_rows, the_field_judged_by_is_found_by_its_printable_name) {
  const auto file = foreign({with(row("a", 0, 1), "a\nb", 5)});
  EXPECT_THAT(values(file, "a", "a\nb"), ElementsAre(5));
  EXPECT_THAT(values(file, "a", "a\\nb"), ElementsAre(5));  // as a baseline has it
  EXPECT_THAT(complaint(file, "c\nd"), HasSubstr("has c\\nd; they have a\\nb"));
}

/// A file of bench_transfers with one row that has time, bytes and bandwidth.
json rated(double microseconds, double bytes, double gb_per_s) {
  auto file = bench_transfers_file(bench_transfers_facts());
  file["context"]["transfers"]["benchmarks"] = {{"copy/pinned/h2d/1MiB", described_copy()}};
  file["benchmarks"] = {
      with(with(row("copy/pinned/h2d/1MiB", 0, microseconds, "us"), "bytes", bytes), "gb_per_s",
           gb_per_s)};
  return file;
}

TEST(gate_rows, that_contradict_themselves_are_refused) {
  for (const double rate : {9.91, 10.0, 10.09}) EXPECT_EQ(complaint(rated(100, 1e6, rate)), "");
  for (const double rate : {5.0, 9.89, 10.11, 20.0})
    for (const auto* key : {"real_time", "gb_per_s"})
      EXPECT_THAT(complaint(rated(100, 1e6, rate), key),
                  HasSubstr("benchmark copy/pinned/h2d/1MiB: its real_time, bytes and gb_per_s "
                            "contradict each other"))
          << rate << key;
  EXPECT_THAT(complaint(rated(0.1, 1e6, 10)), HasSubstr("contradict"));  // a thousand times as fast
  // Other programs may count otherwise. What lacks a figure contradicts nothing.
  EXPECT_EQ(complaint(foreign({rated(100, 1e6, 20).at("benchmarks").at(0)})), "");
  for (const auto* key : {"bytes", "gb_per_s"}) {
    auto file = rated(100, 1e6, 20);
    file["benchmarks"][0].erase(key);
    EXPECT_EQ(complaint(file), "") << key;
  }
}

TEST(gate_rows, of_a_file_with_a_part_twice_are_refused) {
  const auto own = bench_transfers_file(bench_transfers_facts());
  const auto others = foreign({row("a", 0, 1)});
  for (const auto& [file, object, key] : std::vector<std::tuple<json, std::string, std::string>>{
           {own, "", "benchmarks"},
           {own, "", "context"},
           {own, "/context", "transfers"},
           {own, "/context/transfers", "complete"},
           {others, "/context", "num_cpus"}}) {
    const auto part =
        R"(")" + key + R"(":)" + file.at(json::json_pointer(object + "/" + key)).dump();
    auto text = file.dump();
    text.insert(text.find(part), part + ",");
    EXPECT_THAT(complaint_about_text(text), HasSubstr("it has " + key + " twice"));
  }
}

TEST(gate_rows, of_bench_transfers_say_what_limits_them) {
  EXPECT_EQ(read(rated(100, 1e6, 10)).benchmarks.at("copy/pinned/h2d/1MiB").limited_by,
            benchmark_class::link);
  const auto row = rated(100, 1e6, 10).at("benchmarks").at(0);
  EXPECT_EQ(read(foreign({row})).benchmarks.at("copy/pinned/h2d/1MiB").limited_by,
            benchmark_class::other);
}

}  // namespace
}  // namespace bench_transfers::gate::rows_test
