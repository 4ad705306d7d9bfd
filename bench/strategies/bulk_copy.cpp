#include "bench/strategies/bulk_copy.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/strategy/copy_kernel.hpp"
#include "bench/strategy/pieces.hpp"
#include "bench/subjects/launches.hpp"
#include "transfers/fast/polite_copy.hpp"
#include "transfers/fast/prompt_copy.hpp"

namespace bench_transfers::bench {
bool bulk_method::is_synchronous() const {
  switch (mover) {
    case bulk_mover::prompt:
    case bulk_mover::staged:
    case bulk_mover::memcpy:
    case bulk_mover::device_copy: return true;
    case bulk_mover::engine:
    case bulk_mover::kernel:
    case bulk_mover::polite:
    case bulk_mover::scattered: break;
  }
  return false;
}

bulk_copy::bulk_copy(const job& task, const ends& ends, transfers::direction direction,
                     const bulk_method& method)
    : stream_(task.stream),
      direction_(direction),
      method_(method),
      ends_(ends),
      begin_(stream_.record()),
      end_(stream_.record()) {
  for (auto& chunk : in_flight_) chunk = stream_.record(transfers::event_timing::off);
  copy_part_ = method.mover == bulk_mover::scattered ? copy_of_blocks(task) : copy_of_parts(task);
  if (method.kernels_between)
    behind_part_ = [this, nothing = subjects::empty_kernel(task.device, 0).prepare<>()] {
      nothing(stream_, {});
    };
}

bulk_copy::part_copy bulk_copy::copy_of_parts(const job& task) {
  const bool in_place = method_.mover == bulk_mover::kernel;
  src_ = in_place ? seen_by_kernel(ends_.source) : ends_.source.data;
  dst_ = in_place ? seen_by_kernel(ends_.destination) : ends_.destination.data;
  find_damage_ = [&device = task.device, end = ends_.destination,
                  expected = task.memory.pattern()] {
    return words_of(check_pattern(device, end, expected));
  };
  auto& stream = stream_;
  auto& device = task.device;
  const auto from = [dst = dst_, src = src_](auto&& copy) -> part_copy {
    return [copy, dst, src](std::size_t first, std::size_t bytes) {
      copy(dst + first, src + first, bytes);
    };
  };
  const auto way = direction_;
  switch (method_.mover) {
    case bulk_mover::kernel:
      return from([&stream, blocks = method_.blocks](std::byte* dst, const std::byte* src,
                                                     std::size_t bytes) {
        stream.copy_by_kernel(dst, src, bytes, blocks);
      });
    case bulk_mover::polite:
      polite_ = std::make_shared<transfers::polite_copier>(device);
      return from([copier = polite_, &stream, way, others = method_.others](
                      std::byte* dst, const std::byte* src, std::size_t bytes) {
        copier->enqueue(stream, dst, src, bytes, way, others);
      });
    case bulk_mover::prompt:
      return from([copier = std::make_shared<transfers::prompt_copier>(device), way](
                      std::byte* dst, const std::byte* src, std::size_t bytes) {
        copier->copy(dst, src, bytes, way);
      });
    case bulk_mover::staged:
      return from([copier = task.memory.staged_copier(), way](std::byte* dst, const std::byte* src,
                                                              std::size_t bytes) {
        copier->copy(dst, src, bytes, way);
      });
    case bulk_mover::memcpy:
      return from([&device, way, is_locked = is_page_locked(method_.memory)](
                      std::byte* dst, const std::byte* src, std::size_t bytes) {
        device.cuda_memcpy(dst, src, bytes, way, is_locked);
      });
    case bulk_mover::device_copy:
      return from([&device, way](std::byte* dst, const std::byte* src, std::size_t bytes) {
        device.copy(dst, src, bytes, way);
      });
    case bulk_mover::engine:
    case bulk_mover::scattered: break;
  }
  return from([&stream, way](std::byte* dst, const std::byte* src, std::size_t bytes) {
    stream.copy(dst, src, bytes, way);
  });
}

bulk_copy::part_copy bulk_copy::copy_of_blocks(const job& task) {
  constexpr std::size_t block = 8192;
  auto& host = direction_ == transfers::direction::h2d ? ends_.source : ends_.destination;
  const auto& on_device =
      direction_ == transfers::direction::h2d ? ends_.destination : ends_.source;
  host.bytes = 2 * on_device.bytes;  // with the gaps
  piecewise layout{host, on_device, scattered_pieces(on_device.bytes, block), direction_};
  std::vector<transfers::scattered_block> blocks;
  blocks.reserve(layout.pieces.size());
  for (const auto& piece : layout.pieces)
    blocks.emplace_back(host.data + piece.offset, piece.bytes);
  const auto copier = std::make_shared<transfers::scattered_copy>(task.device, stream_);
  copier->add({host.data, host.bytes});
  const transfers::device_view view(on_device.data, on_device.bytes);
  transfer checked;
  set_ends(checked, std::move(layout), task.device, task.memory);
  find_damage_ = checked.check.compare;
  return [copier, blocks = std::move(blocks), view, way = direction_, route = method_.route](
             std::size_t /*first*/, std::size_t /*bytes*/) {
    copier->enqueue(blocks, view, way, route);
  };
}

void bulk_copy::run() {
  copy_part_(0, ends_.source.bytes);
  if (!method_.is_synchronous()) stream_.synchronize();
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

std::optional<measured_metric> bulk_copy::occupied(const transfers::device& device) const {
  const auto occupied = multiprocessors(device);
  if (occupied == 0) return std::nullopt;
  return measured_metric{
      count_metric("bulk_multiprocessors", "multiprocessors that the bulk copy occupies",
                   result_file::better::less),
      static_cast<double>(occupied)};
}

std::size_t bulk_copy::multiprocessors(const transfers::device& device) const {
  if (!device.description().cuda) return 0;
  switch (method_.mover) {
    case bulk_mover::kernel:
      return copy_kernel_multiprocessors(device.description(), dst_, src_, ends_.source.bytes,
                                         method_.blocks);
    case bulk_mover::polite: return polite_->multiprocessors(direction_, method_.others);
    case bulk_mover::engine:
    case bulk_mover::prompt:
    case bulk_mover::staged:
    case bulk_mover::memcpy:
    case bulk_mover::device_copy:
    case bulk_mover::scattered: break;
  }
  return 0;
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
    copy_part_(first, std::min(part, bytes - first));
    if (behind_part_) behind_part_();
    if (method_.has_chunks()) stream_.record_again(*ended);
  }
  stream_.record_again(*end_);
  end_is_recorded_.store(true, std::memory_order_release);
}

}  // namespace bench_transfers::bench
