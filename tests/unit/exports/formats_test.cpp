#include "src/exports/results/formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/unit/exports/made_up_values.hpp"

namespace bench_transfers::exports::formats_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string exported(const char* word, const std::vector<run_values>& runs) {
  return find_format(word)->write(runs);
}

TEST(formats, have_a_word_each) {
  EXPECT_EQ(find_format("xml"), nullptr);
  EXPECT_THAT(words_of_formats(),
              testing::ElementsAre("csv", "markdown", "openmetrics", "bencher", "github-benchmark",
                                   "github-benchmark-bigger"));
}

TEST(csv, has_the_fields_units_and_directions_in_columns) {
  EXPECT_EQ(exported("csv", {made_up_run()}),
            "file,started_utc,complete,device,device_name,gpu,on_host,benchmark,family,strategy,"
            "method,setting,memory,variant,direction,size_bytes,cache,repetitions,moved_bytes,"
            "time_ns,time_low_ns,time_high_ns,time_better,"
            "rate_gb_per_s,rate_low_gb_per_s,rate_high_gb_per_s,rate_better,parts,"
            "confidential_computing\n"
            "run.json,2026-11-21T10:22:25Z,true,cuda:0,Made-up GPU,GPU-1,false,"
            "copy/pinned/h2d/64KiB,copy,copy/pinned,,,pinned,h2d,h2d,65536,warm,9,65536,"
            "2000,1900,2500,less,32.768,26.2144,34.5,more,1,\n");
}

TEST(csv, leaves_out_what_is_not_known) {
  auto value = made_up_copy();
  value.bytes = std::nullopt;
  value.gb_per_s = std::nullopt;
  value.time_ns.interval = std::nullopt;
  EXPECT_THAT(
      exported("csv", {made_up_run(value, true)}),
      AllOf(HasSubstr(",true,copy/pinned/h2d/64KiB"), HasSubstr(",9,,2000,,,less,,,,,1,\n")));
}

TEST(formats, say_that_confidential_computing_was_on) {
  auto value = made_up_copy();
  value.confidential = true;
  const std::vector encrypted{made_up_run(value)};
  EXPECT_THAT(exported("csv", encrypted), HasSubstr(",more,1,true\n"));
  EXPECT_THAT(exported("markdown", encrypted), HasSubstr("with confidential computing"));
  EXPECT_THAT(exported("openmetrics", encrypted),
              HasSubstr("confidential_computing=\"true\",better="));
  EXPECT_THAT(exported("bencher", encrypted), AllOf(HasSubstr("\"latency-confidential\""),
                                                    HasSubstr("\"bandwidth-confidential\"")));
  for (const auto* const word : {"github-benchmark", "github-benchmark-bigger"})
    EXPECT_THAT(exported(word, encrypted), HasSubstr("confidential_computing: true"));
  for (const auto& word : words_of_formats())
    if (word != "csv") {
      EXPECT_THAT(exported(word.c_str(), {made_up_run()}), Not(HasSubstr("confidential"))) << word;
    }
}

TEST(csv, quotes_and_disarms_formulas) {
  EXPECT_THAT(exported("csv", {made_up_run(made_up_copy(hostile_name))}),
              HasSubstr(",\"'=cmd|\"\"a\\b\"\",`c`\n<d>@e|[f](g){h=\"\"i\"\"} # EOF\",copy,"));
}

TEST(markdown, shows_a_table_without_markup_of_names) {
  const auto text = exported("markdown", {made_up_run(made_up_copy(hostile_name))});
  EXPECT_THAT(text, AllOf(HasSubstr("| 64KiB | warm | 2.00 µs (1.90 µs to 2.50 µs) | 32.8 (26.2 to "
                                    "34.5) |\n"),
                          HasSubstr("run.json: Made-up GPU, 2026-11-21T10&#58;22&#58;25Z"),
                          Not(HasSubstr("<d>")), Not(HasSubstr("](g)")), Not(HasSubstr("`"))));
}

