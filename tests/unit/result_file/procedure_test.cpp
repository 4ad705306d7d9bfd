#include "src/result_file/procedure.hpp"

#include "tests/basics.hpp"

namespace bench_transfers::result_file::procedure_test {
namespace {

TEST(procedures, of_one_benchmark_must_be_one) {
  procedures known;
  EXPECT_FALSE(known.add("a", 2));
  EXPECT_FALSE(known.add("b", 1));
  EXPECT_FALSE(known.add("a", 2));
  EXPECT_TRUE(known.add("a", 1));
  EXPECT_THAT(known.differing(), ElementsAre("a"));
}

TEST(procedures, that_differ_are_counted_and_one_is_named) {
  EXPECT_FALSE(procedures_differ({}));
  const auto one = procedures_differ({"a"}), two = procedures_differ({"a", "b"});
  EXPECT_THAT(one->text, HasSubstr("1 benchmark was measured by different procedures"));
  EXPECT_THAT(two->text, HasSubstr("2 benchmarks were measured"));
  EXPECT_THAT(two->text, HasSubstr("such as a: measure both sides with one version"));
  EXPECT_EQ(two->data["count"], 2);
}

}  // namespace
}  // namespace bench_transfers::result_file::procedure_test
