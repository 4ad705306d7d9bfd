#include "bench/record/earlier_run.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/record/parts.hpp"
#include "src/common/program.hpp"
#include "src/common/writing.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/test_strategy.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::bench::earlier_run_test {
namespace {

json row_of(const std::string& name, int number) {
  return {{"name", name},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetition_index", number},
          {"real_time", 100 + number},
          {"time_unit", "ns"},
          {"median_ns", 100 + number}};
}

json described(const std::string& name) {
  return {{"family", "a"},     {"strategy", name},   {"method", nullptr},  {"setting", nullptr},
          {"memory", nullptr}, {"variant", nullptr}, {"direction", "h2d"}, {"size_bytes", 4096},
          {"cache", "warm"},   {"devices", {0}},     {"role", "copy"},     {"plainness", 0}};
}

json message(const std::string& code) {
  return {{"code", code}, {"data", json::object()}, {"text", "some text"}};
}

/// The context of a run that has ended early.
json context() {
  return {{"host_name", "some-host"},
          {"transfers",
           {{"format", 2},
            {"complete", false},
            {"program", {{"version", "1"}, {"git_commit", "abc"}}},
            {"run",
             {{"options", {"--profile=quick", "--device=host"}},
              {"labels", {{"room", "7"}}},
              {"note", "first"},
              {"faults_injected", {"fail@x"}},
              {"seed", 1},
              {"started_utc", "2026-11-22T10:00:00Z"}}},
            {"device", {{"kind", "host"}, {"name", "memory"}}},
            {"devices", {{{"id", "host"}, {"kind", "host"}, {"name", "memory"}}}},
            {"machine", {{"cpu", {{"model", "CPU"}}}, {"kernel", {{"boot_id", "boot-1"}}}}},
            {"strategies", {{{"name", "a/old"}}}},
            {"buffers", {{{"memory", "pinned"}}}},
            {"roles", {{"copy", {{"description", "copies"}, {"table", "directions"}}}}},
            {"benchmarks", {{"a/old", described("a/old")}, {"a/part", described("a/part")}}},
            {"metrics", json::object()},
            {"skipped", {{{"name", "a/skipped"}, {"reason", message("unsupported")}}}},
            {"warnings", {message("virtual_machine"), message("max_time_reached")}}}}};
}

class earlier : public testing::Test {
 protected:
  [[nodiscard]] earlier_run read() const {
    const auto file = folder_.path() / "result.json";
    common::write_whole(file, document.dump());
    return earlier_run(file);
  }

  [[nodiscard]] std::string complaint() const {
    return common::complaint_of<common::usage_error>([&] { return read(); });
  }

  json& facts() { return document["context"]["transfers"]; }

  json document{{"context", context()}, {"benchmarks", json::array()}};

