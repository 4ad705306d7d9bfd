#include "src/machine/current_numa_node.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace bench_transfers::machine {

std::optional<int> current_numa_node() {
  unsigned cpu = 0;
  unsigned node = 0;
  // A bare system call, because glibc has a function for it only since 2.29.
  if (syscall(SYS_getcpu, &cpu, &node, nullptr) != 0) return std::nullopt;
  return static_cast<int>(node);
}

}  // namespace bench_transfers::machine
