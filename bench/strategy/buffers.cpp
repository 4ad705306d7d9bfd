#include "bench/strategy/buffers.hpp"

#include <algorithm>
#include <stdexcept>

#include "bench/verification/pattern.hpp"
#include "src/transfers/fast/calibrate_staging.hpp"

namespace bench_transfers::bench {

void buffers::reserve_host(transfers::host_memory_kind kind, std::size_t bytes) {
  auto block = device_.allocate_host(bytes + guard, kind);
  write_host_pattern(block.data(), 0, block.size(), pattern());
  host_.insert_or_assign(kind, std::move(block));
}

void buffers::reserve_device(std::size_t bytes) {
  on_device_ = device_.allocate(bytes + guard);
  write_pattern(device_, on_device_->data(), 0, on_device_->size(), pattern());
}

std::span<std::byte> buffers::scratch(std::size_t bytes) {
  if (scratch_.size() < bytes) scratch_ = device_.allocate_host(bytes, transfers::pageable);
  return scratch_.bytes().first(bytes);
}

std::shared_ptr<transfers::staged_copier> buffers::staged_copier(std::optional<int> node) {
  auto& copier = staged_copiers_[node];
  if (!copier) copier = std::make_shared<transfers::staged_copier>(device_);
  return copier;
}

std::size_t buffers::bytes_of_staged_copier(bool device_is_host) {
  const transfers::staging usual;
  const std::size_t test_copies = transfers::detail::largest_test_copy;
  return usual.chunks * usual.largest_chunk + test_copies + (device_is_host ? test_copies : 0);
}

std::shared_ptr<transfers::multipath_copier> buffers::multipath_copier(
    std::span<transfers::device* const> helpers) {
  if (!multipath_copier_ || !std::ranges::equal(helpers_, helpers)) {
    multipath_copier_.reset();
    multipath_copier_ = std::make_shared<transfers::multipath_copier>(device_, helpers);
    helpers_.assign(helpers.begin(), helpers.end());
  }
  return multipath_copier_;
}

std::shared_ptr<const pattern_file> buffers::file(std::size_t bytes) {
  if (!file_) file_ = std::make_shared<pattern_file>(folder_of_temporary_files(), pattern());
  file_->extend(bytes);
  return file_;
}

const transfers::host_memory& buffers::host(transfers::host_memory_kind kind) const {
  const auto match = host_.find(kind);
  if (match == host_.end()) throw std::logic_error("no host memory reserved: " + to_string(kind));
  return match->second;
}

const transfers::device_memory& buffers::on_device() const {
  if (!on_device_) throw std::logic_error("no device memory reserved");
  return *on_device_;
}

}  // namespace bench_transfers::bench
