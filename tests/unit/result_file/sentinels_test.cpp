#include "src/result_file/sentinels.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "src/result_file/control_chart.hpp"
#include "src/result_file/entries.hpp"
#include "src/result_file/slow_rounds.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::result_file::sentinels_test {
namespace {

constexpr int processes = 3;
constexpr int rounds_of_process = 3;
constexpr int rounds = processes * rounds_of_process;

/// Deviations, as parts of a time.
struct noise {
  const char* name;
  sentinel kind;
  double of_reading;
  std::size_t readings;    ///< in a round
  int loaded;              ///< rounds with a neighbour
  double least_seen;       ///< of the loaded rounds whose process has a quiet one, in percent
  double outliers = 0.02;  ///< the part of the readings that something else delays
  double load = 0.05;      ///< what a neighbour costs
};

std::ostream& operator<<(std::ostream& out, const noise& shown) {
  return out << shown.name << '_' << shown.readings << '_' << shown.loaded;
}

class made_up_run {
 public:
  made_up_run(std::mt19937_64& random, const noise& kind) {
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::shuffle(order_, random);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> share;
    for (int round = 0; round < rounds; ++round) {
      if (round % rounds_of_process == 0) level_ = level_noise * normal(random);
      sentinel_readings made{
          1 + round / rounds_of_process, 1 + round % rounds_of_process, 0, kind.kind, 1, {}};
      const double load = is_loaded(round, kind.loaded) ? std::log1p(kind.load) : 0;
      for (std::size_t i = 0; i < kind.readings; ++i) {
        const double outlier = share(random) < kind.outliers ? 0.1 + 0.4 * share(random) : 0;
        made.ns.push_back(1e6 *
                          std::exp(level_ + load + kind.of_reading * normal(random) + outlier));
      }
      readings.push_back(std::move(made));
    }
  }

  [[nodiscard]] bool is_loaded(int round, int loaded) const {
    return std::find(order_.begin(), order_.begin() + loaded, round) != order_.begin() + loaded;
  }
  [[nodiscard]] bool has_quiet_round(int process, int loaded) const {
    for (int i = 0; i < rounds_of_process; ++i)
      if (!is_loaded(process * rounds_of_process + i, loaded)) return true;
    return false;
  }

  std::vector<sentinel_readings> readings;

