
#include "tests/basics.hpp"
#include "tests/unit/report/made_up_run.hpp"

namespace bench_transfers::report::rules_test {
namespace {

constexpr std::size_t large = 64 * mib;

/// Pageable memory beside pinned memory that is faster by a factor, of two sizes.
made_up_run beside(double factor, const std::vector<double>& parts = six) {
  made_up_run made;
  for (const auto size : {std::size_t{1024}, large}) {
    const auto ns = 5000 + static_cast<double>(size) / 10;
    made.copies("pageable", size, ns, parts).copies("pinned", size, ns / factor, parts);
  }
  return made;
}

std::vector<std::string> uses(const rule& of) {
  std::vector<std::string> names;
  for (const auto& each : of.uses) names.push_back(each.strategy + each.place);
  return names;
}

TEST(rules, name_what_is_faster_and_by_how_much) {
  auto tested = beside(2);
  tested.facts["strategies"] = {{{"name", "copy/pinned"}, {"summary", "page-locked memory"}}};
  const auto rules = tested.reported().rules;
  ASSERT_EQ(rules.size(), 2);
  EXPECT_EQ(rules[0].code, "large");
  EXPECT_THAT(uses(rules[0]), ElementsAre("copy/pinned"));
  EXPECT_EQ(rules[0].uses[0].summary, "page-locked memory");
  EXPECT_EQ(rules[0].why,
            "At 64 MiB: 19.99 GB/s to the device, 2.00× [1.98, 2.02] as fast as plain cudaMemcpy "
            "of pageable memory; 19.99 GB/s to the host, 2.00× [1.98, 2.02]. What allocating the "
            "memory costs was not measured.");
  ASSERT_EQ(rules[0].gains.size(), 2);
  const auto& gained = rules[0].gains[0];
  EXPECT_TRUE(gained.is_clear);
  EXPECT_EQ(gained.subject + ' ' + gained.text + gained.doubt,
            "copy/pinned to the device, 64 MiB: 19.99 GB/s 2.00× [1.98, 2.02]");
  EXPECT_EQ(rules[1].code, "small");
  EXPECT_THAT(uses(rules[1]), ElementsAre("copy/pinned"));
}

TEST(rules, name_the_plain_copy_where_nothing_is_clearly_faster) {
  const auto rules = beside(1.05, {0.8, 0.9, 1.0, 1.0, 1.1, 1.2}).reported().rules;
  ASSERT_EQ(rules.size(), 2);
  EXPECT_THAT(uses(rules[0]), ElementsAre("copy/pageable"));
  EXPECT_THAT(rules[1].why, HasSubstr("Up to 64 MiB to the device and 64 MiB to the host nothing "
                                      "measured is clearly faster."));
}

TEST(rules, tell_that_repetitions_are_too_few) {
  EXPECT_EQ(beside(2, {1}).reported().rules[0].gains[0].doubt, ", too few repetitions");
  EXPECT_THAT(beside(2, {1}).reported().rules[0].why,
              HasSubstr("(too few repetitions to be sure)"));
  EXPECT_THAT(beside(1, {1}).reported().rules[0].why,
              HasSubstr("nothing measured is more than 10 % faster (too few repetitions to tell "
                        "less apart)"));
}

TEST(rules, tell_how_many_cores_are_busy) {
  auto tested = beside(2);
  tested.add("copy/threads", {{"memory", "pinned"}, {"direction", "h2d"}, {"plainness", 2}}, large,
             1e5, six, {{"cores", 3.96}});
  EXPECT_THAT(tested.reported().rules[0].why,
              HasSubstr("copy/threads keeps up to 4.0 CPU cores busy."));
}

/// What memory costs, so that pinned memory pays only if it is used often.
TEST(rules, tell_how_often_memory_must_be_used) {
  auto tested = beside(2);
  for (const auto* memory : {"pageable", "pinned"})
    for (const auto* role : {"allocation", "deallocation"})
      for (const auto size : {std::size_t{1024}, large})
        tested.add(std::string(role) + "/" + memory, {{"role", role}, {"memory", memory}}, size,
                   *memory == 'p' && memory[1] == 'i' ? static_cast<double>(size) + 1e5 : 100);
  const auto rules = tested.reported().rules;
  EXPECT_THAT(rules[0].why, HasSubstr("If the memory is used 20 times or fewer, use copy/pageable "
                                      "instead."));
  EXPECT_THAT(rules[1].why, HasSubstr("if its memory is used 100 times or more"));
  EXPECT_THAT(rules[0].why, Not(HasSubstr("was not measured")));
}

TEST(rules, are_also_of_what_stays_in_ordinary_memory) {
  auto tested = beside(2);
  tested.copies("staged", large, 4e6, six,
                {{"memory", "pageable"}, {"method", "staged"}, {"plainness", 1}});
  const auto rules = tested.reported().rules;
  ASSERT_EQ(rules.size(), 3);
  EXPECT_EQ(rules[2].code, "ordinary");
  EXPECT_THAT(uses(rules[2]), ElementsAre("copy/staged"));
}

TEST(rules, are_none_without_a_gpu_or_with_faults) {
  auto tested = beside(2);
  auto faulty = tested;
  faulty.facts["run"]["faults_injected"] = {"short_times"};
  EXPECT_THAT(faulty.reported().rules, IsEmpty());
  tested.without_gpu();
  EXPECT_THAT(tested.reported().rules, IsEmpty());
}

TEST(recommendations, rest_on_what_was_measured) {
  const auto basis = beside(2).reported().basis;
  std::vector<std::string> codes;
  for (const auto& said : basis) codes.push_back(said.code);
  EXPECT_THAT(codes, ElementsAre("predicted", "map", "extrapolated", "not_included"));
  EXPECT_THAT(basis[0].text, HasSubstr("advise: the transfer alone. The plainest strategy within "
                                       "3 % of the fastest is named, or within 10 %"));
  EXPECT_THAT(made_up_run().copies("pinned", mib, 1e5).reported().basis, IsEmpty());
}

}  // namespace
}  // namespace bench_transfers::report::rules_test
