#include "src/transfers/core/affinity.hpp"

#include "tests/basics.hpp"

namespace transfers::detail::affinity_test {
namespace {

/// sched_getaffinity(2) of a kernel for the given number of processors, of which every third is
/// allowed.
struct kernel {
  std::size_t processors;
  int calls = 0;

  int operator()(std::size_t bytes, cpu_set_t* mask) {
    ++calls;
    if (bytes * 8 < processors) {
      errno = EINVAL;
      return -1;
    }
    for (std::size_t i = 0; i < processors; i += 3) CPU_SET_S(i, bytes, mask);
    return 0;
  }
};

class machine_of : public testing::TestWithParam<std::size_t> {};

TEST_P(machine_of, processors_are_counted) {
  const auto processors = GetParam();
  EXPECT_THAT(processors_in_mask(kernel{processors}), Optional((processors + 2) / 3));
}

INSTANTIATE_TEST_SUITE_P(any_size, machine_of,
                         testing::Values(1U, 2U, 1023U, 1024U, 1025U, 4096U, 65536U));

TEST(processors_in_mask, are_asked_for_once_on_ordinary_machines) {
  kernel small{1024};
  static_cast<void>(processors_in_mask(small));
  EXPECT_EQ(small.calls, 1);
}

TEST(processors_in_mask, are_unknown_on_machines_that_are_too_large) {
  EXPECT_FALSE(processors_in_mask(kernel{65537}));
}

TEST(processors_in_mask, are_unknown_where_the_call_is_refused) {
  int calls = 0;
  EXPECT_FALSE(processors_in_mask([&](std::size_t, cpu_set_t*) {
    ++calls;
    errno = EPERM;
    return -1;
  }));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace transfers::detail::affinity_test
