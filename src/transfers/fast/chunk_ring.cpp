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
    : whole_{device.create_stream()}, slots_(sizes.chunks), team_(sizes.threads) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (std::max(sizes.chunk_bytes, sizes.device_bytes) > most / sizes.chunks)
    throw out_of_memory("so many chunks of this size are more than there are addresses");
  // Huge pages, because they are locked several times as fast (docs/CPU_ACCESS.md).
  const auto kind = device.why_unsupported(registered_huge) ? pinned() : registered_huge;
  if (sizes.chunk_bytes > 0) memory_ = device.allocate_host(sizes.chunks * sizes.chunk_bytes, kind);
  if (sizes.device_bytes > 0) device_memory_ = device.allocate(sizes.chunks * sizes.device_bytes);
  for (unsigned i = 0; i < sizes.streams; ++i)
    streams_.push_back(std::unique_ptr<ring_stream>(new ring_stream{device.create_stream()}));
  std::size_t place = 0;
  for (auto& slot : slots_) {
    slot.work_stream = streams_[place % streams_.size()].get();
    slot.end = slot.work_stream->work->record(event_timing::off);
    if (sizes.chunk_bytes > 0) slot.on_host = memory_.data() + place * sizes.chunk_bytes;
    if (sizes.device_bytes > 0) slot.on_device = device_memory_.data() + place * sizes.device_bytes;
    ++place;
  }
}

void copy_by_stream(std::size_t /*index*/, std::byte* dst, const std::byte* src, std::size_t bytes,
                    direction direction, stream& stream) {
  stream.copy(dst, src, bytes, direction);
}

void chunk_ring::to_device(std::byte* dst, std::size_t bytes, const cut& cut,
                           const chunk_work::on_piece& fill, const chunk_copy& copy) {
  run(bytes, cut, {.fill = fill, .enqueue = [dst, &copy](const chunk& filled, stream& stream) {
                     copy(filled.index, dst + filled.offset, filled.on_host, filled.bytes,
                          direction::h2d, stream);
                   }});
}

void chunk_ring::from_device(const std::byte* src, std::size_t bytes, const cut& cut,
                             const chunk_work::on_piece& drain, const chunk_copy& copy) {
  run(bytes, cut,
      {.enqueue =
           [src, &copy](const chunk& empty, stream& stream) {
             copy(empty.index, empty.on_host, src + empty.offset, empty.bytes, direction::d2h,
                  stream);
           },
       .drain = drain,
       .synchronizes = false});
}

void chunk_ring::copy_whole(std::byte* dst, const std::byte* src, std::size_t bytes,
                            direction direction) {
  const std::scoped_lock lock(whole_.enqueuing);
  whole_.work->copy(dst, src, bytes, direction);
  whole_.work->synchronize();
}

void chunk_ring::run(std::size_t bytes, const cut& cut, const chunk_work& work) {
  const std::scoped_lock lock(one_at_a_time_);
  work_ = &work;
  under_way_ = cut.chunks > 0 ? std::min(cut.chunks, slots_.size()) : slots_.size();
  next_piece_ = 0;
  failed_ = false;
  plan(bytes, cut);
  plan_tasks();
  try {
    share_work(bytes);
  } catch (...) {
    try {
      synchronize();
    } catch (...) {  // NOLINT(bugprone-empty-catch): the reason for this, or follows from it
    }
    throw;
  }
  if (work.synchronizes) synchronize();
}

void chunk_ring::share_work(std::size_t bytes) {
  const auto guarded = [this](unsigned index) {
    try {
      work_in(index);
    } catch (...) {
      failed_ = true;
      throw;
    }
  };
  // The caller has copied this much by the time that a sleeping thread has woken up.
  constexpr std::size_t worth_waking_a_thread = std::size_t{256} << 10;
  team_.share(std::cref(guarded), static_cast<unsigned>(std::min<std::size_t>(
                                      bytes / worth_waking_a_thread, team_.size())));
}

