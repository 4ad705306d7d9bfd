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

/// How a copy is cut. Chunks are what copy engines move; pieces of them are what threads fill or
/// drain. From the least size on, a chunk is as long as all data before it, up to the most.
struct cut {
  static constexpr std::size_t unit = 4096;  ///< chunks, except the last, are multiples of it

  std::size_t least = unit, most = unit;  ///< bytes of a chunk; multiples of `unit`
  std::size_t piece = unit;               ///< bytes, in the first and the last two chunks
  std::size_t inner_piece = 0;            ///< bytes, in the others; 0: the same
  std::size_t skipped = 0;  ///< bytes before the destination, in the first piece, that only
                            ///< to_device() has: they are filled and not copied
};

/// Copies between the host and the device through a ring of page-locked chunks. All threads fill or
/// drain the same chunk, in pieces, while copy engines move others: the engines need not wait long
/// for the first chunk, nor the caller for the last.
class chunk_ring {
 public:
  struct shape {
    unsigned threads = 1;         ///< the caller's included
    unsigned chunks = 2;          ///< under way at a time
    std::size_t chunk_bytes = 0;  ///< of the largest
  };
  /// Fills or drains a piece of a chunk: its memory, and where in the data its bytes belong.
  using piece_work =
      std::function<void(std::byte* in_chunk, std::size_t offset, std::size_t bytes)>;

  /// Throws out_of_memory, device_error, std::system_error (no threads).
  chunk_ring(device& device, const shape& sizes);

  /// Bytes of the largest chunk.
  [[nodiscard]] std::size_t chunk_bytes() const noexcept { return memory_.size() / slots_.size(); }

  /// Returns when all bytes, but the skipped ones, have arrived at `dst`. Throws the first
  /// exception of a piece or of the device after all threads have stopped and no copy is under way.
  /// Calls from several threads take turns.
  void to_device(std::byte* dst, std::size_t bytes, const cut& cut, const piece_work& fill);
  /// The same in the other direction.
  void from_device(const std::byte* src, std::size_t bytes, const cut& cut,
                   const piece_work& drain);

 private:
  enum class stage { waiting, under_way, moved };
  struct ring_slot {
    std::byte* memory = nullptr;
    std::unique_ptr<event> end;  ///< of its last copy
  };
  struct planned_chunk {
    std::size_t offset = 0, bytes = 0, piece_bytes = 0;
    std::uint64_t first_piece = 0;

    [[nodiscard]] std::uint64_t pieces() const { return (bytes + piece_bytes - 1) / piece_bytes; }
  };
  struct progress {
    std::atomic<std::uint64_t> pieces_left = 0;
    std::atomic<stage> at = stage::waiting;
  };
  using thread_work = void (chunk_ring::*)(unsigned index);

  void run(std::size_t bytes, const cut& cut, const piece_work& work, thread_work part);
  void plan(std::size_t bytes, const cut& cut);
  void fill_pieces(unsigned index);
  void drain_pieces(unsigned index);
  template <class OnPiece>
  void for_each_piece(OnPiece&& on_piece);
  void work_on(std::size_t index, std::uint64_t piece);
  [[nodiscard]] bool is_last_piece_of(std::size_t index);
  void enqueue(std::size_t index);
  [[nodiscard]] bool wait_until_moved(std::size_t index);
  [[nodiscard]] ring_slot& slot_of(std::size_t index) { return slots_[index % slots_.size()]; }

  host_memory memory_;
  std::vector<ring_slot> slots_;
  std::unique_ptr<stream> stream_;
  std::mutex one_at_a_time_;

  // Of the copy under way:
  direction direction_ = direction::h2d;
  std::byte* dst_ = nullptr;        ///< on the device, of h2d
  const std::byte* src_ = nullptr;  ///< on the device, of d2h
  cut cut_;
  const piece_work* work_ = nullptr;
  std::vector<planned_chunk> chunks_;
  std::vector<progress> progress_;  ///< of each chunk, and of more from earlier copies
  std::atomic<std::uint64_t> next_piece_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex asking_;  ///< one thread at a time asks whether a chunk has been moved

  worker_team team_;  // last: the threads use the other members
};

}  // namespace transfers::detail
