#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "transfers/core/device.hpp"

namespace transfers {

/// Passes all calls on to another device; derived classes change some of them. Contexts have no
/// pageable copier: that of the other device would not call this one.
class forwarding_device : public device {
 public:
  explicit forwarding_device(std::unique_ptr<device> inner = open_host_device())
      : inner_(std::move(inner)) {}

  [[nodiscard]] const device_description& description() const noexcept override {
    return inner_->description();
  }
  [[nodiscard]] std::optional<std::string> why_unsupported(host_memory_kind kind) const override {
    return inner_->why_unsupported(kind);
  }
  [[nodiscard]] host_memory allocate_host(std::size_t bytes, host_memory_kind kind) override {
    return inner_->allocate_host(bytes, kind);
  }
  [[nodiscard]] device_memory allocate(std::size_t bytes) override {
    return inner_->allocate(bytes);
  }
  [[nodiscard]] page_lock lock(std::span<std::byte> memory) override {
    return inner_->lock(memory);
  }
  [[nodiscard]] bool copies_directly(const std::byte* host) const override {
    return inner_->copies_directly(host);
  }
  [[nodiscard]] std::byte* address_on_device(std::byte* host) const override {
    return inner_->address_on_device(host);
  }
  [[nodiscard]] std::size_t free_memory() const override { return inner_->free_memory(); }
  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction) override {
    inner_->copy(dst, src, bytes, direction);
  }
  void cuda_memcpy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction,
                   bool is_page_locked) override {
    inner_->cuda_memcpy(dst, src, bytes, direction, is_page_locked);
  }
  bool access_peer(device& peer) override { return inner_->access_peer(peer); }
  [[nodiscard]] std::unique_ptr<stream> create_stream() override { return inner_->create_stream(); }
  void synchronize() override { inner_->synchronize(); }
  [[nodiscard]] std::shared_ptr<const void> make_current() override {
    return inner_->make_current();
  }

 private:
  std::unique_ptr<device> inner_;
};

}  // namespace transfers
