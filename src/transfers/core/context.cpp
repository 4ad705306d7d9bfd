#include "transfers/core/context.hpp"

#include <mutex>
#include <optional>
#include <vector>

#include "transfers/core/error.hpp"

namespace transfers {

struct context::state {
  transfers::device& device;
  std::unique_ptr<transfers::stream> own;
  transfers::stream& stream;
  std::optional<device_pool> memory;  ///< none: plain allocation
  std::once_flag staging_made;
  std::optional<pinned_pool> staging;       ///< made when it is needed
  std::shared_ptr<pageable_copier> copier;  ///< null: the device copies pageable memory
  std::recursive_mutex slots_mutex;         ///< recursive: the maker of a slot may ask for others
  std::vector<std::pair<std::type_index, std::shared_ptr<void>>> slots;

  state(transfers::device& on, std::unique_ptr<transfers::stream> made, transfers::stream& in,
        allocation from)
      : device(on), own(std::move(made)), stream(in), copier(on.make_pageable_copier()) {
    if (from == allocation::pooled) memory.emplace(on);
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() {
    while (!slots.empty()) slots.pop_back();
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
  // A graph would go on using it after the pool has given it to somebody else.
  if (stream().is_recording())
    throw unsupported("what needs memory on the way cannot be recorded into a graph");
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

bool context::copy_staged(std::byte* destination, const std::byte* source, std::size_t bytes,
                          direction way) const {
  auto* const copier = state_->copier.get();
  if (copier == nullptr || bytes < copier->least_bytes(way) ||
      device().copies_directly(way == direction::h2d ? source : destination) || !copier->acquire())
    return false;
  synchronize();
  copier->copy(destination, source, bytes, way);
  return true;
}

void context::copy(std::byte* destination, const std::byte* source, std::size_t bytes,
                   direction way) const {
  if (copy_staged(destination, source, bytes, way)) return;
  stream().copy(destination, source, bytes, way);
  synchronize();
}

void context::copy_or_enqueue(std::byte* destination, const std::byte* source, std::size_t bytes,
                              direction way) const {
  if (!copy_staged(destination, source, bytes, way)) stream().copy(destination, source, bytes, way);
}

void context::stage_by(std::shared_ptr<pageable_copier> copier) const {
  state_->copier = std::move(copier);
}

void* context::find_or_make_slot(std::type_index type,
                                 const std::function<std::shared_ptr<void>()>& make) const {
  const std::scoped_lock lock(state_->slots_mutex);
  for (const auto& [slot_type, object] : state_->slots)
    if (slot_type == type) return object.get();
  auto object = make();
  auto* const address = object.get();
  state_->slots.emplace_back(type, std::move(object));
  return address;
}

std::unique_ptr<device> open_default_device() {
  return find_cuda().devices > 0 ? open_cuda_device(0) : open_host_device();
}

}  // namespace transfers
