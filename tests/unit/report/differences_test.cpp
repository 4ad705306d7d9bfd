
#include "tests/basics.hpp"
#include "tests/unit/report/made_up_run.hpp"

namespace bench_transfers::report::differences_test {
namespace {

json compared(const std::vector<made_up_run>& runs) {
  std::vector<run_report> reports;
  for (const auto& each : runs) reports.push_back(each.reported());
  return json::parse(document_of(reports))["comparisons"];
}

/// Of three processes, unlike all others in its last digits: two runs with equal numbers are one.
made_up_run machine(double factor, const std::vector<double>& parts = six,
                    std::size_t processes = 3) {
  static int number = 0;
  const double ns = 1e6 * factor * (1 + 1e-5 * ++number);
  return made_up_run().by_processes(processes).copies("pinned", 64 * mib, ns, parts);
}

json first_difference(const made_up_run& first, const made_up_run& other) {
  return compared({first, other})[0]["questions"][0]["differences"][0];
}

TEST(differences, are_those_that_compare_tells) {
  struct expected {
    made_up_run other;
    const char *known, *doubt;
  };
  for (const auto& [other, known, doubt] :
       {expected{machine(1.25), "slower", ""}, expected{machine(0.8), "faster", ""},
        expected{machine(1.0), "not_told", ", not significant"}}) {
    const auto seen = first_difference(machine(1), other);
    EXPECT_EQ(seen["known"], known);
    EXPECT_EQ(seen["doubt"], doubt);
  }
  const auto slower = first_difference(machine(1), machine(1.25));
  EXPECT_NEAR(slower["value"], 0.25, 0.001);
  EXPECT_LT(slower["low"], slower["value"]);
  EXPECT_THAT(slower["text"].get<std::string>(), StartsWith("+25.0 % [+"));
}

TEST(differences, of_one_process_need_more_runs) {
  const auto seen = first_difference(machine(1, six, 1), machine(1.25, six, 1));
  EXPECT_EQ(seen["known"], "needs_runs");
  EXPECT_EQ(seen["doubt"], ", needs more runs");
  const auto document = compared({machine(1, six, 1), machine(1.25, six, 1)})[0];
  EXPECT_EQ(document["interval"], "95 % within the runs");
  EXPECT_THAT(document["explanation"], HasSubstr("no row is called slower or faster"));
  EXPECT_EQ(first_difference(machine(1, {1.0}, 1), machine(1.25, {1.0}, 1))["known"],
            "no_interval");
}

TEST(differences, are_said_of_each_further_run) {
  const auto document = compared({machine(1), machine(1.25), machine(1)})[0];
  EXPECT_THAT(document["differences"][0],
              HasSubstr("worse at pinned memory to the device, 64 MiB (+25.0 % [+"));
  EXPECT_EQ(document["differences"][1], "not significant at 2 of 2 questions");
  EXPECT_EQ(document["interval"], "95 % interval");
  EXPECT_EQ(document["transfers"]["copy/pinned/h2d/64MiB"].size(), 2);
}

TEST(differences, rank_runs_and_share_places) {
  const auto document = compared({machine(1.25), machine(1), machine(1.001)})[0];
  EXPECT_EQ(document["questions"][0]["ranks"], json({3, 1, 1}));
  auto slow_link = machine(1.25);
  slow_link.facts["link"]["limit_gb_per_s"] = 31.5;
  const auto by_link = compared({slow_link, machine(1)})[0]["questions"][0];
  EXPECT_EQ(by_link["ranks"], json({2, 1}));
  EXPECT_EQ(by_link["ranks_by_link"], json({1, 2}));
}

TEST(differences, of_work_are_those_of_its_own_counter) {
  const auto measured = [](double factor, double work) {
    auto run = machine(factor);
    for (const auto* direction : {"h2d", "d2h"})
      run.add("copy/pageable", {{"memory", "pageable"}, {"direction", direction}}, 64 * mib,
              1e6 * factor, six, {{"cpu_s_per_gb", work}});
    return run;
  };
  const auto answer = compared({measured(1, 0.1), measured(1.25, 0.05)});
  for (const auto& asked : answer[0]["questions"])
    EXPECT_EQ(asked["differences"][0]["known"],
              asked["counter"] == "cpu_s_per_gb" ? "faster" : "slower");
}

TEST(differences, are_not_of_one_run_with_itself) {
  const auto twice = machine(1);
  const auto document = compared({twice, twice})[0];
  EXPECT_TRUE(document["questions"].empty());
  ASSERT_EQ(document["problems"].size(), 1);
  EXPECT_EQ(document["problems"][0]["code"], "not_comparable");
  EXPECT_THAT(document["problems"][0]["text"], HasSubstr("run 2"));
}

TEST(differences, are_of_runs_with_a_gpu_and_without_faults) {
  auto host = machine(1);
  host.without_gpu();
  EXPECT_EQ(compared({host, machine(1), machine(1)})[0]["runs"], 2);
  EXPECT_TRUE(compared({host, machine(1)}).empty());
  auto faulty = machine(1);
  faulty.facts["run"]["faults_injected"] = {"short_times"};
  EXPECT_TRUE(compared({machine(1), faulty}).empty());
}

TEST(differences, are_of_figures_of_one_procedure) {
  const auto of_procedure = [](double number) {
    static int made = 0;
    const double ns = 1e6 * (1 + 1e-5 * ++made);
    return made_up_run()
        .add("copy/pinned", {{"memory", "pinned"}, {"direction", "h2d"}}, 64 * mib, ns, six,
             {{"procedure", number}})
        .add("copy/pinned", {{"memory", "pinned"}, {"direction", "d2h"}}, 64 * mib, ns);
  };
  const auto name = "copy/pinned/h2d/64MiB";
  const auto document = compared({of_procedure(1), of_procedure(1), of_procedure(2)})[0];
  EXPECT_EQ(document["questions"].size(), 1);
  EXPECT_FALSE(document["transfers"][name][0].is_null());
  EXPECT_TRUE(document["transfers"][name][1].is_null());
  ASSERT_EQ(document["problems"].size(), 1) << document["problems"];
  EXPECT_EQ(document["problems"][0]["code"], "procedures_differ");
  EXPECT_EQ(document["problems"][0]["data"]["benchmarks"], json({name}));
  const auto alike = compared({of_procedure(2), of_procedure(2)})[0];
  EXPECT_EQ(alike["questions"].size(), 2);
  EXPECT_TRUE(alike["problems"].empty());
}

TEST(differences, are_of_as_many_runs_as_have_room) {
  std::vector<made_up_run> many;
  for (int i = 0; i < 14; ++i) many.push_back(machine(1));
  const auto all = compared(many);
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0]["runs"], 6);
  EXPECT_EQ(all[1]["runs"], 12);
}

