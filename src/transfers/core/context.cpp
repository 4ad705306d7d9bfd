#include "transfers/core/context.hpp"

#include <mutex>
#include <optional>
#include <vector>

#include "transfers/core/error.hpp"

namespace transfers {

/// What constructors differ in.
struct context::parts {
  std::shared_ptr<transfers::device> device;
  /// Shared with blocks of memory, which are freed in its order; owns nothing if the stream is the
  /// caller's.
  std::shared_ptr<transfers::stream> stream;
  std::optional<device_pool> memory;  ///< none for plain allocation
};

struct context::state : parts {
  std::once_flag staging_made;
  std::optional<pinned_pool> staging;       ///< created when it is first needed
  std::shared_ptr<pageable_copier> copier;  ///< null if the device copies pageable memory
  std::recursive_mutex slots_mutex;         ///< recursive: the maker of a slot may ask for others
  std::vector<std::pair<std::type_index, std::shared_ptr<void>>> slots;

  explicit state(parts&& components) : parts(std::move(components)), copier(device->copier()) {
    if (stream == nullptr) stream = device->create_stream();
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() {
    while (!slots.empty()) slots.pop_back();
  }
};

namespace {

std::shared_ptr<stream> borrowed(stream& callers) { return {std::shared_ptr<void>(), &callers}; }

}  // namespace

device_pool context::checked(const transfers::device& device, device_pool pool) {
  detail::check_same_device(pool.body_->identity(), "a pool", device.identity());
  return pool;
}

std::optional<device_pool> context::pool_for(transfers::device& device, allocation kind) {
  if (kind == allocation::plain) return std::nullopt;
  return device_pool::shared_by_contexts(device);
}

context::context(parts&& components) : state_(std::make_shared<state>(std::move(components))) {}

namespace {

/// The stream, if it is one of the device.
stream& of_device(const device& device, stream& callers) {
  detail::check_same_device(callers.identity(), "a stream", device.identity());
  return callers;
}

}  // namespace

context::context(transfers::device& context_device, allocation allocation_kind)
    : context(parts{detail::kept(context_device), nullptr,
                    pool_for(context_device, allocation_kind)}) {}

context::context(transfers::device& context_device, transfers::stream& context_stream,
                 allocation allocation_kind)
    : context(parts{detail::kept(context_device),
                    borrowed(of_device(context_device, context_stream)),
                    pool_for(context_device, allocation_kind)}) {}

context::context(transfers::device& context_device, device_pool pool)
    : context(
          parts{detail::kept(context_device), nullptr, checked(context_device, std::move(pool))}) {}

context::context(transfers::device& context_device, transfers::stream& context_stream,
                 device_pool pool)
    : context(parts{detail::kept(context_device),
                    borrowed(of_device(context_device, context_stream)),
                    checked(context_device, std::move(pool))}) {}

context::context(std::unique_ptr<transfers::device> owned) {
  if (!owned) throw invalid_argument("a context needs a device");
  auto& own = *owned;
  auto pool = pool_for(own, allocation::pooled);
  *this = context(parts{std::move(owned), nullptr, std::move(pool)});
}

device& context::device() const noexcept { return *state_->device; }

stream& context::stream() const noexcept { return *state_->stream; }

detail::device_identity context::identity_of_memory() const noexcept {
  return state_->memory ? state_->memory->body_->identity() : state_->device->identity();
}

device_memory context::allocate(std::size_t bytes) const {
  return state_->memory ? state_->memory->allocate(bytes, stream(), state_->stream)
                        : state_->device->allocate(bytes);
}

host_memory context::allocate_staging(std::size_t bytes) const {
  // A graph would keep using the memory after the pool has reused it.
  if (stream().is_recording())
    throw unsupported("what needs memory on the way cannot be recorded into a graph");
  std::call_once(state_->staging_made, [this] { state_->staging.emplace(device(), stream()); });
  auto block = std::make_shared<host_memory>(state_->staging->allocate(bytes));
  auto* const data = block->data();
  const auto kind = block->kind();
  auto* const on_device = block->on_device();
  // Returns the block before the stream that its pool queries can be destroyed.
  return {{data,
           [block = std::move(block), keep = state_](std::byte*) mutable {
             block.reset();
             keep.reset();
           }},
          bytes,
          kind,
          on_device};
}

bool context::copy_staged(std::byte* dst, const std::byte* src, std::size_t bytes,
                          direction direction) const {
  auto* const copier = state_->copier.get();
  if (copier == nullptr || bytes < copier->least_bytes(direction) ||
      device().copies_directly(direction == direction::h2d ? src : dst) || !copier->acquire())
    return false;
  synchronize();
  copier->copy(dst, src, bytes, direction);
  return true;
}

void context::copy(std::byte* dst, const std::byte* src, std::size_t bytes,
                   direction direction) const {
  if (copy_staged(dst, src, bytes, direction)) return;
  stream().copy(dst, src, bytes, direction);
  synchronize();
}

void context::copy_or_enqueue(std::byte* dst, const std::byte* src, std::size_t bytes,
                              direction direction) const {
  if (!copy_staged(dst, src, bytes, direction)) stream().copy(dst, src, bytes, direction);
}

void context::copy_async(std::byte* dst, const std::byte* src, std::size_t bytes,
                         direction direction) const {
  // With cudaMemcpyAsync the calling thread moves the bytes itself; a batch leaves that to a thread
  // of the driver, which pays off where moving takes longer than waking it.
  constexpr std::size_t worth_a_thread = std::size_t{64} << 10;
  if (direction == direction::h2d || bytes < worth_a_thread || device().copies_directly(dst) ||
      stream().is_recording()) {
    stream().copy(dst, src, bytes, direction);
    return;
  }
  stream().copy_batch(std::span(&dst, 1), std::span(&src, 1), std::span(&bytes, 1), direction);
}

void context::wait_for(const context& other) const {
  if (*this != other) stream().wait(*other.stream().record(event_timing::off));
}

void context::stage_by(std::shared_ptr<pageable_copier> copier) const {
  if (copier) detail::check_same_device(copier->identity(), "a copier", device().identity());
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
