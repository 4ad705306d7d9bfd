#include "transfers/core/device.hpp"

#include "transfers/core/error.hpp"
#include "transfers/core/pool.hpp"

namespace transfers {

bool device::access_peer(device& /*peer*/) { return false; }

std::shared_ptr<detail::pool_body> device::make_pool() { return detail::make_suballocator(*this); }

std::shared_ptr<detail::pool_body> device::shared_pool() {
  const std::scoped_lock lock(pool_mutex_);
  auto pool = pool_.lock();
  if (!pool) pool_ = pool = make_pool();
  return pool;
}

std::unique_ptr<stream> device::adopt_stream(void* /*native_handle*/) {
  throw unsupported("only CUDA devices have streams that other code makes");
}

}  // namespace transfers
