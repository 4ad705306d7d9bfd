#include "src/result_file/reader.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "tests/basics.hpp"
#include "tests/fuzz/kept_inputs.hpp"
#include "tests/fuzz/properties.hpp"
#include "tests/unit/common/complaint.hpp"

namespace bench_transfers::result_file::reader_test {
namespace {

json row_of(const std::string& name, int repetition = 0) {
  return {{"name", name},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetition_index", repetition},
          {"real_time", 12.5},
          {"time_unit", "us"},
          {"median_ns", 12500},
          {"bytes", 4096}};
}

json with(json row, const std::string& key, json value) {
  row[key] = std::move(value);
  return row;
}

/// Another program's file.
json foreign(std::vector<json> rows) {
  return {{"context", {{"date", "2026-01-02T03:04:05+00:00"}, {"json_schema_version", 1}}},
          {"benchmarks", std::move(rows)}};
}

/// One of bench_transfers with one benchmark, which is described as in docs/RESULT_FILE.md.
json bench_transfers_file() {
  auto document = foreign({row_of("scan/forward/h2d/4KiB")});
  document["context"]["transfers"] = {
      {"format", 2},
      {"complete", true},
      {"device", {{"kind", "cuda"}, {"name", "Some GPU"}}},
      {"devices", {{{"kind", "cuda"}, {"name", "Some GPU"}}}},
      {"benchmarks",
       {{"scan/forward/h2d/4KiB",
         {{"family", "scan"},
          {"strategy", "scan/forward"},
          {"method", "forward"},
          {"setting", nullptr},
          {"memory", "pinned"},
          {"variant", "h2d"},
          {"direction", "h2d"},
          {"size_bytes", 4096},
          {"cache", "warm"},
          {"devices", {0}},
          {"role", "scan"},
          {"plainness", 1}}}}},
      {"roles", {{"scan", {{"description", "scans"}, {"table", "times"}}}}},
      {"metrics",
       {{"hits",
         {{"unit", "%"},
          {"better", "more"},
          {"kind", "share"},
          {"description", "found at once"},
          {"headline", true}}}}},
      {"skipped",
       {{{"name", "scan/backward/h2d/4KiB"},
         {"reason", {{"code", "unsupported"}, {"data", {{"by", "driver"}}}, {"text", "no"}}}}}},
      {"warnings", {{{"code", "numa_far"}, {"data", json::object()}, {"text", "far away"}}}}};
  return document;
}

json& facts(json& document) { return document["context"]["transfers"]; }
json& entry(json& document) { return facts(document)["benchmarks"]["scan/forward/h2d/4KiB"]; }

std::string complaint_about(const std::string& text) {
  return common::complaint_of<unusable_file>([&] { return read_text(text, "some.json"); });
}

// --- Rows ---------------------------------------------------------------------------------------

TEST(reader, has_rows_with_their_values_in_order) {
  const auto read = read_json(foreign({row_of("a", 3)}), "some.json");
  ASSERT_THAT(read.rows, SizeIs(1));
  const auto& row = read.rows[0];
  EXPECT_EQ(row.benchmark->name, "a");
  EXPECT_EQ(row.kind, row_kind::repetition);
  EXPECT_EQ(row.repetition, 3);
  EXPECT_EQ(row.time_unit, "us");
  EXPECT_FALSE(row.failed);
  std::vector<std::string> names;
  for (const auto& value : row.values) names.push_back(*value.name);
  EXPECT_THAT(names, ElementsAre("real_time", "median_ns", "bytes"));
  EXPECT_EQ(row.number("real_time"), 12.5);
  EXPECT_EQ(row.number("bytes"), 4096);
  EXPECT_EQ(row.number("cpu_time"), std::nullopt);
}

TEST(reader, refuses_facts_that_contradict_each_other) {
  auto changed = bench_transfers_file();
  facts(changed)["devices"][0]["kind"] = "host";
  EXPECT_THAT(complaint_about(changed.dump()), HasSubstr("contradict each other in kind"));
  changed = bench_transfers_file();
  facts(changed)["run"] = {{"started_utc", "2026-11-21T10:22:25Z"},
                           {"finished_utc", "2026-11-21T10:22:24Z"}};
  EXPECT_THAT(complaint_about(changed.dump()), HasSubstr("finished_utc is before"));
  changed = bench_transfers_file();
  entry(changed)["direction"] = "d2h";
  EXPECT_THAT(complaint_about(changed.dump()), HasSubstr("its variant and its direction"));
}

TEST(reader, refuses_a_time_that_nobody_can_have_measured) {
  auto changed = bench_transfers_file();
  for (const json& time : {json("x"), json(0), json(1e30)}) {
    changed["benchmarks"][0]["real_time"] = time;
    EXPECT_THAT(complaint_about(changed.dump()), HasSubstr("its real_time is")) << time;
  }
  changed["benchmarks"][0]["error_occurred"] = true;
  EXPECT_EQ(complaint_about(changed.dump()), "");
}

TEST(reader, misses_times_of_other_programs_in_real_time) {
  auto own = bench_transfers_file();
  own["benchmarks"][0].erase("median_ns");
  EXPECT_THAT(lacks(needed::a_time, read_json(own, "own.json")), HasSubstr("median_ns"));
  auto other = row_of("a");
  other.erase("median_ns");
  EXPECT_EQ(lacks(needed::a_time, read_json(foreign({other}), "other.json")), "");
}

TEST(reader, keeps_what_is_no_number_apart_from_what_is_missing) {
  const auto read =
      read_text(R"({"benchmarks": [{"name": "a", "x": null, "time_unit": 7}]})", "some.json");
  const auto& row = read.rows.at(0);
  EXPECT_EQ(row.time_unit, "");
  ASSERT_THAT(row.values, SizeIs(1));
  EXPECT_TRUE(std::isnan(row.values[0].number));
  EXPECT_EQ(row.number("x"), std::nullopt);
}

TEST(reader, refuses_a_key_that_is_twice_in_an_object) {
  for (const std::string text :
       {R"({"benchmarks": [{"name": "a"}], "x": 1, "x": 1})",
        R"({"benchmarks": [], "benchmarks": [{"name": "a"}]})",
        R"({"benchmarks": [{"name": "a", "x": null, "x": 1}]})",
        R"({"benchmarks": [{"name": "a", "x": 2, "\u0078": 1}]})",
        R"({"context": {"deep": [[{"x": 1, "y": {}, "x": 1}]]}, "benchmarks": [{"name": "a"}]})"})
    EXPECT_THAT(complaint_about(text),
                AllOf(StartsWith("cannot use some.json: it has "), EndsWith(" twice")))
        << text;
}

TEST(reader, takes_the_members_of_each_row_in_any_order) {
  const json turned{{"bytes", 4096},  {"real_time", 2},        {"run_type", "iteration"},
                    {"name", "a"},    {"repetition_index", 1}, {"run_name", "a"},
                    {"skipped", 0.5}, {"another", 3}};
  auto shorter = with(turned, "run_name", "b");
  shorter.erase("bytes");
  const auto skipped = with(with(turned, "skipped", true), "repetition_index", 2);
  const auto read = read_json(
      foreign({row_of("a"), turned, skipped, row_of("b"), shorter, row_of("a", 3)}), "some.json");
  ASSERT_THAT(read.rows, SizeIs(6));
  for (const std::size_t i : {0U, 3U, 5U}) {
    EXPECT_EQ(read.rows[i].number("bytes"), 4096) << i;
    EXPECT_EQ(read.rows[i].time_unit, "us") << i;
    EXPECT_EQ(read.rows[i].repetition, i == 5 ? 3 : 0) << i;
    EXPECT_THAT(read.rows[i].values, SizeIs(3)) << i;
  }
  for (const std::size_t i : {1U, 4U}) {
    EXPECT_EQ(read.rows[i].number("another"), 3) << i;
    EXPECT_EQ(read.rows[i].number("skipped"), 0.5) << i;
    EXPECT_EQ(read.rows[i].repetition, 1) << i;
    EXPECT_FALSE(read.rows[i].failed) << i;
  }
  EXPECT_TRUE(read.rows[2].failed);
  EXPECT_EQ(read.rows[2].number("skipped"), std::nullopt);
  EXPECT_EQ(read.rows[4].number("bytes"), std::nullopt);
  EXPECT_EQ(read.rows[3].benchmark->name, "b");
  EXPECT_EQ(read.rows[5].benchmark, read.rows[0].benchmark);
}

TEST(reader, knows_failures_whatever_release_has_written_them) {
  const auto failure_of = [](const std::string& key, const json& value) {
    const auto read = read_json(foreign({with(row_of("a"), key, value)}), "some.json");
    const auto& failed = read.rows.at(0).failed;
    return failed ? failed->code + ": " + failed->message : "none";
  };
  EXPECT_EQ(failure_of("error_occurred", true), "other: ");
  EXPECT_EQ(failure_of("error_message", "broken\n"), "other: broken\\n");
  EXPECT_EQ(failure_of("skipped", true), "other: ");
  EXPECT_EQ(failure_of("skip_message", "not today"), "other: not today");
  EXPECT_EQ(failure_of("error_occurred", false), "none");
  EXPECT_EQ(failure_of("error_occurred", nullptr), "none");
  EXPECT_EQ(failure_of("error_message", ""), "none");
  EXPECT_EQ(failure_of("skipped", 7), "none");  // a counter of that name
  auto coded = with(row_of("a"), "error_occurred", true);
  coded["error_code"] = "wrong_data";
  EXPECT_EQ(read_json(foreign({coded}), "some.json").rows.at(0).failed->code, "wrong_data");
}

TEST(reader, knows_aggregates_also_of_releases_that_do_not_say_so) {
  auto aggregate = row_of("a");
  aggregate["run_type"] = "aggregate";
  aggregate["aggregate_name"] = "median";
  auto read = read_json(foreign({row_of("a"), aggregate}), "some.json");
  EXPECT_EQ(read.rows.at(1).kind, row_kind::aggregate);
  EXPECT_EQ(read.rows.at(1).aggregate, "median");

  std::vector<json> old;
  for (const auto* name : {"b", "b_median", "lonely_mean", "c_mean", "c_stddev"})
    old.push_back({{"name", name}, {"real_time", 1}});
  read = read_json(foreign(old), "some.json");
  std::vector<std::string> names;
  for (const auto& row : read.rows)
    names.push_back(row.benchmark->name + (row.kind == row_kind::aggregate ? " aggregate" : ""));
  EXPECT_THAT(names, ElementsAre("b", "b aggregate", "lonely_mean", "c aggregate", "c aggregate"));
}

// --- Other programs -----------------------------------------------------------------------------

TEST(reader, does_not_take_apart_the_names_of_other_programs) {
  const auto read = read_json(foreign({row_of("copy/pinned/h2d/4KiB")}), "some.json");
  EXPECT_FALSE(read.is_bench_transfers());
  const auto& described = read.benchmarks.at("copy/pinned/h2d/4KiB");
  EXPECT_EQ(described.strategy, "copy/pinned/h2d/4KiB");
  EXPECT_EQ(described.direction, direction::none);
  EXPECT_EQ(described.size_bytes, std::nullopt);
  EXPECT_EQ(read.role_of(described).shown_in, table::times);
  EXPECT_EQ(text_at(read.context, {"date"}), "2026-01-02T03:04:05+00:00");
  EXPECT_THROW(require_bench_transfers(read, "some.json"), unusable_file);
}

TEST(reader, reads_a_list_of_rows_without_context) {
  EXPECT_THAT(read_text(R"({"benchmarks": []})", "some.json").rows, IsEmpty());
  EXPECT_THAT(read_text(R"({"context": 7, "benchmarks": []})", "some.json").rows, IsEmpty());
}

TEST(reader, refuses_in_one_line_that_names_the_file_whatever_it_is_called) {
  EXPECT_THAT([] { static_cast<void>(read("no such\nfile.json")); },
              ThrowsMessage<unusable_file>(AllOf(StartsWith("cannot use no such\\nfile.json: "),
                                                 HasSubstr("No such file or directory"))));
}

// --- What files say of their benchmarks ---------------------------------------------------------

TEST(descriptions, says_what_benchmarks_are) {
  const auto read = read_json(bench_transfers_file(), "some.json");
  EXPECT_TRUE(read.is_bench_transfers());
  EXPECT_TRUE(read.complete);
  EXPECT_FALSE(read.on_host);
  const auto& described = *read.rows.at(0).benchmark;
  EXPECT_EQ(described.family, "scan");
  EXPECT_EQ(described.method, "forward");
  EXPECT_EQ(described.setting, std::nullopt);
  EXPECT_EQ(described.memory, "pinned");
  EXPECT_EQ(described.direction, direction::h2d);
  EXPECT_EQ(described.size_bytes, 4096U);
  EXPECT_EQ(described.plainness, 1U);
  EXPECT_FALSE(described.emulation);
  EXPECT_EQ(read.role_of(described).description, "scans");
  EXPECT_TRUE(read.metrics.at("hits").headline);
  EXPECT_EQ(read.metrics.at("hits").better, better::more);
  EXPECT_EQ(read.warnings.at(0).code, "numa_far");
  EXPECT_EQ(read.skipped.at(0).name, "scan/backward/h2d/4KiB");
  EXPECT_EQ(read.skipped.at(0).reason.data.at("by"), "driver");
  EXPECT_EQ(text_at(read.facts, {"device", "name"}), "Some GPU");
  EXPECT_FALSE(read.facts.contains("benchmarks"));  // they have types instead
}

TEST(descriptions, survives_a_round_trip_of_its_entries) {
  auto document = bench_transfers_file();
  const auto read = read_json(document, "some.json");
  EXPECT_EQ(to_json(*read.rows.at(0).benchmark), entry(document));
  EXPECT_EQ(to_json(read.roles.at("scan")), facts(document)["roles"]["scan"]);
  EXPECT_EQ(to_json(read.metrics.at("hits")), facts(document)["metrics"]["hits"]);
}

TEST(descriptions, knows_several_copies_at_once) {
  auto document = bench_transfers_file();
  entry(document)["flows"] = {{{"device", 0}, {"direction", "h2d"}},
                              {{"device", 0}, {"direction", "d2h"}}};
  auto& hits = facts(document)["metrics"]["hits"];
  hits["flow"] = {{"device", 0}, {"direction", "d2h"}};
  hits["alone"] = true;
  const auto read = read_json(document, "some.json");
  const auto& described = *read.rows.at(0).benchmark;
  EXPECT_EQ(described.flows, (std::vector<flow>{{0, direction::h2d}, {0, direction::d2h}}));
  EXPECT_EQ(read.metrics.at("hits").flow, described.flows[1]);
  EXPECT_TRUE(read.metrics.at("hits").alone);
  EXPECT_EQ(to_json(described)["flows"], entry(document)["flows"]);
  EXPECT_EQ(to_json(read.metrics.at("hits")), hits);
  EXPECT_EQ(id_of_device(read, 0), "0");
  facts(document)["devices"][0]["id"] = "cuda:3";
  EXPECT_EQ(id_of_device(read_json(document, "some.json"), 0), "cuda:3");
}

TEST(descriptions, says_what_the_memory_of_each_copy_is_where_they_differ) {
  auto document = bench_transfers_file();
  entry(document)["flows"] = {
      {{"device", 0}, {"direction", "h2d"}, {"memory", "pinned@node1"}, {"node", 1}},
      {{"device", 0}, {"direction", "d2h"}, {"memory", "pageable"}}};
  facts(document)["metrics"]["hits"]["flow"] = {{"device", 0}, {"direction", "h2d"}};
  const auto read = read_json(document, "some.json");
  const auto& described = *read.rows.at(0).benchmark;
  EXPECT_EQ(described.flows[0], (flow{0, direction::h2d, "pinned@node1", 1U}));
  EXPECT_EQ(described.flows[1], (flow{0, direction::d2h, "pageable", std::nullopt}));
  EXPECT_EQ(to_json(described)["flows"], entry(document)["flows"]);
  EXPECT_TRUE(read.metrics.at("hits").is_of(described.flows[0]));
  EXPECT_FALSE(read.metrics.at("hits").is_of(described.flows[1]));
}

TEST(descriptions, says_what_the_devices_of_a_set_have_in_common) {
  auto document = bench_transfers_file();
  const auto set = [&] { return read_json(document, "some.json").rows.at(0).benchmark->set; };
  EXPECT_EQ(set(), std::nullopt);
  for (const auto* const kind : {"all", "node", "port", "pair", "listed"}) {
    entry(document)["set"] = {{"kind", kind}, {"place", "0000:c0:01.1"}};
    const auto read = read_json(document, "some.json");
    EXPECT_EQ(to_json(*read.rows.at(0).benchmark)["set"], entry(document)["set"]);
  }
  entry(document)["set"] = {{"kind", "rack"}, {"place", nullptr}};
  EXPECT_EQ(set(), (set_description{set_kind::listed, std::nullopt})) << "of a later version";
}

TEST(descriptions, says_on_which_node_memory_lies_if_the_benchmark_chooses_it) {
  auto document = bench_transfers_file();
  EXPECT_EQ(read_json(document, "some.json").rows.at(0).benchmark->node, std::nullopt);
  entry(document)["node"] = 1;
  const auto read = read_json(document, "some.json");
  EXPECT_EQ(read.rows.at(0).benchmark->node, 1U);
  EXPECT_EQ(to_json(*read.rows.at(0).benchmark).at("node"), 1);
}

TEST(descriptions, may_show_a_role_in_a_table_of_a_later_version) {
  auto document = bench_transfers_file();
  facts(document)["roles"]["scan"]["table"] = "heat map";
  EXPECT_EQ(read_json(document, "some.json").roles.at("scan").shown_in, table::times);
}

TEST(format_2, is_complete_if_its_last_part_is) {
  auto document = bench_transfers_file();
  EXPECT_EQ(read_json(document, "some.json").parts, 1U);
  const auto complete_with = [&](bool first, bool second) {
    facts(document)["parts"] = {{{"number", 1}, {"complete", first}},
                                {{"number", 2}, {"complete", second}}};
    const auto read = read_json(document, "some.json");
    EXPECT_EQ(read.parts, 2U);
    return read.complete;
  };
  EXPECT_TRUE(complete_with(false, true));
  EXPECT_FALSE(complete_with(true, false));
}

TEST(format_2, of_several_processes_begins_with_the_first) {
  auto document = bench_transfers_file();
  auto& run = facts(document)["run"];
  run["started_utc"] = "2026-11-27T23:47:49Z";
  run["finished_utc"] = "2026-11-27T23:48:49Z";
  facts(document)["parts"] = {{{"number", 1}, {"complete", true}},
                              {{"number", 2}, {"complete", true}}};
  const auto began_with = [&](const json& started) {
    facts(document)["parts"][0]["started_utc"] = started;
    const auto read = read_json(document, "some.json");
    return read.facts.at("run").at("started_utc").get<std::string>();
  };
  EXPECT_EQ(began_with("2026-11-27T23:44:13Z"), "2026-11-27T23:47:49Z");  // it was resumed
  run["processes"] = 2;
  EXPECT_EQ(began_with("2026-11-27T23:44:13Z"), "2026-11-27T23:44:13Z");
  EXPECT_EQ(began_with("2026-11-27T23:59:13Z"), "2026-11-27T23:59:13Z");  // the clock was set
  EXPECT_EQ(began_with("yesterday"), "2026-11-27T23:47:49Z");
  EXPECT_EQ(began_with(5), "2026-11-27T23:47:49Z");
}

TEST(format, that_is_not_known_is_refused) {
  const auto with_format = [](const json& format) {
    auto document = bench_transfers_file();
    facts(document)["format"] = format;
    return common::complaint_of<std::exception>([&] { return read_json(document, "some.json"); });
  };
  EXPECT_EQ(with_format(3), "cannot use some.json: its format is 3, this program reads 2");
  EXPECT_EQ(with_format(1), "cannot use some.json: its format is 1, this program reads 2");
  EXPECT_THAT(with_format(nullptr), HasSubstr("does not say its format"));
  EXPECT_THAT(with_format("two"), HasSubstr("its format is no whole number"));
  EXPECT_THAT(with_format(2.5), HasSubstr("its format is no whole number"));
}

TEST(reader, makes_texts_printable) {
  auto document = bench_transfers_file();
  facts(document)["warnings"][0]["text"] = "red \x1b[31m";
  facts(document)["device"]["name"] = facts(document)["devices"][0]["name"] = "two\nlines";
  const auto read = read_json(document, "some.json");
  EXPECT_EQ(read.warnings.at(0).text, "red \\x1b[31m");
  EXPECT_EQ(text_at(read.facts, {"device", "name"}), "two\\nlines");
  EXPECT_EQ(read_json(foreign({row_of("a\tb")}), "some.json").rows.at(0).benchmark->name, "a\\tb");
}

/// A quadratic reader would take many minutes.
TEST(reader, reads_large_files) {
  std::string text = "{\"benchmarks\": [";
  constexpr int rows = 50'000;
  for (int i = 0; i < rows; ++i) text += (i == 0 ? "" : ",") + row_of("a", i).dump();
  text += "]}";
  EXPECT_THAT(read_text(std::move(text), "some.json").rows, SizeIs(rows));
}

/// A quadratic reader would take minutes.
TEST(reader, reads_objects_of_many_members) {
  constexpr std::size_t members = 250'000;
  std::string text = "{\"benchmarks\": [" + row_of("a").dump() + "], \"context\": {\"0\": 0";
  for (std::size_t i = 1; i < members; ++i) text += ",\"" + std::to_string(i) + "\": 0";
  text += "}}";
  EXPECT_THAT(read_text(std::move(text), "some.json").context, SizeIs(members));
}

TEST(reader, reads_lists_in_each_other_up_to_a_limit) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  const auto with = [&](std::size_t depth) {  // the document's own object is one more
    return "{\"a\": " + nested(depth) + ", \"benchmarks\": [" + row_of("a").dump() + "]}";
  };
  EXPECT_THAT(read_text(with(511), "some.json").rows, SizeIs(1));
  EXPECT_THAT(complaint_about(with(512)), HasSubstr("nested too deeply"));
}

/// Otherwise the fuzzers would begin with nothing that is read.
TEST(reader, reads_the_seeds_of_fuzzers_that_are_valid) {
  for (const auto* const seed :
       {"read_contents/own.json", "read_contents/failed.json", "read_run/own.json",
        "read_run/own_second.json", "read_run/own_second_odd_unit.json"})
    EXPECT_FALSE(read(PROJECT_DIR "/tests/fuzz/corpus/" + std::string(seed)).rows.empty()) << seed;
}

TEST(reader, reads_or_refuses_what_fuzzers_have_found_as_promised) {
  std::size_t files = 0;
  for (const auto* const fuzzer : {"read_run", "read_contents"})
    files += fuzz::expect_of_kept_inputs(fuzzer, fuzz::check_read_contents);
  EXPECT_GE(files, 40U);
}

}  // namespace
}  // namespace bench_transfers::result_file::reader_test
