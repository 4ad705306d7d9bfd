#include "transfers/fast/scattered.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "src/transfers/core/locked_range.hpp"
#include "src/transfers/fast/polite_kernel.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

// The first table is short, so that the kernel starts soon; it runs while the host writes the next
// one, of up to most_pieces.
constexpr std::size_t first_pieces = 1024;
constexpr std::size_t growth = 16;
constexpr std::size_t most_pieces = 32768;

/// Calls work(block, offset in the device's memory) for each block that is not empty.
template <class Work>
void for_each_block(std::span<const scattered_block> blocks, device_view<std::byte> on_device,
                    Work&& work) {
  std::size_t offset = 0;
  for (const auto& block : blocks) {
    if (block.bytes == 0) continue;
    if (block.bytes > on_device.size() - offset)
      throw length_error("the blocks are longer than the stretch of device memory for them");
    if (block.host == nullptr) throw invalid_argument("a block of host memory to copy is at null");
    work(block, offset);
    offset += block.bytes;
  }
}

}  // namespace

/// The pieces that one kernel copies, in pinned memory, where the kernel reads them. A copy of the
/// table to the device would be one more operation of the stream before the kernel, and the table
/// is a small part of the bytes that cross the link.
class scattered_copy::table {
 public:
  /// `sparing`: kernels that spare others; null: the stream's own.
  table(scattered_copy& copier, std::byte* on_device, direction direction,
        const detail::polite_kernels* sparing)
      : copier_(copier), on_device_(on_device), direction_(direction), sparing_(sparing) {}

  void add(std::byte* host, std::size_t bytes, std::size_t offset) {
    while (bytes > 0) {
      if (used_ == capacity_) grow();
      const auto part = std::min(bytes, scattered_piece::most_bytes);
      auto& next = reinterpret_cast<scattered_piece*>(memory_.data())[used_++];
      next = {};
      next.host = host;
      next.bytes = part & 0xFFFFU;
      next.offset = offset & 0xFFFF'FFFF'FFFFU;
      host += part;
      offset += part;
      bytes -= part;
    }
  }

  /// Enqueues the copies of its pieces. Its memory goes back to the pool, which waits for the
  /// kernel.
  void flush() {
    if (used_ == 0) return;
    const auto* const pieces = reinterpret_cast<const scattered_piece*>(memory_.on_device());
    const auto count = std::exchange(used_, 0);
    if (sparing_ != nullptr)
      sparing_->launch_pieces(*copier_.stream_, pieces, count, on_device_, direction_);
    else
      copier_.stream_->copy_pieces(pieces, count, on_device_, direction_);
  }

 private:
  void grow() {
    flush();
    capacity_ = capacity_ == 0 ? first_pieces : std::min(capacity_ * growth, most_pieces);
    memory_ = {};  // goes back to the pool only now, after its kernel
    memory_ = copier_.tables_.allocate(capacity_ * sizeof(scattered_piece));
  }

  scattered_copy& copier_;
  std::byte* on_device_;
  direction direction_;
  const detail::polite_kernels* sparing_;
  host_memory memory_;
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;
};

scattered_copy::scattered_copy(device& device, stream& stream)
    : device_(detail::kept(device)),
      stream_(&stream),
      tables_(device, stream, pinned(pin_flags::mapped)) {
  if (device.description().cuda) sparing_ = std::make_shared<detail::polite_kernels>(device);
  // Allocating page-locked memory is slow, so the first copy finds it in the pool.
  const auto first = tables_.allocate(first_pieces * sizeof(scattered_piece));
  const auto second = tables_.allocate(first_pieces * growth * sizeof(scattered_piece));
}

void scattered_copy::add(std::span<std::byte> memory) {
  auto* const on_device =
      memory.empty() ? nullptr : detail::address_in_kernels(*device_, memory.data(), memory.size());
  if (on_device == nullptr)
    throw invalid_argument("the device does not see this host memory: it is not page-locked");
  const auto next =
      std::ranges::upper_bound(known_, memory.data(), std::less<>(),
                               [](const mapped_memory& memory_range) { return memory_range.host; });
  const bool meets_next =
      next != known_.end() && std::less<>()(next->host, memory.data() + memory.size());
  const bool meets_last =
      next != known_.begin() &&
      std::less<>()(memory.data(), std::prev(next)->host + std::prev(next)->bytes);
  if (meets_next || meets_last)
    throw invalid_argument("this host memory, or a part of it, has been added before");
  known_.insert(next, {memory.data(), memory.size(), on_device});
}

