#include "src/imports/nvbandwidth.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/result_file/reader.hpp"

namespace bench_transfers::imports::nvbandwidth_test {
namespace {

using json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;

using matrix = std::vector<std::vector<json>>;

json test_case(const char* name, const matrix& cells, const char* status = "Passed") {
  return {{"name", name}, {"status", status}, {"bandwidth_matrix", cells}, {"sum", 0.0}};
}

/// In the form of release 0.8, with made-up rates.
json printed(const std::vector<json>& test_cases) {
  return {{"nvbandwidth",
           {{"CUDA Runtime Version", 13000},
            {"Driver Version", "580.1"},
            {"GPU Device list", json::array({"0: Made-up GPU (00000000:0f:00): (node)",
                                             "1: Other GPU (00000000:1f:00): (node)"})},
            {"git_version", "v0.8"},
            {"testcases", test_cases},
            {"version", "0.8"}}}};
}

json imported(const json& document, std::size_t buffer_bytes = nvbandwidth_buffer_bytes) {
  return from_nvbandwidth(document.dump(), "nv.json", buffer_bytes);
}

json one_device() {
  return imported(printed({test_case("host_to_device_memcpy_ce", {{"50"}}),
                           test_case("device_to_host_memcpy_ce", {{"40.5"}})}));
}

result_file::contents read(const json& document) {
  return result_file::read_json(document, "imported.json");
}

std::string complaint(const json& document) {
  try {
    static_cast<void>(imported(document));
  } catch (const result_file::unusable_file& error) {
    return error.what();
  }
  return "";
}

TEST(import_of_nvbandwidth, makes_copies_by_engine_those_of_pinned_memory) {
  const auto file = read(one_device());
  EXPECT_THAT(file.benchmarks,
              ElementsAre(Key("copy/pinned/d2h/512MiB"), Key("copy/pinned/h2d/512MiB")));
  const auto& row = file.rows.front();
  EXPECT_EQ(row.benchmark->name, "copy/pinned/h2d/512MiB");
  EXPECT_DOUBLE_EQ(*row.number("gb_per_s"), 50);
  EXPECT_DOUBLE_EQ(*row.number("median_ns"), 536'870'912 / 50.0);
  EXPECT_DOUBLE_EQ(*row.number("bytes"), 536'870'912);
}

TEST(import_of_nvbandwidth, lists_the_strategy_with_both_directions) {
  const auto file = one_device();
  const auto& strategies = file.at("context").at("transfers").at("strategies");
  ASSERT_EQ(strategies.size(), 1);
  EXPECT_THAT(strategies.front().at("variants"), ElementsAre("d2h", "h2d"));
}

TEST(import_of_nvbandwidth, is_a_run_on_a_gpu_that_says_where_it_comes_from) {
  const auto file = read(one_device());
  EXPECT_FALSE(file.on_host);
  EXPECT_EQ(result_file::text_at(file.facts, {"imported", "program"}), "nvbandwidth");
  EXPECT_EQ(result_file::text_at(file.facts, {"imported", "version"}), "0.8");
  EXPECT_EQ(result_file::text_at(file.facts, {"device", "name"}), "Made-up GPU");
  EXPECT_EQ(result_file::text_at(file.facts, {"device", "driver_version"}), "580.1");
  ASSERT_EQ(file.warnings.size(), 1);
  EXPECT_EQ(file.warnings.front().code, "imported");
  EXPECT_THAT(file.warnings.front().text, HasSubstr("nvbandwidth 0.8"));
}

TEST(import_of_nvbandwidth, takes_the_size_of_its_buffers) {
  const auto document =
      imported(printed({test_case("host_to_device_memcpy_ce", {{"50"}})}), std::size_t{64} << 20);
  const auto file = read(document);
  EXPECT_THAT(file.benchmarks, ElementsAre(Key("copy/pinned/h2d/64MiB")));
  EXPECT_DOUBLE_EQ(*file.rows.front().number("median_ns"), 67'108'864 / 50.0);
}

TEST(import_of_nvbandwidth, names_the_device_where_there_are_several) {
  const auto file =
      read(imported(printed({test_case("device_to_host_memcpy_ce", {{"50", "45.5"}})})));
  EXPECT_THAT(file.benchmarks, ElementsAre(Key("copy/pinned/d2h/512MiB@cuda:0"),
                                           Key("copy/pinned/d2h/512MiB@cuda:1")));
  EXPECT_THAT(file.benchmarks.at("copy/pinned/d2h/512MiB@cuda:1").devices, ElementsAre(1));
  EXPECT_EQ(file.facts.at("devices").at(1).at("name"), "Other GPU");
}

TEST(import_of_nvbandwidth, keeps_the_names_of_other_copies_from_and_to_the_host) {
  const auto file =
      read(imported(printed({test_case("host_to_device_bidirectional_memcpy_ce", {{"50"}}),
                             test_case("device_to_host_memcpy_sm", {{"51"}}),
                             test_case("all_to_host_memcpy_ce", {{json(52.5)}})})));
  EXPECT_THAT(file.benchmarks,
              ElementsAre(Key("nvbandwidth/all_to_host_memcpy_ce/d2h/512MiB"),
                          Key("nvbandwidth/device_to_host_memcpy_sm/d2h/512MiB"),
                          Key("nvbandwidth/host_to_device_bidirectional_memcpy_ce/h2d/512MiB")));
}

TEST(import_of_nvbandwidth, says_what_it_leaves_out) {
  const auto file = read(imported(
      printed({test_case("host_to_device_memcpy_ce", {{"50"}}),
               test_case("device_to_device_memcpy_read_ce", {{"N/A", "300"}, {"300", "N/A"}}),
               test_case("host_device_latency_sm", {{"900"}}),
               test_case("device_to_host_memcpy_ce", {}, "Waived")})));
  ASSERT_EQ(file.skipped.size(), 3);
  EXPECT_EQ(file.skipped[0].name, "device_to_device_memcpy_read_ce");
  EXPECT_EQ(file.skipped[1].name, "host_device_latency_sm");
  EXPECT_EQ(file.skipped[2].name, "device_to_host_memcpy_ce");
  EXPECT_THAT(file.skipped[2].reason.text, HasSubstr("Waived"));
  for (const auto& skipped : file.skipped) EXPECT_EQ(skipped.reason.code, "not_imported");
}

TEST(import_of_nvbandwidth, takes_cells_that_are_not_available_for_no_rates) {
  const auto file =
      read(imported(printed({test_case("host_to_device_memcpy_ce", {{"N/A", "45.5"}})})));
  EXPECT_THAT(file.benchmarks, ElementsAre(Key("copy/pinned/h2d/512MiB@cuda:1")));
}

TEST(import_of_nvbandwidth, manages_without_the_list_of_devices_of_newer_releases) {
  auto document = printed({test_case("host_to_device_memcpy_ce", {{"50"}})});
  document["nvbandwidth"].erase("GPU Device list");
  const auto file = read(imported(document));
  EXPECT_TRUE(file.facts.at("device").at("name").is_null());
}

TEST(import_of_nvbandwidth, refuses_what_it_cannot_use) {
  EXPECT_EQ(complaint({{"context", json::object()}}),
            "cannot import nv.json: it is not the JSON that nvbandwidth --json prints");
  EXPECT_THAT(complaint({{"nvbandwidth", {{"error", "no CUDA device"}}}}),
              HasSubstr("nvbandwidth has failed: no CUDA device"));
  EXPECT_THAT(complaint(printed({})), HasSubstr("no rates"));
  EXPECT_THAT(complaint(printed({test_case("host_device_latency_sm", {{"900"}})})),
              HasSubstr("no rates"));
  for (const auto* cell : {"fast", "", "50 GB/s", "-1", "0", "nan", "inf"})
    EXPECT_THAT(complaint(printed({test_case("host_to_device_memcpy_ce", {{cell}})})),
                HasSubstr("no positive numbers"))
        << cell;
  for (const auto* cell : {"1e308", "1e-300"})
    EXPECT_THAT(complaint(printed({test_case("host_to_device_memcpy_ce", {{cell}})})),
                HasSubstr("nobody can have measured"))
        << cell;
  const auto twice = test_case("host_to_device_memcpy_ce", {{"50"}});
  EXPECT_THAT(complaint(printed({twice, twice})), HasSubstr("twice"));
}

}  // namespace
}  // namespace bench_transfers::imports::nvbandwidth_test
