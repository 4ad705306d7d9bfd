#include "src/transfers/host/slots.hpp"

#include <atomic>
#include <optional>
#include <thread>

namespace transfers::detail {
namespace {

/// One block of the kernel (src/transfers/cuda/slots.cu), which does the same.
class block {
 public:
  explicit block(const slot_copy& copy) : copy_(copy) {}

  /// False if the run was cancelled before.
  [[nodiscard]] bool enter() const {
    // Sequentially consistent, as the fence of the kernel.
    word(copy_.begun_word(0)).store(copy_.run);
    return !is_cancelled();
  }
  void leave() const { word(copy_.left_word(0)).store(copy_.run, std::memory_order_release); }

  /// The next chunk that the host has made ready.
  [[nodiscard]] std::optional<std::uint64_t> take() const {
    const auto chunk = std::atomic_ref(*copy_.taken).fetch_add(1, std::memory_order_relaxed);
    if (chunk >= copy_.chunks()) return std::nullopt;
    const auto needed = copy_.needed_by_device(chunk);
    while (word(copy_.host_word(chunk)).load(std::memory_order_acquire) < needed) {
      if (is_cancelled()) return std::nullopt;
      std::this_thread::yield();  // unlike a kernel, it shares the processor with other threads
    }
    return chunk;
  }

  void give_back(std::uint64_t chunk) const {
    word(copy_.device_word(chunk)).store(copy_.done(chunk), std::memory_order_release);
  }

 private:
  [[nodiscard]] std::atomic_ref<std::uint64_t> word(std::size_t index) const {
    return std::atomic_ref(copy_.words[index]);
  }
  [[nodiscard]] bool is_cancelled() const {
    return word(copy_.cancelled_word()).load() >= copy_.run;
  }

  const slot_copy& copy_;
};

}  // namespace

void copy_slots_on_host(
    const slot_copy& copy,
    const std::function<void(std::byte*, const std::byte*, std::size_t)>& move) {
  const block only(copy);
  if (only.enter()) {
    while (const auto chunk = only.take()) {
      const auto part = copy.part_of(*chunk);
      auto* const in_slot = copy.memory + *chunk % copy.slots * copy.slot_bytes + part.in_slot;
      auto* const in_data = copy.data + part.offset;
      if (copy.to_device)
        move(in_data, in_slot, part.bytes);
      else
        move(in_slot, in_data, part.bytes);
      only.give_back(*chunk);
    }
  }
  only.leave();
}

}  // namespace transfers::detail
