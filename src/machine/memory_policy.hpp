#pragma once

#include <optional>
#include <vector>

namespace bench_transfers::machine {

/// Where the calling thread's new memory goes (set_mempolicy(2)).
struct memory_policy {
  enum class mode { local, preferred, bind, interleave };
  mode kind = mode::local;
  std::vector<int> nodes = {};  ///< empty for memory of the node that first touches it

  bool operator==(const memory_policy&) const = default;
};

/// Nullopt if the kernel has no NUMA or a container forbids the question (get_mempolicy(2)).
std::optional<memory_policy> memory_policy_of_this_thread();

/// "local", "preferred", "bind", "interleave"
const char* to_string(memory_policy::mode mode);

}  // namespace bench_transfers::machine
