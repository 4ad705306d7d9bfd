#include "src/fleet/ranks/processors.hpp"

#include <sched.h>

#include <bit>
#include <cstring>

namespace bench_transfers::fleet {

static_assert(sizeof(cpu_set_t) == sizeof(processor_set::bits), "sched_setaffinity(2)");

std::size_t processor_set::count() const noexcept {
  std::size_t count = 0;
  for (const auto word : bits) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

processor_set own_processors() noexcept {
  processor_set own;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    std::memcpy(own.bits.data(), &set, sizeof set);
  else
    own.bits.fill(~std::uint64_t{0});
  return own;
}

bool unbind() noexcept {
  const auto before = own_processors();
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  sched_setaffinity(0, sizeof all, &all);  // the kernel leaves out those that are not allowed
  return own_processors().count() > before.count();
}

}  // namespace bench_transfers::fleet
