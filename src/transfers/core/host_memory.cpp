#include "transfers/core/host_memory.hpp"

#include <array>

#include "transfers/core/error.hpp"

namespace transfers {
namespace {

constexpr auto portable = pin_flags::portable;
constexpr auto mapped = pin_flags::mapped;
constexpr auto write_combined = pin_flags::write_combined;

constexpr std::array kinds{
    pageable,
    pageable_huge,
    registered,
    registered_huge,
    pinned(),
    pinned(portable),
    pinned(mapped),
    pinned(write_combined),
    pinned(portable | mapped),
    pinned(portable | write_combined),
    pinned(mapped | write_combined),
    pinned(portable | mapped | write_combined),
};

std::string joined(pin_flags flags, std::string_view before_each, std::string_view names_portable,
                   std::string_view names_mapped, std::string_view names_wc) {
  std::string text;
  const auto add = [&](pin_flags flag, std::string_view name) {
    if (has(flags, flag)) text.append(before_each).append(name);
  };
  add(portable, names_portable);
  add(mapped, names_mapped);
  add(write_combined, names_wc);
  return text;
}

}  // namespace

std::span<const host_memory_kind> all_host_memory_kinds() { return kinds; }

namespace {

std::string name_of(host_memory_kind kind) {
  switch (kind.origin) {
    case host_origin::pageable: return "pageable";
    case host_origin::pageable_huge: return "pageable_huge";
    case host_origin::registered: return "registered";
    case host_origin::registered_huge: return "registered_huge";
    case host_origin::managed: return "managed";
    case host_origin::pinned: break;
  }
  return "pinned" + joined(kind.flags, "_", "portable", "mapped", "wc");
}

std::string description_of(host_memory_kind kind) {
  switch (kind.origin) {
    case host_origin::pageable: return "ordinary memory in base pages";
    case host_origin::pageable_huge: return "ordinary memory in transparent huge pages";
    case host_origin::registered: return "ordinary memory page-locked by cudaHostRegister";
    case host_origin::registered_huge: return "huge pages page-locked by cudaHostRegister";
    case host_origin::managed: return "cudaMallocManaged, preferred on the host";
    case host_origin::pinned: break;
  }
  const auto flags = joined(kind.flags, " | ", "PORTABLE", "DEVICEMAP", "WRITECOMBINED");
  return std::string(kind.node ? "ordinary memory page-locked by cudaHostRegister("
                               : "cudaHostAlloc(") +
         (flags.empty() ? "DEFAULT" : flags.substr(3)) + ")";
}

}  // namespace

std::string to_string(host_memory_kind kind) {
  return name_of(kind) + (kind.node ? "@node" + std::to_string(*kind.node) : "");
}

std::string describe(host_memory_kind kind) {
  return description_of(kind) + (kind.node ? ", on NUMA node " + std::to_string(*kind.node) : "");
}

std::byte* detail::addressable(std::byte* address_on_device) {
  if (address_on_device == nullptr)
    throw unsupported("the device cannot address this host memory: it is not page-locked");
  return address_on_device;
}

}  // namespace transfers