 private:
  common::temporary_folder folder_;
};

TEST_F(earlier, tells_its_options) {
  EXPECT_THAT(read().options(), ElementsAre("--profile=quick", "--device=host"));
}

TEST_F(earlier, refuses_options_that_choose_no_measurement) {
  facts()["run"]["options"] = {"--out=/etc/passwd"};
  EXPECT_THAT(complaint(), HasSubstr("no option of a measurement"));
}

plan plan_of(const strategy& measured, const std::vector<std::string>& names) {
  plan planned;
  for (const auto& name : names) {
    benchmark_case entry;
    entry.name = name;
    entry.measured = &measured;
    planned.cases.push_back(entry);
  }
  return planned;
}

TEST_F(earlier, leaves_out_what_it_has) {
  const auto measured = test_strategy("a");
  document["benchmarks"] = {row_of("a/old", 0), row_of("a/old", 1), row_of("a/part", 0)};
  auto planned = plan_of(measured, {"a/old", "a/part", "a/skipped", "a/new"});
  read().leave_out_measured(planned, 2);
  EXPECT_THAT(names_of(planned.cases), ElementsAre("a/part", "a/new"));
  EXPECT_EQ(planned.cases[0].earlier.next, 1);
  EXPECT_THAT(planned.cases[0].earlier.medians, ElementsAre(100));
  EXPECT_EQ(planned.cases[1].earlier.count, 0);
}

TEST_F(earlier, of_another_procedure_is_not_gone_on_with) {
  const auto measured = test_strategy("a");
  document["benchmarks"] = {row_of("a/part", 0)};
  document["benchmarks"][0]["procedure"] = 2;
  auto planned = plan_of(measured, {"a/part"});
  EXPECT_THAT(
      common::complaint_of<common::usage_error>([&] { read().leave_out_measured(planned, 2); }),
      HasSubstr("a/part was measured by another procedure"));
  planned.cases[0].procedure = 2;
  read().leave_out_measured(planned, 2);
  EXPECT_EQ(planned.cases[0].earlier.count, 1);
}

TEST_F(earlier, tries_again_what_was_skipped_for_a_reason_that_may_have_passed) {
  const auto measured = test_strategy("a");
  for (const auto* const code : {"device_failed", "memory_refused", "threads_refused"})
    facts()["skipped"].push_back({{"name", std::string("a/") + code}, {"reason", message(code)}});
  auto planned = plan_of(measured, {"a/skipped", "a/device_failed", "a/memory_refused"});
  const auto run = read();
  run.leave_out_measured(planned, 2);
  EXPECT_THAT(names_of(planned.cases), ElementsAre("a/device_failed", "a/memory_refused"));
  ASSERT_THAT(run.skipped(), SizeIs(1));
  EXPECT_EQ(run.skipped()[0].at("name"), "a/skipped");
}

TEST_F(earlier, sets_aside_what_a_killed_run_has_spoilt_only) {
  const auto measured = test_strategy("a");
  const auto spoilt = [](const std::string& name, int number) {
    auto row = row_of(name, number);
    row["disturbed"] = {"clock_jumped"};
    return row;
  };
  document["benchmarks"] = {spoilt("a/old", 0), spoilt("a/old", 1), spoilt("a/part", 0),
                            row_of("a/part", 1)};
  auto planned = plan_of(measured, {"a/old", "a/part", "a/new"});
  read().leave_out_measured(planned, 2);
  EXPECT_THAT(names_of(planned.cases), ElementsAre("a/new"));
  ASSERT_THAT(planned.set_aside, SizeIs(1));
  EXPECT_EQ(planned.set_aside[0].name, "a/old");
  EXPECT_THAT(planned.set_aside[0].earlier.spoilt_by,
              ElementsAre(result_file::disturbance::clock_jumped));
}

TEST_F(earlier, leaves_out_what_has_failed) {
  const auto measured = test_strategy("a");
  auto failure = row_of("a/part", 0);
  failure["error_occurred"] = true;
  document["benchmarks"] = {failure};
  const auto run = read();
  auto planned = plan_of(measured, {"a/old", "a/part"});
  run.leave_out_measured(planned, 2);
  EXPECT_THAT(names_of(planned.cases), ElementsAre("a/old"));
  EXPECT_TRUE(run.has_failures());
  EXPECT_FALSE(run.has_repetitions());
}

TEST_F(earlier, that_is_complete_has_enough_repetitions) {
  const auto measured = test_strategy("a");
  facts()["complete"] = true;
  document["benchmarks"] = {row_of("a/old", 0), row_of("a/part", 0)};
  auto planned = plan_of(measured, {"a/old", "a/part", "a/new"});
  read().leave_out_measured(planned, 100);
  EXPECT_THAT(names_of(planned.cases), ElementsAre("a/new"));
}

TEST_F(earlier, repeats_until_stable_up_to_three_times_as_often) {
  auto measured = test_strategy("a");
  measured.sampling.until_stable = true;
  document["benchmarks"] = {row_of("a/old", 0), row_of("a/old", 1)};
  auto planned = plan_of(measured, {"a/old"});
  read().leave_out_measured(planned, 1);
  EXPECT_THAT(names_of(planned.cases), ElementsAre("a/old"));
  document["benchmarks"].push_back(row_of("a/old", 2));
  read().leave_out_measured(planned, 1);
  EXPECT_THAT(names_of(planned.cases), IsEmpty());
}

json later_context() {
  auto own = context();
  auto& later = own["transfers"];
  later["run"]["seed"] = 2;
  later["run"]["labels"] = json::object();
  later["run"]["note"] = nullptr;
  later["run"]["faults_injected"] = {"fail@x", "fail@y"};
  later["strategies"] = {{{"name", "a/new"}}};
  later["buffers"] = {{{"memory", "pinned"}, {"bytes", 1}}, {{"memory", "pageable"}}};
  later["benchmarks"] = {{"a/part", described("a/part")}, {"a/new", described("a/new")}};
  later["skipped"] = json::array();
  later["run"]["started_utc"] = "2026-11-28T10:00:10Z";
  later["warnings"] = {message("virtual_machine"), message("other_load"), message("rounds_slowed")};
  return own;
}

std::vector<std::string> codes_in(const json& warnings) {
  std::vector<std::string> codes;
  for (const auto& warning : warnings) codes.push_back(warning.at("code"));
  return codes;
}

template <class List>
std::vector<std::string> texts_in(const List& list, const char* key) {
  std::vector<std::string> texts;
  for (const auto& entry : list) texts.push_back(entry.at(key));
  return texts;
}

TEST_F(earlier, is_joined_with_what_comes_later) {
  const auto joined = with_earlier_parts(later_context(), read(), false).at("transfers");
  EXPECT_EQ(joined.at("run").at("labels"), (json{{"room", "7"}}));
  EXPECT_EQ(joined.at("run").at("note"), "first");
  EXPECT_EQ(joined.at("run").at("faults_injected"), (json{"fail@x", "fail@y"}));
  EXPECT_THAT(texts_in(joined.at("strategies"), "name"), ElementsAre("a/old", "a/new"));
  EXPECT_THAT(texts_in(joined.at("buffers"), "memory"), ElementsAre("pinned", "pageable"));
  EXPECT_EQ(joined.at("buffers")[0].at("bytes"), 1);
  EXPECT_THAT(texts_in(joined.at("skipped"), "name"), ElementsAre("a/skipped"));
  std::vector<std::string> names;
  for (const auto& [name, entry] : joined.at("benchmarks").items()) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("a/old", "a/part", "a/new"));
  EXPECT_THAT(codes_in(joined.at("warnings")),
              ElementsAre("virtual_machine", "other_load", "rounds_slowed"));
}

