#include "src/advice/measurements.hpp"

#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "src/advice/leave_out.hpp"
#include "src/advice/role_answers.hpp"
#include "src/common/quantities.hpp"
#include "src/result_file/reader.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::advice::measurements_test {
namespace {

using result_file::unusable_file;

json content() {
  return {{"context",
           {{"transfers",
             {{"format", 2},
              {"complete", true},
              {"device", {{"kind", "cuda"}, {"name", "Some GPU"}}},
              {"devices", {{{"kind", "cuda"}, {"name", "Some GPU"}}}},
              {"roles",
               {{"copy", {{"description", "copies"}, {"table", "directions"}}},
                {"cpu_read", {{"description", "reads"}, {"table", "cpu_access"}}},
                {"allocation", {{"description", "allocation"}, {"table", "allocation"}}},
                {"own", {{"description", "something else"}, {"table", "times"}}}}},
              {"metrics", json::object()},
              {"machine", {{"cpu", {{"model", "Some CPU"}}}}},
              {"run", {{"started_utc", "2026-01-02T03:04:05Z"}}},
              {"program", {{"git_commit", "abc"}}}}}}},
          {"benchmarks", json::array()}};
}

json row(const std::string& name, json median_ns, json bytes) {
  return {{"run_name", name},
          {"run_type", "iteration"},
          {"real_time", median_ns.is_number() ? median_ns : json(100)},
          {"time_unit", "ns"},
          {"median_ns", std::move(median_ns)},
          {"bytes", std::move(bytes)}};
}

/// What a benchmark of this name is: "copy/pinned/h2d/1KiB", "allocate/pinned/1MiB/cold".
json described(const std::string& name) {
  static const std::map<std::string, const char*> roles{
      {"copy", "copy"}, {"zero_copy", "copy"}, {"cpu", "cpu_read"}, {"allocate", "allocation"}};
  static const std::map<std::string, const char*> directions{
      {"h2d", "h2d"}, {"d2h", "d2h"}, {"read", "h2d"}, {"write", "d2h"}};
  std::vector<std::string> parts;
  std::istringstream stream(name);
  for (std::string part; std::getline(stream, part, '/');) parts.push_back(part);
  json entry{{"family", parts.at(0)}, {"strategy", parts.at(0) + "/" + parts.at(1)},
             {"memory", parts.at(1)}, {"direction", "none"},
             {"cache", "warm"},       {"devices", {0}},
             {"role", "own"},         {"plainness", 0}};
  if (parts.back() == "cold") {
    entry["cache"] = "cold";
    parts.pop_back();
  }
  if (std::isdigit(parts.back().front()) != 0) {
    entry["size_bytes"] = common::parse_size(parts.back());
    parts.pop_back();
  }
  if (const auto role = roles.find(parts[0]); role != roles.end()) entry["role"] = role->second;
  if (parts.size() > 2) {
    entry["variant"] = parts[2];
    if (parts[2] == "read_random") entry["plainness"] = 1;
    if (const auto way = directions.find(parts[2]); way != directions.end())
      entry["direction"] = way->second;
  }
  return entry;
}

measurements read(json all) {
  auto& facts = all["context"]["transfers"];
  if (!facts.contains("benchmarks")) {
    facts["benchmarks"] = json::object();
    for (const auto& row : all["benchmarks"]) {
      const auto name = row.at("run_name").get<std::string>();
      facts["benchmarks"][name] = described(name);
    }
  }
  return measurements_in(result_file::read_json(all, "some.json"), "some.json");
}

/// By the names of series.
std::map<std::string, std::vector<statistics::measured_time>> times_in(const json& all) {
  std::map<std::string, std::vector<statistics::measured_time>> times;
  for (const auto& measured : read(all).all_series) times[measured.name] = measured.times;
  return times;
}

TEST(measurements, are_medians_of_the_repetitions_with_their_error) {
  auto all = content();
  for (const auto ns : {90, 100, 110})
    all["benchmarks"].push_back(row("copy/pinned/h2d/1KiB", ns, 1024));
  const auto times = times_in(all);
  ASSERT_THAT(times, SizeIs(1));
  const auto& [bytes, ns, error] = times.at("copy/pinned/h2d").at(0);
  EXPECT_EQ(bytes, 1024);
  EXPECT_DOUBLE_EQ(ns, 100);
  EXPECT_NEAR(error, 10 / 1.96 / 100, 1e-9);  // the 95 % interval of three values is all of them
}

TEST(measurements, tell_noise_from_a_difference_with_four_repetitions_of_each_size) {
  auto all = content();
  const auto can_tell = [&] { return read(all).all_series.at(0).can_tell; };
  for (int repetition = 0; repetition < 3; ++repetition)
    all["benchmarks"].push_back(row("copy/pinned/h2d/1KiB", 100, 1024));
  EXPECT_FALSE(can_tell());
  all["benchmarks"].push_back(row("copy/pinned/h2d/1KiB", 100, 1024));
  EXPECT_TRUE(can_tell());
  all["benchmarks"].push_back(row("copy/pinned/h2d/1MiB", 100, 1 << 20));
  EXPECT_FALSE(can_tell());
}

TEST(measurements, have_the_names_of_copies_the_whole_working_set_and_are_by_size) {
  auto all = content();
  all["benchmarks"] = {row("zero_copy/registered/read/4B", 1, 4),
                       row("zero_copy/registered/write/4B", 2, 4),
                       row("cpu/pinned/read_memcpy/64MiB", 100, 1 << 20)};
  for (const auto* size : {"1MiB", "4B", "64KiB"})
    all["benchmarks"].push_back(row(std::string("allocate/pinned/") + size, 100, 4));
  const auto times = times_in(all);
  EXPECT_EQ(times.at("zero_copy/registered/h2d").at(0).ns, 1);
  EXPECT_EQ(times.at("zero_copy/registered/d2h").at(0).ns, 2);
  const auto pass = times.at("cpu/pinned/read_memcpy").at(0);
  EXPECT_EQ(pass.bytes, 64 << 20);
  EXPECT_DOUBLE_EQ(pass.ns, 6400);
  const auto allocations = times.at("allocate/pinned");
  ASSERT_THAT(allocations, SizeIs(3));
  EXPECT_EQ(allocations[0].bytes, 4);
  EXPECT_EQ(allocations[1].bytes, 65536);
  EXPECT_EQ(allocations[2].bytes, 1 << 20);
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
  EXPECT_THAT(read(all).all_series, IsEmpty());
  EXPECT_EQ(read(all).ignored_transfers.failed + read(all).ignored_transfers.unusable, 0U);
  EXPECT_EQ(read(all).ignored_others.failed + read(all).ignored_others.unusable, 0U);
}

TEST(measurements, count_what_failed_and_what_has_no_positive_time) {
  auto all = content();
  auto failed = row("copy/pinned/h2d/1KiB", 100, 1024);
  failed["error_occurred"] = true;
  all["benchmarks"].push_back(failed);
  for (const json& invalid : {json(nullptr), json("100"), json::object()})
    all["benchmarks"].push_back(row("copy/pinned/h2d/1KiB", invalid, 1024));
  for (const json& invalid : {json(nullptr), json("100"), json::object()})
    all["benchmarks"].push_back(row("copy/pinned/h2d/1KiB", 100, invalid));
  const auto measured = read(all);
  EXPECT_THAT(measured.all_series, IsEmpty());
  EXPECT_EQ(measured.ignored_transfers.failed, 1U);
  EXPECT_EQ(measured.ignored_transfers.unusable, 6U);
  EXPECT_EQ(measured.ignored_others.failed + measured.ignored_others.unusable, 0U);
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
  auto& facts = host["context"]["transfers"];
  facts["device"]["kind"] = facts["devices"][0]["kind"] = "host";
  host["context"]["transfers"]["complete"] = false;
  EXPECT_FALSE(read(host).from.has_gpu);
  EXPECT_FALSE(read(host).from.complete);
}

/// A file with one benchmark of these fields, measured at 1 KiB.
json described_as(const json& fields) {
  auto all = content();
  json entry{{"family", "anything"}, {"strategy", "any/thing"}, {"direction", "h2d"},
             {"size_bytes", 1024},   {"cache", "warm"},         {"devices", {0}},
             {"role", "copy"},       {"plainness", 0}};
  entry.update(fields);
  all["context"]["transfers"]["benchmarks"] = {{"whatever", entry}};
  all["benchmarks"] = {row("whatever", 100, 1024)};
  return all;
}

TEST(measurements, are_chosen_by_fields_whatever_the_name) {
  const auto measured = read(described_as({{"memory", "pinned"}, {"plainness", 2}}));
  ASSERT_THAT(measured.all_series, SizeIs(1));
  EXPECT_EQ(measured.all_series[0].name, "any/thing/h2d");
  EXPECT_EQ(measured.all_series[0].strategy, "any/thing");
  EXPECT_EQ(measured.all_series[0].measures, term::transfer_h2d);
  EXPECT_EQ(measured.all_series[0].memory, "pinned");
  EXPECT_EQ(measured.all_series[0].plainness, (plainness{2, false, 1}));
  EXPECT_THAT(read(described_as({{"role", "own"}})).all_series, IsEmpty());
  EXPECT_THAT(read(described_as({{"direction", "both"}})).all_series, IsEmpty());
  EXPECT_THAT(read(described_as({{"cache", "cold"}})).all_series, IsEmpty());
  EXPECT_THAT(read(described_as({{"size_bytes", nullptr}})).all_series, IsEmpty());
  EXPECT_THAT(read(described_as({{"node", 0}})).all_series, IsEmpty()) << "no question has a node";
}

TEST(measurements, of_cpu_access_are_those_of_one_thread_by_the_plain_method) {
  const json access{{"role", "cpu_read"}, {"direction", "none"}, {"memory", "pinned"}};
  const auto with = [&](const char* key, const json& value) {
    auto fields = access;
    fields[key] = value;
    return read(described_as(fields)).all_series.size();
  };
  EXPECT_EQ(with("method", "plain"), 1U);
  EXPECT_EQ(with("plainness", 1), 0U);
  EXPECT_EQ(with("setting", "all_cores"), 0U);
}

/// A file in which the CPU reads each further kind of memory more slowly, and every kind twice at
/// 1 MiB.
json reads_of(const std::vector<std::pair<std::string, std::string>>& types) {
  auto all = content();
  auto& buffers = all["context"]["transfers"]["buffers"] = json::array();
  double ns = 0;
  for (const auto& [memory, type] : types) {
    buffers.push_back({{"memory", memory}, {"memory_type", type}});
    ns += 100;
    for (const auto noise : {-1, 1})
      all["benchmarks"].push_back(row("cpu/" + memory + "/read_memcpy/1MiB", ns + noise, 1 << 20));
  }
  return all;
}

TEST(measurements, of_cpu_access_are_those_of_all_memory_that_is_alike_for_the_cpu) {
  const auto times = times_in(reads_of({{"pinned", "write-back"},
                                        {"pinned_wc", "write-back"},
                                        {"registered_huge", "write-back"},
                                        {"managed", "write-back"}}));
  const auto pooled = times.at("cpu/pinned/read_memcpy").at(0);
  EXPECT_DOUBLE_EQ(pooled.ns, 150);
  EXPECT_GT(pooled.relative_error, 0.1);  // of 99, 101, 199 and 201 ns
  const auto same = times.at("cpu/pinned_wc/read_memcpy").at(0);
  EXPECT_EQ(same.ns, pooled.ns);
  EXPECT_EQ(same.relative_error, pooled.relative_error);
  EXPECT_DOUBLE_EQ(times.at("cpu/registered_huge/read_memcpy").at(0).ns, 300);
  EXPECT_DOUBLE_EQ(times.at("cpu/managed/read_memcpy").at(0).ns, 400);
}

TEST(measurements, of_memory_of_another_or_an_unclear_type_are_its_own) {
  for (const auto* const type : {"write-combined", "unclear"}) {
    const auto times = times_in(reads_of({{"pinned", "write-back"}, {"pinned_wc", type}}));
    EXPECT_DOUBLE_EQ(times.at("cpu/pinned/read_memcpy").at(0).ns, 100) << type;
    EXPECT_DOUBLE_EQ(times.at("cpu/pinned_wc/read_memcpy").at(0).ns, 200) << type;
  }
}

TEST(measurements, of_a_pool_keep_the_sizes_of_each_kind_of_memory) {
  auto all = reads_of({{"pinned", "write-back"}, {"pinned_wc", "write-back"}});
  all["benchmarks"].push_back(row("cpu/pinned_wc/read_memcpy/64MiB", 1000, 1 << 20));
  const auto times = times_in(all);
  EXPECT_THAT(times.at("cpu/pinned/read_memcpy"), SizeIs(1));
  EXPECT_THAT(times.at("cpu/pinned_wc/read_memcpy"), SizeIs(2));
  // Allocations are not pooled.
  for (auto& measured : all["benchmarks"]) {
    const auto name = measured["run_name"].get<std::string>();
    const auto is_wc = name.find("_wc") != std::string::npos;
    measured["run_name"] = is_wc ? "allocate/pinned_wc/1MiB" : "allocate/pinned/1MiB";
  }
  EXPECT_DOUBLE_EQ(times_in(all).at("allocate/pinned").at(0).ns, 100);
}

TEST(measurements, of_the_plainest_of_several_variants_count) {
  auto all = described_as({{"variant", "large blocks"}, {"plainness", 2}});
  auto entry = all["context"]["transfers"]["benchmarks"]["whatever"];
  entry["variant"] = "h2d";
  entry["plainness"] = 1;
  all["context"]["transfers"]["benchmarks"]["another"] = entry;
  all["benchmarks"].push_back(row("another", 300, 1024));
  for (const auto* const order : {"the plainest last", "the plainest first"}) {
    const auto measured = read(all);
    ASSERT_THAT(measured.all_series, SizeIs(1)) << order;
    EXPECT_EQ(measured.all_series[0].times.at(0).ns, 300) << order;
    EXPECT_EQ(measured.all_series[0].plainness.options, 1U) << order;
    std::swap(all["benchmarks"][0], all["benchmarks"][1]);
  }
}

/// A file that is deleted again.
class file_of_a_test : public testing::Test {
 protected:
  void read_it(const std::filesystem::path& path) {
    static_cast<void>(read_for_answers(path, "", "copy", 0, result_file::cache_state::warm));
  }
  std::string complaint_about(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return common::complaint_of<unusable_file>([&] { read_it(path_); });
  }