 private:
  static constexpr double level_noise = 0.03;
  std::vector<int> order_ = std::vector<int>(rounds);
  double level_ = 0;
};

/// In percent.
struct rates {
  double seen;        ///< of loaded rounds whose process has a quiet one
  double false_ones;  ///< of quiet rounds
};

rates rates_of(const noise& kind) {
  constexpr int runs = 1000;
  std::mt19937_64 random(7);
  double loaded = 0, seen = 0, quiet = 0, wrong = 0;
  for (int run = 0; run < runs; ++run) {
    const made_up_run made(random, kind);
    std::set<int> marked;
    for (const auto& slow : rounds_outside_limits(made.readings))
      marked.insert((slow.process - 1) * rounds_of_process + slow.round - 1);
    for (int round = 0; round < rounds; ++round) {
      const bool is_marked = marked.contains(round);
      if (!made.is_loaded(round, kind.loaded)) {
        ++quiet;
        wrong += is_marked ? 1 : 0;
        continue;
      }
      if (!made.has_quiet_round(round / rounds_of_process, kind.loaded)) continue;
      ++loaded;
      seen += is_marked ? 1 : 0;
    }
  }
  const auto percent = [](double part, double whole) { return whole > 0 ? 100 * part / whole : 0; };
  return {percent(seen, loaded), percent(wrong, quiet)};
}

class sentinels_of_a_run : public testing::TestWithParam<noise> {};

TEST_P(sentinels_of_a_run, tell_loaded_rounds_from_quiet_ones) {
  const auto& kind = GetParam();
  const auto [seen, false_ones] = rates_of(kind);
  RecordProperty("seen_percent", std::to_string(seen));
  RecordProperty("false_percent", std::to_string(false_ones));
  EXPECT_LE(false_ones, 1);
  if (kind.loaded > 0) {
    EXPECT_GE(seen, kind.least_seen);
  }
}

INSTANTIATE_TEST_SUITE_P(
    kinds, sentinels_of_a_run,
    testing::Values(noise{"link", sentinel::h2d, 0.003, 2, 0, 0},
                    // As on shared hosts: others delay many of the copies.
                    noise{"shared", sentinel::h2d, 0.003, 8, 0, 0, 0.4},
                    noise{"shared", sentinel::h2d, 0.003, 8, 1, 95, 0.4},
                    noise{"shared", sentinel::d2h, 0.003, 8, 3, 95, 0.4},
                    noise{"link", sentinel::h2d, 0.003, 8, 0, 0},
                    noise{"link", sentinel::h2d, 0.003, 8, 1, 99},
                    noise{"link", sentinel::h2d, 0.003, 8, 2, 99},
                    noise{"link", sentinel::h2d, 0.003, 8, 3, 95},
                    noise{"link", sentinel::h2d, 0.003, 8, 4, 95},
                    noise{"host", sentinel::cpu_read, 0.02, 16, 0, 0},
                    noise{"host", sentinel::cpu_read, 0.02, 72, 0, 0},
                    noise{"host", sentinel::cpu_read, 0.02, 72, 1, 95, 0.02, 0.1},
                    noise{"host", sentinel::cpu_read, 0.02, 72, 2, 95, 0.02, 0.1},
                    noise{"host", sentinel::cpu_read, 0.02, 72, 3, 90, 0.02, 0.1},
                    noise{"host", sentinel::cpu_read, 0.02, 72, 4, 90, 0.02, 0.1},
                    noise{"latency", sentinel::small_copy, 0.03, 16, 0, 0},
                    noise{"latency", sentinel::small_copy, 0.03, 72, 0, 0},
                    noise{"latency", sentinel::small_copy, 0.03, 72, 1, 95, 0.02, 0.2},
                    noise{"latency", sentinel::small_copy, 0.03, 72, 2, 95, 0.02, 0.2},
                    noise{"latency", sentinel::small_copy, 0.03, 72, 3, 95, 0.02, 0.2},
                    noise{"latency", sentinel::small_copy, 0.03, 72, 4, 95, 0.02, 0.2}));

sentinel_readings of_round(int process, int round, std::vector<double> ns,
                           sentinel kind = sentinel::h2d) {
  return {process, round, 0, kind, 64, std::move(ns)};
}

std::vector<int> numbers(const std::vector<slow_round>& slow) {
  std::vector<int> numbers;
  for (const auto& entry : slow) numbers.push_back(10 * entry.process + entry.round);
  return numbers;
}

TEST(rounds_outside_limits, says_which_and_by_how_much) {
  const auto slow = rounds_outside_limits(std::vector{
      of_round(1, 1, {100, 100}), of_round(1, 2, {110, 110}), of_round(1, 3, {100, 100}),
      of_round(2, 1, {200, 200}), of_round(2, 2, {200, 200}), of_round(2, 3, {200, 200})});
  ASSERT_THAT(numbers(slow), ElementsAre(12));
  EXPECT_EQ(slow[0].kind, sentinel::h2d);
  EXPECT_NEAR(slow[0].percent, 10, 1e-9);
  EXPECT_NEAR(slow[0].limit_percent, 2.53, 0.01);
}

TEST(rounds_outside_limits, are_no_fast_rounds_single_readings_or_rounds_of_slower_processes) {
  const auto same = of_round(1, 1, {100, 100});
  for (const auto& readings :
       {std::vector{same, of_round(1, 2, {100, 100}), of_round(1, 3, {100, 100}),
                    of_round(1, 4, {90, 90}), of_round(1, 5, {100, 100})},
        {same, of_round(1, 2, {100, 150}), of_round(1, 3, {100, 100, 100, 400})},
        {same, of_round(2, 1, {120, 120})},
        {same, of_round(1, 2, {100, 100}), of_round(2, 1, {120, 120}), of_round(2, 2, {120, 120})}})
    EXPECT_THAT(numbers(rounds_outside_limits(readings)), IsEmpty());
}

TEST(rounds_outside_limits, what_was_read_once_is_not_judged) {
  const std::vector readings{of_round(1, 1, {100, 100}), of_round(1, 2, {100, 100}),
                             of_round(1, 3, {100, 100}), of_round(1, 4, {200})};
  EXPECT_THAT(rounds_outside_limits(readings), IsEmpty());
  EXPECT_EQ(count_judged(readings), 3U);
  EXPECT_EQ(count_judged({}), 0U);
}

TEST(rounds_outside_limits, of_two_rounds_none_is_judged) {
  const std::vector readings{of_round(1, 1, {100, 100}), of_round(1, 2, {200, 200})};
  EXPECT_THAT(rounds_outside_limits(readings), IsEmpty());
  EXPECT_EQ(count_judged(readings), 0U);
}

TEST(rounds_outside_limits, each_sentinel_has_its_own_limit) {
  const auto slow = rounds_outside_limits(
      std::vector{of_round(1, 1, {100, 100}), of_round(1, 2, {106, 106}),
                  of_round(1, 3, {100, 100}), of_round(1, 1, {10, 12}, sentinel::small_copy),
                  of_round(1, 2, {11, 13}, sentinel::small_copy),
                  of_round(1, 3, {10, 14}, sentinel::small_copy)});
  ASSERT_THAT(numbers(slow), ElementsAre(12));
  EXPECT_EQ(slow[0].kind, sentinel::h2d);
}

TEST(sentinels_in, reads_what_to_json_writes) {
  const json facts{{"sentinels",
                    {{"readings", {to_json(of_round(2, 3, {5, 6.5}, sentinel::cpu_read))}},
                     {"skipped", json::array()}}}};
  const auto read = sentinels_in(facts);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(to_json(read[0]), facts["sentinels"]["readings"][0]);
  EXPECT_THAT(sentinels_in(json::object()), IsEmpty());
}

TEST(sentinels_in, refuses_what_is_none) {
  const auto good = to_json(of_round(1, 1, {5, 6}));
  for (const auto& [key, bad] : std::vector<std::pair<const char*, json>>{{"process", 0},
                                                                          {"process", -1},
                                                                          {"round", 0},
                                                                          {"round", 1.5},
                                                                          {"device", "0"},
                                                                          {"device", 1e12},
                                                                          {"sentinel", 1},
                                                                          {"bytes", nullptr},
                                                                          {"ns", json{0}},
                                                                          {"ns", json{"1"}},
                                                                          {"ns", 5}}) {
    auto entry = good;
    entry[key] = bad;
    EXPECT_THROW(sentinels_in({{"sentinels", {{"readings", {entry}}, {"skipped", json::array()}}}}),
                 bad_entry)
        << entry.dump();
  }
  const json none = json::array();
  for (const json& bad : {json(5), json::object(), json{{"readings", 1}}, json{{"readings", {1}}},
                          json{{"readings", none}}, json{{"readings", none}, {"skipped", "x"}},
                          json{{"readings", none}, {"skipped", {5}}},
                          json{{"readings", none}, {"skipped", {{{"process", "x"}}}}}})
    EXPECT_THROW(sentinels_in({{"sentinels", bad}}), bad_entry) << bad.dump();
}

TEST(sentinels_in, passes_over_a_kind_of_a_later_version) {
  auto later = to_json(of_round(1, 1, {5, 6}));
  later["sentinel"] = "x";
  EXPECT_THAT(sentinels_in({{"sentinels", {{"readings", {later}}, {"skipped", json::array()}}}}),
              IsEmpty());
}

TEST(warning_of_slow_rounds, has_every_round_and_names_some) {
  EXPECT_FALSE(warning_of({}, 9));
  std::vector<slow_round> slow{{1, 2, 0, sentinel::d2h, 5.14, 2.5},
                               {1, 2, 0, sentinel::small_copy, 20, 4}};
  const auto warning = warning_of(slow, 9).value();
  EXPECT_EQ(warning.code, "rounds_slowed");
  EXPECT_EQ(warning.data["judged"], 9);
  EXPECT_EQ(warning.data["rounds"].size(), 2U);
  EXPECT_EQ(warning.data["rounds"][0], (json{{"process", 1},
                                             {"round", 2},
                                             {"device", 0},
                                             {"sentinel", "d2h"},
                                             {"percent", 5.14},
                                             {"limit_percent", 2.5}}));
  EXPECT_THAT(warning.text, HasSubstr("1 of 9 rounds"));
  EXPECT_THAT(warning.text, HasSubstr("(round 2 of process 1: small_copy 20.0 %)"));
  for (int round = 3; round < 9; ++round) slow.push_back({1, round, 1, sentinel::h2d, 5, 2.5});
  const auto many = warning_of(slow, 9).value();
  EXPECT_THAT(many.text, HasSubstr("h2d of device 1 5.0 %"));
  EXPECT_THAT(many.text, HasSubstr("; and 3 more)"));
}

/// Facts of a GPU's run, and a row of a benchmark.
class slow_round_marks_test : public testing::Test {
 protected:
  slow_round_marks_test() {
    described.name = "some";
    described.family = described.strategy = "some";
    described.role = "copy";
    described.memory = "pinned";
  }

