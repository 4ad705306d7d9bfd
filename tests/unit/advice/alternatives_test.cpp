#include "src/advice/alternatives.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/advice/role_answers.hpp"
#include "src/advice/text.hpp"
#include "src/advice/to_json.hpp"
#include "src/exports/text.hpp"
#include "src/result_file/reader.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::advice::alternatives_test {
namespace {

using result_file::direction;

constexpr double mib = 1 << 20;

/// A role of a strategy's own, which nothing here knows.
constexpr auto own_role = "teleport";

/// A benchmark of a file, and how long it takes.
struct made_up_benchmark {
  std::string strategy, role = own_role, direction = "h2d";
  std::optional<std::string> setting = {}, memory = {}, variant = {};
  unsigned plainness = 1;
  double size = mib;
  double ns = 1000;
  json counters = json::object();
  std::string cache = "warm";
  std::vector<std::size_t> devices = {0};
  unsigned repetitions = 5;
  bool failed = false;
};

json text_or_null(const std::optional<std::string>& text) {
  return text ? json(*text) : json(nullptr);
}

/// A result file of benchmarks, each with repetitions of exactly the same time.
class made_up_file {
 public:
  void add(const made_up_benchmark& added) {
    const auto name = added.strategy + "/" + added.variant.value_or("") + "/" +
                      std::to_string(benchmarks_.size());
    benchmarks_[name] = {{"family", added.strategy.substr(0, added.strategy.find('/'))},
                         {"strategy", added.strategy},
                         {"method", nullptr},
                         {"setting", text_or_null(added.setting)},
                         {"memory", text_or_null(added.memory)},
                         {"variant", text_or_null(added.variant)},
                         {"direction", added.direction},
                         {"size_bytes", static_cast<std::size_t>(added.size)},
                         {"cache", added.cache},
                         {"devices", added.devices},
                         {"role", added.role},
                         {"plainness", added.plainness},
                         {"in_place", false},
                         {"emulation", false}};
    roles_[added.role] = {{"description", "about " + added.role}, {"table", "times"}};
    for (unsigned i = 0; i < added.repetitions; ++i) {
      json row{{"run_name", name},  {"run_type", "iteration"}, {"real_time", added.ns},
               {"time_unit", "ns"}, {"median_ns", added.ns},   {"bytes", added.size}};
      if (added.failed) row["error_occurred"] = true;
      row.update(added.counters);
      rows_.push_back(std::move(row));
    }
  }

  /// The same at 1 and 4 MiB, in proportion to the size.
  void add_sizes(made_up_benchmark added) {
    add(added);
    added.size *= 4;
    added.ns *= 4;
    add(added);
  }

  void add_metric(const std::string& name, const json& described) { metrics_[name] = described; }

  [[nodiscard]] result_file::contents read() const {
    return result_file::read_json(
        {{"context",
          {{"transfers",
            {{"format", 2},
             {"complete", true},
             {"device", {{"kind", "cuda"}, {"name", "Some GPU"}}},
             {"devices",
              {{{"id", "cuda:0"}, {"kind", "cuda"}}, {{"id", "cuda:1"}, {"kind", "cuda"}}}},
             {"roles", roles_},
             {"metrics", metrics_},
             {"benchmarks", benchmarks_}}}}},
         {"benchmarks", rows_}},
        "some.json");
  }

  [[nodiscard]] std::vector<alternatives> of(const std::string& role) const {
    return alternatives_in(read(), "some.json", 0, role);
  }

