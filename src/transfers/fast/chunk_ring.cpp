#include "src/transfers/fast/chunk_ring.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <limits>
#include <thread>

#include "src/transfers/core/relax.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {

chunk_ring::chunk_ring(device& device, const shape& sizes)
    : slots_(sizes.chunks), team_(sizes.threads) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (sizes.chunk_bytes > most / sizes.chunks)
    throw out_of_memory("so many chunks of this size are more than there are addresses");
  // Huge pages, because they are locked several times as fast (docs/CPU_ACCESS.md).
  const auto kind = device.why_unsupported(registered_huge) ? pinned() : registered_huge;
  memory_ = device.allocate_host(sizes.chunks * sizes.chunk_bytes, kind);
  // One stream: copies that follow each other in a stream leave the engine the shortest gaps.
  stream_ = device.create_stream();
  std::size_t place = 0;
  for (auto& slot : slots_) {
    slot.memory = memory_.data() + place++ * sizes.chunk_bytes;
    slot.end = stream_->record(event_timing::off);
  }
}

void chunk_ring::to_device(std::byte* dst, std::size_t bytes, const cut& cut,
                           const piece_work& fill) {
  const std::scoped_lock lock(one_at_a_time_);
  direction_ = direction::h2d;
  dst_ = dst;
  run(bytes, cut, fill, &chunk_ring::fill_pieces);
  stream_->synchronize();
}

void chunk_ring::from_device(const std::byte* src, std::size_t bytes, const cut& cut,
                             const piece_work& drain) {
  const std::scoped_lock lock(one_at_a_time_);
  direction_ = direction::d2h;
  src_ = src;
  run(bytes, cut, drain, &chunk_ring::drain_pieces);
}

void chunk_ring::run(std::size_t bytes, const cut& cut, const piece_work& work, thread_work part) {
  plan(bytes, cut);
  cut_ = cut;
  work_ = &work;
  next_piece_ = 0;
  failed_ = false;
  const auto guarded = [this, part](unsigned index) {
    try {
      (this->*part)(index);
    } catch (...) {
      failed_ = true;
      throw;
    }
  };
  try {
    // The caller has copied this much by the time that a sleeping thread has woken up.
    constexpr std::size_t worth_waking_a_thread = std::size_t{256} << 10;
    team_.share(std::cref(guarded), static_cast<unsigned>(std::min<std::size_t>(
                                        bytes / worth_waking_a_thread, team_.size())));
  } catch (...) {
    try {
      stream_->synchronize();
    } catch (...) {  // NOLINT(bugprone-empty-catch): the reason for this, or follows from it
    }
    throw;
  }
}

void chunk_ring::plan(std::size_t bytes, const cut& how) {
  chunks_.clear();
  for (std::size_t offset = 0; offset < bytes;) {
    const auto size = std::min(std::clamp(offset, how.least, how.most), bytes - offset);
    chunks_.push_back({.offset = offset, .bytes = size, .piece_bytes = how.piece});
    offset += size;
  }
  constexpr std::ptrdiff_t at_an_end = 2;
  if (how.inner_piece > 0 && std::ssize(chunks_) > 2 * at_an_end)
    for (auto chunk = chunks_.begin() + at_an_end; chunk != chunks_.end() - at_an_end; ++chunk)
      chunk->piece_bytes = how.inner_piece;
  if (progress_.size() < chunks_.size()) progress_ = std::vector<progress>(chunks_.size());
  std::uint64_t pieces = 0;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    chunks_[i].first_piece = pieces;
    pieces += chunks_[i].pieces();
    progress_[i].pieces_left = chunks_[i].pieces();
    progress_[i].at = stage::waiting;
  }
}

void chunk_ring::fill_pieces(unsigned /*index*/) {
  for_each_piece([this](std::size_t chunk, std::uint64_t piece) {
    if (chunk >= slots_.size() && !wait_until_moved(chunk - slots_.size())) return false;
    work_on(chunk, piece);
    if (is_last_piece_of(chunk)) enqueue(chunk);
    return true;
  });
}

void chunk_ring::drain_pieces(unsigned index) {
  if (index == 0)
    for (std::size_t i = 0; i < std::min(chunks_.size(), slots_.size()); ++i) enqueue(i);
  for_each_piece([this](std::size_t chunk, std::uint64_t piece) {
    if (!wait_until_moved(chunk)) return false;
    work_on(chunk, piece);
    const auto next_in_slot = chunk + slots_.size();
    if (is_last_piece_of(chunk) && next_in_slot < chunks_.size()) enqueue(next_in_slot);
    return true;
  });
}

/// Takes pieces in their order until none is left, or on_piece(chunk, piece) returns false.
template <class OnPiece>
void chunk_ring::for_each_piece(OnPiece&& on_piece) {
  std::size_t chunk = 0;
  while (!failed_) {
    const auto piece = next_piece_.fetch_add(1, std::memory_order_relaxed);
    while (chunk < chunks_.size() && piece >= chunks_[chunk].first_piece + chunks_[chunk].pieces())
      ++chunk;
    if (chunk == chunks_.size() || !on_piece(chunk, piece - chunks_[chunk].first_piece)) return;
  }
}

void chunk_ring::work_on(std::size_t index, std::uint64_t piece) {
  const auto& chunk = chunks_[index];
  const auto offset = piece * chunk.piece_bytes;
  (*work_)(slot_of(index).memory + offset, chunk.offset + offset,
           std::min(chunk.piece_bytes, chunk.bytes - offset));
}

bool chunk_ring::is_last_piece_of(std::size_t index) {
  return progress_[index].pieces_left.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

void chunk_ring::enqueue(std::size_t index) {
  const auto& chunk = chunks_[index];
  auto& slot = slot_of(index);
  if (direction_ == direction::h2d) {
    const auto skipped = index == 0 ? cut_.skipped : 0;
    stream_->copy(dst_ + (chunk.offset + skipped - cut_.skipped), slot.memory + skipped,
                  chunk.bytes - skipped, direction::h2d);
  } else {
    stream_->copy(slot.memory, src_ + chunk.offset, chunk.bytes, direction::d2h);
  }
  const bool is_waited_for = direction_ == direction::d2h || index + slots_.size() < chunks_.size();
  if (is_waited_for) stream_->record_again(*slot.end);
  progress_[index].at.store(stage::under_way, std::memory_order_release);
}

/// False if a thread has failed.
bool chunk_ring::wait_until_moved(std::size_t index) {
  auto& at = progress_[index].at;
  constexpr unsigned looks_before_yielding = 64;
  for (unsigned looks = 1;; ++looks) {
    const auto now = at.load(std::memory_order_acquire);
    if (now == stage::moved) return true;
    if (failed_) return false;
    if (now == stage::under_way) {
      if (const std::unique_lock lock(asking_, std::try_to_lock); lock.owns_lock())
        if (slot_of(index).end->done()) at.store(stage::moved, std::memory_order_release);
    }
    relax();
    if (looks % looks_before_yielding == 0) std::this_thread::yield();
  }
}

}  // namespace transfers::detail
