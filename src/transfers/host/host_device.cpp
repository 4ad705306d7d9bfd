#include "transfers/host/host_device.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "src/transfers/core/numa.hpp"
#include "src/transfers/core/pages.hpp"
#include "src/transfers/host/device_parts.hpp"
#include "src/transfers/host/host_stream.hpp"
#include "src/transfers/host/locked_ranges.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

std::string rate_text(const link_description& link) {
  const auto text = [](double rate, const char* name) {
    return rate == 0 ? std::string() : fmt::format(", {:g} GB/s {}", rate / 1e9, name);
  };
  return text(link.h2d_bytes_per_second, "h2d") + text(link.d2h_bytes_per_second, "d2h") +
         text(link.both_bytes_per_second, "both together");
}

device_description describe_device(const host_device_options& options) {
  device_description description{.kind = "host", .name = "host (no GPU)"};
  description.index = options.index.value_or(0);
  if (options.link) description.emulated_link = options.link->description();
  if (options.link && options.link->links().size() > 1)
    description.emulated_path = options.link->links();
  if (!options.index && !options.link) return description;
  description.name = "host (emulated, no GPU";  // one model, as GPUs of a computer have
  if (options.link)
    description.name += fmt::format("; link {}{}", description.emulated_link->name,
                                    rate_text(*description.emulated_link));
  description.name += ')';
  return description;
}

class host_device final : public device {
 public:
  explicit host_device(const host_device_options& options)
      : parts_(std::make_shared<detail::device_parts>(options)),
        description_(describe_device(options)) {
    if (description_.index < 0) throw invalid_argument("the index of a device is not negative");
  }
  explicit host_device(same_device_as same, const host_device& other)
      : device(same), parts_(other.parts_), description_(other.description_) {}

  [[nodiscard]] std::shared_ptr<device> share() override {
    return std::make_shared<host_device>(same_device_as{*this}, *this);
  }

  [[nodiscard]] detail::device_identity identity() const noexcept override {
    return parts_->identity();
  }

  [[nodiscard]] const device_description& description() const noexcept override {
    return description_;
  }

  [[nodiscard]] std::optional<std::string> why_unsupported(host_memory_kind kind) const override {
    if (kind.origin == host_origin::managed)
      return "managed memory comes from a GPU driver; the host device has none";
    if (has(kind.flags, pin_flags::write_combined))
      return "write-combined memory comes from a GPU driver; the host device has none";
    if (has(kind.flags, pin_flags::portable))
      return "PORTABLE concerns several CUDA contexts; the host device has none";
    if (kind.origin == host_origin::pageable_huge)
      if (auto reason = why_no_huge_pages()) return reason;
    return detail::why_not_on_its_node(kind);
  }

  /// Page-locking is mlock(2); the "device" can address all memory.
  [[nodiscard]] host_memory allocate_host(std::size_t bytes, host_memory_kind kind) override {
    if (const auto reason = why_unsupported(kind)) throw unsupported(*reason);
    auto data = map_pages_of(kind, bytes);
    auto* const address = data.get();
    if (!is_page_locked(kind)) return {std::move(data), bytes, kind, address};
    locked_->lock({address, bytes});
    auto unmap = std::move(data.get_deleter());
    return {{data.release(),
             [unmap, locked = locked_](std::byte* first) {
               locked->unlock(first);
               unmap(first);
             }},
            bytes,
            kind,
            address};
  }

  [[nodiscard]] device_memory allocate(std::size_t bytes) override {
    parts_->blocks.reserve(bytes);
    auto reserved = std::shared_ptr<void>(
        nullptr, [parts = parts_, bytes](void*) { parts->blocks.release(bytes); });
    auto pages = map_pages(bytes, page_size::base);
    parts_->blocks.add(pages.get(), bytes);
    auto unmap = std::move(pages.get_deleter());
    // Like cudaFree, which waits for work that may still use the memory.
    return {{pages.release(),
             [unmap, reserved = std::move(reserved), parts = parts_](std::byte* p) mutable {
               parts->work.wait();
               parts->blocks.remove(p);
               unmap(p);
               reserved.reset();
             }},
            bytes};
  }

  [[nodiscard]] page_lock lock(std::span<std::byte> memory) override {
    if (memory.empty()) throw invalid_argument("cannot lock zero bytes of host memory");
    locked_->lock(memory);
    return {{memory.data(), [locked = locked_](std::byte* first) { locked->unlock(first); }},
            memory.size(),
            memory.data()};
  }

  [[nodiscard]] bool copies_directly(const std::byte* /*host*/) const override { return true; }

  [[nodiscard]] std::byte* address_on_device(std::byte* host) const override { return host; }

  [[nodiscard]] std::size_t free_memory() const override {
    const auto host_bytes = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page_bytes();
    return std::min(host_bytes, parts_->blocks.free_bytes().value_or(host_bytes));
  }

  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction) override {
    if (!parts_->link) {
      std::memcpy(dst, src, bytes);
      return;
    }
    auto sequence = last_copies_.take();
    detail::cross(parts_->link.get(), sequence, bytes, direction,
                  [&] { std::memcpy(dst, src, bytes); });
    last_copies_.put(sequence);
  }

  /// All memory of host devices is memory of the process.
  bool access_peer(device& peer) override {
    if (auto* const other = dynamic_cast<host_device*>(&peer)) other->parts_->let_access(parts_);
    return peer.description().kind == "host";
  }

  [[nodiscard]] std::unique_ptr<stream> create_stream() override {
    return detail::open_host_stream(parts_);
  }

  void synchronize() override { parts_->work.wait(); }

  [[nodiscard]] std::shared_ptr<const void> make_current() override { return nullptr; }

 private:
  /// The copies of the thread that copied last; its delays do not concern other threads.
  class last_copies {
   public:
    emulated_link::copy_sequence take() {
      const std::scoped_lock lock(mutex_);
      return thread_ == std::this_thread::get_id() ? sequence_ : emulated_link::copy_sequence();
    }
    void put(const emulated_link::copy_sequence& sequence) {
      const std::scoped_lock lock(mutex_);
      thread_ = std::this_thread::get_id();
      sequence_ = sequence;
    }

   private:
    std::mutex mutex_;
    std::thread::id thread_;
    emulated_link::copy_sequence sequence_;
  };

  std::shared_ptr<detail::device_parts> parts_;
  std::shared_ptr<detail::locked_ranges> locked_ = detail::locked_ranges::of_this_process();
  device_description description_;
  last_copies last_copies_;
};

}  // namespace

std::unique_ptr<device> open_host_device() { return open_host_device(host_device_options{}); }

std::unique_ptr<device> open_host_device(const host_device_options& options) {
  return std::make_unique<host_device>(options);
}

}  // namespace transfers
