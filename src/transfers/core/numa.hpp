#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "transfers/core/host_memory.hpp"

namespace transfers::detail {

/// What the operating system says about NUMA nodes and does with pages. Tests have one of their
/// own.
class numa_system {
 public:
  enum class node_state { absent, without_memory, present, not_known };
  using nodes = std::set<int>;

  virtual ~numa_system() = default;
  numa_system(const numa_system&) = delete;
  numa_system& operator=(const numa_system&) = delete;

  [[nodiscard]] virtual node_state state_of(int node) const = 0;
  /// The nodes that the process's cpuset allows; nullopt: not known.
  [[nodiscard]] virtual std::optional<nodes> allowed() const = 0;
  /// The nodes that the calling thread's memory policy is limited to (numactl --membind); nullopt:
  /// it is not limited.
  [[nodiscard]] virtual std::optional<nodes> bound_to() const = 0;

  // Both return 0 or an error number.

  /// Places the pages that are not there yet on the node, as long as it has memory.
  [[nodiscard]] virtual int prefer(std::span<std::byte> memory, int node) const = 0;
  /// Moves the pages that lie elsewhere to the node, as far as it has memory.
  [[nodiscard]] virtual int gather(std::span<std::byte> memory, int node) const = 0;
  /// Finds the node of each page, or a negative error number of the page.
  [[nodiscard]] virtual int locate(std::span<void* const> pages, std::span<int> found) const = 0;

 protected:
  numa_system() = default;
};

/// The Linux kernel: sysfs, get_mempolicy(2), mbind(2) and move_pages(2).
[[nodiscard]] const numa_system& linux_numa();

/// Why no memory can be placed on a node and verified to lie there, in one line; nullopt if it can.
[[nodiscard]] std::optional<std::string> why_no_node(int node,
                                                     const numa_system& system = linux_numa());

/// The same for a kind of memory, which may have no node.
[[nodiscard]] std::optional<std::string> why_not_on_its_node(
    host_memory_kind kind, const numa_system& system = linux_numa());

/// Asks for the node before the pages are touched. Whole pages. Throws unsupported.
void prefer_node(std::span<std::byte> pages, int node, const numa_system& system = linux_numa());

/// Verifies that all pages, which have been touched, lie on the node. Throws out_of_memory with the
/// number of the others and where they lie; unsupported if that cannot be found out.
void verify_node(std::span<const std::byte> pages, int node,
                 const numa_system& system = linux_numa());

/// Moves pages that have been placed elsewhere, which happens where the node's free memory is full
/// of cached files, and verifies the result. Throws as verify_node() does.
void gather_on_node(std::span<std::byte> pages, int node, const numa_system& system = linux_numa());

}  // namespace transfers::detail
