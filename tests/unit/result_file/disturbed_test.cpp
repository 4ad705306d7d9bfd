#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/result_file/reader.hpp"
#include "src/result_file/summary/summary.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::result_file::disturbed_test {
namespace {

json repetition(const std::string& name, double time, json disturbed = nullptr) {
  json row{{"name", name},
           {"run_name", name},
           {"run_type", "iteration"},
           {"repetition_index", static_cast<int>(time)},
           {"real_time", time},
           {"time_unit", "ns"},
           {"median_ns", time}};
  if (!disturbed.is_null()) row["disturbed"] = std::move(disturbed);
  return row;
}

contents read_rows(std::vector<json> rows) {
  return read_json({{"context", json::object()}, {"benchmarks", std::move(rows)}}, "made up");
}

std::vector<double> times(const contents& read) {
  std::vector<double> times;
  for (const auto& row : read.rows)
    if (!row.failed) times.push_back(row.number("real_time").value());
  return times;
}

TEST(disturbed_repetitions, do_not_count_beside_others_of_their_benchmark) {
  const auto read = read_rows({repetition("a", 1), repetition("a", 2, {"other_load"}),
                               repetition("a", 3, {"stopped"}), repetition("b", 4, {"fewer_cpus"}),
                               repetition("a", 5)});
  EXPECT_THAT(times(read), ElementsAre(1, 4, 5));
}

TEST(disturbed_repetitions, count_where_all_were_slowed) {
  const auto read =
      read_rows({repetition("a", 1, {"other_load"}), repetition("a", 2, {"fewer_cpus"}),
                 repetition("a", 3, {"clock_jumped", "other_load"})});
  EXPECT_THAT(times(read), ElementsAre(1, 2));
  EXPECT_THAT(read.rows[0].disturbed, ElementsAre(disturbance::other_load));
}

TEST(disturbed_repetitions, are_failures_where_all_are_spoilt) {
  const auto read = read_rows(
      {repetition("a", 1, {"stopped"}), repetition("a", 2, {"clock_jumped"}), repetition("b", 3)});
  EXPECT_THAT(times(read), ElementsAre(3));
  ASSERT_EQ(read.rows.size(), 3U);
  ASSERT_TRUE(read.rows[0].failed && read.rows[1].failed);
  EXPECT_EQ(read.rows[0].failed->code, "disturbed");
}

TEST(disturbed_repetitions, that_failed_are_no_better_ones) {
  auto failed = repetition("a", 0);
  failed["error_occurred"] = true;
  const auto read = read_rows({failed, repetition("a", 2, {"other_load"})});
  EXPECT_THAT(times(read), ElementsAre(2));
  EXPECT_EQ(read.rows.size(), 2U);
}

TEST(disturbed_repetitions, of_later_versions_have_unknown_codes) {
  EXPECT_THAT(times(read_rows({repetition("a", 1, {"moonlight"}), repetition("a", 2)})),
              ElementsAre(2));
  EXPECT_THAT(times(read_rows({repetition("a", 1, {"moonlight"})})), ElementsAre(1));
}

TEST(disturbed_repetitions, may_be_a_counter_of_another_program) {
  const auto read = read_rows({repetition("a", 1, 5), repetition("a", 2)});
  EXPECT_THAT(times(read), ElementsAre(1, 2));
  EXPECT_EQ(read.rows[0].number("disturbed"), 5);
}

TEST(disturbed_repetitions, have_a_list_of_texts) {
  for (const json& bad : {json("stopped"), json(true), json{1}, json{nullptr}, json::object()})
    EXPECT_THROW(read_rows({repetition("a", 1, bad)}), unusable_file) << bad;
  EXPECT_THAT(read_rows({repetition("a", 1, json::array())}).rows[0].disturbed, IsEmpty());
}

}  // namespace
}  // namespace bench_transfers::result_file::disturbed_test
