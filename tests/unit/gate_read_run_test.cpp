#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gate/run.hpp"

namespace gate {
namespace {

using json = nlohmann::ordered_json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::SizeIs;
using namespace std::chrono_literals;

/// A repetition as Google Benchmark 1.7 writes it.
json row(const std::string& name, int index, json time, const std::string& unit = "ns") {
  return {{"name", name},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", 2},
          {"repetition_index", index},
          {"threads", 1},
          {"iterations", 1000},
          {"real_time", std::move(time)},
          {"cpu_time", 7},
          {"time_unit", unit}};
}

/// Of releases before 1.5.
json old_row(const std::string& name, json time) {
  return {{"name", name},
          {"iterations", 1000},
          {"real_time", std::move(time)},
          {"cpu_time", 7},
          {"time_unit", "ns"}};
}

json aggregate(const std::string& benchmark, const std::string& what) {
  return {{"name", benchmark + "_" + what}, {"run_name", benchmark}, {"run_type", "aggregate"},
          {"aggregate_name", what},         {"real_time", 5},        {"time_unit", "ns"}};
}

json failed(json one) {
  one["error_occurred"] = true;
  one["error_message"] = "no such device";
  one["real_time"] = 0;
  return one;
}

json with(json one, const std::string& key, json value) {
  one[key] = std::move(value);
  return one;
}

json without(json one, const std::string& key) {
  one.erase(key);
  return one;
}

/// Another program's file.
json foreign(std::vector<json> rows) {
  return {{"context", {{"date", "2026-11-21T15:01:39+01:00"}, {"num_cpus", 4}}},
          {"benchmarks", std::move(rows)}};
}

json own_facts() {
  return {
      {"format", 1},
      {"complete", true},
      {"program", {{"git_commit", "abc"}, {"build_type", "Release"}}},
      {"run",
       {{"min_time_ms", 6.0},
        {"rounds", 2},
        {"random_order", true},
        {"faults_injected", json::array()},
        {"started_utc", "2026-11-21T10:22:25Z"}}},
      {"device",
       {{"kind", "cuda"},
        {"name", "NVIDIA H200"},
        {"uuid", "GPU-17e5a922"},
        {"compute_capability", "9.0"},
        {"driver_version", "580.159.04"},
        {"driver_cuda_version", "13.0"},
        {"runtime_cuda_version", "13.0"}}},
      {"link", {{"type", "pcie"}, {"generation", 5}, {"width", 16}, {"generation_max", 5}}},
      {"machine",
       {{"cpu",
         {{"model", "Some CPU"}, {"numa_nodes", 1}, {"cpus_allowed", 16}, {"governor", nullptr}}},
        {"memory",
         {{"total_bytes", 135148564480},
          {"transparent_hugepage_enabled", "madvise"},
          {"transparent_hugepage_defrag", "never"}}},
        {"process", {{"numa_policy_nodes_allowed", "0"}}},
        {"virtualisation", {{"hypervisor", "KVM"}}},
        {"iommu", {{"enabled", false}}},
        {"kernel", {{"release", "6.1.0"}, {"boot_id", "6fd2ae1c"}}}}},
      {"buffers",
       {{{"memory", "pinned"}, {"memory_type", "write-back"}},
        {{"memory", "pinned_wc"}, {"memory_type", "write-combined"}},
        {{"memory", "managed"}, {"memory_type", nullptr}}}},
      {"warnings", {"the CPU is busy"}}};
}

json own(json facts) {
  return {{"context", {{"json_schema_version", 1}, {"transfers", std::move(facts)}}},
          {"benchmarks", {row("copy/pinned/h2d/4B", 0, 1200)}}};
}

json changed(json facts, const char* pointer, json value) {
  facts[json::json_pointer(pointer)] = std::move(value);
  return facts;
}

run read_text(const std::string& text, const std::string& key = "real_time") {
  return run_in(text, "some.json", metric::named(key));
}

run read(const json& content, const std::string& key = "real_time") {
  return read_text(content.dump(), key);
}

/// Empty when there is none.
std::string complaint_about_text(const std::string& text, const std::string& key = "real_time") {
  try {
    static_cast<void>(read_text(text, key));
  } catch (const bad_input& wrong) {
    return wrong.what();
  }
  return "";
}

std::string complaint(const json& content, const std::string& key = "real_time") {
  return complaint_about_text(content.dump(), key);
}

/// The same about a file with this row alone.
std::string complaint_about_row(const json& one, const std::string& key = "real_time") {
  return complaint(foreign({one}), key);
}

std::vector<double> values(const json& content, const std::string& benchmark,
                           const std::string& key = "real_time") {
  return read(content, key).benchmarks.at(benchmark).values;
}

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

TEST(gate_rows, times_are_in_ns_whatever_their_units) {
  const auto all = foreign({row("a", 0, 1.5, "s"), row("a", 1, 1.5, "ms"), row("a", 2, 1.5, "us"),
                            row("a", 3, 1.5, "ns")});
  EXPECT_THAT(values(all, "a"), ElementsAre(1.5e9, 1.5e6, 1.5e3, 1.5));
}

TEST(gate_rows, cpu_time_has_the_same_units) {
  EXPECT_THAT(values(foreign({row("a", 0, 1, "us")}), "a", "cpu_time"), ElementsAre(7000));
}

TEST(gate_rows, counters_are_taken_as_they_are) {
  const auto all = foreign({with(row("a", 0, 1, "ms"), "gb_per_s", 52.5)});
  EXPECT_THAT(values(all, "a", "gb_per_s"), ElementsAre(52.5));
}

TEST(gate_rows, bytes_are_those_of_the_row) {
  EXPECT_EQ(read(foreign({with(row("a", 0, 1), "bytes", 4096)})).benchmarks.at("a").bytes, 4096);
  for (const json& none : {json(0), json(-4), json("4"), json(nullptr)})
    EXPECT_EQ(read(foreign({with(row("a", 0, 1), "bytes", none)})).benchmarks.at("a").bytes,
              std::nullopt);
  EXPECT_EQ(read(foreign({row("a", 0, 1)})).benchmarks.at("a").bytes, std::nullopt);
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
}

TEST(gate_rows, a_file_of_aggregates_alone_is_refused_with_the_way_out) {
  EXPECT_THAT(complaint(foreign({aggregate("a", "mean"), aggregate("a", "median")})),
              AllOf(HasSubstr("only aggregates"), HasSubstr("without --benchmark_report_aggr")));
  EXPECT_THAT(complaint(foreign({aggregate("a", "median")})), HasSubstr("only aggregates"));
  EXPECT_THAT(complaint(foreign({aggregate("a", "mean"), failed(row("b", 0, 1))})),
              HasSubstr("only aggregates"));
}

TEST(gate_rows, a_benchmark_of_aggregates_alone_is_not_forgotten) {
  const auto read_both = read(foreign({row("a", 0, 10), aggregate("b", "mean")}));
  EXPECT_THAT(read_both.benchmarks, ElementsAre(Key("a")));
  EXPECT_THAT(read_both.unjudged, ElementsAre("b"));
}

TEST(gate_rows, asymptotic_complexity_is_no_benchmark) {
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

TEST(gate_rows, a_benchmark_that_is_just_called_like_an_aggregate_counts) {
  EXPECT_THAT(values(foreign({old_row("compute_mean", 15), old_row("b", 1)}), "compute_mean"),
              ElementsAre(15));
  EXPECT_THAT(values(foreign({row("a", 0, 15), row("a_mean", 0, 3)}), "a_mean"), ElementsAre(3));
}

TEST(gate_rows, errors_count_as_failed_and_never_as_fast) {
  const auto all =
      foreign({row("a", 0, 10), failed(row("a", 1, 1)), failed(row("b", 0, 1)),
               with(row("c", 0, 0), "skipped", true), with(row("d", 0, 0), "error_message", "why"),
               without(without(failed(row("e", 0, 1)), "real_time"), "time_unit")});
  const auto found = read(all).benchmarks;
  EXPECT_THAT(found.at("a").values, ElementsAre(10));
  EXPECT_EQ(found.at("a").failed, 1U);
  for (const auto* name : {"b", "c", "d", "e"}) {
    EXPECT_THAT(found.at(name).values, IsEmpty()) << name;
    EXPECT_EQ(found.at(name).failed, 1U) << name;
  }
}

TEST(gate_rows, a_file_where_everything_failed_is_a_run) {
  EXPECT_EQ(read(foreign({failed(row("a", 0, 1))})).benchmarks.at("a").failed, 1U);
}

TEST(gate_rows, a_counter_called_skipped_is_no_error) {
  EXPECT_THAT(values(foreign({with(row("a", 0, 10), "skipped", 3)}), "a"), ElementsAre(10));
  EXPECT_THAT(values(foreign({with(row("a", 0, 10), "error_occurred", false)}), "a"),
              ElementsAre(10));
}

TEST(gate_rows, what_is_no_time_is_refused_and_named) {
  for (const json& wrong : {json(0), json(-0.0), json(-3), json(nullptr), json("12"), json(true),
                            json::array({1}), json::object()})
    EXPECT_THAT(complaint_about_row(row("slow/one", 0, wrong)),
                AllOf(HasSubstr("some.json"), HasSubstr("slow/one"), HasSubstr("real_time")))
        << wrong;
  EXPECT_THAT(complaint_about_row(without(row("slow/one", 0, 1), "real_time")),
              AllOf(HasSubstr("slow/one"), HasSubstr("no real_time")));
}

TEST(gate_rows, times_that_nobody_can_have_measured_are_refused) {
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

TEST(gate_rows, counters_are_held_to_the_same) {
  for (const json& wrong : {json(0), json(-3), json(nullptr), json("12"), json(true)})
    EXPECT_THAT(complaint_about_row(with(row("a", 0, 1), "gb_per_s", wrong), "gb_per_s"),
                AllOf(HasSubstr("benchmark a"), HasSubstr("gb_per_s")))
        << wrong;
}

TEST(gate_rows, a_counter_that_only_others_have_is_reported) {
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

TEST(gate_rows, units_of_time_must_be_known) {
  EXPECT_THAT(complaint_about_row(row("a", 0, 1, "min")),
              AllOf(HasSubstr("benchmark a"), HasSubstr("'min'")));
  EXPECT_THAT(complaint_about_row(without(row("a", 0, 1), "time_unit")), HasSubstr("time_unit"));
  EXPECT_THAT(complaint_about_row(with(row("a", 0, 1), "time_unit", 3)), HasSubstr("time_unit"));
}

TEST(gate_rows, the_same_repetition_twice_is_refused) {
  EXPECT_THAT(complaint(foreign({row("a", 0, 1), row("b", 0, 1), row("a", 0, 2)})),
              AllOf(HasSubstr("benchmark a"), HasSubstr("twice")));
  EXPECT_THAT(complaint(foreign({row("a", 0, 1), failed(row("a", 0, 2))})), HasSubstr("twice"));
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

TEST(gate_rows, a_repetitions_number_is_a_whole_one) {
  for (const json& wrong : {json(-1), json(0.5), json("0"), json(nullptr)})
    EXPECT_THAT(complaint_about_row(with(row("a", 0, 1), "repetition_index", wrong)),
                AllOf(HasSubstr("benchmark a"), HasSubstr("repetition_index")))
        << wrong;
}

TEST(gate_rows, a_value_given_twice_is_refused) {
  const std::string text =
      R"({"benchmarks": [{"name": "a", "real_time": 5, "time_unit": "ns", "real_time": 50}]})";
  EXPECT_THAT(complaint_about_text(text), AllOf(HasSubstr("benchmark a"), HasSubstr("twice")));
}

TEST(gate_rows, rows_must_be_objects_with_names) {
  EXPECT_THAT(complaint(foreign({row("a", 0, 1), json(5)})), HasSubstr("row 2"));
  EXPECT_THAT(complaint(foreign({json::object()})), HasSubstr("row 1"));
  EXPECT_THAT(complaint_about_row(row("", 0, 1)), HasSubstr("row 1"));
  EXPECT_THAT(complaint_about_row(with(row("a", 0, 1), "run_name", 5)), HasSubstr("row 1"));
  EXPECT_THAT(complaint_about_row(with(row("a", 0, 1), "run_type", "warm-up")),
              AllOf(HasSubstr("benchmark a"), HasSubstr("warm-up")));
}

TEST(gate_rows, a_file_without_benchmarks_is_refused) {
  EXPECT_THAT(complaint(foreign({})), HasSubstr("no benchmarks"));
  EXPECT_THAT(complaint(with(foreign({}), "benchmarks", nullptr)), HasSubstr("no list"));
  EXPECT_THAT(complaint(with(foreign({}), "benchmarks", {{"a", 1}})), HasSubstr("no list"));
  EXPECT_THAT(complaint(json::object()), HasSubstr("no list"));
  EXPECT_THAT(complaint(json::array()), HasSubstr("no list"));
  EXPECT_THAT(complaint(json(5)), HasSubstr("no list"));
}

// Messages.

TEST(gate_messages, names_cannot_break_the_line) {
  const auto about_row = complaint_about_row(row("a\nb\x1b[2J", 0, 0));
  EXPECT_THAT(about_row, HasSubstr("a\\nb\\x1b[2J"));
  EXPECT_THAT(about_row, Not(HasSubstr("\n")));
  try {
    static_cast<void>(run_in("", "dir/x\ny.json", {}));
    FAIL();
  } catch (const bad_input& wrong) {
    EXPECT_STREQ(wrong.what(), "cannot use dir/x\\ny.json: it is empty");
  }
  EXPECT_LT(complaint_about_row(row(std::string(100'000, 'x'), 0, 0)).size(), 500U);
  EXPECT_THAT(complaint_about_row(row("a", 0, 1, "x\ny")), Not(HasSubstr("\n")));
}

TEST(gate_messages, names_in_a_run_are_printable) {
  EXPECT_THAT(read(foreign({row("a\nb", 0, 1)})).benchmarks, ElementsAre(Key("a\\nb")));
  EXPECT_THAT(complaint(foreign({row("a\nb", 0, 1), row("a\\nb", 0, 1)})), HasSubstr("twice"));
}

// Text that is no result file.

TEST(gate_text, nothing_at_all_is_empty) {
  for (const auto* text : {"", " ", "\n\t\r\n"})
    EXPECT_THAT(complaint_about_text(text), HasSubstr("it is empty")) << '"' << text << '"';
}

TEST(gate_text, every_beginning_is_refused) {
  const auto whole = own(own_facts()).dump(1);
  ASSERT_EQ(complaint_about_text(whole), "");
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_THAT(complaint_about_text(whole.substr(0, size)), HasSubstr("cut off")) << size;
}

TEST(gate_text, what_is_not_json_is_refused_with_its_place) {
  const std::string begin = "{\"benchmarks\": [\n{\"name\": \"a\", \"time_unit\": \"ns\", ";
  for (const std::string wrong : {"NaN", "nan", "Infinity", "-Infinity", "inf", "0x10", "1.", "+1",
                                  ".5", "01", "'1'", "1,,", "1 2", "True"})
    EXPECT_THAT(complaint_about_text(begin + "\"real_time\": " + wrong + "}]}"),
                AllOf(HasSubstr("not JSON: line 2, column "), HasSubstr("near")))
        << wrong;
  EXPECT_THAT(complaint_about_text(begin + "\"real_time\": NaN}]}"), HasSubstr("NaN}]}'"));
  EXPECT_THAT(complaint_about_text("hello"), HasSubstr("line 1, column 1"));
  EXPECT_THAT(complaint_about_text("{\"a\": \"x\ny\"}"), HasSubstr("line 1"));
  EXPECT_THAT(complaint_about_text("{\"a\": \"\xff\"}"), HasSubstr("not JSON: line 1"));
  EXPECT_THAT(complaint_about_text(std::string("{}\0", 3)), HasSubstr("not JSON: line 1"));
}

TEST(gate_text, two_documents_are_one_too_many) {
  const auto one = foreign({row("a", 0, 1)}).dump();
  EXPECT_THAT(complaint_about_text(one + "\n" + one), HasSubstr("not JSON: line 2, column 1"));
}

TEST(gate_text, numbers_that_no_double_holds_are_refused) {
  for (const auto* number : {"1e999", "-1e999", "123456789012345678901234567890"})
    EXPECT_THAT(complaint_about_text("{\"a\": " + std::string(number) + "}"),
                HasSubstr("number that is too large"))
        << number;
}

TEST(gate_text, byte_order_marks_are_named) {
  for (const std::string mark : {"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"})
    EXPECT_THAT(complaint_about_text(mark + foreign({row("a", 0, 1)}).dump()),
                HasSubstr("byte order mark"));
}

TEST(gate_text, deep_nesting_is_refused) {
  const auto nested = [](std::size_t depth) {
    auto text = foreign({row("a", 0, 1)}).dump();
    return text.insert(1, "\"x\":" + std::string(depth, '[') + std::string(depth, ']') + ",");
  };
  EXPECT_EQ(complaint_about_text(nested(500)), "");
  EXPECT_THAT(complaint_about_text(nested(5000)), HasSubstr("nested too deep"));
  EXPECT_THAT(complaint_about_text(std::string(1'000'000, '[')), HasSubstr("cannot use"));
}

// What a file says about itself.

TEST(gate_facts, of_our_own_files_are_taken_over) {
  const auto found = read(own(own_facts()));
  EXPECT_EQ(found.file, "some.json");
  EXPECT_TRUE(found.ours);
  EXPECT_FALSE(found.on_host);
  EXPECT_EQ(found.device, "NVIDIA H200");
  EXPECT_EQ(found.card, "GPU-17e5a922");
  EXPECT_EQ(found.started,
            std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + 10h + 22min + 25s);
  EXPECT_EQ(found.boot, "6fd2ae1c");
  EXPECT_THAT(found.faults, IsEmpty());
  EXPECT_TRUE(found.complete);
  EXPECT_THAT(found.warnings, ElementsAre("the CPU is busy"));
  EXPECT_THAT(found.benchmarks, ElementsAre(Key("copy/pinned/h2d/4B")));
}

TEST(gate_facts, the_fingerprint_has_its_order) {
  EXPECT_THAT(
      read(own(own_facts())).machine,
      ElementsAre(
          Pair("link.generation", "5"), Pair("link.width", "16"),
          Pair("memory_type.pinned", "write-back"), Pair("memory_type.pinned_wc", "write-combined"),
          Pair("device.name", "NVIDIA H200"), Pair("device.compute_capability", "9.0"),
          Pair("device.driver_version", "580.159.04"), Pair("device.driver_cuda_version", "13.0"),
          Pair("device.runtime_cuda_version", "13.0"), Pair("cpu.model", "Some CPU"),
          Pair("cpu.numa_nodes", "1"), Pair("cpu.cpus_allowed", "16"),
          Pair("memory.total_gib", "126"), Pair("memory.transparent_hugepage_enabled", "madvise"),
          Pair("memory.transparent_hugepage_defrag", "never"),
          Pair("process.numa_policy_nodes_allowed", "0"), Pair("virtualisation.hypervisor", "KVM"),
          Pair("iommu.enabled", "false"), Pair("kernel.release", "6.1.0"),
          Pair("program.build_type", "Release"), Pair("settings.min_time_ms", "6"),
          Pair("settings.rounds", "2"), Pair("settings.random_order", "true")));
}

TEST(gate_facts, a_difference_in_the_file_is_one_in_the_fingerprint) {
  const std::vector<std::pair<const char*, json>> changes{
      {"/link/width", 8},
      {"/buffers/1/memory_type", "write-back"},
      {"/buffers/2/memory_type", "uncached"},
      {"/device/driver_version", "590.1"},
      {"/machine/cpu/governor", "powersave"},
      {"/machine/memory/total_bytes", 270297128960},
      {"/machine/iommu/enabled", true},
      {"/run/min_time_ms", 6.5},
      {"/link", nullptr},
      {"/buffers", 5},
      {"/machine", "none"},
  };
  const auto before = read(own(own_facts())).machine;
  for (const auto& [pointer, value] : changes)
    EXPECT_NE(read(own(changed(own_facts(), pointer, value))).machine, before) << pointer;
  for (const auto* pointer : {"/program/git_commit", "/run/started_utc", "/device/uuid",
                              "/machine/kernel/boot_id", "/link/generation_max"})
    EXPECT_EQ(read(own(changed(own_facts(), pointer, "another"))).machine, before) << pointer;
}

TEST(gate_facts, of_the_host_device_are_marked) {
  auto facts = own_facts();
  facts["device"] = {{"kind", "host"}, {"name", "host (no GPU)"}, {"why_not_gpu", nullptr}};
  facts["link"] = nullptr;
  const auto found = read(own(facts));
  EXPECT_TRUE(found.on_host);
  EXPECT_EQ(found.device, "host (no GPU)");
  EXPECT_EQ(found.card, "");
  EXPECT_THAT(found.machine, Not(Contains(Key("link.width"))));
}

TEST(gate_facts, that_lessen_trust_are_taken_over) {
  auto facts = changed(own_facts(), "/complete", false);
  facts["run"]["faults_injected"] = {"slow:1.1@copy.*"};
  facts["warnings"] = {"one", "two\nlines", 5, nullptr};
  const auto found = read(own(facts));
  EXPECT_FALSE(found.complete);
  EXPECT_THAT(found.faults, ElementsAre("slow:1.1@copy.*"));
  EXPECT_THAT(found.warnings, ElementsAre("one", "two\\nlines", "5"));
}

TEST(gate_facts, a_file_without_optional_ones_is_read) {
  const auto found = read(own({{"format", 1}, {"device", {{"kind", "cuda"}}}}));
  EXPECT_TRUE(found.ours);
  EXPECT_THAT(found.machine, IsEmpty());
  EXPECT_EQ(found.started, std::nullopt);
  EXPECT_TRUE(found.complete);
}

TEST(gate_facts, of_other_programs_are_few) {
  const auto found = read(foreign({row("a", 0, 1)}));
  EXPECT_FALSE(found.ours);
  EXPECT_THAT(found.machine, IsEmpty());
  EXPECT_EQ(found.device, "");
  EXPECT_EQ(found.boot, "");
  EXPECT_EQ(found.started,
            std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + 14h + 1min + 39s);
  auto other = foreign({row("a", 0, 1)});
  other["context"]["date"] = "2019-05-06 14:01:39";  // of an older release: no offset from UTC
  EXPECT_EQ(read(other).started, std::nullopt);
  other["context"]["transfers"] = "a text of --benchmark_context";
  EXPECT_FALSE(read(other).ours);
  EXPECT_FALSE(read(without(other, "context")).ours);
}

TEST(gate_facts, of_newer_formats_are_refused_with_both_versions) {
  EXPECT_THAT(complaint(own(changed(own_facts(), "/format", 2))),
              AllOf(HasSubstr("format is 2"), HasSubstr("reads 1")));
  for (const json& wrong : {json(0), json(-1), json(1.5), json("1"), json(nullptr)})
    EXPECT_THAT(complaint(own(changed(own_facts(), "/format", wrong))), HasSubstr("format"))
        << wrong;
  EXPECT_THAT(complaint(own(without(own_facts(), "format"))),
              HasSubstr("context.transfers.format"));
  auto schema = foreign({row("a", 0, 1)});
  schema["context"]["json_schema_version"] = 2;
  EXPECT_THAT(complaint(schema),
              AllOf(HasSubstr("json_schema_version is 2"), HasSubstr("reads 1")));
  schema["context"]["json_schema_version"] = "1";
  EXPECT_THAT(complaint(schema), HasSubstr("json_schema_version"));
}

TEST(gate_facts, a_file_must_say_what_device_was_measured) {
  EXPECT_THAT(complaint(own(without(own_facts(), "device"))), HasSubstr("device"));
  EXPECT_THAT(complaint(own(changed(own_facts(), "/device/kind", ""))), HasSubstr("device"));
}

// The same run by another name.

TEST(gate_content, is_that_of_the_measurements) {
  const auto one = own(own_facts());
  const auto content = read(one).content;
  EXPECT_EQ(run_in(one.dump(4), "other name.json", {}).content, content);
  EXPECT_EQ(read(own(changed(own_facts(), "/warnings/0", "another"))).content, content);
  EXPECT_NE(read(own(changed(own_facts(), "/run/started_utc", "2026-11-21T10:22:26Z"))).content,
            content);
  const std::vector<json> others{
      foreign({row("a", 0, 1), row("a", 1, 2)}),         foreign({row("a", 0, 2), row("a", 1, 1)}),
      foreign({row("a", 0, 1), row("b", 0, 2)}),         foreign({row("b", 0, 1), row("a", 0, 2)}),
      foreign({row("a", 0, 1), row("a", 1, 2.0000001)}), foreign({row("a", 0, 1)}),
      foreign({row("a", 0, 1), failed(row("a", 1, 1))}),
  };
  for (std::size_t i = 0; i < others.size(); ++i)
    for (std::size_t j = 0; j < others.size(); ++j)
      EXPECT_EQ(read(others[i]).content == read(others[j]).content, i == j) << i << ' ' << j;
}

// Files.

TEST(gate_files, that_cannot_be_read_are_named) {
  const auto why = [](const char* path) -> std::string {
    try {
      static_cast<void>(read_run(path, {}));
    } catch (const bad_input& wrong) {
      return wrong.what();
    }
    return "";
  };
  EXPECT_EQ(why("/does/not/exist.json"),
            "cannot use /does/not/exist.json: No such file or directory");
  EXPECT_EQ(why("/"), "cannot use /: it is a folder, not a file");
  EXPECT_EQ(why("/dev/null"), "cannot use /dev/null: it is empty");
  EXPECT_EQ(why("/dev/zero"), "cannot use /dev/zero: it is larger than 64 MiB");
}

std::vector<std::filesystem::path> recorded_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(PROJECT_DIR "/results/nvidia-h200"))
    if (entry.path().string().ends_with(".json.gz")) files.push_back(entry.path());
  return files;
}

TEST(gate_files, that_were_recorded_are_read_as_they_are) {
  const auto files = recorded_files();
  EXPECT_GE(files.size(), 22U);
  std::map<std::uint64_t, std::filesystem::path> contents;
  for (const auto& file : files) {
    const auto found = read_run(file, metric::named("real_time"));
    EXPECT_TRUE(found.ours) << file;
    EXPECT_FALSE(found.on_host) << file;
    EXPECT_EQ(found.device, "NVIDIA H200") << file;
    EXPECT_TRUE(found.started) << file;
    EXPECT_THAT(found.machine, Contains(Pair("link.width", "16"))) << file;
    EXPECT_THAT(found.benchmarks, Not(IsEmpty())) << file;
    for (const auto& [name, one] : found.benchmarks) {
      EXPECT_FALSE(one.values.empty()) << file << ' ' << name;
      EXPECT_EQ(one.failed, 0U) << file << ' ' << name;
    }
    const auto [same, is_new] = contents.emplace(found.content, file);
    EXPECT_TRUE(is_new) << file << " and " << same->second;
  }
}

TEST(gate_files, that_google_benchmark_wrote_are_read) {
  const auto found =
      read_run(PROJECT_DIR "/tests/fuzz/corpus/read_run/google_benchmark_1.7.json", {});
  EXPECT_FALSE(found.ours);
  EXPECT_TRUE(found.started);
  EXPECT_THAT(found.benchmarks, ElementsAre(Key("a/64/repeats:3"), Key("a/8/repeats:3"), Key("e"),
                                            Key("same"), Key("t/real_time/threads:2")));
  EXPECT_THAT(found.benchmarks.at("a/8/repeats:3").values, SizeIs(3));
  EXPECT_EQ(found.benchmarks.at("e").failed, 1U);
  EXPECT_THAT(found.unjudged, ElementsAre(HasSubstr("only_aggregates")));
}

TEST(gate_files, have_the_medians_that_their_rows_have) {
  const auto* const file =
      PROJECT_DIR "/results/nvidia-h200/2026-11-20-ten-processes/process-0.json.gz";
  const auto by_time = read_run(file, metric::named("real_time"));
  const auto by_median = read_run(file, metric::named("median_ns"));
  ASSERT_THAT(by_time.benchmarks, SizeIs(8));
  for (const auto& [name, one] : by_time.benchmarks) {
    ASSERT_THAT(one.values, SizeIs(10)) << name;
    for (std::size_t i = 0; i < one.values.size(); ++i)
      EXPECT_NEAR(one.values[i] / by_median.benchmarks.at(name).values[i], 1, 1e-6) << name;
  }
}

}  // namespace
}  // namespace gate
