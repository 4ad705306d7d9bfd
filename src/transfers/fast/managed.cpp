#include "transfers/fast/managed.hpp"

namespace transfers {

std::optional<std::string> why_no_managed_memory(const device& device) {
  const auto& cuda = device.description().cuda;
  if (!cuda) return "managed memory comes from a GPU driver; the host device has none";
  if (!cuda->concurrent_managed_access)
    return "pages of managed memory cannot move one by one "
           "(cudaDevAttrConcurrentManagedAccess is 0)";
  return std::nullopt;
}

}  // namespace transfers
