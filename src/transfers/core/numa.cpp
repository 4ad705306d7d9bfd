#include "src/transfers/core/numa.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <system_error>
#include <vector>

#include "src/transfers/core/pages.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

std::string message_of(int error) { return std::generic_category().message(error); }

/// A set of nodes as the kernel has it. No kernel is built for more (NODES_SHIFT is at most 10).
class node_mask {
 public:
  static constexpr int most_nodes = 1024;

  static node_mask of(int node) {
    node_mask mask;
    const auto index = static_cast<std::size_t>(node);
    mask.words_[index / bits] = 1UL << (index % bits);
    return mask;
  }

  [[nodiscard]] numa_system::nodes nodes() const {
    numa_system::nodes found;
    for (std::size_t i = 0; i < most_nodes; ++i)
      if ((words_[i / bits] >> (i % bits) & 1U) != 0) found.insert(static_cast<int>(i));
    return found;
  }

  unsigned long* data() { return words_.data(); }

 private:
  static constexpr std::size_t bits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, most_nodes / bits> words_{};
};

/// The kernel counts one bit less than it is told (set_mempolicy(2), "BUGS" of older versions).
constexpr unsigned long mask_bits = node_mask::most_nodes + 1;

// Bare system calls: libnuma would be one more library that every machine needs.
class linux_system final : public numa_system {
 public:
  [[nodiscard]] node_state state_of(int node) const override {
    namespace fs = std::filesystem;
    const fs::path all = "/sys/devices/system/node";
    const auto directory = all / fmt::format("node{}", node);
    std::error_code ignored;
    if (!fs::exists(all, ignored)) return node_state::not_known;
    if (!fs::exists(directory, ignored)) return node_state::absent;
    // "Node 1 MemTotal:       24683656 kB"
    std::ifstream file(directory / "meminfo");
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string name;
      std::size_t kib = 0;
      if (words >> name >> name >> name >> kib && name == "MemTotal:")
        return kib == 0 ? node_state::without_memory : node_state::present;
    }
    return node_state::not_known;
  }

  [[nodiscard]] std::optional<nodes> allowed() const override {
    node_mask mask;
    if (syscall(SYS_get_mempolicy, nullptr, mask.data(), mask_bits, nullptr, MPOL_F_MEMS_ALLOWED) !=
        0)
      return std::nullopt;
    return mask.nodes();
  }

  [[nodiscard]] std::optional<nodes> bound_to() const override {
    int mode = MPOL_DEFAULT;
    node_mask mask;
    if (syscall(SYS_get_mempolicy, &mode, mask.data(), mask_bits, nullptr, 0UL) != 0)
      return std::nullopt;
    if ((mode & ~MPOL_MODE_FLAGS) != MPOL_BIND) return std::nullopt;
    return mask.nodes();
  }

  [[nodiscard]] int prefer(std::span<std::byte> memory, int node) const override {
    return bind(memory, node, MPOL_PREFERRED, 0);
  }

  // Unlike page faults, moves may reclaim memory but do not make the kernel kill the process where
  // the node has none left.
  [[nodiscard]] int gather(std::span<std::byte> memory, int node) const override {
    return bind(memory, node, MPOL_BIND, MPOL_MF_MOVE);
  }

  [[nodiscard]] int locate(std::span<void* const> pages, std::span<int> found) const override {
    constexpr int this_process = 0;
    const auto code =
        syscall(SYS_move_pages, this_process, pages.size(), pages.data(), nullptr, found.data(), 0);
    return code == 0 ? 0 : errno;
  }

 private:
  static int bind(std::span<std::byte> memory, int node, int mode, unsigned flags) {
    auto mask = node_mask::of(node);
    const auto code =
        syscall(SYS_mbind, memory.data(), memory.size(), mode, mask.data(), mask_bits, flags);
    return code == 0 ? 0 : errno;
  }
};

std::string refusal(const char* call, int error) {
  if (error == ENOSYS) return fmt::format("this kernel has no NUMA nodes ({}: no such call)", call);
  const char* const remedy =
      error == EPERM ? "; containers refuse it without --cap-add=SYS_NICE" : "";
  return fmt::format("the system refuses {}: {}{}", call, message_of(error), remedy);
}

