#include "transfers/context.hpp"

#include <mutex>
#include <optional>

#include "transfers/arguments.hpp"

namespace transfers {

struct context::state {
  transfers::device& device;
  std::unique_ptr<transfers::stream> own;
  transfers::stream& stream;
  std::optional<device_pool> memory;  ///< none: plain allocation
  std::once_flag staging_made;
  std::optional<pinned_pool> staging;  ///< made when it is needed

  state(transfers::device& on, std::unique_ptr<transfers::stream> made, transfers::stream& in,
        allocation from)
      : device(on), own(std::move(made)), stream(in) {
    if (from == allocation::pooled) memory.emplace(on);
  }
};

context::context(transfers::device& on, allocation from) {
  auto own = on.create_stream();
  auto& in = *own;
  state_ = std::make_shared<state>(on, std::move(own), in, from);
}

context::context(transfers::device& on, transfers::stream& in, allocation from)
    : state_(std::make_shared<state>(on, nullptr, in, from)) {}

device& context::device() const noexcept { return state_->device; }

stream& context::stream() const noexcept { return state_->stream; }

device_memory context::allocate(std::size_t bytes) const {
  return state_->memory ? state_->memory->allocate(bytes) : state_->device.allocate(bytes);
}

host_memory context::allocate_staging(std::size_t bytes) const {
  std::call_once(state_->staging_made,
                 [this] { state_->staging.emplace(state_->device, state_->stream); });
  auto block = std::make_shared<host_memory>(state_->staging->allocate(bytes));
  auto* const data = block->data();
  const auto kind = block->kind();
  auto* const on_device = block->on_device();
  // The block goes back before the stream that its pool asks can go.
  return {{data,
           [block = std::move(block), keep = state_](std::byte*) mutable {
             block.reset();
             keep.reset();
           }},
          bytes,
          kind,
          on_device};
}

std::unique_ptr<device> open_default_device() {
  return find_cuda().devices > 0 ? open_cuda_device(0) : open_host_device();
}

namespace detail {

waits_when_unwinding::~waits_when_unwinding() {
  if (!armed_) return;
  try {
    context_.synchronize();
  } catch (...) {  // NOLINT(bugprone-empty-catch): the first exception is the one to see
  }
}

}  // namespace detail
}  // namespace transfers
