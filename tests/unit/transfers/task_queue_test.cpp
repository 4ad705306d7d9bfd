#include "src/transfers/host/task_queue.hpp"

#include <latch>
#include <stdexcept>
#include <vector>

#include "tests/basics.hpp"

namespace transfers::task_queue_test {
namespace {

using detail::outstanding_work;
using detail::task_queue;

TEST(a_task_queue, runs_tasks_in_order) {
  outstanding_work all;
  task_queue queue(all);
  std::vector<int> ran;
  for (int i = 0; i < 3; ++i) queue.enqueue([&ran, i] { ran.push_back(i); });
  queue.wait();
  EXPECT_THAT(ran, ElementsAre(0, 1, 2));
}

TEST(a_task_queue, throws_to_who_waits_what_its_first_failed_task_has_thrown) {
  outstanding_work all;
  task_queue queue(all);
  bool goes_on = false;
  queue.enqueue([] { throw std::runtime_error("first"); });
  queue.enqueue([] { throw std::logic_error("second"); });
  queue.enqueue([&goes_on] { goes_on = true; });
  EXPECT_THROW(queue.wait(), std::runtime_error);
  EXPECT_TRUE(goes_on);
  EXPECT_NO_THROW(queue.wait());
}

TEST(a_task_queue, counts_its_tasks_among_all) {
  outstanding_work all;
  std::latch begun(2);
  bool first = false, second = false;
  task_queue one(all), other(all);
  one.enqueue([&] {
    begun.arrive_and_wait();
    first = true;
  });
  other.enqueue([&] {
    begun.arrive_and_wait();
    second = true;
  });
  all.wait();
  EXPECT_TRUE(first && second);
}

TEST(a_task_queue, ends_when_its_tasks_are_done) {
  outstanding_work all;
  int ran = 0;
  {
    task_queue queue(all);
    for (int i = 0; i < 3; ++i) queue.enqueue([&ran] { ++ran; });
  }
  EXPECT_EQ(ran, 3);
}

}  // namespace
}  // namespace transfers::task_queue_test
