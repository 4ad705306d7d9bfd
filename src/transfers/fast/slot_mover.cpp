#include "src/transfers/fast/slot_mover.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

#include "src/transfers/core/relax.hpp"
#include "src/transfers/fast/move_in_chunks.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

using clock = std::chrono::steady_clock;

/// As many as a large copy has under way; few enough that they stay in the processors' caches.
constexpr std::size_t most_slots = 64;
/// Each run has a new counter, because the one of an abandoned run has any value. They are cleared
/// when the last one has been used.
constexpr std::size_t counters = 1024;

std::atomic_ref<std::uint64_t> word(const host_memory& words, std::size_t index) {
  return std::atomic_ref(reinterpret_cast<std::uint64_t*>(words.data())[index]);
}

/// The host's part of one copy, by several threads.
class host_part {
 public:
  struct sides {
    const host_memory& words;
    std::byte* slots;
    std::byte* dst;        ///< null for copies to the device
    const std::byte* src;  ///< null for copies from the device
  };

  host_part(const slot_copy& copy, unsigned blocks, const sides& ends, bool streaming,
            stream& stream, std::chrono::nanoseconds patience)
      : copy_(copy),
        blocks_(blocks),
        memory_(ends),
        streaming_(streaming),
        stream_(stream),
        give_up_(clock::now() + patience) {}

  /// One thread's share. Returns early if the kernel does not start, or another thread has failed.
  void work() {
    try {
      for (auto chunk = next_++; chunk < copy_.chunks(); chunk = next_++) {
        if (!wait_for_device(chunk, copy_.needed_by_host(chunk))) return;
        move_chunk(chunk);
        word(memory_.words, copy_.host_word(chunk))
            .store(copy_.done(chunk), std::memory_order_release);
      }
    } catch (...) {
      stopped_ = true;
      throw;
    }
  }

  /// Waits until the device has moved all chunks. False if the kernel has not started.
  [[nodiscard]] bool finish() {
    const auto chunks = copy_.chunks();
    const auto in_slots = std::min<std::uint64_t>(chunks, copy_.slots);
    for (auto chunk = chunks - in_slots; chunk < chunks; ++chunk)
      if (!wait_for_device(chunk, copy_.done(chunk))) return false;
    return true;
  }

 private:
  void move_chunk(std::uint64_t chunk) const {
    const auto part = copy_.part_of(chunk);
    auto* const in_slot = memory_.slots + chunk % copy_.slots * copy_.slot_bytes + part.in_slot;
    if (copy_.to_device)
      move(in_slot, memory_.src + part.offset, part.bytes, streaming_);
    else
      move(memory_.dst + part.offset, in_slot, part.bytes, streaming_);
  }

  [[nodiscard]] bool wait_for_device(std::uint64_t chunk, std::uint64_t needed) {
    const auto device_word = word(memory_.words, copy_.device_word(chunk));
    constexpr unsigned looks_between_checks = 256;
    for (unsigned looks = 1; device_word.load(std::memory_order_acquire) < needed; ++looks) {
      if (stopped_) return false;
      relax();
      if (looks % looks_between_checks != 0) continue;
      if (clock::now() > give_up_) look_after(device_word, needed);
      // On the host device the kernel is a thread, which may need this processor.
      std::this_thread::yield();
    }
    return true;
  }

  /// Stops all threads if no block has begun. Throws device_error if the kernel has failed.
  void look_after(std::atomic_ref<std::uint64_t> device_word, std::uint64_t needed) {
    if (!has_begun()) {
      stopped_ = true;
      return;
    }
    const std::scoped_lock lock(mutex_);
    if (!end_) end_ = stream_.record(event_timing::off);
    if (end_->done() && device_word.load(std::memory_order_acquire) < needed)
      throw device_error("the kernel that copies slots has ended early", false);
  }

  [[nodiscard]] bool has_begun() {
    for (unsigned block = 0; !begun_ && block < blocks_; ++block)
      if (word(memory_.words, copy_.begun_word(block)).load() == copy_.run) begun_ = true;
    return begun_;
  }

