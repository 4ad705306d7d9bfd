#include "transfers/core/device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "transfers/core/error.hpp"
#include "transfers/core/pool.hpp"

namespace transfers {

bool device::access_peer(device& /*peer*/) { return false; }

bool device::accesses(const device& peer) const {
  const auto* const by = peer.identity().accessed_by;
  return by != nullptr && by->contain(identity().state);
}

std::shared_ptr<detail::pool_body> device::make_pool() { return detail::make_suballocator(*this); }

std::shared_ptr<detail::pool_body> device::shared_pool() {
  const std::scoped_lock lock(pool_->mutex);
  auto pool = pool_->body.lock();
  if (!pool) pool_->body = pool = make_pool();
  return pool;
}

std::unique_ptr<stream> device::adopt_stream(void* /*native_handle*/) {
  throw unsupported("only CUDA devices have streams that other code makes");
}

std::vector<host_memory> allocate_host_in_pieces(device& device, std::size_t bytes,
                                                 std::size_t piece_bytes, host_memory_kind kind) {
  if (bytes == 0 || piece_bytes == 0)
    throw invalid_argument("cannot allocate zero bytes of host memory");
  std::vector<host_memory> pieces;
  for (; bytes > 0; bytes -= pieces.back().size())
    pieces.push_back(device.allocate_host(std::min(bytes, piece_bytes), kind));
  return pieces;
}

std::shared_ptr<device> detail::kept(device& device) {
  if (auto shared = device.share()) return shared;
  return {std::shared_ptr<void>(), &device};
}

void detail::check_access(const device_identity& memory, const device_identity& device) {
  if (!memory.is_other_than(device)) return;
  if (memory.accessed_by == nullptr || !memory.accessed_by->contain(device.state))
    check_same_device(memory, "memory", device);
}

void detail::check_same_device(const device_identity& object_device, const char* object,
                               const device_identity& device) {
  if (!object_device.is_other_than(device)) return;
  const auto name_of = [](const device_identity& named) {
    return fmt::format("{}:{}", named.kind, named.index);
  };
  const auto first = name_of(object_device);
  const auto second = name_of(device);
  throw invalid_argument(fmt::format("{} of {} cannot be used with {}{}", object, first, second,
                                     first == second ? ", another device of this name" : ""));
}

}  // namespace transfers
