#include "transfers/fast/polite_copy.hpp"

#include <mutex>
#include <optional>

#include "src/transfers/core/locked_range.hpp"
#include "src/transfers/fast/move_staged.hpp"
#include "src/transfers/fast/polite_kernel.hpp"
#include "transfers/core/error.hpp"

namespace transfers {

struct polite_copier::state {
  explicit state(transfers::device& used) : kept(detail::kept(used)), device(*kept) {
    if (device.description().cuda) kernels.emplace(device);
  }

  void launch(stream& work, std::byte* dst, const std::byte* src, std::size_t bytes,
              direction direction, yield_to others) const;
  [[nodiscard]] bool enqueue(stream& work, std::byte* dst, const std::byte* src, std::size_t bytes,
                             direction direction, yield_to others) const;
  void copy_staged(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction,
                   yield_to others);

  std::shared_ptr<transfers::device> kept;
  transfers::device& device;
  std::optional<detail::polite_kernels> kernels = {};
  std::unique_ptr<stream> own_stream = device.create_stream();
  staging settings = {};
  std::unique_ptr<detail::chunk_ring> ring = nullptr;  ///< from the first pageable copy on
  std::mutex one_at_a_time = {};
};

/// Addresses are those in kernels.
void polite_copier::state::launch(stream& work, std::byte* dst, const std::byte* src,
                                  std::size_t bytes, direction direction, yield_to others) const {
  if (kernels)
    kernels->launch(work, dst, src, bytes, direction, others);
  else
    work.copy_by_kernel(dst, src, bytes);
}

/// Returns whether kernels have an address for the host's end.
bool polite_copier::state::enqueue(stream& work, std::byte* dst, const std::byte* src,
                                   std::size_t bytes, direction direction, yield_to others) const {
  auto* const host = detail::host_end(dst, src, direction);
  auto* const address = detail::address_in_kernels(device, host, bytes);
  if (address == nullptr) return false;
  if (others == yield_to::work)
    work.copy(dst, src, bytes, direction);
  else if (direction == direction::h2d)
    launch(work, dst, address, bytes, direction, others);
  else
    launch(work, address, src, bytes, direction, others);
  return true;
}

void polite_copier::state::copy_staged(std::byte* dst, const std::byte* src, std::size_t bytes,
                                       direction direction, yield_to others) {
  if (!ring) ring = detail::make_ring(device, settings);
  detail::move_staged(*ring, settings, dst, src, bytes, direction,
                      [this, others](std::size_t /*index*/, std::byte* to, const std::byte* from,
                                     std::size_t size, transfers::direction way, stream& work) {
                        if (!enqueue(work, to, from, size, way, others))
                          throw unsupported("the device has no address for page-locked memory");
                      });
}

polite_copier::polite_copier(device& device) : state_(std::make_unique<state>(device)) {
  if (const auto reason = device.why_unsupported(pinned(pin_flags::mapped)))
    throw unsupported(*reason);
}

polite_copier::~polite_copier() = default;

unsigned polite_copier::multiprocessors(direction direction, yield_to others) const {
  if (!state_->kernels || others == yield_to::work) return 0;
  return state_->kernels->multiprocessors(direction, others);
}

void polite_copier::copy(std::byte* dst, const std::byte* src, std::size_t bytes,
                         direction direction, yield_to others) {
  if (bytes == 0) return;
  const std::scoped_lock lock(state_->one_at_a_time);
  if (!state_->enqueue(*state_->own_stream, dst, src, bytes, direction, others))
    return state_->copy_staged(dst, src, bytes, direction, others);
  state_->own_stream->synchronize();
}

void polite_copier::enqueue(stream& stream, std::byte* dst, const std::byte* src, std::size_t bytes,
                            direction direction, yield_to others) const {
  detail::check_same_device(stream.identity(), "a stream", state_->device.identity());
  if (bytes > 0 && !state_->enqueue(stream, dst, src, bytes, direction, others))
    throw unsupported("kernels have no address for this host memory: it is not page-locked");
}

polite_copier& polite_copies(const context& context) {
  return context.slot<polite_copier>(
      [&context] { return std::make_shared<polite_copier>(context.device()); });
}

}  // namespace transfers
