#include "bench/strategies/small_copies.hpp"

#include <algorithm>

#include "bench/strategy/copy_kernel.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {

small_copies::small_copies(const job& task, const small_kind& kind)
    : device_(task.device),
      pattern_(task.memory.pattern()),
      poison_(task.memory.pattern(true)),
      kind_(kind),
      host_(device_.allocate_host(places * kind.bytes, kind.memory())),
      on_device_(device_.allocate(places * kind.bytes)),
      stream_(device_.create_priority_stream()) {
  if (kind_.mover == small_mover::kernel && host_.on_device() == nullptr)
    throw transfers::unsupported("the device has no address for this memory");
  if (kind_.mover == small_mover::prompt) copier_.emplace(device_);
  const auto all = places * kind.bytes;
  write_host(all, to_device() ? pattern_ : poison_);
  write_device(all, to_device() ? poison_ : pattern_);
  run();  // the first launch of a kernel may have to load it
  used_ = 1;
}

small_copies::place_ends small_copies::current() const {
  const auto offset = place_ * kind_.bytes;
  auto* const host =
      (kind_.mover == small_mover::kernel ? host_.on_device() : host_.data()) + offset;
  auto* const device = on_device_.data() + offset;
  return to_device() ? place_ends{host, device} : place_ends{device, host};
}

void small_copies::run() {
  const auto [src, dst] = current();
  if (copier_) return copier_->copy(dst, src, kind_.bytes, kind_.direction);
  if (kind_.mover == small_mover::kernel)
    stream_->copy_by_kernel(dst, src, kind_.bytes);
  else
    stream_->copy(dst, src, kind_.bytes, kind_.direction);
  stream_->synchronize();
}

void small_copies::choose_next() {
  place_ = used_ == 0 ? 0 : (place_ + 1) % places;
  used_ = std::min(used_ + 1, places);
}

std::optional<std::string> small_copies::find_damage() {
  const auto bytes = used_ * kind_.bytes;
  place_ = used_ = 0;
  if (bytes == 0) return std::nullopt;
  const auto check = to_device() ? check_pattern(device_, on_device_.data(), 0, bytes, pattern_)
                                 : check_host_pattern(host_.data(), 0, bytes, pattern_);
  if (to_device())
    write_device(bytes, poison_);
  else
    write_host(bytes, poison_);
  // A kernel on another stream slows copies down until the device is synchronized (METHOD.md).
  device_.synchronize();
  if (check.wrong_bytes == 0) return std::nullopt;
  return "small copies: " + std::to_string(check.wrong_bytes) +
         " bytes differ, the first at offset " + std::to_string(check.first_wrong % kind_.bytes) +
         " of copy " + std::to_string(check.first_wrong / kind_.bytes);
}

void small_copies::corrupt() {
  if (to_device())
    write_host(places * kind_.bytes, poison_);
  else
    write_device(places * kind_.bytes, poison_);
}

std::size_t small_copies::multiprocessors() const {
  if (kind_.mover == small_mover::engine) return 0;
  const auto [src, dst] = current();
  return copy_kernel_multiprocessors(device_.description(), dst, src, kind_.bytes);
}

void small_copies::write_host(std::size_t bytes, pattern written) {
  write_host_pattern(host_.data(), 0, bytes, written);
}
void small_copies::write_device(std::size_t bytes, pattern written) {
  write_pattern(device_, on_device_.data(), 0, bytes, written);
}

}  // namespace bench_transfers::bench
