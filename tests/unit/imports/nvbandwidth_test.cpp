#include "src/imports/nvbandwidth.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/result_file/reader.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"

namespace bench_transfers::imports::nvbandwidth_test {
namespace {

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

json imported(const json& document, std::optional<std::size_t> buffer_bytes = {}) {
  return from_nvbandwidth(document.dump(), "nv.json", buffer_bytes);
}

json one_device() {
  return imported(printed({test_case("host_to_device_memcpy_ce", {{"50"}}),
                           test_case("device_to_host_memcpy_ce", {{"40.5"}})}));
}

result_file::contents read(const json& document) {
  return result_file::read_json(document, "imported.json");
}

std::string complaint_of_text(const std::string& text) {
  return common::complaint_of<result_file::unusable_file>(
      [&] { return from_nvbandwidth(text, "nv.json"); });
}

std::string complaint(const json& document) { return complaint_of_text(document.dump()); }

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
            "cannot import nv.json: it is not what nvbandwidth prints, with --json or without");
  EXPECT_THAT(complaint({{"nvbandwidth", {{"error", "no CUDA device"}}}}),
              HasSubstr("nvbandwidth has failed: no CUDA device"));
  EXPECT_THAT(complaint(printed({})), HasSubstr("no rates"));
}

TEST(import_of_nvbandwidth, tells_the_reasons_where_nothing_is_left) {
  EXPECT_THAT(complaint(printed({test_case("host_device_latency_sm", {{"900"}})})),
              HasSubstr("no rates of copies from or to the host: host_device_latency_sm: "));
  const auto many = std::vector<json>(7, test_case("host_to_device_memcpy_ce", {{"50"}, {"51"}}));
  EXPECT_THAT(complaint(printed(many)), HasSubstr("its matrix has not one row"));
  EXPECT_THAT(complaint(printed(many)), EndsWith("; and 2 more"));
}

TEST(import_of_nvbandwidth, names_a_bad_cell_and_takes_the_rest) {
  for (const json& cell : {json("fast"), json(""), json("50 GB/s"), json("55,21"), json("-1"),
                           json("0"), json("nan"), json("inf"), json("1e308"), json("1e-300"),
                           json(nullptr), json(0), json(true), json::array({"50"})}) {
    const auto file =
        read(imported(printed({test_case("host_to_device_memcpy_ce", {{cell, "45.5"}})})));
    EXPECT_THAT(file.benchmarks, ElementsAre(Key("copy/pinned/h2d/512MiB@cuda:1"))) << cell;
    ASSERT_EQ(file.skipped.size(), 1) << cell;
    EXPECT_EQ(file.skipped[0].name, "host_to_device_memcpy_ce");
    const auto shown = cell.is_string() ? cell.get<std::string>() : cell.dump();
    EXPECT_THAT(file.skipped[0].reason.text, HasSubstr("rate of device 0 is '" + shown + "', "));
    EXPECT_THAT(complaint(printed({test_case("host_to_device_memcpy_ce", {{cell}})})),
                HasSubstr("host_to_device_memcpy_ce: not imported: its rate of device 0 is"));
  }
}

TEST(import_of_nvbandwidth, takes_the_first_of_two_test_cases_of_one_name) {
  const auto file = read(imported(printed({test_case("host_to_device_memcpy_ce", {{"50"}}),
                                           test_case("host_to_device_memcpy_ce", {{"51"}})})));
  EXPECT_DOUBLE_EQ(*file.rows.front().number("gb_per_s"), 50);
  ASSERT_EQ(file.skipped.size(), 1);
  EXPECT_THAT(file.skipped[0].reason.text, HasSubstr("a second time"));
}

std::vector<std::string> words_of(const result_file::contents& file, const std::string& code) {
  std::vector<std::string> texts;
  for (const auto& warning : file.warnings)
    if (warning.code == code) texts.push_back(warning.text);
  return texts;
}

/// Wherever nvbandwidth says it, and in whatever form.
TEST(import_of_nvbandwidth, carries_over_every_word_of_failure) {
  const auto good = test_case("device_to_host_memcpy_ce", {{"40"}});
  for (const auto& [key, code] :
       {std::pair("error", "imported_error"), std::pair("warning", "imported_warning")})
    for (const json& told : {json("made up"), json::array({"made up"})})
      for (const bool is_of_run : {false, true}) {
        auto document = printed({good, test_case("host_to_device_memcpy_ce", {{"50"}})});
        auto& run = document["nvbandwidth"];
        (is_of_run ? run : run["testcases"][1])[key] = told;
        const auto file = read(imported(document));
        EXPECT_THAT(words_of(file, code), ElementsAre(HasSubstr("made up")));
        EXPECT_EQ(file.facts.at("complete").get<bool>(), code == std::string("imported_warning"));
      }
}