TEST(markdown, says_that_there_was_no_gpu) {
  EXPECT_THAT(exported("markdown", {made_up_run(made_up_copy(), true)}),
              StartsWith("run.json: measured without a GPU"));
}

TEST(openmetrics, has_base_units_and_labels) {
  const auto text = exported("openmetrics", {made_up_run()});
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("# TYPE transfers_operation_seconds gauge\n"),
            HasSubstr("transfers_operation_seconds{device=\"cuda:0\",device_name=\"Made-up GPU\","
                      "gpu=\"GPU-1\",on_host=\"false\",benchmark=\"copy/pinned/h2d/64KiB\","
                      "family=\"copy\",strategy=\"copy/pinned\",memory=\"pinned\",variant=\"h2d\","
                      "direction=\"h2d\",size_bytes=\"65536\",cache=\"warm\",better=\"less\"} "
                      "2e-06\n"),
            HasSubstr("better=\"more\"} 32768000000\n"),
            HasSubstr("better=\"more\"} 26214400000\n")));
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
}

TEST(openmetrics, escapes_values_of_labels) {
  EXPECT_THAT(exported("openmetrics", {made_up_run(made_up_copy(hostile_name))}),
              HasSubstr("benchmark=\"=cmd|\\\"a\\\\b\\\",`c`\\n<d>@e|[f](g){h=\\\"i\\\"} # EOF\""));
}

TEST(openmetrics, tells_several_files_apart) {
  auto second = made_up_run();
  second.file = "other.json";
  EXPECT_THAT(
      exported("openmetrics", {made_up_run(), second}),
      AllOf(HasSubstr("{file=\"run.json\",device="), HasSubstr("{file=\"other.json\",device=")));
}

TEST(bencher, has_values_with_their_intervals) {
  const auto document = json::parse(exported("bencher", {made_up_run(made_up_copy(hostile_name))}));
  EXPECT_EQ(
      document,
      (json{{hostile_name,
             {{"latency", {{"value", 2000.0}, {"lower_value", 1900.0}, {"upper_value", 2500.0}}},
              {"bandwidth",
               {{"value", 32.768}, {"lower_value", 26.2144}, {"upper_value", 34.5}}}}}}));
}

TEST(bencher, keeps_hosts_and_gpus_apart) {
  const auto document = json::parse(exported("bencher", {made_up_run(made_up_copy(), true)}));
  const auto& measures = document.at("copy/pinned/h2d/64KiB");
  EXPECT_TRUE(measures.contains("latency-on-host"));
  EXPECT_FALSE(measures.contains("latency"));
}

TEST(github_benchmark, has_times_or_rates) {
  const auto times = json::parse(exported("github-benchmark", {made_up_run()}));
  EXPECT_EQ(times.at(0).at("name"), "copy/pinned/h2d/64KiB");
  EXPECT_EQ(times.at(0).at("unit"), "ns");
  EXPECT_EQ(times.at(0).at("value"), 2000.0);
  EXPECT_EQ(times.at(0).at("range"), "1900 to 2500");
  EXPECT_THAT(times.at(0).at("extra").get<std::string>(), HasSubstr("\non_host: false\n"));
  const auto rates = json::parse(exported("github-benchmark-bigger", {made_up_run()}));
  EXPECT_EQ(rates.at(0).at("unit"), "GB/s");
  EXPECT_EQ(rates.at(0).at("value"), 32.768);
}

TEST(github_benchmark, leaves_out_rates_of_what_moves_no_bytes) {
  auto value = made_up_copy();
  value.gb_per_s = std::nullopt;
  EXPECT_EQ(json::parse(exported("github-benchmark-bigger", {made_up_run(value)})), json::array());
}

TEST(formats_by_name_alone, refuse_a_benchmark_twice) {
  for (const auto* word : {"bencher", "github-benchmark", "github-benchmark-bigger"})
    EXPECT_THROW(exported(word, {made_up_run(), made_up_run()}), same_benchmark_twice) << word;
}

}  // namespace
}  // namespace bench_transfers::exports::formats_test