TEST_F(earlier, says_when_the_run_began_and_a_part_when_it_began) {
  facts()["run"]["started_utc"] = "2026-11-28T10:00:00Z";
  const auto joined = with_earlier_parts(later_context(), read(), true).at("transfers");
  EXPECT_EQ(joined.at("run").at("started_utc"), "2026-11-28T10:00:00Z");
  EXPECT_EQ(joined.at("parts")[0].at("started_utc"), "2026-11-28T10:00:00Z");
  EXPECT_EQ(joined.at("parts")[1].at("started_utc"), "2026-11-28T10:00:10Z");
}

TEST_F(earlier, of_the_same_run_counts_as_its_process) {
  facts()["run"]["processes"] = 2;
  facts()["warnings"] = json::array();
  const auto joined = with_earlier_parts(later_context(), read(), true).at("transfers");
  EXPECT_EQ(joined.at("run").at("processes"), 2);
  EXPECT_EQ(joined.at("parts").at(0).at("complete"), true);
  EXPECT_EQ(joined.at("parts").at(1).at("resumed"), false);
  facts()["warnings"].push_back(message("max_time_reached"));
  const auto cut = with_earlier_parts(later_context(), read(), true).at("transfers");
  EXPECT_EQ(cut.at("parts").at(0).at("complete"), false);
}

TEST_F(earlier, is_the_first_part) {
  const auto joined = with_earlier_parts(later_context(), read(), false).at("transfers");
  const auto& parts = joined.at("parts");
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(parts[0].at("number"), 1);
  EXPECT_EQ(parts[0].at("seed"), 1);
  EXPECT_EQ(parts[0].at("boot_id"), "boot-1");
  EXPECT_THAT(codes_in(parts[0].at("warnings")),
              ElementsAre("virtual_machine", "max_time_reached"));
  EXPECT_EQ(parts[1].at("number"), 2);
  EXPECT_EQ(parts[1].at("seed"), 2);
  EXPECT_THAT(codes_in(parts[1].at("warnings")), ElementsAre("virtual_machine", "other_load"));
}

TEST_F(earlier, of_another_start_and_program_is_warned_of) {
  auto own = later_context();
  own["transfers"]["machine"]["kernel"]["boot_id"] = "boot-2";
  own["transfers"]["program"]["git_commit"] = "def";
  own["transfers"]["devices"][0]["driver_version"] = "600";
  const auto joined = with_earlier_parts(own, read(), false).at("transfers");
  std::vector<std::string> facts;
  for (const auto& warning : joined.at("warnings"))
    if (warning.at("code") == "parts_differ") facts.push_back(warning.at("data").at("fact"));
  EXPECT_THAT(facts, ElementsAre("boot_id", "driver_version", "git_commit"));
}

}  // namespace
}  // namespace bench_transfers::bench::earlier_run_test
