#include "bench/strategies/bulk_copy.hpp"

#include <algorithm>
#include <utility>

#include "bench/strategy/copy_kernel.hpp"

namespace bench_transfers::bench {

bulk_copy::bulk_copy(const job& task, const ends& ends, transfers::direction direction,
                     const bulk_method& method)
    : stream_(task.stream),
      direction_(direction),
      method_(method),
      ends_(ends),
      src_(method.blocks > 0 ? seen_by_kernel(ends.source) : ends.source.data),
      dst_(method.blocks > 0 ? seen_by_kernel(ends.destination) : ends.destination.data),
      begin_(stream_.record()),
      end_(stream_.record()) {
  if (method.by_library) copier_.emplace(task.device);
  for (auto& chunk : in_flight_) chunk = stream_.record(transfers::event_timing::off);
}

bulk_copy::~bulk_copy() {
  if (!is_started_) return;
  try {
    static_cast<void>(finish());
  } catch (...) {  // whoever needed the copy has been told, or no longer asks
    static_cast<void>(std::current_exception());
  }
}

void bulk_copy::start() {
  begin_is_recorded_ = end_is_recorded_ = failed_ = false;
  failure_ = nullptr;
  is_started_ = true;
  const auto enqueue_all = [this] {
    try {
      enqueue();
    } catch (...) {
      failure_ = std::current_exception();
      failed_.store(true, std::memory_order_release);
    }
  };
  if (method_.has_chunks())
    feeder_ = std::jthread(enqueue_all);
  else
    enqueue_all();
}

bool bulk_copy::has_begun() const {
  return has_failed() || (begin_is_recorded_.load(std::memory_order_acquire) && begin_->done());
}

bool bulk_copy::has_ended() const {
  return has_failed() || (end_is_recorded_.load(std::memory_order_acquire) && end_->done());
}

bulk_copy::nanoseconds bulk_copy::finish() {
  is_started_ = false;
  if (feeder_.joinable()) feeder_.join();
  stream_.synchronize();
  if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
  return end_->time_since(*begin_);
}

std::size_t bulk_copy::multiprocessors(const transfers::device& device) const {
  if (method_.by_engine()) return 0;
  if (method_.by_library) return copier_->multiprocessors(direction_, method_.others);
  return copy_kernel_multiprocessors(device.description(), dst_, src_, ends_.source.bytes,
                                     method_.blocks);
}

void bulk_copy::enqueue() {
  stream_.record_again(*begin_);
  begin_is_recorded_.store(true, std::memory_order_release);
  const auto bytes = ends_.source.bytes;
  const auto part = std::min(method_.chunk_bytes, bytes);
  std::size_t parts = 0;
  for (std::size_t first = 0; first < bytes; first += part) {
    auto& ended = in_flight_[parts++ % in_flight_.size()];
    if (parts > in_flight_.size()) ended->wait();
    enqueue_part(first, std::min(part, bytes - first));
    if (method_.has_chunks()) stream_.record_again(*ended);
  }
  stream_.record_again(*end_);
  end_is_recorded_.store(true, std::memory_order_release);
}

void bulk_copy::enqueue_part(std::size_t first, std::size_t bytes) {
  if (copier_)
    copier_->enqueue(stream_, dst_ + first, src_ + first, bytes, direction_, method_.others);
  else if (!method_.by_engine())
    stream_.copy_by_kernel(dst_ + first, src_ + first, bytes, method_.blocks);
  else
    stream_.copy(dst_ + first, src_ + first, bytes, direction_);
}

}  // namespace bench_transfers::bench
