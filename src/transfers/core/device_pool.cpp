#include <utility>

#include "transfers/core/error.hpp"
#include "transfers/core/pool.hpp"

namespace transfers {

device_pool::device_pool(device& device) : body_(device.make_pool()) {}

device_memory device_pool::allocate(std::size_t bytes, stream& stream) {
  return allocate(bytes, stream, nullptr);
}

device_memory device_pool::allocate(std::size_t bytes, stream& stream,
                                    std::shared_ptr<const void> owner) const {
  if (bytes == 0) throw invalid_argument("cannot allocate zero bytes from a pool");
  detail::check_same_device(stream.identity(), "a stream", body_->identity());
  auto* const block = body_->allocate(bytes, stream);
  return {{block, [body = body_, bytes, &stream, kept = std::move(owner)](
                      std::byte* freed) { body->deallocate(freed, bytes, stream); }},
          bytes};
}

std::size_t device_pool::held_bytes() const { return body_->held_bytes(); }

bool device_pool::release() { return body_->release(); }

}  // namespace transfers