/// The number of pages on each node; error numbers of pages are negative.
std::map<int, std::size_t> pages_by_node(std::span<const std::byte> pages,
                                         const numa_system& system) {
  constexpr std::size_t at_a_time = 4096;
  const auto page = page_bytes();
  std::vector<void*> addresses;
  std::vector<int> found;
  std::map<int, std::size_t> counts;
  for (std::size_t first = 0; first < pages.size(); first += at_a_time * page) {
    addresses.clear();
    const auto end = std::min(first + at_a_time * page, pages.size());
    for (auto at = first; at < end; at += page)
      addresses.push_back(const_cast<std::byte*>(pages.data() + at));  // only looked up
    found.assign(addresses.size(), -ENOENT);
    if (const int error = system.locate(addresses, found); error != 0)
      throw unsupported(refusal("move_pages", error));
    for (const auto node : found) ++counts[node];
  }
  return counts;
}

/// Whether one page can be placed and found.
std::optional<std::string> why_no_page(int node, const numa_system& system) {
  const auto bytes = page_bytes();
  void* const mapping =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return std::nullopt;  // the allocation itself will tell
  const auto unmap = [bytes](std::byte* first) { munmap(first, bytes); };
  const std::unique_ptr<std::byte, decltype(unmap)> page(static_cast<std::byte*>(mapping), unmap);
  const std::span memory(page.get(), bytes);
  try {
    prefer_node(memory, node, system);
    *static_cast<volatile std::byte*>(page.get()) = std::byte{0};
    static_cast<void>(pages_by_node(memory, system));
  } catch (const unsupported& reason) {
    return reason.what();
  }
  return std::nullopt;
}

}  // namespace

const numa_system& linux_numa() {
  static const linux_system system;
  return system;
}

std::optional<std::string> why_no_node(int node, const numa_system& system) {
  using enum numa_system::node_state;
  if (node < 0 || node >= node_mask::most_nodes)
    return fmt::format("there is no NUMA node {}", node);
  const auto state = system.state_of(node);
  if (state == absent) return fmt::format("this machine has no NUMA node {}", node);
  if (state == without_memory) return fmt::format("NUMA node {} has no memory", node);
  if (const auto allowed = system.allowed(); allowed && !allowed->contains(node))
    return fmt::format("the process's cpuset does not allow memory on NUMA node {}", node);
  if (const auto bound = system.bound_to(); bound && !bound->contains(node))
    return fmt::format("the memory policy (numactl --membind) excludes NUMA node {}", node);
  return why_no_page(node, system);
}

std::optional<std::string> why_not_on_its_node(host_memory_kind kind, const numa_system& system) {
  if (!kind.node) return std::nullopt;
  if (kind.origin == host_origin::managed)
    return "the GPU's driver places managed memory: it takes no NUMA node";
  if (has(kind.flags, pin_flags::write_combined))
    return "write-combined memory comes from cudaHostAlloc, which takes no NUMA node";
  return why_no_node(*kind.node, system);
}

void prefer_node(std::span<std::byte> pages, int node, const numa_system& system) {
  if (const int error = system.prefer(pages, node); error != 0)
    throw unsupported(refusal("mbind", error));
}

void verify_node(std::span<const std::byte> pages, int node, const numa_system& system) {
  const auto counts = pages_by_node(pages, system);
  const auto total = (pages.size() + page_bytes() - 1) / page_bytes();
  std::vector<std::string> elsewhere;
  for (const auto& [place, count] : counts)
    if (place < 0)
      throw unsupported(
          fmt::format("{} of {} pages cannot be located: {}", count, total, message_of(-place)));
    else if (place != node)
      elsewhere.push_back(fmt::format("{} of {} pages lie on node {}", count, total, place));
  if (elsewhere.empty()) return;
  throw out_of_memory(fmt::format("{}, not on node {}: it has too little free memory",
                                  fmt::join(elsewhere, ", "), node));
}

void gather_on_node(std::span<std::byte> pages, int node, const numa_system& system) {
  // Its success is seen by where the pages lie afterwards.
  static_cast<void>(system.gather(pages, node));
  verify_node(pages, node, system);
}

}  // namespace transfers::detail
