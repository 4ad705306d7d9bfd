#include "src/transfers/fast/chunk_pipeline.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>
#include <stdexcept>

#include "transfers/core/error.hpp"

namespace transfers::detail {

chunk_pipeline::chunk_pipeline(device& device, const pipeline_shape& shape)
    : device_(device), shape_(shape), lanes_(shape.threads), team_(shape.threads) {
  const std::size_t slots = std::size_t{shape.threads} * shape.slots;
  if (std::max(shape.host_bytes, shape.device_bytes) >
      std::numeric_limits<std::ptrdiff_t>::max() / slots)
    throw out_of_memory("so many chunks of this size are more than there are addresses");
  // Huge pages, because they are locked several times as fast (docs/CPU_ACCESS.md).
  const auto kind = device.why_unsupported(registered_huge) ? pinned() : registered_huge;
  if (shape.host_bytes > 0) on_host_ = device.allocate_host(slots * shape.host_bytes, kind);
  if (shape.device_bytes > 0) on_device_ = device.allocate(slots * shape.device_bytes);
  for (unsigned i = 0; i < shape.streams; ++i) streams_.push_back(device.create_stream());
  std::size_t place = 0;
  for (auto& slots_of_thread : lanes_) {
    slots_of_thread.resize(shape.slots);
    for (auto& new_slot : slots_of_thread) {
      // Slots that share a stream are neighbours: with as many streams as threads, each thread has
      // a stream of its own.
      new_slot.work_stream = streams_[place * streams_.size() / slots].get();
      if (shape.host_bytes > 0) new_slot.on_host = on_host_.data() + place * shape.host_bytes;
      if (shape.device_bytes > 0)
        new_slot.on_device = on_device_.data() + place * shape.device_bytes;
      ++place;
    }
  }
}

void chunk_pipeline::run(std::size_t total, const chunk_sizes& sizes, const chunk_work& work) {
  const std::scoped_lock lock(one_at_a_time_);
  next_ = 0;
  failed_ = false;
  const auto part = [&](unsigned index) {
    auto& slots = lanes_[index];
    try {
      const auto current = device_.make_current();  // for CUDA code that `work` calls
      work_in(slots, total, sizes, work);
    } catch (...) {
      failed_ = true;
      abandon(slots);
      throw;
    }
  };
  // One chunk is one thread's work: the others need not wake up for it.
  if (sizes.at(0, total) >= total)
    part(0);
  else
    team_.run(part);
  // All chunks are done, but exceptions of functions that a stream calls appear only now.
  std::exception_ptr failure;
  for (const auto& stream : streams_) {
    try {
      stream->synchronize();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// The next chunk; nullopt if all are taken.
std::optional<chunk> chunk_pipeline::next(std::size_t total, const chunk_sizes& sizes) {
  auto first = next_.load(std::memory_order_relaxed);
  while (first < total) {
    const auto bytes = std::min(sizes.at(first, total), total - first);
    if (next_.compare_exchange_weak(first, first + bytes, std::memory_order_relaxed))
      return chunk{first, bytes};
  }
  return std::nullopt;
}

void chunk_pipeline::work_in(lane& slots, std::size_t total, const chunk_sizes& sizes,
                             const chunk_work& work) {
  std::size_t turn = 0;
  for (; !failed_; ++turn) {
    auto& current = slots[turn % slots.size()];
    if (current.end) finish(current, work);
    const auto claimed = next(total, sizes);
    if (!claimed) break;
    current.content = {claimed->offset, claimed->bytes, current.on_host, current.on_device};
    if (claimed->bytes > std::max(shape_.host_bytes, shape_.device_bytes))
      throw std::logic_error("a chunk is larger than its slot");
    if (work.fill) work.fill(current.content);
    work.enqueue(current.content, *current.work_stream);
    current.end = current.work_stream->record(event_timing::off);
  }
  // Oldest first. The slot whose turn it was is free, unless another thread has failed.
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (auto& current = slots[(turn + i) % slots.size()]; current.end) finish(current, work);
}

void chunk_pipeline::finish(slot& used, const chunk_work& work) const {
  const auto end = std::move(used.end);
  end->wait();
  if (work.drain && !failed_) work.drain(used.content);
}

/// Waits until the device no longer uses the memory. Errors are ignored: they are the reason for
/// this call, or follow from it.
void chunk_pipeline::abandon(lane& slots) noexcept {
  for (const auto& stream : streams_) {
    try {
      stream->synchronize();
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }
  for (auto& abandoned : slots) abandoned.end.reset();
}

}  // namespace transfers::detail