  const common::temporary_folder folder_;
  const std::filesystem::path path_ = folder_.path() / "measurements.json";
};

TEST_F(file_of_a_test, is_refused_when_it_cannot_be_read_whole_or_is_another_program_s) {
  EXPECT_THROW(read_it(path_), unusable_file);
  EXPECT_THROW(read_it(folder_.path()), unusable_file);
  auto file = content();
  for (const auto* key : {"benchmarks", "roles", "metrics"})
    file["context"]["transfers"][key] = json::object();
  const auto text = file.dump();
  EXPECT_NE(complaint_about(text.substr(0, text.size() / 2)), "");
  EXPECT_EQ(complaint_about(text), "");
  const json foreign{{"context", {{"date", "x"}}}, {"benchmarks", json::array()}};
  EXPECT_NE(complaint_about(foreign.dump()), "");
}

/// An exact line from 1 KiB to 16 MiB.
series measured_line(const std::string& name, term measures) {
  series measured{name, name, measures, std::nullopt, {}, {}, {}};
  for (double bytes = 1024; bytes <= 1 << 24; bytes *= 4)
    measured.times.push_back({bytes, 6000 + bytes / 50});
  return measured;
}

TEST(leaving_out, predicts_every_size_between_the_ends_from_all_others) {
  measurements measured;
  measured.all_series = {measured_line("copy", term::transfer_h2d),
                         measured_line("two sizes", term::transfer_h2d),
                         measured_line("reads", term::cpu_read)};
  measured.all_series[1].times.resize(2);
  const auto checks = check_by_leaving_out(measured);
  ASSERT_THAT(checks, SizeIs(1));
  EXPECT_EQ(checks[0].name, "copy");
  ASSERT_THAT(checks[0].sizes, SizeIs(6));  // 4 KiB to 4 MiB
  EXPECT_EQ(checks[0].sizes.front().bytes, 4096);
  EXPECT_EQ(checks[0].sizes.back().bytes, 4 << 20);
  for (const auto& size : checks[0].sizes) EXPECT_NEAR(size.error(), 0, 1e-9);
}

// So that twice as many sizes are not twice as many fits.
TEST(leaving_out, takes_some_of_very_many_sizes) {
  series many{"copy", "copy", term::transfer_h2d, std::nullopt, {}, {}, {}};
  for (std::size_t i = 0; i < most_left_out + 2; ++i) {
    const double bytes = 4096 * static_cast<double>(i + 1);
    many.times.push_back({bytes, 6000 + bytes / 50});
  }
  measurements measured;
  for (const double last : {0.0, 1e9}) {
    if (last > 0) many.times.push_back({last, 6000 + last / 50});
    measured.all_series = {many};
    const auto checks = check_by_leaving_out(measured);
    ASSERT_THAT(checks[0].sizes, SizeIs(most_left_out));
    EXPECT_EQ(checks[0].sizes.front().bytes, many.times[1].bytes);
    EXPECT_EQ(checks[0].sizes.back().bytes, many.times[many.times.size() - 2].bytes);
  }
}

TEST(leaving_out, does_not_use_the_size_left_out) {
  measurements measured;
  measured.all_series = {measured_line("copy", term::transfer_h2d)};
  measured.all_series[0].times[3].ns *= 2;
  const auto checks = check_by_leaving_out(measured);
  EXPECT_NEAR(checks[0].sizes[2].error(), -0.5, 1e-3);
  EXPECT_FALSE(checks[0].sizes[2].is_in_interval());
}

}  // namespace
}  // namespace bench_transfers::advice::measurements_test
