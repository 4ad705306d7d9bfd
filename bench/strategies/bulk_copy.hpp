#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "bench/strategy/strategy.hpp"
#include "transfers/fast/polite_copy.hpp"

namespace bench_transfers::bench {

/// How a bulk copy is made.
struct bulk_method {
  std::string name, summary;
  std::size_t chunk_bytes = SIZE_MAX;  ///< of each copy of which two are in flight
  unsigned blocks = 0;                 ///< of a kernel that copies; 0: copy engines
  bool by_library = false;             ///< polite_copier
  transfers::yield_to others = transfers::yield_to::copies;  ///< of polite_copier

  [[nodiscard]] bool by_engine() const { return blocks == 0 && !by_library; }

  [[nodiscard]] bool has_chunks() const { return chunk_bytes < SIZE_MAX; }
};

/// A large copy on a job's stream, beside which other copies are made.
class bulk_copy {
 public:
  using nanoseconds = std::chrono::duration<double, std::nano>;

  /// A kernel accesses the host's end in place: throws unsupported if the device has no address for
  /// it; device_error.
  bulk_copy(const job& task, const ends& ends, transfers::direction direction,
            const bulk_method& method);
  /// Returns when nothing is under way.
  ~bulk_copy();
  bulk_copy(const bulk_copy&) = delete;
  bulk_copy& operator=(const bulk_copy&) = delete;

  /// Enqueues the copy; a thread enqueues chunks. The last one must have been finished. What fails,
  /// finish() throws.
  void start();
  [[nodiscard]] bool is_started() const { return is_started_; }
  /// Whether the device has come to it. True as well if it has failed.
  [[nodiscard]] bool has_begun() const;
  [[nodiscard]] bool has_ended() const;  ///< likewise
  /// Waits for its end. Returns the time that it took by the device's clock. Throws device_error.
  nanoseconds finish();

  [[nodiscard]] const payload& source() const { return ends_.source; }
  [[nodiscard]] const payload& destination() const { return ends_.destination; }
  /// 0 for copy engines.
  [[nodiscard]] std::size_t multiprocessors(const transfers::device& device) const;

 private:
  [[nodiscard]] bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  void enqueue();
  void enqueue_part(std::size_t first, std::size_t bytes);

  transfers::stream& stream_;
  transfers::direction direction_;
  bulk_method method_;
  ends ends_;
  std::byte* src_;  ///< as the copy engine, the kernel or the library addresses it
  std::byte* dst_;  ///< likewise
  std::optional<transfers::polite_copier> copier_;
  bool is_started_ = false;
  std::unique_ptr<transfers::event> begin_, end_;
  std::array<std::unique_ptr<transfers::event>, 2> in_flight_;
  std::atomic<bool> begin_is_recorded_ = false, end_is_recorded_ = false, failed_ = false;
  std::exception_ptr failure_;
  std::jthread feeder_;  // last: uses the other members
};

}  // namespace bench_transfers::bench
