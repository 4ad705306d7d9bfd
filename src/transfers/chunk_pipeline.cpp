#include "chunk_pipeline.hpp"

#include <algorithm>
#include <stdexcept>

namespace transfers::detail {

chunk_pipeline::chunk_pipeline(device& on, const pipeline_shape& shape)
    : device_(on), shape_(shape), lanes_(shape.threads), team_(shape.threads) {
  const std::size_t slots = std::size_t{shape.threads} * shape.slots;
  // Huge pages, because they are locked several times as fast (docs/CPU_ACCESS.md).
  const auto kind = on.why_unsupported(registered_huge) ? pinned() : registered_huge;
  if (shape.host_bytes > 0) on_host_ = on.allocate_host(slots * shape.host_bytes, kind);
  if (shape.device_bytes > 0) on_device_ = on.allocate(slots * shape.device_bytes);
  std::size_t taken = 0;
  for (auto& one : lanes_) {
    for (unsigned i = 0; i < shape.streams; ++i) one.streams.push_back(on.create_stream());
    one.slots.resize(shape.slots);
    for (std::size_t i = 0; i < one.slots.size(); ++i, ++taken) {
      auto& here = one.slots[i];
      here.in = one.streams[i % one.streams.size()].get();
      if (shape.host_bytes > 0) here.on_host = on_host_.data() + taken * shape.host_bytes;
      if (shape.device_bytes > 0) here.on_device = on_device_.data() + taken * shape.device_bytes;
    }
  }
}

void chunk_pipeline::run(std::size_t total, std::size_t chunk_bytes, const chunk_work& work) {
  if (chunk_bytes == 0) throw std::invalid_argument("a chunk must have at least one byte");
  const std::scoped_lock lock(one_at_a_time_);
  next_ = 0;
  failed_ = false;
  const auto part = [&](unsigned index) {
    auto& mine = lanes_[index];
    try {
      device_.use_in_this_thread();
      work_in(mine, total, chunk_bytes, work);
    } catch (...) {
      failed_ = true;
      abandon(mine);
      throw;
    }
  };
  // What fits into one slot is one thread's work: the others need not wake up for it.
  if (total <= chunk_bytes) return part(0);
  team_.run(part);
}

void chunk_pipeline::work_in(lane& mine, std::size_t total, std::size_t chunk_bytes,
                             const chunk_work& work) {
  std::size_t turn = 0;
  for (; !failed_; ++turn) {
    auto& here = mine.slots[turn % mine.slots.size()];
    if (here.done) finish(here, work);
    const auto first = next_.fetch_add(chunk_bytes, std::memory_order_relaxed);
    if (first >= total) break;
    here.what = {first, std::min(chunk_bytes, total - first), here.on_host, here.on_device};
    if (work.fill) work.fill(here.what);
    work.enqueue(here.what, *here.in);
    here.done = here.in->record();
  }
  // Oldest first. The one whose turn it was is free, unless somebody else has failed.
  for (std::size_t i = 0; i < mine.slots.size(); ++i)
    if (auto& here = mine.slots[(turn + i) % mine.slots.size()]; here.done) finish(here, work);
}

void chunk_pipeline::finish(slot& one, const chunk_work& work) const {
  const auto done = std::move(one.done);
  done->wait();
  if (work.drain && !failed_) work.drain(one.what);
}

/// Waits until the device uses nothing any more. What goes wrong is why it is abandoned, or follows
/// from that.
void chunk_pipeline::abandon(lane& mine) noexcept {
  for (auto& one : mine.streams) {
    try {
      one->synchronize();
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }
  for (auto& one : mine.slots) one.done.reset();
}

}  // namespace transfers::detail