TEST(alike, are_those_that_repetitions_do_not_tell_apart) {
  made_up_run tested;
  for (const auto size : {std::size_t{1024}, 64 * mib}) {
    const auto ns = 5000 + static_cast<double>(size) / 10;
    tested.copies("pageable", size, ns).copies("pinned", size, ns / 1.005);
    tested.copies("pinned_wc", size, ns / 1.05, six, {{"plainness", 2}});
    tested.copies("managed", size, ns / 1.05, {0.9, 0.95, 1.0, 1.0, 1.05, 1.1}, {{"plainness", 3}});
  }
  const auto all = tested.reported().alike;
  using groups = std::vector<std::vector<std::string>>;
  const groups expected{{"copy/pageable", "copy/pinned", "copy/managed"}, {"copy/pinned_wc"}};
  for (const auto& each : all) {
    const auto wanted = each.of == "allocation" ? groups() : expected;
    EXPECT_EQ(each.groups, wanted) << each.size.value_or(0);
  }
  EXPECT_EQ(all.size(), 6);
}

TEST(alike, are_those_that_differ_little_or_only_by_noise) {
  struct expected {
    double factor, spread;
    std::size_t groups;
  };
  for (const auto& [factor, spread, groups] :
       {expected{1.005, 0, 1},     // closer than 1 %
        expected{1.05, 0, 2},      // all repetitions agree
        expected{1.05, 0.2, 1},    // not told apart
        expected{1.3, 0.9, 2}}) {  // neither, but nobody would call it alike
    const std::vector<double> parts{1 - spread, 1, 1 + spread};
    const auto tested = made_up_run()
                            .copies("pageable", mib, 1e5 * factor, parts)
                            .copies("pinned", mib, 1e5, parts);
    EXPECT_EQ(tested.reported().alike.front().groups.size(), groups) << factor;
  }
}

TEST(alike, have_the_same_sizes) {
  const auto tested = made_up_run()
                          .copies("pageable", mib, 1e5)
                          .copies("pageable", 64 * mib, 1e6)
                          .copies("pinned", mib, 1e5);
  EXPECT_EQ(tested.reported().alike.front().groups.size(), 2);
}

}  // namespace
}  // namespace bench_transfers::report::differences_test
