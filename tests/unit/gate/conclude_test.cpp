#include "src/gate/judge/conclude.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/gate/made_up_report.hpp"

namespace bench_transfers::gate::conclude_test {
namespace {

using enum benchmark_class;

/// Benchmarks of one class with one verdict.
std::vector<finding> several(std::size_t count, verdict result, benchmark_class kind = link,
                             double slower_by = 0) {
  const bool has_figures = result != verdict::missing && result != verdict::added;
  std::vector<finding> findings(
      count, has_figures ? compared("x", result, slower_by) : without_figures("x", result));
  for (auto& benchmark : findings) benchmark.kind = kind;
  return findings;
}

std::vector<finding> excused(std::size_t count, benchmark_class kind = link) {
  auto findings = several(count, verdict::missing, kind);
  for (auto& benchmark : findings) benchmark.excused = true;
  return findings;
}

/// Fewer than half of their repetitions are left.
std::vector<finding> with_few_repetitions(std::size_t count, benchmark_class kind = link) {
  std::vector<finding> findings(
      count, without_figures("x", verdict::not_known, remarks::few_repetitions{3, 3}));
  for (auto& benchmark : findings) benchmark.kind = kind;
  return findings;
}

/// Noise hides even three times their threshold.
std::vector<finding> blind(std::size_t count) {
  auto findings = several(count, verdict::not_known);
  for (auto& benchmark : findings) benchmark.judgement->resolution = std::log1p(0.07);
  return findings;
}

/// A check that has found these.
report check_of(const std::vector<std::vector<finding>>& groups) {
  report answer;
  answer.processes_after = least_new_processes;
  for (const auto& group : groups)
    answer.findings.insert(answer.findings.end(), group.begin(), group.end());
  for (const auto kind : all_classes)
    for (const auto& benchmark : answer.findings)
      if (benchmark.kind == kind && benchmark.result != verdict::added) {
        class_answer part;
        part.kind = kind;
        answer.classes.push_back(part);
        break;
      }
  return answer;
}

report concluded(report answer) {
  conclude(answer);
  return answer;
}

report concluded(const std::vector<std::vector<finding>>& groups) {
  return concluded(check_of(groups));
}

template <class Reason>
Reason only_reason(const report& answer) {
  EXPECT_EQ(answer.reasons.size(), 1);
  return std::get<Reason>(answer.reasons.at(0));
}

common_shift changed_class(double shift) {
  return {.kind = link, .benchmarks = 20, .shift = shift, .changed = true};
}

// One class.

TEST(conclusions, pass_if_half_of_a_class_is_tested) {
  const auto answer = concluded({several(15, verdict::unchanged), several(15, verdict::not_known)});
  EXPECT_EQ(answer.code, exit_code::pass);
  EXPECT_THAT(answer.reasons, IsEmpty());
  const auto& part = answer.classes.at(0);
  EXPECT_EQ(part.code, exit_code::pass);
  EXPECT_EQ(part.benchmarks, 30);
  EXPECT_EQ(part.compared, 30);
  EXPECT_EQ(part.tested, 15);
}

TEST(conclusions, are_inconclusive_if_less_is_tested) {
  for (const std::size_t tested : {14, 1, 0}) {
    const auto answer =
        concluded({several(tested, verdict::unchanged), several(30 - tested, verdict::not_known)});
    EXPECT_EQ(answer.code, exit_code::inconclusive);
    const auto cause = only_reason<reasons::too_few_can_show>(answer);
    EXPECT_EQ(cause.kind, link);
    EXPECT_EQ(cause.can_show, tested);
    EXPECT_EQ(cause.compared, 30);
    EXPECT_EQ(cause.benchmarks, 30);
  }
}

TEST(conclusions, count_what_is_faster_or_slower_as_tested) {
  for (const auto result : {verdict::faster, verdict::slower}) {
    const auto answer = concluded({several(5, result), several(5, verdict::not_known)});
    EXPECT_EQ(answer.code == exit_code::pass, result == verdict::faster);
    EXPECT_EQ(answer.classes.at(0).tested, 5);
    EXPECT_THAT(answer.reasons, IsEmpty());
  }
}

TEST(conclusions, need_a_tenth_of_the_class_whatever_may_be_missing) {
  const auto answer = concluded({several(1, verdict::unchanged), excused(9)});
  EXPECT_EQ(answer.code, exit_code::pass);
  EXPECT_EQ(answer.classes.at(0).excused, 9);
  EXPECT_EQ(answer.classes.at(0).benchmarks, 1);
  EXPECT_EQ(answer.classes.at(0).compared, 1);
  const auto fewer = concluded({several(1, verdict::unchanged), excused(10)});
  EXPECT_EQ(fewer.code, exit_code::inconclusive);
  EXPECT_EQ(only_reason<reasons::too_few_can_show>(fewer).benchmarks, 11);
}

TEST(conclusions, count_what_is_missing_among_the_benchmarks_to_test_but_not_what_is_new) {
  const auto beside_new = concluded({several(1, verdict::unchanged), several(5, verdict::added)});
  EXPECT_EQ(beside_new.code, exit_code::pass);
  EXPECT_EQ(beside_new.classes.at(0).benchmarks, 1);
  const auto answer = concluded({several(4, verdict::unchanged), several(5, verdict::missing)});
  EXPECT_EQ(answer.code, exit_code::inconclusive);
  ASSERT_EQ(answer.reasons.size(), 2);
  EXPECT_EQ(std::get<reasons::benchmarks_missing>(answer.reasons[0]).count, 5);
  const auto cause = std::get<reasons::too_few_can_show>(answer.reasons[1]);
  EXPECT_EQ(cause.compared, 4);
  EXPECT_EQ(cause.benchmarks, 9);
}

TEST(conclusions, are_inconclusive_about_a_single_missing_or_ambiguous_benchmark) {
  const auto with_one = [](verdict result) {
    const auto answer = concluded({several(40, verdict::unchanged), several(1, result)});
    EXPECT_EQ(answer.code, exit_code::inconclusive);
    return answer;
  };
  EXPECT_EQ(only_reason<reasons::benchmarks_missing>(with_one(verdict::missing)).kind, link);
  EXPECT_EQ(only_reason<reasons::ambiguous>(with_one(verdict::ambiguous)).count, 1);
}

TEST(conclusions, tell_noise_from_too_little_power) {
  EXPECT_EQ(only_reason<reasons::too_noisy>(concluded({blind(10)})).kind, link);
  EXPECT_EQ(
      only_reason<reasons::too_noisy>(concluded({blind(6), several(4, verdict::not_known)})).kind,
      link);
  only_reason<reasons::too_few_can_show>(concluded({blind(5), several(5, verdict::not_known)}));
}

TEST(conclusions, are_inconclusive_if_a_class_changed_as_a_whole) {
  auto answer = check_of({several(20, verdict::unchanged)});
  answer.classes[0].shared = changed_class(-0.1);
  conclude(answer);
  EXPECT_EQ(answer.code, exit_code::inconclusive);
  const auto cause = only_reason<reasons::environment_changed>(answer);
  EXPECT_EQ(cause.kind, link);
  EXPECT_EQ(cause.benchmarks, 20);
  EXPECT_DOUBLE_EQ(cause.slowdown, std::expm1(-0.1));
  answer.classes[0].shared->changed = false;
  EXPECT_EQ(concluded(answer).code, exit_code::pass);
}

/// A class that is slower as a whole, beyond doubt or perhaps; that decides or not; by which
/// figure; and what explains it.
TEST(conclusions, know_slower_environments) {
  for (const bool decides : {true, false})
    for (const auto figure : {&class_answer::shared, &class_answer::shared_by_mean}) {
      const auto code_of = [&](bool slower, bool may_be_slower, auto change) {
        auto answer = check_of({several(20, verdict::unchanged)});
        auto& part = answer.classes[0];
        part.decides = decides;
        part.*figure = changed_class(0.5);
        (part.*figure)->slower = slower;
        (part.*figure)->may_be_slower = may_be_slower;
        change(answer);
        return concluded(answer).code;
      };
      const auto nothing = [](report&) {};
      const auto veto = exit_code::regression;
      EXPECT_EQ(code_of(true, false, nothing), decides ? exit_code::environment : veto);
      EXPECT_EQ(code_of(false, true, nothing), exit_code::inconclusive);
      EXPECT_EQ(code_of(false, false, nothing),
                decides ? exit_code::inconclusive : exit_code::pass);
      EXPECT_EQ(code_of(true, false, [](report& answer) { answer.disturbed_runs = 1; }),
                exit_code::inconclusive);
      EXPECT_EQ(code_of(true, false,
                        [](report& answer) {
                          answer.changed.push_back({{"link.width", "16", "8"}, false});
                        }),
                exit_code::inconclusive);
    }
}

TEST(conclusions, put_what_decides_first) {
  auto answer =
      check_of({several(20, verdict::unchanged, link), several(1, verdict::slower, host)});
  answer.classes[0].shared = changed_class(0.5);
  answer.classes[0].shared->slower = true;
  EXPECT_EQ(concluded(answer).code, exit_code::regression);
  answer.classes[1].decides = false;
  EXPECT_EQ(concluded(answer).code, exit_code::environment);
  answer.classes[0].shared->slower = answer.classes[0].shared->changed = false;
  EXPECT_EQ(concluded(answer).code, exit_code::regression);  // a veto
  // Whatever else is in doubt.
  const auto doubtful = concluded({several(1, verdict::slower), several(1, verdict::missing),
                                   several(3, verdict::ambiguous), blind(30)});
  EXPECT_EQ(doubtful.code, exit_code::regression);
  EXPECT_EQ(doubtful.classes.at(0).code, exit_code::regression);
}

// All classes.

TEST(conclusions, judge_each_class_by_itself) {
  const auto answer =
      concluded({several(20, verdict::unchanged, link), several(20, verdict::not_known, latency),
                 several(1, verdict::slower, host)});
  ASSERT_EQ(answer.classes.size(), 3);
  EXPECT_EQ(answer.classes[0].code, exit_code::pass);
  EXPECT_EQ(answer.classes[1].code, exit_code::regression);
  EXPECT_EQ(answer.classes[2].code, exit_code::inconclusive);
  EXPECT_EQ(answer.classes[2].benchmarks, 20);
  EXPECT_EQ(answer.code, exit_code::regression);
  EXPECT_EQ(only_reason<reasons::too_few_can_show>(answer).kind, latency);
}

TEST(conclusions, are_inconclusive_if_one_class_is) {
  for (const auto& [first, second] : {std::pair{verdict::unchanged, verdict::not_known},
                                      {verdict::not_known, verdict::unchanged}})
    EXPECT_EQ(concluded({several(20, first, link), several(20, second, latency)}).code,
              exit_code::inconclusive);
}

TEST(conclusions, leave_out_classes_that_do_not_decide) {
  auto answer = check_of({several(20, verdict::unchanged, link), several(20, verdict::slower, host),
                          several(20, verdict::not_known, latency)});
  answer.classes[1].decides = answer.classes[2].decides = false;
  conclude(answer);
  EXPECT_EQ(answer.code, exit_code::regression);
  EXPECT_THAT(answer.reasons, IsEmpty());
  EXPECT_EQ(answer.classes[2].code, exit_code::inconclusive);
  EXPECT_EQ(answer.classes[2].reasons.size(), 1);
}

/// What a class that does not decide may do to the answer.
TEST(conclusions, are_vetoed_by_what_may_be_slower) {
  for (const auto& [result, code] : {std::pair{verdict::slower, exit_code::regression},
                                     std::pair{verdict::ambiguous, exit_code::inconclusive},
                                     std::pair{verdict::not_known, exit_code::pass},
                                     std::pair{verdict::missing, exit_code::inconclusive},
                                     std::pair{verdict::faster, exit_code::pass}}) {
    auto answer = check_of({several(20, verdict::unchanged, link), several(20, result, host)});
    answer.classes[1].decides = false;
    answer = concluded(answer);
    EXPECT_EQ(answer.code, code) << to_string(result);
    EXPECT_EQ(more_runs_may_tell(answer), result == verdict::ambiguous) << to_string(result);
  }
}

/// What was measured and could not be compared, of a class that decides or vetoes.
TEST(conclusions, need_half_of_a_class_to_be_compared) {
  for (const bool decides : {true, false})
    for (const std::size_t few : {0, 1, 10, 11, 20}) {
      const auto host_of = [&](bool is_excused) {
        auto lacking = with_few_repetitions(few, host);
        for (auto& benchmark : lacking) benchmark.excused = is_excused;
        auto answer = check_of({several(20, verdict::unchanged, link),
                                several(20 - few, verdict::unchanged, host), lacking});
        answer.classes[1].decides = decides;
        return concluded(answer);
      };
      const auto answer = host_of(false);
      const bool is_enough = few <= 10;
      EXPECT_EQ(answer.code, is_enough ? exit_code::pass : exit_code::inconclusive) << few;
      EXPECT_EQ(more_runs_may_tell(answer), !is_enough) << few;
      EXPECT_EQ(answer.classes[1].few_repetitions, few);
      if (!is_enough) {
        const auto cause = only_reason<reasons::repetitions_left_out>(answer);
        EXPECT_EQ(cause.kind, host);
        EXPECT_EQ(cause.count, few);
      }
      // Where a class decides, something of it must be tested all the same.
      const bool is_allowed = few < 20 || !decides;
      EXPECT_EQ(host_of(true).code, is_allowed ? exit_code::pass : exit_code::inconclusive) << few;
    }
}

TEST(conclusions, bound_nothing_that_was_not_compared) {
  const auto bound_with = [](std::size_t few) {
    return concluded({several(20, verdict::unchanged), several(5, verdict::not_known),
                      with_few_repetitions(few)})
        .classes[0]
        .bound_of_not_known;
  };
  EXPECT_TRUE(bound_with(0));
  EXPECT_FALSE(bound_with(1));
}

TEST(conclusions, are_not_those_of_a_deciding_class_of_which_nothing_is_measured) {
  for (const bool decides : {true, false}) {
    auto answer = check_of({several(20, verdict::unchanged, host), excused(20, link)});
    answer.classes[0].decides = decides;
    answer = concluded(answer);
    EXPECT_EQ(answer.code, decides ? exit_code::inconclusive : exit_code::pass);
    if (decides) {
      EXPECT_EQ(only_reason<reasons::too_few_can_show>(answer).kind, link);
    }
  }
}

/// The rest may be unlike a small part, such as those that were disturbed most.
TEST(conclusions, are_those_of_a_whole_class_if_half_of_it_was_compared) {
  for (const bool decides : {true, false})
    for (const auto figure : {&class_answer::shared, &class_answer::shared_by_mean})
      for (const std::size_t compared : {1, 9, 10, 20}) {
        auto answer =
            check_of({several(compared, verdict::not_known), with_few_repetitions(20 - compared),
                      several(40, verdict::unchanged, host)});
        auto& part = answer.classes[0];
        part.decides = decides;
        part.*figure = changed_class(1.5);
        (part.*figure)->benchmarks = compared;
        (part.*figure)->slower = true;
        answer = concluded(answer);
        const auto slower = decides ? exit_code::environment : exit_code::regression;
        EXPECT_EQ(answer.code, compared < 10 ? exit_code::inconclusive : slower);
        const auto cause = std::get<reasons::environment_changed>(answer.classes[0].reasons[0]);
        EXPECT_EQ(cause.benchmarks, compared);
        EXPECT_EQ(cause.of, 20);
      }
}

TEST(conclusions, say_by_how_much_a_class_has_crept_that_decides_or_vetoes) {
  auto answer =
      check_of({several(20, verdict::unchanged, link), several(20, verdict::unchanged, host)});
  answer.classes[1].crept = 0.25;
  for (const bool decides : {true, false}) {
    answer.classes[1].decides = decides;
    const auto concluding = concluded(answer);
    EXPECT_EQ(concluding.code, exit_code::inconclusive);
    EXPECT_EQ(only_reason<reasons::class_crept>(concluding).kind, host);
    EXPECT_EQ(only_reason<reasons::class_crept>(concluding).slowdown, 0.25);
  }
}

TEST(conclusions, of_what_was_measured_in_turn_have_no_bound_of_the_first_runs) {
  auto answer = check_of({several(20, verdict::unchanged, link)});
  for (auto& benchmark : answer.findings) benchmark.judgement->at_most = 0.01;
  answer.findings[7].judgement->at_most = 0.3;
  const auto bound = [&] { return *concluded(answer).classes[0].bound; };
  EXPECT_NEAR(bound(), 0.35, 0.01);
  answer.findings[7].note = remarks::measured_in_turn{-0.0004, 0.5};
  EXPECT_NEAR(bound(), 0.01, 0.001);
}

/// Of each class by itself, of the figure that the bound is named after, and never below 0.
TEST(conclusions, have_the_largest_bound_of_each_verdict) {
  const auto bounded = [](verdict result, double by_median, double by_mean,
                          benchmark_class kind = link) {
    auto group = several(1, result, kind);
    group[0].judgement->at_most = std::log1p(by_median);
    group[0].by_mean = benchmark_judgement{};
    group[0].by_mean->at_most = std::log1p(by_mean);
    group[0].mean_threshold = 0.05;
    return group;
  };
  const auto answer = concluded(
      {bounded(verdict::unchanged, 0.012, 0.03), bounded(verdict::unchanged, 0.015, 0.04),
       bounded(verdict::unchanged, 0.001, 0.06), bounded(verdict::not_known, 0.08, 0.045),
       bounded(verdict::slower, 0.7, 0.049), bounded(verdict::unchanged, -0.3, -0.3, host)});
  const auto& part = answer.classes.at(0);
  EXPECT_NEAR(part.bound.value(), 0.015, 1e-12);
  EXPECT_NEAR(part.bound_by_mean.value(), 0.04, 1e-12);
  EXPECT_NEAR(part.bound_of_not_known.value(), 0.08, 1e-12);
  EXPECT_EQ(part.tested, 4);
  EXPECT_EQ(part.tested_by_mean, 3);
  EXPECT_EQ(answer.classes.at(1).bound, 0);
  EXPECT_EQ(answer.classes.at(1).bound_of_not_known, std::nullopt);
  const auto by_median = concluded({several(1, verdict::unchanged)}).classes.at(0);
  EXPECT_EQ(by_median.bound_by_mean, std::nullopt);
  EXPECT_EQ(by_median.tested_by_mean, 0);
}

TEST(conclusions, tell_what_single_runs_showed_from_other_doubts) {
  auto answer = check_of({several(20, verdict::unchanged), several(3, verdict::ambiguous)});
  answer.findings[20].judgement->sighting = answer.findings[21].judgement->sighting =
      sighting::open;
  answer.findings[1].judgement->sighting = sighting::cleared;
  answer = concluded(answer);
  EXPECT_EQ(answer.code, exit_code::inconclusive);
  ASSERT_EQ(answer.reasons.size(), 2);
  EXPECT_EQ(std::get<reasons::ambiguous>(answer.reasons[0]).count, 1);
  EXPECT_EQ(std::get<reasons::ambiguous>(answer.reasons[0]).kind, link);
  EXPECT_EQ(std::get<reasons::seen_slower>(answer.reasons[1]).count, 2);
  EXPECT_EQ(std::get<reasons::seen_slower>(answer.reasons[1]).kind, link);
  EXPECT_EQ(answer.classes[0].cleared, 1);
  EXPECT_TRUE(more_runs_may_tell(answer));
  // What is slower by other evidence is not in doubt.
  answer = check_of({several(20, verdict::unchanged), several(1, verdict::slower)});
  answer.findings[20].judgement->sighting = sighting::open;
  EXPECT_THAT(concluded(answer).reasons, IsEmpty());
}

/// Repetitions that are left out are a reason only where too little is tested.
TEST(conclusions, say_that_repetitions_were_left_out) {
  const auto with_few = [](std::size_t few) {
    return concluded({several(10, verdict::unchanged), with_few_repetitions(few)});
  };
  EXPECT_EQ(with_few(10).code, exit_code::pass);
  const auto answer = with_few(11);
  EXPECT_EQ(answer.code, exit_code::inconclusive);
  const auto cause = only_reason<reasons::repetitions_left_out>(answer);
  EXPECT_EQ(cause.kind, link);
  EXPECT_EQ(cause.count, 11);
  EXPECT_TRUE(more_runs_may_tell(answer));
}

/// The median says it first, where both have changed.
TEST(conclusions, say_by_how_much_a_class_has_changed_by_its_means) {
  for (const auto& [by_median, by_mean] : {std::pair{false, true}, {true, true}, {true, false}}) {
    auto answer = check_of({several(20, verdict::not_known)});
    auto& part = answer.classes[0];
    part.shared = changed_class(0.1);
    part.shared_by_mean = changed_class(0.3);
    part.shared->changed = by_median;
    part.shared_by_mean->changed = by_mean;
    part.shared_by_mean->benchmarks = 17;
    const auto cause = only_reason<reasons::environment_changed>(concluded(answer));
    EXPECT_EQ(cause.kind, link);
    EXPECT_EQ(cause.benchmarks, by_median ? 20 : 17);
    EXPECT_DOUBLE_EQ(cause.slowdown, std::expm1(by_median ? 0.1 : 0.3));
  }
}

// The runs.

TEST(conclusions, count_older_runs_once) {
  auto answer = check_of({several(20, verdict::unchanged)});
  answer.older_runs = 2;
  answer.changed.push_back({{"run.started_utc", "b", "a"}, false});
  const auto cause = only_reason<reasons::runs_older>(concluded(answer));
  EXPECT_EQ(cause.older, 2);
  EXPECT_EQ(cause.runs, 3);
  // One of each run.
  answer.changed.push_back({{"link.width", "16", "8"}, false});
  answer.changed.push_back({{"link.width", "16", "4"}, false});
  answer = concluded(answer);
  ASSERT_EQ(answer.reasons.size(), 2);
  EXPECT_THAT(std::get<reasons::machine_differs>(answer.reasons[1]).keys,
              ElementsAre("link.width"));
}

TEST(conclusions, are_inconclusive_on_another_machine_whatever_is_slower) {
  auto answer =
      check_of({several(20, verdict::unchanged, link), several(1, verdict::slower, host)});
  answer.changed.push_back({{"link.width", "16", "8"}, false});
  conclude(answer);
  EXPECT_EQ(answer.code, exit_code::inconclusive);
  EXPECT_EQ(answer.classes[0].code, exit_code::inconclusive);
  EXPECT_EQ(answer.classes[1].code, exit_code::inconclusive);
  EXPECT_THAT(only_reason<reasons::machine_differs>(answer).keys, ElementsAre("link.width"));
  answer.changed[0].allowed = true;
  EXPECT_EQ(concluded(answer).code, exit_code::regression);
}

TEST(conclusions, do_not_blame_the_program_for_disturbed_runs) {
  auto answer =
      check_of({several(20, verdict::unchanged, link), several(1, verdict::slower, host)});
  answer.disturbed_runs = 2;
  conclude(answer);
  EXPECT_EQ(answer.code, exit_code::inconclusive);
  EXPECT_EQ(answer.classes[0].code, exit_code::pass);
  EXPECT_EQ(answer.classes[1].code, exit_code::inconclusive);
  const auto cause = only_reason<reasons::runs_disturbed>(answer);
  EXPECT_EQ(cause.disturbed, 2);
  EXPECT_EQ(cause.runs, 3);
  auto not_slower = check_of({several(20, verdict::unchanged)});
  not_slower.disturbed_runs = 1;
  EXPECT_EQ(concluded(not_slower).code, exit_code::pass);
}

TEST(conclusions, need_three_runs) {
  auto answer = check_of({several(20, verdict::missing, link), excused(5, host)});
  answer.processes_after = 2;
  conclude(answer);
  EXPECT_EQ(answer.code, exit_code::inconclusive);
  const auto cause = only_reason<reasons::too_few_runs>(answer);
  EXPECT_EQ(cause.runs, 2);
  EXPECT_EQ(cause.needed, 3);
  EXPECT_EQ(answer.classes[0].code, exit_code::inconclusive);
  EXPECT_THAT(answer.classes[0].reasons, IsEmpty());
  EXPECT_EQ(answer.classes[1].code, exit_code::pass);  // nothing of it is needed
  answer.processes_after = 3;
  EXPECT_FALSE(std::holds_alternative<reasons::too_few_runs>(concluded(answer).reasons.at(0)));
}

TEST(conclusions, are_inconclusive_if_nothing_was_compared) {
  const auto answer = concluded({excused(20)});
  EXPECT_EQ(answer.code, exit_code::inconclusive);
  only_reason<reasons::nothing_compared>(answer);
  // What is missing says so itself.
  only_reason<reasons::benchmarks_missing>(concluded({several(20, verdict::missing)}));
}

// The order of the findings.

TEST(conclusions, put_the_worst_first) {
  const auto named = [](std::string name, verdict result, double slower_by = 0) {
    auto benchmark = several(1, result, link, slower_by).front();
    benchmark.name = std::move(name);
    return benchmark;
  };
  auto allowed = named("allowed", verdict::missing);
  allowed.excused = true;
  const auto answer = concluded(
      {{allowed, named("unchanged", verdict::unchanged), named("not known", verdict::not_known),
        named("new", verdict::added), named("faster", verdict::faster, -0.1),
        named("much faster", verdict::faster, -0.2), named("missing", verdict::missing),
        named("ambiguous", verdict::ambiguous, 0.3), named("slower", verdict::slower, 0.1),
        named("much slower", verdict::slower, 0.2)}});
  std::vector<std::string> names;
  for (const auto& benchmark : answer.findings) names.push_back(benchmark.name);
  EXPECT_THAT(names, ElementsAre("much slower", "slower", "ambiguous", "missing", "much faster",
                                 "faster", "new", "not known", "allowed", "unchanged"));
}

// More runs.

TEST(more_runs, may_tell_what_is_ambiguous_or_too_little_power) {
  const auto may_tell = [](const std::vector<std::vector<finding>>& groups) {
    return more_runs_may_tell(concluded(groups));
  };
  const auto unsure = several(1, verdict::ambiguous);
  EXPECT_TRUE(may_tell({several(20, verdict::unchanged), unsure}));
  EXPECT_TRUE(may_tell({several(20, verdict::not_known)}));
  EXPECT_TRUE(may_tell({several(20, verdict::not_known), unsure}));
  // Where there is a verdict, or another reason, they are of no use.
  EXPECT_FALSE(may_tell({several(20, verdict::unchanged)}));
  EXPECT_FALSE(may_tell({several(1, verdict::slower), unsure}));
  EXPECT_FALSE(may_tell({unsure, several(1, verdict::missing)}));
  EXPECT_FALSE(may_tell({unsure, blind(20)}));
}

TEST(more_runs, are_of_use_by_what_is_known_of_all_runs) {
  const auto may_tell_with = [](verdict result, auto change) {
    auto answer = check_of({several(20, result)});
    change(answer);
    return more_runs_may_tell(concluded(answer));
  };
  using enum verdict;
  EXPECT_FALSE(
      may_tell_with(ambiguous, [](report& of) { of.classes[0].shared = changed_class(0.1); }));
  for (const bool allowed : {true, false})  // on another machine
    EXPECT_EQ(may_tell_with(ambiguous,
                            [&](report& of) {
                              of.changed.push_back({{"link.width", "16", "8"}, allowed});
                            }),
              allowed);
  EXPECT_TRUE(may_tell_with(missing, [](report& of) { of.processes_after = 2; }));
}

TEST(more_runs, need_only_help_one_class_that_decides_or_vetoes) {
  auto answer =
      check_of({several(20, verdict::ambiguous, link), several(20, verdict::missing, host)});
  for (const bool decides : {true, false}) {
    answer.classes[0].decides = decides;
    EXPECT_TRUE(more_runs_may_tell(concluded(answer)));
  }
}

/// By the figure that its verdict is of, and whether chance may explain that it was seen twice.
TEST(conclusions, count_what_was_seen_slower_by_its_own_figure) {
  auto seen = several(5, verdict::ambiguous);
  seen[0].judgement->sighting = sighting::open;
  seen[1].judgement->sighting = sighting::unsure;
  for (const std::size_t i : {2, 3}) {
    seen[i].by_mean = seen[i].judgement;
    seen[i].decided_by = figure::mean;
  }
  seen[2].by_mean->sighting = sighting::open;
  seen[3].judgement->sighting = sighting::open;  // what it was cleared by is the mean's
  const auto answer = concluded({several(20, verdict::unchanged), seen});
  ASSERT_EQ(answer.reasons.size(), 2U);
  EXPECT_EQ(std::get<reasons::ambiguous>(answer.reasons[0]).count, 2U);
  EXPECT_EQ(std::get<reasons::seen_slower>(answer.reasons[1]).count, 3U);
  EXPECT_EQ(std::get<reasons::seen_slower>(answer.reasons[1]).again, 1U);
}

/// A class that may be slower as a whole keeps the answer from a pass, whatever more runs show.
TEST(more_runs, may_show_a_regression_beside_a_reason_that_stays) {
  const auto tells = [](verdict of_link) {
    auto answer = check_of({several(20, of_link, link), several(20, verdict::unchanged, host)});
    answer.classes[1].decides = false;
    answer.classes[1].shared = changed_class(0.3);
    answer.classes[1].shared->may_be_slower = true;
    return more_runs_may_tell(concluded(answer));
  };
  EXPECT_TRUE(tells(verdict::ambiguous));
  EXPECT_FALSE(tells(verdict::not_known));
  EXPECT_FALSE(tells(verdict::unchanged));
}

}  // namespace
}  // namespace bench_transfers::gate::conclude_test
