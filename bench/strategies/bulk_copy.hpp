#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "bench/strategy/strategy.hpp"
#include "transfers/fast/polite_copy.hpp"
#include "transfers/fast/scattered.hpp"

namespace bench_transfers::bench {

/// What moves the bytes of a bulk copy.
enum class bulk_mover {
  engine,       ///< cudaMemcpyAsync
  kernel,       ///< a kernel that accesses the host's end, if there is one, in place
  polite,       ///< polite_copier
  prompt,       ///< prompt_copier
  staged,       ///< staged_copier
  memcpy,       ///< cudaMemcpy
  device_copy,  ///< device::copy
  scattered,    ///< scattered_copy, of blocks of 8 KiB
};

/// How a bulk copy is made.
struct bulk_method {
  static transfers::host_memory_kind mapped() {
    return transfers::pinned(transfers::pin_flags::mapped);
  }

  std::string name, summary;
  std::string calls = {};
  bulk_mover mover = bulk_mover::engine;
  std::size_t chunk_bytes = SIZE_MAX;  ///< of each copy of which two are in flight
  bool kernels_between = false;        ///< an empty one behind each chunk
  unsigned blocks = 0;                 ///< of a kernel that copies
  transfers::yield_to others = transfers::yield_to::copies;  ///< of polite copies
  /// Of scattered blocks.
  transfers::scattered_route route = transfers::scattered_route::automatic;
  transfers::host_memory_kind memory = mapped();
  bool within_device = false;  ///< both ends are in device memory

  [[nodiscard]] bool has_chunks() const { return chunk_bytes < SIZE_MAX; }
  /// Whether the calls return when the copy has ended; others enqueue it.
  [[nodiscard]] bool is_synchronous() const;
  /// Payloads that it uses in the host's block.
  [[nodiscard]] std::size_t host_payloads() const { return mover == bulk_mover::scattered ? 2 : 1; }
};

/// A large copy, most of them on a job's stream, beside which other work is done.
class bulk_copy {
 public:
  using nanoseconds = std::chrono::duration<double, std::nano>;

  /// Of scattered blocks, the host's end has room for two payloads. A kernel accesses the host's
  /// end in place: throws unsupported if the device has no address for it; device_error.
  bulk_copy(const job& task, const ends& ends, transfers::direction direction,
            const bulk_method& method);
  /// Returns when nothing is under way.
  ~bulk_copy();
  bulk_copy(const bulk_copy&) = delete;
  bulk_copy& operator=(const bulk_copy&) = delete;

  /// The copy, in one part, by the calling thread. Returns when it has ended. Throws device_error.
  void run();

  /// Enqueues the copy; a thread enqueues chunks. The last one must have been finished. What fails,
  /// finish() throws. Not for methods whose calls wait.
  void start();
  [[nodiscard]] bool is_started() const { return is_started_; }
  /// Whether the device has come to it. True as well if it has failed.
  [[nodiscard]] bool has_begun() const;
  [[nodiscard]] bool has_ended() const;  ///< likewise
  /// Waits for its end. Returns the time that it took by the device's clock. Throws device_error.
  nanoseconds finish();

  /// Compares what has arrived with what was sent; one line if a byte is wrong. Nothing is under
  /// way. Throws device_error.
  [[nodiscard]] std::optional<std::string> find_damage() const { return find_damage_(); }

  [[nodiscard]] const payload& source() const { return ends_.source; }
  [[nodiscard]] const payload& destination() const { return ends_.destination; }
  /// The metric of the multiprocessors that it occupies; none for copy engines, and where it is not
  /// known.
  [[nodiscard]] std::optional<measured_metric> occupied(const transfers::device& device) const;

 private:
  /// Copies so many bytes from an offset on.
  using part_copy = std::function<void(std::size_t first, std::size_t bytes)>;

  [[nodiscard]] bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  part_copy copy_of_parts(const job& task);
  part_copy copy_of_blocks(const job& task);
  [[nodiscard]] std::size_t multiprocessors(const transfers::device& device) const;
  void enqueue();

  transfers::stream& stream_;
  transfers::direction direction_;
  bulk_method method_;
  ends ends_;
  std::byte* src_ = nullptr;  ///< as the copy engine, the kernel or the library addresses it
  std::byte* dst_ = nullptr;  ///< likewise
  std::function<std::optional<std::string>()> find_damage_;
  std::shared_ptr<transfers::polite_copier> polite_;
  part_copy copy_part_;
  std::function<void()> behind_part_;  ///< may be empty
  bool is_started_ = false;
  std::unique_ptr<transfers::event> begin_, end_;
  std::array<std::unique_ptr<transfers::event>, 2> in_flight_;
  std::atomic<bool> begin_is_recorded_ = false, end_is_recorded_ = false, failed_ = false;
  std::exception_ptr failure_;
  std::jthread feeder_;  // last: uses the other members
};

}  // namespace bench_transfers::bench
