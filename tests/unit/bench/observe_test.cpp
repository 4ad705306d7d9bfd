#include "bench/record/observe.hpp"

#include "bench/record/report.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::bench::observe_test {
namespace {

TEST(observe, the_host_device_has_neither_link_nor_gpu_clocks) {
  const auto device = transfers::open_host_device();
  const auto monitor = open_monitor(*device);
  EXPECT_EQ(monitor, nullptr);
  const auto observed = observe_under_load(*device, monitor.get());
  EXPECT_FALSE(observed.link);
  EXPECT_FALSE(observed.clocks.gpu);
  EXPECT_EQ(observed.clocks.cpu_throttle_events.has_value(),
            machine::cpu_throttle_events().has_value());
}

/// The result file that finish() writes for a run without measurements.
json finished(outcome measured, const observation& start, const observation& end) {
  measured.throttled_by.resize(1);
  const json earlier{{"code", "earlier"}, {"data", json::object()}, {"text", "an earlier one"}};
  const json context{{"transfers",
                      {{"complete", false},
                       {"clocks", nullptr},
                       {"benchmarks", json::object()},
                       {"metrics", json::object()},
                       {"warnings", json::array({earlier})},
                       {"devices", json::array({json::object()})}}}};
  result_file::writer file("", context);
  finish(file, context, {}, {}, measured, {&start, 1}, {&end, 1});
  return file.content().at("context").at("transfers");
}

observation with_clock(unsigned sm_mhz) {
  observation observed;
  observed.clocks.gpu.emplace();
  observed.clocks.gpu->sm_mhz = sm_mhz;
  return observed;
}

TEST(finish, puts_the_clocks_of_the_run_into_the_file) {
  outcome measured;
  measured.throttled_by = {machine::throttle_reasons{"sw_power_cap"}};
  const auto facts = finished(measured, with_clock(1980), with_clock(1000));
  EXPECT_EQ(facts["clocks"]["gpu"]["sm_mhz"], json({1980, 1000}));
  EXPECT_EQ(facts["clocks"]["gpu"]["throttle_reasons"], json({"sw_power_cap"}));
  ASSERT_EQ(facts["warnings"].size(), 3U) << facts;
  EXPECT_EQ(facts["warnings"][0]["text"], "an earlier one");
  EXPECT_EQ(facts["devices"][0]["clocks"], facts["clocks"]["gpu"]);
  EXPECT_EQ(facts["warnings"][1]["code"], "gpu_throttled");
  EXPECT_EQ(facts["warnings"][1]["data"]["reasons"], json({"sw_power_cap"}));
  EXPECT_EQ(facts["warnings"][2]["code"], "gpu_clock_fell");
  EXPECT_EQ(facts["warnings"][2]["data"]["start_mhz"], 1980);
}

TEST(finish, says_nothing_of_a_steady_run) {
  const auto facts = finished({}, with_clock(1980), with_clock(1965));
  EXPECT_EQ(facts["complete"], true);
  EXPECT_EQ(facts["warnings"].size(), 1U) << facts;
}

TEST(finish, says_when_the_link_has_changed) {
  observation start;
  start.link = machine::pcie_link{5, 16, 5, 16};
  auto end = start;
  end.link->width = 8;
  const auto facts = finished({}, start, end);
  ASSERT_EQ(facts["warnings"].size(), 2U) << facts;
  EXPECT_EQ(facts["warnings"][1]["code"], "link_changed");
  EXPECT_EQ(facts["warnings"][1]["data"]["end"]["width"], 8);
}

TEST(finish, of_a_lost_device_only_the_start_is_known) {
  outcome measured;
  measured.lost_devices = {0};
  auto start = with_clock(1980);
  start.link = machine::pcie_link{5, 16, 5, 16};
  const auto facts = finished(measured, start, {});
  EXPECT_EQ(facts["complete"], false);
  EXPECT_EQ(facts["clocks"]["gpu"]["sm_mhz"], json({1980, nullptr}));
  EXPECT_EQ(facts["warnings"].size(), 1U) << facts;
}

}  // namespace
}  // namespace bench_transfers::bench::observe_test