TEST(import_of_nvbandwidth, is_complete_where_all_test_cases_passed_or_were_waived) {
  const auto good = test_case("host_to_device_memcpy_ce", {{"50"}});
  for (const auto* status : {"Passed", "Waived"})
    EXPECT_TRUE(read(imported(printed({good, test_case("all_to_host_memcpy_ce", {{"1"}}, status)})))
                    .facts.at("complete")
                    .get<bool>())
        << status;
  for (const auto* status : {"Error", "ERROR", "Running", "Not Found", ""})
    EXPECT_FALSE(
        read(imported(printed({good, test_case("device_to_device_memcpy_read_ce", {}, status)})))
            .facts.at("complete")
            .get<bool>())
        << status;
}

TEST(import_of_nvbandwidth, takes_the_buffer_size_of_the_release) {
  for (const auto& [version, size] : {std::pair("v0.5", "64MiB"),
                                      {"0.6", "64MiB"},
                                      {"v0.6.1", "64MiB"},
                                      {"v0.7", "512MiB"},
                                      {"v0.8", "512MiB"},
                                      {"v0.9", "512MiB"},
                                      {"v0.10.0", "512MiB"},
                                      {"v1.0", "512MiB"},
                                      {"", "512MiB"}}) {
    auto document = printed({test_case("host_to_device_memcpy_ce", {{"50"}})});
    document["nvbandwidth"]["version"] = version;
    const std::string name = std::string("copy/pinned/h2d/") + size;
    EXPECT_THAT(read(imported(document)).benchmarks, ElementsAre(Key(name))) << version;
  }
}

/// In the form of release 0.8, with made-up rates. Others print other heads.
std::string plain_text() {
  return R"(nvbandwidth Version: v0.8
Built from Git version: v0.8-1

CUDA Runtime Version: 12080
CUDA Driver Version: 12080
Driver Version: 570.86.15

node-a
Device 0: Made-up GPU (00000000:1b:00)
Device 1: Other GPU (00000000:43:00)

Running host_to_device_memcpy_ce.
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0     55.19     55.25

SUM host_to_device_memcpy_ce 110.44

Running device_to_device_bidirectional_memcpy_read_ce.
memcpy CE GPU(row) <-> GPU(column) Read1 bandwidth (GB/s)
           0         1
 0       N/A    764.71
 1    765.86       N/A

SUM device_to_device_bidirectional_memcpy_read_ce_read1 1530.57

memcpy CE GPU(row) <-> GPU(column) Total bandwidth (GB/s)
           0         1
 0       N/A   1521.22
 1   1521.22       N/A

SUM device_to_device_bidirectional_memcpy_read_ce_total 3042.44

Running device_to_host_memcpy_ce.
memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)
           0         1
 0     52.77       N/A

SUM device_to_host_memcpy_ce 52.77

NOTE: The reported results may not reflect the full capabilities of the platform.
Performance can vary with software drivers, hardware clocks, and system topology.
)";
}

json imported_text(const std::string& text) { return from_nvbandwidth(text, "nv.txt"); }

std::string with(std::string text, const std::string& old, const std::string& replacement) {
  for (auto place = text.find(old); place != std::string::npos;
       place = text.find(old, place + replacement.size()))
    text.replace(place, old.size(), replacement);
  return text;
}

TEST(import_of_nvbandwidth, takes_plain_text) {
  const auto document = imported_text(plain_text());
  const auto file = read(document);
  EXPECT_THAT(file.benchmarks, ElementsAre(Key("copy/pinned/d2h/512MiB@cuda:0"),
                                           Key("copy/pinned/h2d/512MiB@cuda:0"),
                                           Key("copy/pinned/h2d/512MiB@cuda:1")));
  EXPECT_DOUBLE_EQ(*file.rows[1].number("gb_per_s"), 55.25);
  EXPECT_EQ(document.at("context").at("host_name"), "node-a");
  EXPECT_EQ(file.facts.at("devices").at(1).at("name"), "Other GPU");
  EXPECT_EQ(result_file::text_at(file.facts, {"imported", "version"}), "v0.8");
  EXPECT_EQ(result_file::text_at(file.facts, {"device", "driver_version"}), "570.86.15");
  EXPECT_TRUE(file.facts.at("complete").get<bool>());
  EXPECT_EQ(file.warnings.size(), 1) << "the usual note is none";
  ASSERT_EQ(file.skipped.size(), 1);
  EXPECT_EQ(file.skipped[0].name, "device_to_device_bidirectional_memcpy_read_ce");
}