  json marked(json row, const std::vector<slow_round>& slow, const char* device = "cuda") {
    facts = {{"device", {{"kind", device}}}, {"benchmarks", {{"some", to_json(described)}}}};
    slow_round_marks marks(facts, slow);
    marks.apply(row);
    return row.value("disturbed", json());
  }
  [[nodiscard]] static json row(int round = 2) {
    return {{"run_name", "some"}, {"median_ns", 1e6}, {"round", round}};
  }

  benchmark described;
  json facts;
  const std::vector<slow_round> link{{1, 2, 0, sentinel::d2h, 5, 2.5}};
  const std::vector<slow_round> host{{1, 2, 0, sentinel::cpu_read, 5, 2.5}};
  const std::vector<slow_round> latency{{1, 2, 0, sentinel::small_copy, 5, 2.5}};
};

TEST_F(slow_round_marks_test, are_of_the_class_that_the_sentinel_stands_for) {
  const json mark{"slow_round"};
  EXPECT_EQ(marked(row(), link), mark);
  EXPECT_EQ(marked(row(), host), nullptr);
  EXPECT_EQ(marked(row(), latency), nullptr);
  auto brief = row();
  brief["median_ns"] = 7e3;
  EXPECT_EQ(marked(brief, link), nullptr);
  EXPECT_EQ(marked(brief, latency), mark);
  described.memory = "pageable";
  EXPECT_EQ(marked(row(), link), nullptr);
  EXPECT_EQ(marked(row(), host), mark);
  EXPECT_EQ(marked(row(), link, "host"), mark) << "without a GPU, memory plays the link's part";
  described.role = "own";
  EXPECT_EQ(marked(row(), host), nullptr);
}

TEST_F(slow_round_marks_test, are_of_the_round_the_process_and_the_device) {
  EXPECT_EQ(marked(row(1), link), nullptr);
  auto later = row();
  later["process"] = 2;
  EXPECT_EQ(marked(later, link), nullptr);
  described.devices = {1};
  EXPECT_EQ(marked(row(), link), nullptr);
}

TEST_F(slow_round_marks_test, go_beside_others_and_go_again) {
  auto disturbed = row();
  disturbed["disturbed"] = {"other_load"};
  EXPECT_EQ(marked(disturbed, link), (json{"other_load", "slow_round"}));
  disturbed["disturbed"] = {"other_load", "slow_round"};
  EXPECT_EQ(marked(disturbed, {}), json{"other_load"});
  disturbed["disturbed"] = {"slow_round"};
  EXPECT_EQ(marked(disturbed, {}), nullptr);
}

TEST_F(slow_round_marks_test, are_not_for_failures_and_unknown_rows) {
  auto failed = row();
  failed["error_occurred"] = true;
  EXPECT_EQ(marked(failed, link), nullptr);
  auto other = row();
  other["run_name"] = "other";
  EXPECT_EQ(marked(other, link), nullptr);
  auto old = row();
  old.erase("round");
  EXPECT_EQ(marked(old, link), nullptr);
}

}  // namespace
}  // namespace bench_transfers::result_file::sentinels_test
