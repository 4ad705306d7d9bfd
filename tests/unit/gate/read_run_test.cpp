#include "src/gate/io/read_run.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/gate/made_up_result_files.hpp"

namespace bench_transfers::gate::read_run_test {
namespace {

// Messages.

TEST(gate_messages, names_cannot_break_the_line) {
  const auto about_row = complaint_about_row(row("a\nb\x1b[2J", 0, 0));
  EXPECT_THAT(about_row, HasSubstr("a\\nb\\x1b[2J"));
  EXPECT_THAT(about_row, Not(HasSubstr("\n")));
  EXPECT_EQ(common::complaint_of<bad_input>([] { return runs_in("", "dir/x\ny.json", {}); }),
            "cannot use dir/x\\ny.json: it is empty");
  EXPECT_LT(complaint_about_row(row(std::string(100'000, 'x'), 0, 0)).size(), 500U);
  EXPECT_THAT(complaint_about_row(row("a", 0, 1, "x\ny")), Not(HasSubstr("\n")));
  EXPECT_THAT(read(foreign({row("a\nb", 0, 1)})).benchmarks, ElementsAre(Key("a\\nb")));
  EXPECT_THAT(complaint(foreign({row("a\nb", 0, 1), row("a\\nb", 0, 1)})), HasSubstr("twice"));
}

// Text that is no result file.

TEST(gate_text, every_beginning_is_refused) {
  const auto text = bench_transfers_file(bench_transfers_facts()).dump(1);
  ASSERT_EQ(complaint_about_text(text), "");
  for (std::size_t size = 1; size < text.size(); ++size)
    EXPECT_THAT(complaint_about_text(text.substr(0, size)), HasSubstr("cut off")) << size;
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

// Files.

TEST(gate_files, that_cannot_be_read_are_named) {
  const auto why = [](const char* path) {
    return common::complaint_of<bad_input>([&] { return read_runs(path, {}); });
  };
  EXPECT_EQ(why("/does/not/exist.json"),
            "cannot use /does/not/exist.json: No such file or directory");
  EXPECT_EQ(why("/"), "cannot use /: it is a folder, not a file");
  EXPECT_EQ(why("/dev/null"), "cannot use /dev/null: it is empty");
  EXPECT_EQ(why("/dev/zero"), "cannot use /dev/zero: it is larger than 128 MiB");
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
    const auto run = read_runs(file, metric::named("real_time")).front();
    EXPECT_TRUE(run.ours) << file;
    EXPECT_FALSE(run.on_host) << file;
    EXPECT_EQ(run.device, "NVIDIA H200") << file;
    EXPECT_TRUE(run.started) << file;
    EXPECT_THAT(run.machine, Contains(Pair("link.width", "16"))) << file;
    EXPECT_THAT(run.benchmarks, Not(IsEmpty())) << file;
    for (const auto& [name, benchmark] : run.benchmarks) {
      EXPECT_FALSE(benchmark.values.empty()) << file << ' ' << name;
      EXPECT_EQ(benchmark.failed, 0U) << file << ' ' << name;
    }
    const auto [same, is_new] = contents.emplace(run.content, file);
    EXPECT_TRUE(is_new) << file << " and " << same->second;
  }
}

TEST(gate_files, that_google_benchmark_wrote_are_read) {
  const auto run =
      read_runs(PROJECT_DIR "/tests/fuzz/corpus/read_run/google_benchmark_1.7.json", {}).front();
  EXPECT_FALSE(run.ours);
  EXPECT_TRUE(run.started);
  EXPECT_THAT(run.benchmarks, ElementsAre(Key("a/64/repeats:3"), Key("a/8/repeats:3"), Key("e"),
                                          Key("same"), Key("t/real_time/threads:2")));
  EXPECT_THAT(run.benchmarks.at("a/8/repeats:3").values, SizeIs(3));
  EXPECT_EQ(run.benchmarks.at("e").failed, 1U);
  EXPECT_THAT(run.unjudged, ElementsAre(HasSubstr("only_aggregates")));
}

TEST(gate_files, have_the_medians_that_their_rows_have) {
  const auto* const file =
      PROJECT_DIR "/results/nvidia-h200/2026-11-20-ten-processes/process-0.json.gz";
  const auto by_time = read_runs(file, metric::named("real_time")).front();
  const auto by_median = read_runs(file, metric::named("median_ns")).front();
  ASSERT_THAT(by_time.benchmarks, SizeIs(8));
  for (const auto& [name, benchmark] : by_time.benchmarks) {
    ASSERT_THAT(benchmark.values, SizeIs(10)) << name;
    for (std::size_t i = 0; i < benchmark.values.size(); ++i)
      EXPECT_NEAR(benchmark.values[i] / by_median.benchmarks.at(name).values[i], 1, 1e-6) << name;
  }
}

}  // namespace
}  // namespace bench_transfers::gate::read_run_test