TEST(import_of_nvbandwidth, takes_any_host_name_of_plain_text) {
  for (const auto* name : {"node-1.example.com", "failover1", "error:"}) {
    const auto document = imported_text(with(plain_text(), "node-a", name));
    const auto told = document.at("context").at("host_name").get<std::string>();
    EXPECT_EQ(told, std::string_view(name).ends_with(':') ? "" : name);
    EXPECT_EQ(read(document).facts.at("complete").get<bool>(), told == name) << name;
  }
}

TEST(import_of_nvbandwidth, takes_plain_text_of_each_release) {
  const auto of_0_10 = with(with(with(plain_text(), "v0.8", "v0.10.0"),
                                 "CUDA Driver Version:", "CUDA Driver Version (API):"),
                            "\nRunning", "COEFFICIENT_OF_VARIATION made_up 0.00\n\nRunning");
  const auto verbose = with(plain_text(), "SUM host_to_device_memcpy_ce 110.44",
                            "SUM host_to_device_memcpy_ce 110.44\nMIN host_to_device_memcpy_ce "
                            "55.19\nMAX host_to_device_memcpy_ce 55.25");
  const auto perf = with(plain_text(), "SUM ", "&&&& PERF ");
  const auto windows = with(plain_text(), "\n", "\r\n");
  const auto tagged = "[1,0]<stdout>:" + with(plain_text(), "\n", "\n[1,0]<stdout>:");
  const auto after_banner = "== CUDA ==\n\nCUDA Version 12.8.0\n\n" + plain_text();
  const auto dense = with(plain_text(), "\n\n", "\n");
  const auto healthy = with(plain_text(), "\nRunning", "\nECC errors: none\n\nRunning");
  for (const auto& text : {of_0_10, verbose, perf, windows, tagged, after_banner, dense, healthy}) {
    const auto file = read(imported_text(text));
    EXPECT_EQ(file.benchmarks.size(), 3) << text;
    EXPECT_TRUE(file.facts.at("complete").get<bool>()) << text;
  }
  const auto old = read(imported_text(with(plain_text(), "v0.8", "v0.6")));
  EXPECT_TRUE(old.benchmarks.contains("copy/pinned/h2d/64MiB@cuda:0"));
}

/// At each of its bytes: what is left is never taken for more than it is.
TEST(import_of_nvbandwidth, takes_no_rate_of_plain_text_that_is_cut_off) {
  const auto whole = plain_text();
  const auto first_sum = whole.find("SUM host_to_device_memcpy_ce");
  const auto last_sum = whole.find("SUM device_to_host_memcpy_ce");
  for (std::size_t bytes = 0; bytes < last_sum; ++bytes) {
    const auto text = whole.substr(0, bytes);
    if (bytes < first_sum) {
      EXPECT_NE(complaint_of_text(text), "") << text;
    } else if (bytes > first_sum + 28) {
      const auto file = read(imported_text(text));
      EXPECT_EQ(file.benchmarks.size(), 2) << text;
      EXPECT_FALSE(file.facts.at("complete").get<bool>()) << text;
    }
  }
}

TEST(import_of_nvbandwidth, carries_over_the_errors_and_warnings_of_plain_text) {
  const auto place = plain_text().find("Running device_to_host_memcpy_ce.");
  const auto inserted = [&](const std::string& line) {
    return read(imported_text(plain_text().insert(place, line + "\n")));
  };
  for (const auto* line :
       {"[CUDA_ERROR_ILLEGAL_ADDRESS]: an illegal memory access", "Error: made up",
        "ERROR: Testcase made_up not found!", "Invalid value when checking the pattern at 0x1",
        "terminate called", "Assertion made up", "ASSERT: made up"}) {
    const auto file = inserted(line);
    EXPECT_FALSE(file.facts.at("complete").get<bool>()) << line;
    EXPECT_EQ(words_of(file, "imported_error").size(), 1) << line;
  }
  for (const auto* line : {"NOTE: You have chosen a buffer size that is smaller",
                           "Warning: there are more processes than GPUs on node-a."}) {
    const auto file = inserted(line);
    EXPECT_TRUE(file.facts.at("complete").get<bool>()) << line;
    EXPECT_THAT(words_of(file, "imported_warning"), ElementsAre(HasSubstr(line))) << line;
  }
}

TEST(import_of_nvbandwidth, takes_json_among_what_others_print) {
  const auto json_text = printed({test_case("host_to_device_memcpy_ce", {{"50"}})}).dump(3);
  const auto banner = "== CUDA ==\n\nCUDA Version 12.8.0\n\n" + json_text;
  const auto tagged = "[1,0]<stdout>:" + with(json_text, "\n", "\n[1,0]<stdout>:");
  for (const auto& text : {banner, tagged})
    EXPECT_EQ(read(from_nvbandwidth(text, "nv.json")).benchmarks.size(), 1) << text;
}

}  // namespace
}  // namespace bench_transfers::imports::nvbandwidth_test