/// The device address of a block; null if the device does not see it.
std::byte* scattered_copy::find_on_device(const scattered_block& block) {
  const auto address_in = [&](const mapped_memory& known) -> std::byte* {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(block.host) -
        reinterpret_cast<std::uintptr_t>(known.host);  // huge for addresses before it
    return offset < known.bytes && block.bytes <= known.bytes - offset ? known.on_device + offset
                                                                       : nullptr;
  };
  if (last_found_ < known_.size())
    if (auto* const address = address_in(known_[last_found_])) return address;
  const auto next = std::ranges::upper_bound(known_, block.host, std::less<>(),
                                             [](const mapped_memory& known) { return known.host; });
  if (next != known_.begin()) {
    last_found_ = static_cast<std::size_t>(std::prev(next) - known_.begin());
    if (auto* const address = address_in(known_[last_found_])) return address;
  }
  return detail::address_in_kernels(*device_, block.host, block.bytes);
}

void scattered_copy::enqueue(std::span<const scattered_block> blocks,
                             device_view<std::byte> on_device, direction direction,
                             scattered_route method) {
  // A graph would read the table after its memory has been reused.
  if (stream_->is_recording())
    throw unsupported("a scattered copy cannot be recorded into a graph");
  switch (method) {
    case scattered_route::loop: return enqueue_loop(blocks, on_device, direction);
    case scattered_route::batch: return enqueue_batch(blocks, on_device, direction);
    case scattered_route::kernel: return enqueue_kernel(blocks, on_device, direction, false);
    case scattered_route::automatic: return enqueue_kernel(blocks, on_device, direction, true);
    case scattered_route::sparing:
      return enqueue_kernel(blocks, on_device, direction, true, sparing_.get());
  }
}

void scattered_copy::enqueue_copy(std::byte* host, std::byte* device_block, std::size_t bytes,
                                  direction direction) {
  if (direction == direction::h2d)
    stream_->copy(device_block, host, bytes, direction);
  else
    stream_->copy(host, device_block, bytes, direction);
}

void scattered_copy::enqueue_loop(std::span<const scattered_block> blocks,
                                  device_view<std::byte> on_device, direction direction) {
  for_each_block(blocks, on_device, [&](const scattered_block& block, std::size_t offset) {
    enqueue_copy(block.host, on_device.data() + offset, block.bytes, direction);
  });
}

void scattered_copy::enqueue_batch(std::span<const scattered_block> blocks,
                                   device_view<std::byte> on_device, direction direction) {
  destinations_.clear();
  sources_.clear();
  sizes_.clear();
  for_each_block(blocks, on_device, [&](const scattered_block& block, std::size_t offset) {
    auto* const device_block = on_device.data() + offset;
    destinations_.push_back(direction == direction::h2d ? device_block : block.host);
    sources_.push_back(direction == direction::h2d ? block.host : device_block);
    sizes_.push_back(block.bytes);
  });
  if (!sizes_.empty()) stream_->copy_batch(destinations_, sources_, sizes_, direction);
}

void scattered_copy::enqueue_kernel(std::span<const scattered_block> blocks,
                                    device_view<std::byte> on_device, direction direction,
                                    bool others_too, const detail::polite_kernels* sparing) {
  table pieces(*this, on_device.data(), direction, sparing);
  for_each_block(blocks, on_device, [&](const scattered_block& block, std::size_t offset) {
    if (auto* const mapped = find_on_device(block))
      pieces.add(mapped, block.bytes, offset);
    else if (others_too)
      enqueue_copy(block.host, on_device.data() + offset, block.bytes, direction);
    else
      throw unsupported("the kernel reaches page-locked host memory only, and a block is not");
  });
  pieces.flush();
}

}  // namespace transfers