 private:
  json benchmarks_ = json::object(), roles_ = json::object(), metrics_ = json::object();
  json rows_ = json::array();
};

question ask(double bytes, direction towards = direction::h2d, double reuse = 1) {
  return {.bytes = bytes, .direction = towards, .reuse = reuse};
}

std::vector<std::string> names(const ranking& ranked) {
  std::vector<std::string> names;
  for (const auto& strategy : ranked.strategies) names.push_back(strategy.name);
  return names;
}

ranking rank(const alternatives& job, const question& asked) {
  return cost_model(job.measured).rank(asked);
}

std::vector<std::string> jobs_of(const std::vector<alternatives>& all) {
  std::vector<std::string> jobs;
  for (const auto& job : all)
    jobs.push_back(result_file::to_string(job.direction) + " " + job.job.value_or("-"));
  return jobs;
}

TEST(alternatives, are_the_benchmarks_of_one_role_direction_and_setting) {
  made_up_file file;
  for (const auto* const setting : {"cold", "warm"})
    for (const auto* const direction : {"h2d", "d2h"})
      file.add({.strategy = "a/x", .direction = direction, .setting = setting});
  file.add({.strategy = "a/y", .setting = "cold"});
  file.add({.strategy = "a/z", .direction = "both"});
  file.add({.strategy = "b/x", .role = "other role", .setting = "cold"});
  const auto jobs = file.of(own_role);
  EXPECT_THAT(jobs_of(jobs), ElementsAre("h2d cold", "h2d warm", "d2h cold", "d2h warm", "both -"));
  EXPECT_THAT(names(rank(jobs[0], ask(mib))), UnorderedElementsAre("a/x", "a/y"));
  EXPECT_THAT(names(rank(jobs[4], ask(mib, direction::both))), ElementsAre("a/z"));
  EXPECT_THAT(jobs[0].families, ElementsAre("a"));
}

TEST(alternatives, are_ranked_by_predicted_time) {
  made_up_file file;
  file.add_sizes({.strategy = "a/slow", .ns = 3000});
  file.add_sizes({.strategy = "a/fast", .ns = 1000});
  const auto ranked = rank(file.of(own_role).at(0), ask(2 * mib));
  ASSERT_THAT(names(ranked), ElementsAre("a/fast", "a/slow"));
  EXPECT_THAT(ranked.strategies[0].total.value, DoubleNear(2000, 1));
  EXPECT_THAT(ranked.strategies[1].total.value, DoubleNear(6000, 1));
  EXPECT_EQ(recommended(ranked).name, "a/fast");
}

TEST(alternatives, take_the_time_of_the_size_whatever_was_moved) {
  made_up_file file;
  file.add({.strategy = "a/x", .direction = "both", .ns = 1000, .counters = {{"bytes", 2 * mib}}});
  EXPECT_DOUBLE_EQ(
      rank(file.of(own_role).at(0), ask(mib, direction::both)).strategies.at(0).total.value, 1000);
}

TEST(alternatives, of_a_single_size_are_known_at_that_size_only) {
  made_up_file file;
  file.add({.strategy = "a/x", .ns = 1000});
  const auto job = file.of(own_role).at(0);
  const auto at_size = rank(job, ask(mib));
  ASSERT_THAT(names(at_size), ElementsAre("a/x"));
  const auto& total = at_size.strategies[0].total;
  EXPECT_DOUBLE_EQ(total.value, 1000);
  EXPECT_LT(total.low, 1000);  // repetitions say nothing of what is systematic
  EXPECT_GT(total.high, 1000);
  EXPECT_FALSE(at_size.strategies[0].extrapolated);
  const auto elsewhere = rank(job, ask(2 * mib));
  EXPECT_THAT(elsewhere.strategies, IsEmpty());
  ASSERT_THAT(elsewhere.left_out, SizeIs(1));
  EXPECT_EQ(elsewhere.left_out[0].reason, "transfer measured at one size only");
  EXPECT_THAT(job.sizes, ElementsAre(mib));
}

TEST(alternatives, are_named_with_their_variant_unless_it_is_the_direction) {
  made_up_file file;
  file.add({.strategy = "a/x", .variant = "h2d"});
  file.add({.strategy = "a/x", .variant = "in_pieces"});
  // With cold caches or on other devices they do not count.
  file.add({.strategy = "a/cold", .cache = "cold"});
  file.add({.strategy = "a/other", .devices = {1}});
  file.add({.strategy = "a/both", .devices = {0, 1}});
  EXPECT_THAT(names(rank(file.of(own_role).at(0), ask(mib))),
              UnorderedElementsAre("a/x", "a/x/in_pieces"));
}

TEST(alternatives, of_small_copies_beside_a_bulk_copy_are_ranked_by_their_tail) {
  made_up_file file;
  const auto add = [&](const std::string& strategy, double median, double p99) {
    file.add({.strategy = strategy,
              .role = "interference",
              .setting = strategy + " says what it is",
              .memory = "pinned_mapped",
              .variant = "d2h/50KiB_h2d",
              .size = 1024 * mib,
              .ns = median,
              .counters = {{"bytes", 51200}, {"p99_ns", p99}}});
  };
  add("interference/engine/memcpy", 10'000, 90'000);
  add("interference/polite/memcpy", 20'000, 30'000);
  file.add({.strategy = "allocate/pinned_mapped",
            .role = "allocation",
            .direction = "none",
            .memory = "pinned_mapped"});
  const auto jobs = file.of("interference");
  ASSERT_THAT(jobs_of(jobs), ElementsAre("h2d d2h/50KiB_h2d"));
  EXPECT_EQ(jobs[0].time, "p99_ns");
  const auto ranked = rank(jobs[0], ask(1024 * mib));
  ASSERT_THAT(names(ranked),
              ElementsAre("interference/polite/memcpy", "interference/engine/memcpy"));
  EXPECT_DOUBLE_EQ(ranked.strategies[0].total.value, 30'000);
}

/// Three methods, each timed in turn with the plain form of the operation.
made_up_file timed_in_turn() {
  made_up_file file;
  file.add_metric("plain_ns", {{"unit", "ns"},
                               {"better", "less"},
                               {"kind", "duration"},
                               {"description", "the plain form"}});
  for (const auto& [name, ns, plain] :
       {std::tuple{"w/spin", 900, 1000}, {"w/sleep", 3000, 1002}, {"w/poll", 950, 998}})
    file.add({.strategy = name,
              .ns = static_cast<double>(ns),
              .counters = {{"plain_ns", plain}, {"over_plain_ns", ns - plain}}});
  return file;
}

TEST(alternatives, include_what_was_timed_in_turn_as_the_plainest) {
  const auto job = timed_in_turn().of(own_role).at(0);
  const auto ranked = rank(job, ask(mib));
  ASSERT_THAT(names(ranked), ElementsAre("w/spin", "w/poll", "plain", "w/sleep"));
  EXPECT_DOUBLE_EQ(ranked.strategies[2].total.value, 1000);  // the median of all
  EXPECT_EQ(ranked.baseline, "plain");
  EXPECT_THAT(job.in_turn, ElementsAre(Pair("plain", "the plain form")));
}

TEST(alternatives, do_not_include_what_is_no_form_of_the_operation) {
  made_up_file file;
  file.add(
      {.strategy = "file/x", .role = "file", .counters = {{"read_ns", 10}, {"read_gb_per_s", 5}}});
  EXPECT_THAT(names(rank(file.of("file").at(0), ask(mib))), ElementsAre("file/x"));
}

/// Round trips with two kinds of memory.
made_up_file round_trips() {
  made_up_file file;
  const auto add_memory = [&](const std::string& memory, double allocation) {
    for (const auto* const role : {"allocation", "deallocation"})
      file.add_sizes({.strategy = std::string(role) + "/" + memory,
                      .role = role,
                      .direction = "none",
                      .memory = memory,
                      .plainness = 0,
                      .ns = allocation});
  };
  add_memory("pageable", 100);
  add_memory("pinned", 1000);
  file.add_sizes({.strategy = "overlap/pageable",
                  .role = "overlap",
                  .direction = "both",
                  .memory = "pageable",
                  .variant = "serial",
                  .plainness = 0,
                  .ns = 1000});
  file.add_sizes({.strategy = "overlap/pinned",
                  .role = "overlap",
                  .direction = "both",
                  .memory = "pinned",
                  .variant = "chosen",
                  .ns = 400});
  return file;
}

TEST(alternatives, of_different_memory_pay_for_it_there_and_back) {
  const auto job = round_trips().of("overlap").at(0);
  const auto once = rank(job, ask(mib, direction::both));
  ASSERT_THAT(names(once), ElementsAre("overlap/pageable/serial", "overlap/pinned/chosen"));
  EXPECT_THAT(once.strategies[0].total.value, DoubleNear(1000 + 2 * 200, 1));
  EXPECT_THAT(once.strategies[1].total.value, DoubleNear(400 + 2 * 2000, 1));
  EXPECT_EQ(once.baseline, "overlap/pageable/serial");
  // 3600 ns more for memory, 600 ns saved each time.
  ASSERT_TRUE(once.strategies[1].pays);
  EXPECT_EQ(once.strategies[1].pays->when, break_even::kind::from);
  EXPECT_EQ(once.strategies[1].pays->count, 6);
  EXPECT_EQ(recommended(rank(job, ask(mib, direction::both, 100))).name, "overlap/pinned/chosen");
}

TEST(alternatives, of_the_same_memory_do_not_pay_for_it) {
  auto file = round_trips();
  for (const auto* const name : {"w/a", "w/b"}) file.add({.strategy = name, .memory = "pinned"});
  const auto job = file.of(own_role).at(0);
  EXPECT_DOUBLE_EQ(rank(job, ask(mib)).strategies.at(0).total.value, 1000);
  const cost_model model(job.measured);
  EXPECT_FALSE(model.has_memory());
  EXPECT_FALSE(model.measured().allocation);
}

TEST(alternatives, without_memory_beside_others_have_no_costs_of_it) {
  auto file = round_trips();
  file.add_sizes({.strategy = "overlap/device_only",
                  .role = "overlap",
                  .direction = "both",
                  .variant = "x",
                  .ns = 700});
  const auto ranked = rank(file.of("overlap").at(0), ask(mib, direction::both));
  ASSERT_EQ(names(ranked).front(), "overlap/device_only/x");
  EXPECT_THAT(ranked.strategies[0].total.value, DoubleNear(700, 1));
  EXPECT_THAT(ranked.strategies[1].behind.value, DoubleNear(700, 1));
}

json metric(const std::string& kind, const json& better) {
  return {{"unit", "x"}, {"better", better}, {"kind", kind}, {"description", "x"}};
}

TEST(alternatives, have_prices_of_the_next_size) {
  made_up_file file;
  auto loss = metric("share", "less");
  loss["headline"] = true;
  file.add_metric("bulk_loss_percent", loss);
  file.add_metric("cores", metric("count", "less"));
  file.add_metric("operations", metric("count", nullptr));
  for (const auto& [size, cores] : {std::pair{mib, 1.5}, {64 * mib, 11.0}})
    file.add({.strategy = "a/x",
              .size = size,
              .counters = {{"cores", cores}, {"bulk_loss_percent", 4}, {"operations", 7}}});
  const auto job = file.of(own_role).at(0);
  EXPECT_THAT(
      job.prices_at(2 * mib),
      ElementsAre(Pair("a/x", ElementsAre(Pair("bulk_loss_percent", 4), Pair("cores", 1.5)))));
  EXPECT_EQ(job.prices_at(1e12).at("a/x").at("cores"), 11);
}

TEST(alternatives, have_as_prices_the_counts_of_which_less_is_better) {
  made_up_file file;
  file.add_metric("bulk_alone_gb_per_s", metric("rate", "more"));
  file.add_metric("threads_taken", metric("count", "less"));
  file.add_metric("threads_used", metric("count", nullptr));
  file.add_metric("links_used", metric("count", "more"));
  for (const auto* const role : {"interference", own_role})
    file.add({.strategy = std::string(role) + "/x",
              .role = role,
              .ns = 5,
              .counters = {{"p99_ns", 5},
                           {"bulk_alone_gb_per_s", 51.5},
                           {"threads_taken", 3},
                           {"threads_used", 4},
                           {"links_used", 2}}});
  EXPECT_THAT(file.of(own_role).at(0).prices_at(mib).at("teleport/x"),
              ElementsAre(Pair("threads_taken", 3)));
  // What a bulk copy loses is a part of its own rate, which is therefore needed as well.
  EXPECT_THAT(file.of("interference").at(0).prices_at(mib).at("interference/x"),
              ElementsAre(Pair("bulk_alone_gb_per_s", 51.5), Pair("threads_taken", 3)));
}

TEST(alternatives, are_not_benchmarks_that_do_different_things) {
  made_up_file file;
  for (const auto* const role : {"copy", "array", "allocation", "cpu_read", "floor", own_role})
    file.add({.strategy = "a/x", .role = role});
  for (const auto* const role : {"copy", "array", "allocation", "cpu_read", "floor", "absent"})
    EXPECT_THAT(file.of(role), IsEmpty()) << role;
  const auto roles = rankable_roles(file.read(), 0);
  ASSERT_THAT(roles, SizeIs(1));
  EXPECT_EQ(roles[0].name, own_role);
  EXPECT_EQ(roles[0].description, "about teleport");
  EXPECT_THAT(rankable_roles(file.read(), 1), IsEmpty());
}

/// The answers of all jobs of a role.
role_answers answers(const std::vector<alternatives>& jobs, double bytes) {
  return answers_about(jobs,
                       [bytes](direction towards) { return std::optional(ask(bytes, towards)); });
}

/// Round trips by three strategies, of which one has memory whose costs are known.
made_up_file round_trips_of_unknown_memory() {
  auto file = round_trips();
  unsigned i = 0;
  for (const auto* const memory : {"pinned", "other", "yet another"})
    file.add_sizes({.strategy = "own/" + std::to_string(i),
                    .direction = "both",
                    .memory = memory,
                    .ns = 500.0 + i++});
  return file;
}

TEST(alternatives, of_which_memory_would_leave_a_single_one_go_without_it) {
  const auto jobs = round_trips_of_unknown_memory().of(own_role);
  EXPECT_THAT(names(rank(jobs.at(0), ask(mib, direction::both))), ElementsAre("own/0"));
  const auto all = answers(jobs, mib);
  const auto& answer = all.ranked.at(0);
  EXPECT_TRUE(answer.without_memory);
  EXPECT_THAT(names(answer.ranked), ElementsAre("own/0", "own/1", "own/2"));
  EXPECT_THAT(answer.ranked.strategies[0].total.value, DoubleNear(500, 1));
  exports::answer text;
  add_alternatives(text, all,
                   {{{"own/0", direction::both}, {"one();\ntwo();"}},
                    {{"own/1", direction::both}, {"three();"}}});
  EXPECT_THAT(
      exports::text_of(text),
      AllOf(HasSubstr("Use own/0"), HasSubstr("Calls: one(); two();"), Not(HasSubstr("three")),
            HasSubstr("totals go without the cost of memory"), Not(HasSubstr("memory used"))));
  const auto document = alternatives_document(all);
  EXPECT_EQ(document.at("answers").at(0).at("without_memory"), true);
  EXPECT_EQ(document.at("answers").at(0).at("measured_terms").at("allocation"), false);
}

TEST(alternatives, keep_memory_in_the_sum_where_it_leaves_out_none) {
  const auto several = round_trips().of("overlap");
  EXPECT_FALSE(answers(several, mib).ranked.at(0).without_memory);
  auto file = round_trips();
  file.add_sizes({.strategy = "a/x", .direction = "both", .memory = "pinned"});
  file.add({.strategy = "a/y", .direction = "both", .memory = "pageable"});
  const auto jobs = file.of(own_role);
  const auto all = answers(jobs, 2 * mib);  // a/y is known at 1 MiB only
  EXPECT_THAT(names(all.ranked.at(0).ranked), ElementsAre("a/x"));
  EXPECT_FALSE(all.ranked.at(0).without_memory);
  EXPECT_EQ(alternatives_document(all).at("answers").at(0).at("without_memory"), false);
}

TEST(alternatives, count_ignored_rows_of_memory_once_and_only_where_it_is_in_a_sum) {
  auto file = round_trips();
  for (const auto* const direction : {"h2d", "d2h"})
    for (const auto* const memory : {"pinned", "pageable"})
      file.add_sizes(
          {.strategy = std::string("a/") + memory, .direction = direction, .memory = memory});
  file.add_sizes({.strategy = "b/x", .role = "other role"});
  file.add({.strategy = "allocation/other",
            .role = "allocation",
            .direction = "none",
            .memory = "other",
            .failed = true});
  const auto jobs = file.of(own_role);
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_EQ(answers(jobs, mib).ignored().failed, 5U);
  const auto without_memory = file.of("other role");
  EXPECT_EQ(answers(without_memory, mib).ignored().failed, 0U);
}

}  // namespace
}  // namespace bench_transfers::advice::alternatives_test
