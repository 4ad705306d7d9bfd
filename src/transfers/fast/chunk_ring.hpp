#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "transfers/core/device.hpp"
#include "transfers/core/workers.hpp"

namespace transfers::detail {

/// How data are cut. Chunks are what the device works on; pieces of them are what threads fill or
/// drain. Their sizes may grow at the beginning and shrink at the end, as a share of the data
/// outside them (guided self-scheduling, Polychronopoulos and Kuck 1987).
struct cut {
  static constexpr std::size_t page = 4096;

  std::size_t least = page, most = page;  ///< bytes of a chunk
  std::size_t piece = page;               ///< bytes, in two chunks at each end that is small
  std::size_t inner_piece = 0;            ///< bytes, in the others; 0: the same
  std::size_t unit = page;                ///< chunks, except the last, are multiples of it
  std::size_t chunks = 0;    ///< under way at a time; 0: as many as the ring has memory for
  unsigned shares = 1;       ///< this many chunks are as long as the data before (or after) them
  bool starts_small = true;  ///< with chunks of the least size, which then grow
  bool ends_small = false;   ///< likewise
};

/// A range of the data under way, and the memory that it passes through.
struct chunk {
  std::size_t index = 0;  ///< of the data's chunks
  std::size_t offset = 0, bytes = 0;
  std::byte* on_host = nullptr;    ///< page-locked; null in a ring without such memory
  std::byte* on_device = nullptr;  ///< null in a ring without such memory
};

/// The work on each chunk, in this order.
struct chunk_work {
  /// Fills or drains a piece of a chunk: its page-locked memory, and where in the data its bytes
  /// belong.
  using on_piece = std::function<void(std::byte* in_chunk, std::size_t offset, std::size_t bytes)>;

  on_piece fill = {};                                  ///< may be empty
  std::function<void(const chunk&, stream&)> enqueue;  ///< the device's work; any thread calls it
  on_piece drain = {};                                 ///< may be empty
  /// At the end, whether streams are waited for as well. Needless if the last chunk is drained, and
  /// `enqueue` lets no stream call a function, whose exceptions only the stream throws.
  bool synchronizes = true;
};

/// Enqueues the copy of a chunk between the host and the device, so that later work of the stream
/// waits for it. Any thread calls it.
using chunk_copy = std::function<void(std::size_t index, std::byte* dst, const std::byte* src,
                                      std::size_t bytes, direction direction, stream& stream)>;
/// By the stream itself.
void copy_by_stream(std::size_t index, std::byte* dst, const std::byte* src, std::size_t bytes,
                    direction direction, stream& stream);

/// A ring of chunks on their way between the host and the device. All threads fill or drain the
/// same chunk, in pieces, while the device works on others: copy engines need not wait long for the
/// first chunk, nor the caller for the last.
class chunk_ring {
 public:
  struct shape {
    unsigned threads = 1;          ///< the caller's included
    unsigned chunks = 2;           ///< under way at a time
    std::size_t chunk_bytes = 0;   ///< of the largest, in page-locked memory; 0: no such memory
    std::size_t device_bytes = 0;  ///< of the largest, in device memory; 0: no such memory
    unsigned streams = 1;          ///< the chunks take turns
  };

  /// Throws out_of_memory, device_error, std::system_error (no threads).
  chunk_ring(device& device, const shape& sizes);

  /// Bytes of the largest chunk in page-locked memory.
  [[nodiscard]] std::size_t chunk_bytes() const noexcept { return memory_.size() / slots_.size(); }

  /// Does the work on all chunks of the data. Returns when all are drained, or the device's work
  /// has ended. Throws the first exception of the work or of the device after all threads have
  /// stopped and nothing is under way. Calls from several threads take turns.
  void run(std::size_t bytes, const cut& cut, const chunk_work& work);

  /// Returns when all bytes have arrived at `dst`. Throws as run().
  void to_device(std::byte* dst, std::size_t bytes, const cut& cut,
                 const chunk_work::on_piece& fill, const chunk_copy& copy = copy_by_stream);
  /// The same in the other direction.
  void from_device(const std::byte* src, std::size_t bytes, const cut& cut,
                   const chunk_work::on_piece& drain, const chunk_copy& copy = copy_by_stream);

  /// Copies all bytes at once, by a stream alone, and does not wait for what run() does. Returns
  /// when they have arrived. Calls from several threads take turns. Throws device_error.
  void copy_whole(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction);

 private:
  static constexpr std::size_t cache_line = 64;  // of x86-64 and most AArch64 processors

  enum class stage { waiting, under_way, ended, drained };
  /// One thread at a time enqueues on it.
  struct ring_stream {
    std::unique_ptr<stream> work;
    std::mutex enqueuing = {};
  };
  struct ring_slot {
    std::byte* on_host = nullptr;
    std::byte* on_device = nullptr;
    ring_stream* work_stream = nullptr;
    std::unique_ptr<event> end;  ///< of the device's last work
  };
  struct planned_chunk {
    std::size_t offset = 0, bytes = 0, piece_bytes = 0;

    [[nodiscard]] std::uint64_t pieces() const { return (bytes + piece_bytes - 1) / piece_bytes; }
  };
  /// Threads take tasks in their order, and pieces of a task in theirs.
  struct planned_task {
    std::size_t chunk = 0;
    bool drains = false;
    std::uint64_t end = 0;  ///< pieces of this task and of all before it
  };
  /// Those who wait read `at` all the time: a line of its own keeps them out of the others' way.
  struct progress {
    alignas(cache_line) std::atomic<std::uint64_t> pieces_left = 0;  ///< of the chunk's next task
    alignas(cache_line) std::atomic<stage> at = stage::waiting;
  };

  void plan(std::size_t bytes, const cut& cut);
  void plan_tasks();
  void add_task(std::size_t chunk, bool drains);
  void share_work(std::size_t bytes);
  void work_in(unsigned index);
  bool work_on(const planned_task& task, std::uint64_t piece);
  bool wait_until_usable(const planned_task& task);
  void call(const chunk_work::on_piece& work, std::size_t index, std::uint64_t piece);
  void end_task(const planned_task& task);
  void enqueue(std::size_t index);
  [[nodiscard]] bool wait_for(std::size_t index, stage awaited);
  void ask_whether_ended(std::size_t index);
  void synchronize();
  [[nodiscard]] ring_slot& slot_of(std::size_t index) { return slots_[index % under_way_]; }
  /// Chunks that are not filled are enqueued without any task of their own.
  [[nodiscard]] bool drains_only() const { return work_->drain && !work_->fill; }

  host_memory memory_;
  device_memory device_memory_;
  std::vector<std::unique_ptr<ring_stream>> streams_;
  ring_stream whole_;  ///< of copy_whole()
  std::vector<ring_slot> slots_;
  std::mutex one_at_a_time_;

  // Of the data under way:
  const chunk_work* work_ = nullptr;
  std::size_t under_way_ = 1;  ///< chunks at a time
  std::vector<planned_chunk> chunks_;
  std::vector<planned_task> tasks_;
  std::vector<progress> progress_;  ///< of each chunk, and of more from earlier data
  alignas(cache_line) std::atomic<std::uint64_t> next_piece_ = 0;
  alignas(cache_line) std::atomic<bool> failed_ = false;
  alignas(cache_line)
      std::mutex asking_;  ///< one thread at a time asks whether the device has ended its work

  worker_team team_;  // last: the threads use the other members
};

}  // namespace transfers::detail
