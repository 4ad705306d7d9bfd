
#include "tests/basics.hpp"
#include "tests/unit/report/made_up_run.hpp"

namespace bench_transfers::report::matters_test {
namespace {

std::vector<std::string> codes(const made_up_run& tested) {
  std::vector<std::string> found;
  for (const auto& said : tested.reported().matters) found.push_back(said.code);
  return found;
}

made_up_run pinned_beside_pageable(double factor) {
  return made_up_run().copies("pageable", mib, 1e5 * factor).copies("pinned", mib, 1e5);
}

/// A run for each code, which says this and nothing else.
std::map<std::string, made_up_run> runs_by_code() {
  std::map<std::string, made_up_run> runs;
  runs["pageable_slower"] = pinned_beside_pageable(2);
  runs["asynchronous_copy_blocks"].add("copy_async/pageable",
                                       {{"memory", "pageable"}, {"direction", "h2d"}}, mib, 1e5,
                                       six, {{"enqueue_ns", 9e4}});
  runs["written_lines_slow"]
      .copies("pinned", mib, 1e5)
      .add("copy/pinned",
           {{"memory", "pinned"}, {"direction", "h2d"}, {"cache", "written_by_all_awake"}}, mib,
           3e5);
  const json scattered{{"role", "scattered_copy"},
                       {"direction", "h2d"},
                       {"memory", "pinned"},
                       {"setting", "4KiB_blocks"},
                       {"method", "loop"}};
  auto batch = scattered;
  batch["method"] = "batch";
  batch["plainness"] = 1;
  runs["gathering_faster"]
      .add("scattered_copy/loop", scattered, mib, 3e5)
      .add("scattered_copy/batch", batch, mib, 1e5);
  runs["both_ways"].add("duplex/engines/pinned",
                        {{"role", "duplex"}, {"direction", "both"}, {"memory", "pinned"}}, mib, 1e5,
                        six,
                        {{"h2d_alone_gb_per_s", 50},
                         {"h2d_gb_per_s", 40},
                         {"d2h_alone_gb_per_s", 50},
                         {"d2h_gb_per_s", 45}});
  runs["overlap_faster"]
      .add("overlap/whole", {{"role", "overlap"}, {"memory", "pinned"}}, mib, 3e5)
      .add("overlap/pieces", {{"role", "overlap"}, {"memory", "pinned"}, {"plainness", 1}}, mib,
           2e5);
  runs["messages_faster"]
      .add("message/memcpy", {{"role", "latency"}, {"method", "memcpy"}}, 4, 3e4)
      .add("message/flag", {{"role", "latency"}, {"method", "mapped_flag"}, {"plainness", 1}}, 4,
           4e3);
  for (const auto* setting : {"fresh", "touched"})
    runs["fresh_memory_slower"].add(std::string("array/") + setting,
                                    {{"role", "array"},
                                     {"direction", "d2h"},
                                     {"memory", "pageable"},
                                     {"variant", "float32"},
                                     {"setting", setting}},
                                    mib, *setting == 'f' ? 2e5 : 1e5);
  runs["registering_faster"]
      .add("allocate/pinned", {{"role", "allocation"}, {"memory", "pinned"}}, mib, 3e5)
      .add("allocate/registered_huge", {{"role", "allocation"}, {"memory", "registered_huge"}}, mib,
           1e5);
  for (const auto& [code, type] : {std::pair("write_combined_reads_slow", "uncached"),
                                   std::pair("write_combined_without_effect", "write-back")})
    runs[code].copies("pinned", mib, 1e5).facts["buffers"] = {
        {{"memory", "pinned_wc"},
         {"write_combined", true},
         {"memory_type", type},
         {"cpu_reads", {{"plain_gb_per_s", 0.5}}},
         {"cpu_reads_of_ordinary_memory", {{"plain_gb_per_s", 10.0}}}}};
  runs["write_combined_slower"]
      .add("copy/pinned", {{"memory", "pinned"}, {"direction", "h2d"}}, mib, 1e5)
      .add("copy/pinned_wc", {{"memory", "pinned_wc"}, {"direction", "h2d"}}, mib, 2e5);
  for (const auto* memory : {"pinned", "pinned_portable", "pinned_mapped", "pinned_wc"})
    runs["flags_without_effect"].copies(memory, mib, 1e5);
  return runs;
}

TEST(what_matters, is_said_by_each_code_alone) {
  for (const auto& [code, tested] : runs_by_code()) EXPECT_THAT(codes(tested), ElementsAre(code));
}

TEST(what_matters, is_nothing_of_a_run_without_a_gpu_or_with_faults) {
  for (auto& [code, tested] : runs_by_code()) {
    auto faulty = tested;
    faulty.facts["run"]["faults_injected"] = {"short_times"};
    EXPECT_THAT(codes(faulty), IsEmpty()) << code;
    tested.without_gpu();
    EXPECT_THAT(codes(tested), IsEmpty()) << code;
  }
}

TEST(what_matters, needs_a_tenth_and_repetitions_that_agree) {
  EXPECT_THAT(codes(pinned_beside_pageable(1.05)), IsEmpty());
  const auto noisy = made_up_run()
                         .copies("pageable", mib, 1.3e5, {0.5, 0.6, 1.0, 1.0, 1.5, 1.6})
                         .copies("pinned", mib, 1e5);
  EXPECT_THAT(codes(noisy), IsEmpty());
}

TEST(what_matters, names_the_staged_way_where_it_helps) {
  auto tested = pinned_beside_pageable(3);
  tested.copies("staged", mib, 1.5e5, six,
                {{"memory", "pageable"}, {"method", "staged"}, {"plainness", 1}});
  const auto said = tested.reported().matters.front();
  EXPECT_THAT(said.text, HasSubstr("3.00× as fast as those of pageable memory: 1 MiB"));
  EXPECT_THAT(said.text, HasSubstr("Staged copies of pageable memory reach 6.991 GB/s"));
  EXPECT_DOUBLE_EQ(said.data.at("factor").get<double>(), 3);
}

TEST(what_matters, begins_with_the_largest_factor) {
  auto tested = runs_by_code()["flags_without_effect"];
  tested.copies("pageable", mib, 4e5);
  EXPECT_THAT(codes(tested), ElementsAre("pageable_slower", "flags_without_effect"));
}

}  // namespace
}  // namespace bench_transfers::report::matters_test
