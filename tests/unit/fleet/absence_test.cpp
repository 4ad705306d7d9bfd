#include "src/fleet/model/absence.hpp"

#include "tests/basics.hpp"

namespace bench_transfers::fleet::absence_test {
namespace {

TEST(absent, gpus_that_a_file_names_are_not_gone) {
  const std::vector<absent_gpu> absent{{"GPU-1", "a"}, {"GPU-2", "a"}, {"GPU-3", "b"}};
  EXPECT_THAT(are_gone(absent, {}), ElementsAre(true, true, true));
  EXPECT_THAT(are_gone(absent, {{{"GPU-1", "GPU-3"}, "a", {}}}), ElementsAre(false, true, false));
  EXPECT_THAT(are_gone({}, {{{"GPU-1"}, "a", {}}}), IsEmpty());
}

TEST(absent, gpus_are_not_gone_where_files_without_a_name_are_as_many) {
  const std::vector<absent_gpu> absent{{"GPU-1", "a"}, {"GPU-2", "a"}, {"GPU-3", "b"}};
  const unread_result of_a{{}, "a", {}}, nowhere{{}, "", {}}, of_c{{}, "c", {}};
  // One of two, and nobody knows which.
  EXPECT_THAT(are_gone(absent, {of_a}), ElementsAre(true, true, true));
  EXPECT_THAT(are_gone(absent, {of_a, of_a}), ElementsAre(false, false, true));
  EXPECT_THAT(are_gone(absent, {of_a, {{"GPU-2"}, "a", {}}}), ElementsAre(false, false, true));
  EXPECT_THAT(are_gone(absent, {of_a, of_a, nowhere}), ElementsAre(false, false, false));
  EXPECT_THAT(are_gone(absent, {of_c, of_c, of_c}), ElementsAre(true, true, true));
}

TEST(absent, parts_without_a_place_have_left_what_a_node_has_room_for) {
  const std::vector<std::string> absent{"a", ""};
  EXPECT_THAT(may_have_left(absent, {{"a", 1}}), ElementsAre(true, false));
  EXPECT_THAT(may_have_left(absent, {{"a", 2}}), ElementsAre(true, true));
  EXPECT_THAT(may_have_left(absent, {{"a", 2}}, {{"a", 0}}), ElementsAre(true, false));
  EXPECT_THAT(may_have_left(absent, {{"b", 1}}), ElementsAre(false, true));
  EXPECT_THAT(may_have_left(absent, {{"", 1}}), ElementsAre(false, true));
  EXPECT_THAT(may_have_left(absent, {{"", 2}}), ElementsAre(true, true));
}

}  // namespace
}  // namespace bench_transfers::fleet::absence_test
