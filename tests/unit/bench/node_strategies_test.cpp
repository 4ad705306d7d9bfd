
#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "bench/harness/reserve.hpp"
#include "bench/harness/sets.hpp"
#include "src/common/program.hpp"
#include "src/transfers/core/numa.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::node_strategies_test {
namespace {

using machine::numa_node;

numa_node node(int number, std::vector<std::size_t> cpus) {
  return {.number = number,
          .memory_bytes = gib,
          .memory_allowed = true,
          .cpus = cpus,
          .usable_cpus = cpus,
          .distances = {}};
}

/// Two sockets.
std::vector<numa_node> two_nodes() { return {node(0, {0}), node(1, {1})}; }

const strategy& named(const registry& all, const std::string& name) {
  const auto match = std::ranges::find(all, name, &strategy::name);
  if (match == all.end()) throw std::out_of_range(name);
  return *match;
}

std::vector<std::string> names_on_request(const registry& all) {
  std::vector<std::string> names;
  for (const auto& strategy : all)
    if (strategy.sampling.on_request && strategy.name().find("@node") != std::string::npos)
      names.push_back(strategy.name());
  return names;
}

std::vector<std::string> planned_names(const registry& strategies,
                                       std::vector<std::string> requests,
                                       const transfers::device& device) {
  settings chosen;
  chosen.sizes = {1 << 20};
  chosen.strategies = std::move(requests);
  const auto planned = make_plan(strategies, device, chosen);
  auto names = names_of(planned.cases);
  for (const auto& skipped : planned.skipped) names.push_back("skipped " + skipped.name);
  return names;
}

TEST(node_strategies, are_not_there_unless_nodes_are_given) {
  EXPECT_THAT(names_of(registered_strategies()), Not(Contains(HasSubstr("@node"))));
}

TEST(node_strategies, of_other_nodes_are_refused_with_the_nodes_there_are) {
  const auto device = transfers::open_host_device();
  EXPECT_THAT(
      [&] { planned_names(registered_strategies(two_nodes()), {"copy/pinned@node7"}, *device); },
      ThrowsMessage<common::usage_error>(HasSubstr("memory can be used on node 0, 1")));
}

TEST(node_strategies, compare_far_and_near_memory_where_there_are_several_nodes) {
  const auto all = registered_strategies(two_nodes());
  const auto on_request = names_on_request(all);
  for (const auto* const name : {"copy/pinned@node0", "copy/pinned@node1", "copy/pageable@node1",
                                 "cpu/pageable@node0", "cpu/pageable@node1"}) {
    EXPECT_THAT(names_of(all), Contains(name));
    EXPECT_THAT(on_request, Not(Contains(name)));
  }
  for (const auto* const name :
       {"copy/registered_huge@node1", "copy/staged/pageable@node1", "cpu/pinned@node0"})
    EXPECT_THAT(on_request, Contains(name));
  EXPECT_THAT(names_of(all), Not(Contains(HasSubstr("_wc@"))));
}

TEST(node_strategies, are_on_request_where_there_is_one_usable_node) {
  const auto expect_on_request = [](const std::vector<numa_node>& nodes) {
    const auto all = registered_strategies(nodes);
    const auto on_any_node = names_on_request(registered_strategies());
    for (const auto& name : names_of(all))
      EXPECT_EQ(
          name.find("@node") != std::string::npos || std::ranges::count(on_any_node, name) == 1,
          std::ranges::count(names_on_request(all), name) == 1)
          << name;
  };
  expect_on_request({node(0, {0})});
  auto forbidden = two_nodes();
  forbidden[1].memory_allowed = false;
  expect_on_request(forbidden);
  auto empty = two_nodes();
  empty[1].memory_bytes = 0;
  expect_on_request(empty);
}

TEST(node_strategies, are_asked_for_by_their_own_names) {
  if (const auto reason = transfers::detail::why_no_node(0)) GTEST_SKIP() << *reason;
  const auto device = transfers::open_host_device();
  const auto all = registered_strategies({node(0, {0})});
  EXPECT_THAT(planned_names(all, {"copy"}, *device), Not(Contains(HasSubstr("@node"))));
  EXPECT_THAT(planned_names(all, {}, *device), Not(Contains(HasSubstr("@node"))));
  EXPECT_THAT(planned_names(all, {"copy/pinned@node0"}, *device),
              ElementsAre("copy/pinned@node0/h2d/1MiB", "copy/pinned@node0/d2h/1MiB"));
  EXPECT_THAT(planned_names(all, {"copy/pinned@node0/h2d"}, *device),
              ElementsAre("copy/pinned@node0/h2d/1MiB"));
}

TEST(node_strategies, are_asked_for_on_all_nodes_at_once) {
  const auto device = transfers::open_host_device();
  const auto all = registered_strategies(two_nodes());
  settings chosen;
  chosen.sizes = {1 << 20};
  const auto prefixes_of = [&](const std::string& request) {
    chosen.strategies = {request};
    const auto plan = make_plan(all, *device, chosen);
    std::vector<std::string> names;
    for (const auto& benchmark : plan.cases) names.push_back(benchmark.strategy);
    for (const auto& skipped : plan.skipped) names.push_back(skipped.benchmark->strategy);
    std::ranges::sort(names);
    const auto repeated = std::ranges::unique(names);
    names.erase(repeated.begin(), repeated.end());
    return names;
  };
  EXPECT_THAT(prefixes_of("copy/pinned@"), ElementsAre("copy/pinned@node0", "copy/pinned@node1"));
  EXPECT_THAT(prefixes_of("copy/registered@"),
              ElementsAre("copy/registered@node0", "copy/registered@node1"))
      << "on request";
  EXPECT_THROW(prefixes_of("copy/pinned_wc@"), common::usage_error);
  EXPECT_THROW(prefixes_of("copy@"), common::usage_error);
}

TEST(node_strategies, of_copies_at_once_are_refused_where_no_cpu_can_copy) {
  auto nodes = two_nodes();
  nodes[1].cpus = nodes[1].usable_cpus = {};
  const std::vector<std::string> ids{"host:0", "host:1"};
  const auto all = with_sets(registered_strategies(nodes), {ids, {}, nodes},
                             {"host:0:h2d:pageable@node1+host:1:h2d:pageable@node0",
                              "host:0:h2d:pinned@node1+host:1:h2d:pageable@node0"});
  const auto& pageable = named(all, "concurrent/pageable@node1");
  const auto device = transfers::open_host_device();
  EXPECT_EQ(pageable.needs.why_unsupported(*device), "NUMA node 1 has no CPU");
  EXPECT_FALSE(named(all, "concurrent/pinned@node1").needs.why_unsupported);
  settings chosen;
  chosen.sizes = {1 << 20};
  chosen.strategies = {"concurrent/listed"};
  const std::vector<named_device> devices{{ids[0], *device}, {ids[1], *device}};
  const auto plan = make_plan(all, devices, chosen);
  const auto skipped = std::ranges::find(
      plan.skipped,
      "concurrent/listed/mixed/host:0:h2d:pageable@node1+host:1:h2d:pageable@node0/1MiB",
      &skipped_case::name);
  ASSERT_NE(skipped, plan.skipped.end());
  // The machine that tests run on may have no node 1 at all.
  EXPECT_THAT(skipped->reason.text, HasSubstr("node 1"));
}

TEST(node_strategies, have_the_node_as_a_field) {
  const auto all = registered_strategies(two_nodes());
  const auto& copy = named(all, "copy/pinned@node1");
  const auto described = describe(copy, &copy.variants.front(), 4096, cache_state::warm);
  EXPECT_EQ(described.node, 1U);
  EXPECT_EQ(described.memory, "pinned@node1");
  EXPECT_EQ(described.role, "copy");
  EXPECT_EQ(to_json(described).at("node"), 1);
  const auto& plain = named(all, "copy/pinned");
  EXPECT_FALSE(
      to_json(describe(plain, &plain.variants.front(), 4096, cache_state::warm)).contains("node"));
  EXPECT_GT(copy.plainness, plain.plainness);
}

TEST(node_strategies, make_accesses_from_the_cpus_of_each_node) {
  const auto all = registered_strategies(two_nodes());
  std::map<std::string, std::optional<std::string>> settings;
  for (const auto& variant : named(all, "cpu/pageable@node1").variants)
    settings[variant.name] = variant.setting;
  EXPECT_EQ(settings.at("read_memcpy"), std::nullopt) << "CPUs of the same node";
  EXPECT_EQ(settings.at("read_memcpy_all_cores"), "all_cores");
  EXPECT_EQ(settings.at("read_memcpy@node0"), "cpus_of_node0");
  EXPECT_EQ(settings.at("read_random_all_cores@node0"), "all_cores_of_node0");
  EXPECT_FALSE(settings.contains("read_memcpy@node1"));
}

TEST(node_strategies, of_memory_without_cpus_are_accessed_from_other_nodes_only) {
  const auto all = registered_strategies({node(0, {0}), node(1, {})});
  for (const auto& variant : named(all, "cpu/pageable@node1").variants)
    EXPECT_THAT(variant.name, HasSubstr("@node0"));
  EXPECT_EQ(names_on_request({named(all, "copy/pinned@node1")}).size(), 0U);
  const auto device = transfers::open_host_device();
  for (const auto* const name : {"copy/pageable@node1", "copy/staged/pageable@node1"})
    EXPECT_THAT(named(all, name).needs.why_unsupported(*device),
                Optional(AllOf(HasSubstr("no CPU"), HasSubstr("node 1"))));
}

TEST(node_strategies, say_why_a_node_cannot_be_used) {
  const auto device = transfers::open_host_device();
  const auto all = registered_strategies({node(0, {0}), node(900, {1})});
  EXPECT_THAT(why_unsupported(named(all, "copy/pinned@node900"), *device),
              Optional(HasSubstr("node 900")));
  EXPECT_THAT(planned_names(all, {"copy/pinned@node900/h2d"}, *device),
              ElementsAre("skipped copy/pinned@node900/h2d/1MiB"));
}

TEST(bound_thread, runs_on_the_cpus_of_the_node_until_it_is_released) {
  const auto before = machine::usable_cpus();
  ASSERT_THAT(before, Not(IsEmpty()));
  auto near = node(3, {before.back()});
  {
    const auto bound = bound_to(near);
    EXPECT_THAT(machine::usable_cpus(), ElementsAre(before.back()));
  }
  EXPECT_EQ(machine::usable_cpus(), before);
}

TEST(bound_thread, is_unsupported_without_cpus) {
  const auto before = machine::usable_cpus();
  auto far = node(3, {0});
  far.usable_cpus.clear();
  EXPECT_THAT(why_no_cpu(far), Optional(HasSubstr("may use no CPU of NUMA node 3")));
  EXPECT_THROW(static_cast<void>(bound_to(far)), transfers::unsupported);
  EXPECT_THROW(static_cast<void>(bound_to(node(4, {}))), transfers::unsupported);
  EXPECT_THROW(static_cast<void>(bound_to(node(5, {100'000}))), transfers::unsupported);
  EXPECT_EQ(machine::usable_cpus(), before);
}

/// Sees which CPUs the process may use when the harness looks for disturbances.
class seeing_cpus final : public surroundings {
 public:
  [[nodiscard]] readings read() const override {
    readings now;
    now.cpus = machine::usable_cpus().size();
    return now;
  }
};

TEST_F(host_session, copies_on_a_node_are_bound_only_while_they_run) {
  if (const auto reason = transfers::detail::why_no_node(0)) GTEST_SKIP() << *reason;
  const auto before = machine::usable_cpus();
  strategies = registered_strategies({node(0, {before.back()})});
  chosen.strategies = {"copy/pageable@node0", "copy/pinned@node0", "cpu/pageable@node0/read_memcpy",
                       "cpu/pageable@node0/write_memcpy_all_cores"};
  auto seen = std::vector<std::vector<std::size_t>>();
  for (auto& strategy : strategies)
    if (strategy.name() == "copy/pageable@node0")
      strategy.prepare = [&seen, prepare = strategy.prepare](const job& task) {
        auto copy = prepare(task);
        auto run = copy.steps[0].run;
        copy.steps[0].run = [&seen, run] {
          seen.push_back(machine::usable_cpus());
          run();
        };
        return copy;
      };
  buffers memory(*device, chosen.seed);
  planned = make_plan(strategies, *device, chosen);
  EXPECT_THAT(planned.skipped, IsEmpty());
  reserve_buffers(planned, {{*device, memory}});
  EXPECT_THAT(planned.skipped, IsEmpty());
  for (const auto& [kind, block] : memory.all_host())
    EXPECT_NO_THROW(transfers::detail::verify_node(block.bytes(), 0)) << to_string(kind);
  const seeing_cpus watched;
  bench::session session({{*device, memory, link_limit, monitor}}, chosen, rows, shown, watched);
  const auto result = session.measure(planned);
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_THAT(result.slowed, IsEmpty()) << "fewer_cpus";
  EXPECT_EQ(result.disturbances.by_code.count(result_file::disturbance::fewer_cpus), 0U);
  EXPECT_THAT(seen, Contains(ElementsAre(before.back())));
  EXPECT_EQ(machine::usable_cpus(), before);
  expect_all_others_ran(result);
}

TEST_F(host_session, copies_at_once_run_on_the_node_of_their_memory) {
  if (const auto reason = transfers::detail::why_no_node(0)) GTEST_SKIP() << *reason;
  const auto before = machine::usable_cpus();
  const auto other = transfers::open_host_device();
  const std::vector nodes{node(0, {before.back()})};
  const std::vector<std::string> ids{"host:0", "host:1"};
  strategies = with_sets(registered_strategies(nodes), {ids, {}, nodes},
                         {"host:0:h2d:pinned@node0+host:1:h2d:pageable"});
  chosen.strategies = {"concurrent/listed"};
  chosen.sizes = {1 << 20};
  std::mutex mutex;
  std::map<std::string, std::set<std::vector<std::size_t>>> seen;
  for (auto& strategy : strategies)
    if (strategy.name() == "concurrent/listed")
      strategy.prepare = [&, prepare = strategy.prepare](const job& task) {
        auto copies = prepare(task);
        for (auto& flow : copies.flows)
          flow.enqueue = [&, run = flow.enqueue, name = flow.name] {
            const std::scoped_lock lock(mutex);
            seen[name].insert(machine::usable_cpus());
            run();
          };
        return copies;
      };
  buffers memory(*device, chosen.seed), memory_of_other(*other, chosen.seed);
  planned =
      make_plan(strategies, std::vector<named_device>{{ids[0], *device}, {ids[1], *other}}, chosen);
  const device_list list{{*device, memory, {}, nullptr, ids[0]},
                         {*other, memory_of_other, {}, nullptr, ids[1]}};
  reserve_buffers(planned, list);
  EXPECT_THAT(planned.skipped, IsEmpty());
  session(list, chosen, rows, shown, around).measure(planned);
  EXPECT_THAT(seen["host:0:h2d"], ElementsAre(ElementsAre(before.back())));
  EXPECT_THAT(seen["host:1:h2d"], ElementsAre(before));
  EXPECT_EQ(machine::usable_cpus(), before);
  transfers::detail::verify_node(memory.host(on_node(transfers::pinned(), 0)).bytes(), 0);
}

}  // namespace
}  // namespace bench_transfers::bench::node_strategies_test
