#pragma once

#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <optional>
#include <vector>

namespace transfers::detail {

/// Processors in the calling thread's affinity mask; nullopt if it cannot be read.
/// `read_mask(bytes, mask)` is sched_getaffinity(2) of the calling thread, or a test's.
template <class ReadMask>
std::optional<unsigned> processors_in_mask(ReadMask&& read_mask) {
  // The call fails with EINVAL while the mask is smaller than the kernel's, whose size cannot be
  // queried. The first mask has 1024 processors; no kernel is built for 65536.
  constexpr std::size_t most_sets = 64;
  for (std::size_t sets = 1; sets <= most_sets; sets *= 2) {
    std::vector<cpu_set_t> mask(sets);
    const auto bytes = sets * sizeof(cpu_set_t);
    if (read_mask(bytes, mask.data()) == 0)
      return static_cast<unsigned>(CPU_COUNT_S(bytes, mask.data()));
    if (errno != EINVAL) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace transfers::detail
