#include "src/machine/memory_policy.hpp"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

namespace bench_transfers::machine::memory_policy_test {
namespace {

TEST(machine_memory_policy, is_that_of_the_calling_thread) {
  std::thread([] {  // of its own: other tests keep their policy
    const unsigned long first_node = 1;
    if (syscall(SYS_set_mempolicy, MPOL_BIND, &first_node, 2) != 0)
      GTEST_SKIP() << "policies cannot be set here";
    EXPECT_EQ(memory_policy_of_this_thread(), (memory_policy{memory_policy::mode::bind, {0}}));
    ASSERT_EQ(syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0), 0);
    EXPECT_EQ(memory_policy_of_this_thread(), (memory_policy{memory_policy::mode::local, {}}));
  })
      .join();
}

TEST(machine_memory_policy, modes_have_names) {
  EXPECT_STREQ(to_string(memory_policy::mode::interleave), "interleave");
  EXPECT_STREQ(to_string(memory_policy::mode::preferred), "preferred");
}

}  // namespace
}  // namespace bench_transfers::machine::memory_policy_test
