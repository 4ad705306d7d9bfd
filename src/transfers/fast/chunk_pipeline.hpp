#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "transfers/core/device.hpp"
#include "transfers/core/workers.hpp"

namespace transfers::detail {

/// A range of the data under way, and the memory that it passes through.
struct chunk {
  std::size_t offset = 0, bytes = 0;
  std::byte* on_host = nullptr;    ///< page-locked; null in a pipeline without such memory
  std::byte* on_device = nullptr;  ///< null in a pipeline without such memory
};

/// The work on each chunk. `fill` and `drain` run on the thread before and after the device's work,
/// and may be empty; `enqueue` enqueues the device's work.
struct chunk_work {
  std::function<void(const chunk&)> fill;
  std::function<void(const chunk&, stream&)> enqueue;
  std::function<void(const chunk&)> drain;
};

/// Sizes of the chunks. Chunks are small at both ends and grow towards the middle, as a share of
/// the data before or after them (guided self-scheduling, Polychronopoulos and Kuck 1987, at the
/// beginning as well): the link is idle until the first chunk is full, and a download ends
/// when the last one has been drained. In between, large chunks cost the least.
struct chunk_sizes {
  std::size_t least, most;  ///< bytes; if equal, all chunks but the last are of one size
  std::size_t shares = 1;   ///< this many chunks of one size are as long as the data outside them
  std::size_t unit = 1;     ///< chunks, except the last, are whole multiples of it

  /// Size of the chunk that begins at `first` of `total`; at least one unit.
  [[nodiscard]] std::size_t at(std::size_t first, std::size_t total) const {
    const auto share = std::min(first, total - first) / shares;
    return std::max(std::clamp(share, least, most) / unit, std::size_t{1}) * unit;
  }
};

struct pipeline_shape {
  unsigned threads = 1;
  unsigned slots = 2;                            ///< chunks under way at a time, for each thread
  unsigned streams = 1;                          ///< for each thread; its slots take turns
  std::size_t host_bytes = 0, device_bytes = 0;  ///< of each slot's memory
};

/// Threads that move chunks through their own memory. Each thread has several chunks under way,
/// so that processors and copy engines work at the same time.
class chunk_pipeline {
 public:
  /// Throws out_of_memory, device_error, std::system_error (no threads).
  chunk_pipeline(device& device, const pipeline_shape& shape);

  /// Cuts 0 … total-1 into chunks, which must fit into the slots, and returns when all are done.
  /// Throws the first exception of a chunk after all threads have stopped and the device no longer
  /// uses the memory. Calls from several threads take turns.
  void run(std::size_t total, const chunk_sizes& sizes, const chunk_work& work);

 private:
  struct slot {
    std::byte* on_host = nullptr;
    std::byte* on_device = nullptr;
    stream* work_stream = nullptr;
    chunk content;
    std::unique_ptr<event> end;  ///< null if the slot is free
  };
  using lane = std::vector<slot>;  ///< the slots of one thread

  [[nodiscard]] std::optional<chunk> next(std::size_t total, const chunk_sizes& sizes);
  void work_in(lane& slots, std::size_t total, const chunk_sizes& sizes, const chunk_work& work);
  void finish(slot& used, const chunk_work& work) const;
  void abandon(lane& slots) noexcept;

  device& device_;
  pipeline_shape shape_;
  host_memory on_host_;
  device_memory on_device_;
  std::vector<std::unique_ptr<stream>> streams_;
  std::vector<lane> lanes_;
  std::atomic<std::size_t> next_ = 0;  ///< where the next chunk begins
  std::atomic<bool> failed_ = false;
  std::mutex one_at_a_time_;
  worker_team team_;
};

}  // namespace transfers::detail