  const slot_copy& copy_;
  unsigned blocks_;
  sides memory_;
  bool streaming_;
  stream& stream_;
  const clock::time_point give_up_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<bool> begun_ = false;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::unique_ptr<event> end_;  ///< of the kernel; null until it takes long
};

}  // namespace

slot_mover::slot_mover(device& device, chunk_pipeline& pipeline, std::chrono::nanoseconds patience)
    : pipeline_(pipeline),
      patience_(patience),
      words_(device.allocate_host(slot_copy::words_of(most_slots) * sizeof(std::uint64_t),
                                  pinned(pin_flags::mapped))),
      taken_(device.allocate(counters * sizeof(std::uint64_t))),
      stream_(device.create_stream()) {
  if (words_.on_device() == nullptr) throw unsupported("the device does not see host memory");
  std::memset(words_.data(), 0, words_.size());
}

slot_copy slot_mover::describe(const host_memory& memory, std::byte* data, std::size_t bytes,
                               direction direction, std::size_t slot_bytes) {
  constexpr std::size_t unit = 16;
  if (runs_ % counters == 0) stream_->clear(taken_.data(), taken_.size());
  slot_copy copy;
  copy.memory = addressable(memory.on_device());
  copy.words = reinterpret_cast<std::uint64_t*>(words_.on_device());
  copy.taken = reinterpret_cast<std::uint64_t*>(taken_.data()) + runs_ % counters;
  copy.run = ++runs_;
  copy.data = data;
  copy.bytes = bytes;
  copy.slot_bytes = std::min(slot_bytes, memory.size() / unit * unit);
  copy.slots = static_cast<std::uint32_t>(std::min(most_slots, memory.size() / copy.slot_bytes));
  copy.to_device = direction == direction::h2d;
  copy.misaligned = static_cast<std::uint8_t>(reinterpret_cast<std::uintptr_t>(data) % unit);
  return copy;
}

bool slot_mover::is_busy() {
  if (abandoned_ && !abandoned_->done()) return true;
  abandoned_.reset();
  return false;
}

bool slot_mover::copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction,
                      const slot_settings& settings) {
  return pipeline_.lend([&](worker_team& team, const host_memory& memory) {
    if (is_busy()) return false;
    const bool to_device = direction == direction::h2d;
    // The kernel writes to the data of the device only if it is the destination.
    auto* const on_device = to_device ? dst : const_cast<std::byte*>(src);
    const auto copy = describe(memory, on_device, bytes, direction, settings.slot_bytes);
    const auto blocks =
        static_cast<unsigned>(std::min<std::uint64_t>(settings.blocks, copy.chunks()));
    host_part part(copy, blocks,
                   {words_, memory.data(), to_device ? nullptr : dst, to_device ? src : nullptr},
                   settings.streaming_stores, *stream_, patience_);
    stream_->copy_slots(copy, blocks);
    bool finished = false;
    try {
      if (copy.chunks() == 1)
        part.work();
      else
        team.run([&](unsigned /*index*/) { part.work(); });
      finished = part.finish();
    } catch (...) {
      abandon(copy, blocks);
      throw;
    }
    if (!finished) abandon(copy, blocks);
    return finished;
  });
}

/// Returns when no block uses the copy's memory any more. A block that has not begun will not.
void slot_mover::abandon(const slot_copy& copy, unsigned blocks) {
  // Both sequentially consistent: a block that this does not see as begun sees that it is
  // cancelled.
  word(words_, copy.cancelled_word()).store(copy.run);
  try {
    abandoned_ = stream_->record(event_timing::off);
    for (unsigned block = 0; block < blocks; ++block)
      if (word(words_, copy.begun_word(block)).load() == copy.run) wait_until_left(copy, block);
  } catch (const device_error&) {
    stream_->synchronize();
    throw;
  }
}

void slot_mover::wait_until_left(const slot_copy& copy, unsigned block) const {
  const auto left = word(words_, copy.left_word(block));
  while (left.load(std::memory_order_acquire) != copy.run && !abandoned_->done())
    std::this_thread::yield();
}

}  // namespace transfers::detail
