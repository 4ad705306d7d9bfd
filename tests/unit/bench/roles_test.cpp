#include <set>
#include <string>

#include "bench/strategy/strategy.hpp"
#include "src/advice/role_rules.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::bench::roles_test {
namespace {

/// A new role fails this: either its benchmarks do one job, and it belongs in this list, or they do
/// not, and it belongs in that of src/advice/role_rules.cpp.
TEST(roles, whose_benchmarks_advise_ranks_are_chosen_one_by_one) {
  std::set<std::string> ranked;
  for (const auto& strategy : registered_strategies())
    if (advice::has_alternatives(strategy.role.name)) ranked.insert(strategy.role.name);
  EXPECT_THAT(ranked,
              ElementsAre("batched_copy", "container_copy", "duplex", "file", "fill", "helping",
                          "interference", "kernel_access", "latency", "launch", "overlap",
                          "parameters", "scattered_copy", "strided_copy", "wait"));
}

}  // namespace
}  // namespace bench_transfers::bench::roles_test
