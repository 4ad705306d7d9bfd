#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "src/result_file/format.hpp"
#include "src/result_file/summary/summary.hpp"

namespace bench_transfers::result_file::summary_of_devices_test {
namespace {

using json = nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t devices = 8;

json link_of_generation(int generation) {
  return {{"type", "pcie"},
          {"generation", generation},
          {"width", 16},
          {"limit_gb_per_s", 63.02},
          {"packet_limit_gb_per_s", {57.61, 58.45}}};
}

json device(std::size_t index) {
  return {{"id", fmt::format("cuda:{}", index)},
          {"kind", "cuda"},
          {"name", fmt::format("GPU {}", index)},
          {"link", link_of_generation(index == 0 ? 5 : 4)}};
}

/// A run of eight devices, each with one copy alone, and all at once.
class run_of_devices : public testing::Test {
 protected:
  run_of_devices() {
    facts() = {{"format", 2},
               {"complete", true},
               {"device", device(0)},
               {"link", device(0)["link"]},
               {"benchmarks", json::object()},
               {"roles",
                {{"copy", to_json(role{"copy", "copies", table::directions})},
                 {"concurrent", to_json(role{"concurrent", "at once", table::concurrent})}}},
               {"metrics", json::object()},
               {"skipped", json::array()},
               {"warnings", json::array()}};
    document["benchmarks"] = json::array();
    for (std::size_t i = 0; i < devices; ++i) facts()["devices"].push_back(device(i));
    for (std::size_t i = 0; i < devices; ++i) add_copy(i, 40 + static_cast<double>(i));
    add_all();
  }

  json& facts() { return document["context"]["transfers"]; }

  void add(const benchmark& described, double bytes, double gb_per_s,
           const json& counters = json::object()) {
    facts()["benchmarks"][described.name] = to_json(described);
    json row{{"name", described.name},
             {"run_name", described.name},
             {"run_type", "iteration"},
             {"bytes", bytes},
             {"median_ns", bytes / gb_per_s}};
    row.update(counters);
    document["benchmarks"].push_back(std::move(row));
  }

  static benchmark described(const std::string& family, const std::string& variant) {
    benchmark made;
    made.family = made.role = family;
    made.strategy = family + "/pinned";
    made.variant = variant;
    made.direction = direction::h2d;
    made.size_bytes = mib;
    made.name = benchmark_name(made.strategy, variant, mib, cache_state::warm);
    return made;
  }

  void add_copy(std::size_t index, double gb_per_s) {
    auto copy = described("copy", "h2d");
    copy.name += fmt::format("@cuda:{}", index);
    copy.devices = {index};
    add(copy, mib, gb_per_s);
  }

  void add_all() {
    auto all = described("concurrent", "h2d/all");
    all.devices.clear();
    json counters = json::object();
    for (std::size_t i = 0; i < devices; ++i) {
      const flow copy{i, direction::h2d};
      all.devices.push_back(i);
      all.flows.push_back(copy);
      const auto add_metric = [&](const std::string& front, metric_kind kind, bool alone,
                                  double value) {
        const auto name = fmt::format("{}@cuda:{}:h2d", front, i);
        facts()["metrics"][name] =
            to_json(metric{name, "GB/s", kind, better::more, "of one copy", false, copy, alone});
        counters[name] = value;
      };
      add_metric("gb_per_s", metric_kind::rate, false, 25);
      add_metric("alone_gb_per_s", metric_kind::rate, true, 50);
      add_metric("loss_percent", metric_kind::share, false, 50);
    }
    add(all, devices * mib, 200, counters);
  }

  json document;
};

TEST_F(run_of_devices, shows_each_by_itself_with_its_link) {
  const auto text = summary(document);
  EXPECT_THAT(text, AllOf(HasSubstr("Device cuda:0: GPU 0, PCIe 5.0 x16"),
                          HasSubstr("Device cuda:7: GPU 7, PCIe 4.0 x16")));
  for (std::size_t i = 0; i < devices; ++i)
    EXPECT_THAT(text, HasSubstr(fmt::format("4{}.00 *", i)));
  EXPECT_THAT(text, Not(HasSubstr("@")));
}

TEST_F(run_of_devices, shows_what_they_do_at_once) {
  const auto text = summary(document);
  std::istringstream lines(text);
  std::string sums;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100U + 10) << line;  // "µ" has two bytes
    if (line.starts_with("concurrent/")) sums = line;
  }
  EXPECT_THAT(sums, AllOf(HasSubstr("concurrent/pinned/h2d/all"), HasSubstr("200.00"),
                          HasSubstr("400.00")));
  EXPECT_THAT(text, AllOf(HasSubstr("several copies at once, 1MiB each"),
                          HasSubstr("cuda:7 h2d 25.00 of 50.00 (-50.0 %)")));
}