void chunk_ring::synchronize() {
  std::exception_ptr failure;
  for (const auto& stream : streams_) {
    try {
      stream->work->synchronize();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// Bytes of the chunk that begins at `offset`.
static std::size_t chunk_at(std::size_t offset, std::size_t total, const cut& how) {
  auto outside = total;
  if (how.starts_small) outside = std::min(outside, offset);
  if (how.ends_small) outside = std::min(outside, total - offset);
  const auto size = std::clamp(outside / how.shares, how.least, how.most) / how.unit * how.unit;
  return std::min(std::max(size, how.unit), total - offset);
}

void chunk_ring::plan(std::size_t bytes, const cut& how) {
  chunks_.clear();
  for (std::size_t offset = 0; offset < bytes;) {
    const auto size = chunk_at(offset, bytes, how);
    chunks_.push_back({.offset = offset, .bytes = size, .piece_bytes = how.piece});
    offset += size;
  }
  constexpr std::size_t at_an_end = 2;
  const auto first = how.starts_small ? at_an_end : 0;
  const auto last = chunks_.size() - std::min(chunks_.size(), how.ends_small ? at_an_end : 0);
  if (how.inner_piece > 0)
    for (auto i = first; i < last; ++i) chunks_[i].piece_bytes = how.inner_piece;
  // Chunks that no thread touches have one piece: their enqueuing.
  if (!work_->fill && !work_->drain)
    for (auto& chunk : chunks_) chunk.piece_bytes = chunk.bytes;
  if (progress_.size() < chunks_.size()) progress_ = std::vector<progress>(chunks_.size());
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    progress_[i].pieces_left = chunks_[i].pieces();
    progress_[i].at = stage::waiting;
  }
}

/// If chunks are filled and drained, filling is ahead by half of the slots, so that the device
/// always has work.
void chunk_ring::plan_tasks() {
  tasks_.clear();
  const bool fills = !drains_only();
  const auto lead = !fills ? 0 : !work_->drain ? chunks_.size() : (under_way_ + 1) / 2;
  for (std::size_t i = 0; i < chunks_.size() + lead; ++i) {
    if (work_->drain && i >= lead) add_task(i - lead, true);
    if (fills && i < chunks_.size()) add_task(i, false);
  }
}

void chunk_ring::add_task(std::size_t chunk, bool drains) {
  const auto before = tasks_.empty() ? 0 : tasks_.back().end;
  tasks_.push_back({chunk, drains, before + chunks_[chunk].pieces()});
}

/// Takes pieces in their order until none is left.
void chunk_ring::work_in(unsigned index) {
  if (drains_only() && index == 0)
    for (std::size_t i = 0; i < std::min(chunks_.size(), under_way_); ++i) enqueue(i);
  auto task = tasks_.begin();
  while (!failed_) {
    const auto piece = next_piece_.fetch_add(1, std::memory_order_relaxed);
    while (task != tasks_.end() && piece >= task->end) ++task;
    if (task == tasks_.end()) return;
    const auto first = task->end - chunks_[task->chunk].pieces();
    if (!work_on(*task, piece - first)) return;
  }
}

/// False if a thread has failed.
bool chunk_ring::work_on(const planned_task& task, std::uint64_t piece) {
  if (!wait_until_usable(task)) return false;
  call(task.drains ? work_->drain : work_->fill, task.chunk, piece);
  if (progress_[task.chunk].pieces_left.fetch_sub(1, std::memory_order_acq_rel) == 1)
    end_task(task);
  return true;
}

/// Waits until the chunk can be drained, or its memory filled again. False if a thread has failed.
bool chunk_ring::wait_until_usable(const planned_task& task) {
  if (task.drains) return wait_for(task.chunk, stage::ended);
  if (task.chunk < under_way_) return true;
  return wait_for(task.chunk - under_way_, work_->drain ? stage::drained : stage::ended);
}

void chunk_ring::call(const chunk_work::on_piece& work, std::size_t index, std::uint64_t piece) {
  if (!work) return;
  const auto& chunk = chunks_[index];
  const auto offset = piece * chunk.piece_bytes;
  work(slot_of(index).on_host + offset, chunk.offset + offset,
       std::min(chunk.piece_bytes, chunk.bytes - offset));
}

void chunk_ring::end_task(const planned_task& task) {
  if (!task.drains) return enqueue(task.chunk);
  progress_[task.chunk].at.store(stage::drained, std::memory_order_release);
  const auto next_in_slot = task.chunk + under_way_;
  if (drains_only() && next_in_slot < chunks_.size()) enqueue(next_in_slot);
}

void chunk_ring::enqueue(std::size_t index) {
  const auto& planned = chunks_[index];
  auto& slot = slot_of(index);
  const bool is_waited_for = work_->drain || index + under_way_ < chunks_.size();
  {
    auto& [stream, enqueuing] = *slot.work_stream;
    const std::scoped_lock lock(enqueuing);
    work_->enqueue({index, planned.offset, planned.bytes, slot.on_host, slot.on_device}, *stream);
    if (is_waited_for) stream->record_again(*slot.end);
  }
  progress_[index].pieces_left = planned.pieces();  // to drain
  progress_[index].at.store(stage::under_way, std::memory_order_release);
}

/// False if a thread has failed.
bool chunk_ring::wait_for(std::size_t index, stage awaited) {
  const auto& at = progress_[index].at;
  constexpr unsigned looks_before_yielding = 64;
  for (unsigned looks = 1;; ++looks) {
    const auto now = at.load(std::memory_order_acquire);
    if (now >= awaited) return true;
    if (failed_) return false;
    if (now == stage::under_way) ask_whether_ended(index);
    relax();
    if (looks % looks_before_yielding == 0) std::this_thread::yield();
  }
}

void chunk_ring::ask_whether_ended(std::size_t index) {
  const std::unique_lock lock(asking_, std::try_to_lock);
  auto& at = progress_[index].at;
  if (!lock.owns_lock() || at.load(std::memory_order_acquire) != stage::under_way) return;
  if (slot_of(index).end->done()) at.store(stage::ended, std::memory_order_release);
}

}  // namespace transfers::detail
