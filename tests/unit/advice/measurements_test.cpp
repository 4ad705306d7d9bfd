#include "src/advice/measurements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "src/advice/leave_out.hpp"

namespace bench_transfers::advice {
namespace {

using json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

json content() {
  return {{"context",
           {{"transfers",
             {{"format", 1},
              {"complete", true},
              {"device", {{"kind", "cuda"}, {"name", "Some GPU"}}},
              {"machine", {{"cpu", {{"model", "Some CPU"}}}}},
              {"run", {{"started_utc", "2026-01-02T03:04:05Z"}}},
              {"program", {{"git_commit", "abc"}}}}}}},
          {"benchmarks", json::array()}};
}

json row(const std::string& name, json median_ns, json bytes) {
  return {{"run_name", name},
          {"run_type", "iteration"},
          {"median_ns", std::move(median_ns)},
          {"bytes", std::move(bytes)}};
}

measurements read(const json& all) { return measurements_in(all, "some.json"); }

std::string complaint(const json& all) {
  try {
    static_cast<void>(read(all));
  } catch (const unusable_file& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(measurements, are_medians_of_the_repetitions_with_their_error) {
  auto all = content();
  for (const auto ns : {90, 100, 110})
    all["benchmarks"].push_back(row("copy/pinned/h2d/1KiB", ns, 1024));
  const auto times = read(all).times;
  ASSERT_THAT(times, SizeIs(1));
  const auto& [bytes, ns, error] = times.at("copy/pinned/h2d").at(0);
  EXPECT_EQ(bytes, 1024);
  EXPECT_DOUBLE_EQ(ns, 100);
  EXPECT_NEAR(error, 10 / 1.96 / 100, 1e-9);  // the 95 % interval of three values is all of them
}

TEST(measurements, of_zero_copy_have_the_names_of_copies) {
  auto all = content();
  all["benchmarks"] = {row("zero_copy/registered/read/4B", 1, 4),
                       row("zero_copy/registered/write/4B", 2, 4)};
  EXPECT_EQ(read(all).times.at("zero_copy/registered/h2d").at(0).ns, 1);
  EXPECT_EQ(read(all).times.at("zero_copy/registered/d2h").at(0).ns, 2);
}

TEST(measurements, of_cpu_access_are_of_the_whole_working_set) {
  auto all = content();
  all["benchmarks"] = {row("cpu/pinned/read_memcpy/64MiB", 100, 1 << 20)};
  const auto pass = read(all).times.at("cpu/pinned/read_memcpy").at(0);
  EXPECT_EQ(pass.bytes, 64 << 20);
  EXPECT_DOUBLE_EQ(pass.ns, 6400);
}

TEST(measurements, are_by_size) {
  auto all = content();
  for (const auto* size : {"1MiB", "4B", "64KiB"})
    all["benchmarks"].push_back(row(std::string("allocate/pinned/") + size, 100, 4));
  const auto read_back = read(all);
  const auto& times = read_back.times.at("allocate/pinned");
  ASSERT_THAT(times, SizeIs(3));
  EXPECT_EQ(times[0].bytes, 4);
  EXPECT_EQ(times[1].bytes, 65536);
  EXPECT_EQ(times[2].bytes, 1 << 20);
}

TEST(measurements, are_not_taken_from_what_is_something_else) {
  auto all = content();
  all["benchmarks"] = {row("copy/pinned/h2d/1KiB/cold", 100, 1024),
                       row("null/single", 100, 1024),
                       row("gpu_array/get/pinned/fresh/float32/1KiB", 100, 1024),
                       row("cpu/pinned/read_random/1KiB", 100, 1024),
                       row("copy/pinned/sideways/1KiB", 100, 1024),
                       row("copy/pinned/h2d/large", 100, 1024)};
  auto aggregate = row("copy/pinned/h2d/1KiB", 100, 1024);
  aggregate["run_type"] = "aggregate";
  all["benchmarks"].push_back(aggregate);
  EXPECT_THAT(read(all).times, IsEmpty());
  EXPECT_EQ(read(all).failed_rows + read(all).unusable_rows, 0U);
}

TEST(measurements, count_what_failed_and_what_has_no_positive_time) {
  auto all = content();
  auto failed = row("copy/pinned/h2d/1KiB", 100, 1024);
  failed["error_occurred"] = true;
  all["benchmarks"].push_back(failed);
  for (const json& bad : {json(0), json(-1), json(nullptr), json("100"), json::object()}) {
    all["benchmarks"].push_back(row("copy/pinned/h2d/1KiB", bad, 1024));
    all["benchmarks"].push_back(row("copy/pinned/h2d/1KiB", 100, bad));
  }
  all["benchmarks"].push_back({{"run_name", "copy/pinned/h2d/1KiB"}, {"run_type", "iteration"}});
  all["benchmarks"].push_back(nullptr);
  all["benchmarks"].push_back(7);
  const auto found = read(all);
  EXPECT_THAT(found.times, IsEmpty());
  EXPECT_EQ(found.failed_rows, 1U);
  EXPECT_EQ(found.unusable_rows, 11U);
}

TEST(measurements, know_where_they_come_from) {
  const auto from = read(content()).from;
  EXPECT_EQ(from.file, "some.json");
  EXPECT_EQ(from.device, "Some GPU");
  EXPECT_EQ(from.cpu, "Some CPU");
  EXPECT_EQ(from.commit, "abc");
  EXPECT_TRUE(from.has_gpu);
  EXPECT_TRUE(from.complete);
  auto host = content();
  host["context"]["transfers"]["device"]["kind"] = "host";
  host["context"]["transfers"]["complete"] = false;
  EXPECT_FALSE(read(host).from.has_gpu);
  EXPECT_FALSE(read(host).from.complete);
}

TEST(measurements, are_refused_from_other_programs_and_newer_formats) {
  const auto with = [](const char* key, const json& value) {
    auto all = content();
    all["context"]["transfers"][key] = value;
    return all;
  };
  EXPECT_THAT(complaint(nullptr), AllOf(HasSubstr("some.json"), HasSubstr("no result file")));
  EXPECT_THAT(complaint({{"context", {{"date", "x"}}}, {"benchmarks", json::array()}}),
              HasSubstr("no result file of bench_transfers"));
  EXPECT_THAT(complaint({{"context", content()["context"]}}), HasSubstr("no result file"));
  EXPECT_THAT(complaint(with("format", 2)), HasSubstr("its format is 2, this program reads 1"));
  EXPECT_THAT(complaint(with("format", 0)), HasSubstr("its format is 0"));
  EXPECT_THAT(complaint(with("format", "one")), HasSubstr("does not say its format"));
  EXPECT_THAT(complaint(with("device", nullptr)), HasSubstr("what device"));
}

/// A file that is deleted again.
class file_of_a_test : public testing::Test {
 protected:
  ~file_of_a_test() override { std::filesystem::remove(path_); }

  std::string complaint_about(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    try {
      static_cast<void>(read_measurements(path_));
    } catch (const unusable_file& wrong) {
      return wrong.what();
    }
    return "";
  }

  const std::filesystem::path path_ = testing::TempDir() + "measurements_test.json";
};

TEST_F(file_of_a_test, is_refused_when_it_cannot_be_read_whole) {
  EXPECT_THROW(static_cast<void>(read_measurements(path_)), unusable_file);
  EXPECT_THROW(static_cast<void>(read_measurements(testing::TempDir())), unusable_file);
  EXPECT_THAT(complaint_about(""), HasSubstr("it is empty"));
  EXPECT_THAT(complaint_about("\x1f\x8b\x08"), HasSubstr("cut off"));
  EXPECT_THAT(complaint_about("name,iterations"), HasSubstr("not JSON"));
  const auto whole = content().dump();
  EXPECT_THAT(complaint_about(whole.substr(0, whole.size() / 2)), HasSubstr("the beginning of it"));
  EXPECT_EQ(complaint_about(whole), "");
}

TEST(leaving_out, predicts_every_size_between_the_ends_from_all_others) {
  measurements measured;
  for (double bytes = 1024; bytes <= 1 << 24; bytes *= 4)
    measured.times["copy/pinned/h2d"].push_back({bytes, 6000 + bytes / 50});
  measured.times["copy/two_sizes/h2d"] = {{4096, 100}, {8192, 200}};
  measured.times["cpu/pinned/read_memcpy"] = measured.times["copy/pinned/h2d"];
  const auto checks = check_by_leaving_out(measured);
  ASSERT_THAT(checks, SizeIs(1));
  EXPECT_EQ(checks[0].name, "copy/pinned/h2d");
  ASSERT_THAT(checks[0].sizes, SizeIs(6));  // 4 KiB to 4 MiB
  EXPECT_EQ(checks[0].sizes.front().bytes, 4096);
  EXPECT_EQ(checks[0].sizes.back().bytes, 4 << 20);
  for (const auto& one : checks[0].sizes) EXPECT_NEAR(one.error(), 0, 1e-9);
}

TEST(leaving_out, does_not_use_the_size_left_out) {
  measurements measured;
  for (double bytes = 1024; bytes <= 1 << 24; bytes *= 4)
    measured.times["copy/pinned/h2d"].push_back({bytes, 6000 + bytes / 50});
  auto& wrong = measured.times["copy/pinned/h2d"][3];
  wrong.ns *= 2;
  const auto checks = check_by_leaving_out(measured);
  EXPECT_NEAR(checks[0].sizes[2].error(), -0.5, 1e-3);
  EXPECT_FALSE(checks[0].sizes[2].is_in_interval());
}

}  // namespace
}  // namespace bench_transfers::advice
