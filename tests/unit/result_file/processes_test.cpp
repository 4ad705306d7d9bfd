#include "src/result_file/processes.hpp"

#include <gtest/gtest.h>

namespace bench_transfers::result_file::processes_test {
namespace {

TEST(processes, share_all_rounds_as_equally_as_they_can) {
  for (int rounds = 1; rounds <= 30; ++rounds)
    for (int count = 1; count <= rounds; ++count) {
      int due = 0;
      for (int number = 1; number <= count; ++number) {
        const process_of_run process{number, count};
        due += process.own(rounds);
        EXPECT_EQ(process.due(rounds), due);
        EXPECT_GE(process.own(rounds), rounds / count);
        EXPECT_LE(process.own(rounds), rounds / count + 1);
        EXPECT_EQ(process.left(), count - number + 1);
        EXPECT_EQ(process.is_last(), number == count);
      }
      EXPECT_EQ(due, rounds);
    }
}

TEST(processes, that_are_alone_measure_what_is_left) {
  const process_of_run resumed{4, 1};
  EXPECT_EQ(resumed.due(9), 9);
  EXPECT_EQ(resumed.own(9), 9);
  EXPECT_EQ(resumed.left(), 1);
  EXPECT_TRUE(resumed.is_last());
  EXPECT_FALSE(resumed.continues());
  EXPECT_TRUE(resumed.has(1));
}

TEST(processes, have_their_rows_and_the_last_one_those_of_resumed_parts) {
  const process_of_run second{2, 3}, third{3, 3};
  EXPECT_TRUE(second.continues());
  EXPECT_FALSE(second.has(1));
  EXPECT_TRUE(second.has(2));
  EXPECT_FALSE(second.has(3));
  EXPECT_TRUE(third.has(3));
  EXPECT_TRUE(third.has(4));
}

}  // namespace
}  // namespace bench_transfers::result_file::processes_test