TEST_F(run_of_devices, in_brief_shows_each_by_itself) {
  const auto text = summary(document, 100, detail::brief);
  EXPECT_THAT(text, AllOf(HasSubstr("Device cuda:0: GPU 0"), HasSubstr("Device cuda:7: GPU 7"),
                          HasSubstr("copy/pinned")));
  EXPECT_THAT(text, Not(HasSubstr("at once")));
}

TEST_F(run_of_devices, shows_dashes_for_what_is_not_known) {
  for (auto& row : document["benchmarks"]) row.erase("alone_gb_per_s@cuda:3:h2d");
  const auto text = summary(document);
  EXPECT_THAT(text, HasSubstr("cuda:3 h2d 25.00 of - (- %)"));
  EXPECT_THAT(text, Not(HasSubstr("400.00")));
}

/// The line of the summary that begins with a text.
std::string line_of(const std::string& text, const std::string& front) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(front)) return line;
  return "";
}

/// Copies between memory on two nodes and devices, of which the first half is next to node 0.
class run_on_nodes : public run_of_devices {
 protected:
  void add_copies(std::size_t count, unsigned nodes = 2) {
    for (std::size_t i = 0; i < count; ++i)
      for (unsigned node = 0; node < nodes; ++node)
        for (const auto towards : {direction::h2d, direction::d2h}) {
          auto copy = described("copy", to_string(towards));
          copy.direction = towards;
          copy.strategy = fmt::format("copy/pinned@node{}", node);
          copy.memory = fmt::format("pinned@node{}", node);
          copy.node = node;
          copy.devices = {i};
          copy.name = fmt::format("{}/{}/1MiB@cuda:{}", copy.strategy, to_string(towards), i);
          const bool is_near = (i < devices / 2) == (node == 0);
          add(copy, mib, (is_near ? 50.0 : 40.0) + (towards == direction::h2d ? 0.5 : 0));
        }
  }
  void add_near_nodes() {
    for (std::size_t i = 0; i < devices; ++i)
      facts()["devices"][i]["numa_node"] = i < devices / 2 ? 0 : 1;
  }
};

TEST_F(run_on_nodes, shows_far_memory_against_near) {
  add_copies(devices);
  add_near_nodes();
  const auto text = summary(document);
  const auto table = text.substr(text.find("memory on a node"));
  EXPECT_EQ(line_of(table, "copy/pinned@node0"),
            "copy/pinned@node0       50.50        50.00        50.50        50.00        50.50    "
            "    50.00      ");
  EXPECT_EQ(line_of(table, "copy/pinned@node1"),
            "copy/pinned@node1       40.50  -20%  40.00  -20%  40.50  -20%  40.00  -20%  40.50  "
            "-20%  40.00  -20%");
  EXPECT_THAT(text, AllOf(HasSubstr("cuda:3 (node 0)"), HasSubstr("cuda:7 (node 1)"),
                          HasSubstr("Percentages: far memory against that")));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST_F(run_on_nodes, shows_rates_alone_where_no_node_is_known_to_be_near) {
  add_copies(1);
  const auto text = summary(document);
  const auto table = text.substr(text.find("memory on a node"));
  EXPECT_EQ(line_of(table, "copy/pinned@node1"),
            "copy/pinned@node1       40.50        40.00      ");
  EXPECT_THAT(text, Not(HasSubstr("Percentages")));
}

TEST_F(run_on_nodes, shows_dashes_for_copies_that_failed) {
  add_copies(2);
  add_near_nodes();
  auto& rows = document["benchmarks"];
  rows.erase(std::ranges::find(rows, "copy/pinned@node0/h2d/1MiB@cuda:1",
                               [](const json& row) { return row["name"].get<std::string>(); }));
  const auto text = summary(document);
  EXPECT_EQ(line_of(text.substr(text.find("memory on a node")), "copy/pinned@node1"),
            "copy/pinned@node1       40.50  -20%  40.00  -20%  40.50        40.00  -20%");
}

TEST_F(run_on_nodes, compares_nothing_if_there_is_one) {
  add_copies(2, 1);
  add_near_nodes();
  EXPECT_THAT(summary(document), Not(HasSubstr("memory on a node")));
}

}  // namespace
}  // namespace bench_transfers::result_file::summary_of_devices_test
