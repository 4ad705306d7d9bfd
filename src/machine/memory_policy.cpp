#include "src/machine/memory_policy.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstddef>

namespace bench_transfers::machine {
namespace {

memory_policy::mode mode_of(int kernel_mode) {
  constexpr int preferred_many = 5, weighted_interleave = 6;  // newer than this header may be
  switch (kernel_mode & ~MPOL_MODE_FLAGS) {
    case MPOL_PREFERRED:
    case preferred_many: return memory_policy::mode::preferred;
    case MPOL_BIND: return memory_policy::mode::bind;
    case MPOL_INTERLEAVE:
    case weighted_interleave: return memory_policy::mode::interleave;
    default: return memory_policy::mode::local;
  }
}

}  // namespace

std::optional<memory_policy> memory_policy_of_this_thread() {
  // A bare system call: libnuma would be a dependency for one number.
  constexpr std::size_t bits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, 4096 / bits> mask{};
  int mode = MPOL_DEFAULT;
  // The kernel takes one bit less than it is told (get_mempolicy(2)).
  if (syscall(SYS_get_mempolicy, &mode, mask.data(), mask.size() * bits + 1, nullptr, 0) != 0)
    return std::nullopt;
  memory_policy policy{mode_of(mode), {}};
  for (std::size_t i = 0; i < mask.size() * bits; ++i)
    if ((mask[i / bits] >> (i % bits) & 1U) != 0) policy.nodes.push_back(static_cast<int>(i));
  return policy;
}

const char* to_string(memory_policy::mode mode) {
  switch (mode) {
    case memory_policy::mode::local: return "local";
    case memory_policy::mode::preferred: return "preferred";
    case memory_policy::mode::bind: return "bind";
    case memory_policy::mode::interleave: return "interleave";
  }
  return "";
}

}  // namespace bench_transfers::machine
