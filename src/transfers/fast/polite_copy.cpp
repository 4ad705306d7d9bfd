#include "transfers/fast/polite_copy.hpp"

#include <mutex>

#include "src/transfers/core/locked_range.hpp"
#include "src/transfers/fast/move_staged.hpp"
#include "src/transfers/fast/polite_kernel.hpp"
#include "transfers/core/error.hpp"

namespace transfers {

struct polite_copier::state {
  explicit state(transfers::device& used) : kept(detail::kept(used)), device(*kept) {}

  void launch(stream& work, std::byte* dst, const std::byte* src, std::size_t bytes,
              direction direction) const;
  [[nodiscard]] bool enqueue(stream& work, std::byte* dst, const std::byte* src, std::size_t bytes,
                             direction direction) const;
  void copy_staged(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction);

  std::shared_ptr<transfers::device> kept;
  transfers::device& device;
  std::unique_ptr<stream> own_stream = device.create_stream();
  staging settings = {};
  std::unique_ptr<detail::chunk_ring> ring = nullptr;  ///< from the first pageable copy on
  std::mutex one_at_a_time = {};
};

/// Addresses are those in kernels.
void polite_copier::state::launch(stream& work, std::byte* dst, const std::byte* src,
                                  std::size_t bytes, direction direction) const {
  if (device.description().cuda)
    detail::launch_polite_copy(work, dst, src, bytes, direction);
  else
    work.copy_by_kernel(dst, src, bytes, multiprocessors(direction));
}

/// Returns whether kernels have an address for the host's end.
bool polite_copier::state::enqueue(stream& work, std::byte* dst, const std::byte* src,
                                   std::size_t bytes, direction direction) const {
  auto* const host = detail::host_end(dst, src, direction);
  auto* const address = detail::address_in_kernels(device, host, bytes);
  if (address == nullptr) return false;
  if (direction == direction::h2d)
    launch(work, dst, address, bytes, direction);
  else
    launch(work, address, src, bytes, direction);
  return true;
}

void polite_copier::state::copy_staged(std::byte* dst, const std::byte* src, std::size_t bytes,
                                       direction direction) {
  if (!ring) ring = detail::make_ring(device, settings);
  detail::move_staged(*ring, settings, dst, src, bytes, direction,
                      [this](std::size_t /*index*/, std::byte* to, const std::byte* from,
                             std::size_t size, transfers::direction way, stream& work) {
                        if (!enqueue(work, to, from, size, way))
                          throw unsupported("the device has no address for page-locked memory");
                      });
}

polite_copier::polite_copier(device& device) : state_(std::make_unique<state>(device)) {
  constexpr std::size_t distance = 64;
  const auto buffer = device.allocate_host(4 * distance, pinned(pin_flags::mapped));
  const auto stream = device.create_stream();  // waits for the kernels before the buffer is freed
  auto* const begin = buffer.on_device();
  if (begin == nullptr) throw unsupported("the device has no address for page-locked memory");
  // CUDA loads a kernel when it is first launched, and may wait for other work then (CUDA
  // Programming Guide, "Lazy Loading"). There is a kernel for each width of accesses.
  for (const auto direction : {direction::h2d, direction::d2h})
    for (const std::size_t misalignment : {0U, 4U, 1U})
      state_->launch(*stream, begin, begin + distance + misalignment, distance, direction);
  stream->synchronize();
}

polite_copier::~polite_copier() = default;

void polite_copier::copy(std::byte* dst, const std::byte* src, std::size_t bytes,
                         direction direction) {
  if (bytes == 0) return;
  const std::scoped_lock lock(state_->one_at_a_time);
  if (!state_->enqueue(*state_->own_stream, dst, src, bytes, direction))
    return state_->copy_staged(dst, src, bytes, direction);
  state_->own_stream->synchronize();
}

void polite_copier::enqueue(stream& stream, std::byte* dst, const std::byte* src, std::size_t bytes,
                            direction direction) const {
  detail::check_same_device(stream.identity(), "a stream", state_->device.identity());
  if (bytes > 0 && !state_->enqueue(stream, dst, src, bytes, direction))
    throw unsupported("kernels have no address for this host memory: it is not page-locked");
}

polite_copier& polite_copies(const context& context) {
  return context.slot<polite_copier>(
      [&context] { return std::make_shared<polite_copier>(context.device()); });
}

}  // namespace transfers
