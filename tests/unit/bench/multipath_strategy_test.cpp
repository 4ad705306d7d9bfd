
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/reserve.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"

namespace bench_transfers::bench::multipath_strategy_test {
namespace {

TEST_F(host_session, copies_over_several_links_need_several_devices) {
  chosen.strategies = {"copy"};
  auto all = make_plan(strategies, *device, chosen);
  EXPECT_THAT(all.cases, Each(Field(&benchmark_case::method, Ne("multipath"))));
  for (const auto& skip : all.skipped) EXPECT_NE(skip.reason.code, "needs_several_devices");
  chosen.strategies = {"copy/multipath/pinned"};
  all = make_plan(strategies, *device, chosen);
  EXPECT_THAT(all.cases, IsEmpty());
  ASSERT_THAT(all.skipped, SizeIs(1));
  EXPECT_EQ(all.skipped[0].name, "copy/multipath/pinned");
  EXPECT_EQ(all.skipped[0].reason.code, "needs_several_devices");
}

TEST_F(host_session, copies_over_several_links_are_measured_on_each_device) {
  const auto other = transfers::open_host_device();
  chosen.strategies = {"copy/multipath"};
  chosen.sizes = {std::size_t{1} << 20};
  buffers memory(*device, chosen.seed), memory_of_other(*other, chosen.seed);
  auto all = make_plan(strategies,
                       std::vector<named_device>{{"host:0", *device}, {"host:1", *other}}, chosen);
  std::map<std::string, int> cases;
  for (const auto& described : all.cases) ++cases[described.memory.value_or("")];
  EXPECT_THAT(cases, ElementsAre(Pair("pageable", 4), Pair("pinned", 4)));
  const device_list list{{*device, memory, {}, nullptr, "host:0"},
                         {*other, memory_of_other, {}, nullptr, "host:1"}};
  reserve_buffers(all, list);
  const auto result = session(list, chosen, rows, shown, around).measure(all);
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_THAT(result.skipped, IsEmpty());
  EXPECT_THAT(rows.content().at("benchmarks"), SizeIs(8 * chosen.rounds));
}

}  // namespace
}  // namespace bench_transfers::bench::multipath_strategy_test
