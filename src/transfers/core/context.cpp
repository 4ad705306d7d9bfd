#include "transfers/core/context.hpp"

#include <mutex>
#include <optional>
#include <system_error>

#include "transfers/core/error.hpp"
#include "transfers/fast/round_trip.hpp"
#include "transfers/fast/staged_copy.hpp"
#include "transfers/launch/arguments.hpp"

namespace transfers {

struct context::state {
  transfers::device& device;
  std::unique_ptr<transfers::stream> own;
  transfers::stream& stream;
  std::optional<device_pool> memory;  ///< none: plain allocation
  std::once_flag staging_made;
  std::optional<pinned_pool> staging;  ///< made when it is needed
  const transfers::staging own_staging;
  std::once_flag copier_made;
  std::shared_ptr<staged_copier> copier;  ///< likewise; none: pageable memory is copied plainly
  bool copier_chosen = false;             ///< by stage_by()
  std::once_flag round_trips_made;
  std::optional<round_trip_pipeline> round_trips;  ///< likewise

  state(transfers::device& on, std::unique_ptr<transfers::stream> made, transfers::stream& in,
        allocation from)
      : device(on), own(std::move(made)), stream(in) {
    if (from == allocation::pooled) memory.emplace(on);
  }

  [[nodiscard]] std::size_t least_staged(direction way) const {
    if (!copier_chosen) return own_staging.in(way).least_bytes;
    return copier ? copier->how().in(way).least_bytes : transfers::staging::never;
  }

  staged_copier* make_copier() {
    std::call_once(copier_made, [this] {
      constexpr unsigned worth_it = 4;  // one thread fills a chunk as fast as the driver does
      if (usable_processors() < worth_it) return;
      // Such devices reach ordinary memory themselves.
      const auto& cuda = device.description().cuda;
      if (cuda && (cuda->host_page_tables || cuda->integrated)) return;
      try {
        copier = std::make_shared<staged_copier>(device, own_staging);
      } catch (const out_of_memory&) {  // it goes without, only slower
      } catch (const unsupported&) {
      } catch (const std::system_error&) {
      } catch (const device_error& broken) {
        if (broken.device_lost()) throw;
      }
    });
    return copier.get();
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
  if (bytes < state_->least_staged(way) ||
      device().copies_directly(way == direction::h2d ? source : destination))
    return false;
  auto* const copier = state_->make_copier();
  if (copier == nullptr) return false;
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

void context::stage_by(std::shared_ptr<staged_copier> copier) const {
  std::call_once(state_->copier_made, [] {});  // none of its own any more
  state_->copier_chosen = true;
  state_->copier = std::move(copier);
}

round_trip_pipeline& context::round_trips() const {
  std::call_once(state_->round_trips_made, [this] { state_->round_trips.emplace(state_->device); });
  return *state_->round_trips;
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
