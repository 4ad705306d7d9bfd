#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "transfers/core/device.hpp"

namespace transfers {

/// What a kernel gets to know of a mailbox: pass it by value. Each direction has one 64-bit word in
/// mapped host memory: a sequence number in the upper half, a message in the lower.
struct mailbox_end {
  std::uint64_t* to_device = nullptr;  ///< as the device sees it, like the next
  std::uint64_t* to_host = nullptr;
  std::uint32_t seen = 0;     ///< sequence number of the last message that counts as received
  std::uint64_t idle_ns = 0;  ///< so long without a message, and the kernel leaves
};

namespace detail {

/// In place of a sequence number: no more messages.
inline constexpr std::uint32_t stop_sequence = 0xFFFF'FFFF;

constexpr std::uint64_t mailbox_word(std::uint32_t sequence, std::uint32_t message) {
  return std::uint64_t{sequence} << 32U | message;
}

}  // namespace detail

/// Messages of 32 bits between the host and a kernel that runs meanwhile and answers each: the
/// shortest way there and back, because nothing is launched, copied or waited for by the driver.
/// See docs/fast_paths/message.md. Other memory that the message is about may go along: what the
/// host has written to mapped memory before is visible to a kernel that receives with acquire order
/// (mailbox.cuh), and what a kernel has written before it answers with release order to the host.
///
/// A kernel that waits for ever would make every wait for the whole device (cudaDeviceSynchronize,
/// cudaFree) last for ever. So it leaves when no message has come for some time, and the next one
/// starts it again. While it waits, it keeps one multiprocessor's thread and a little of the link
/// busy; on the host nothing runs between messages.
///
/// One thread at a time may use it. The device must outlive it.
class mailbox {
 public:
  /// Enqueues a kernel that answers messages until mailbox_on_device::receive() says false.
  using service = std::function<void(stream&, const mailbox_end&)>;

  struct limits {
    std::chrono::nanoseconds idle = std::chrono::milliseconds(100);  ///< then the kernel leaves
    std::chrono::nanoseconds answer = std::chrono::seconds(2);       ///< then exchange() gives up
  };

  /// Throws out_of_memory, unsupported, device_error.
  mailbox(device& device, service answering);
  mailbox(device& device, service answering, limits time_limits);
  /// Stops the kernel and waits for it.
  ~mailbox();
  mailbox(const mailbox&) = delete;
  mailbox& operator=(const mailbox&) = delete;

  /// Launches the kernel unless it runs, so that the next message does not wait for that. Throws
  /// device_error.
  void start();

  /// Sends a message and returns the answer. The calling thread does not sleep meanwhile. Throws
  /// device_error when the kernel has failed, has left without an answer or gives none in time;
  /// what a service on the host device throws.
  std::uint32_t exchange(std::uint32_t message);

  /// Returns when the kernel has left. Throws device_error.
  void stop();

 private:
  void launch(std::uint32_t seen);
  [[nodiscard]] bool runs();
  [[nodiscard]] bool is_answered() const;
  /// False when it is not there by then.
  [[nodiscard]] bool wait_for_answer(std::chrono::steady_clock::time_point until) const;
  void tell_to_leave() noexcept;

  service service_;
  limits limits_;
  host_memory words_;
  std::uint64_t* to_device_;  ///< as the host sees them
  std::uint64_t* to_host_;
  std::uint32_t sent_ = 0;          ///< sequence number of the last message
  std::unique_ptr<stream> stream_;  ///< the kernel's alone. Behind words_, which it uses to the end
  std::unique_ptr<event> left_;     ///< null: not launched
};

/// A service that answers each message with itself.
[[nodiscard]] mailbox::service echo_service(const device& device);

/// The device's end for a function that stands in for a kernel on the host device, called through
/// stream::call. Of the same form as mailbox_on_device in mailbox.cuh.
class mailbox_on_host {
 public:
  explicit mailbox_on_host(const mailbox_end& end) : end_(end) {}

  /// Waits for the next message. False: leave.
  [[nodiscard]] bool receive(std::uint32_t& message) {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    for (;;) {
      const auto word = std::atomic_ref(*end_.to_device).load(std::memory_order_acquire);
      const auto sequence = static_cast<std::uint32_t>(word >> 32U);
      if (sequence == detail::stop_sequence) return false;
      if (sequence != end_.seen) {
        end_.seen = sequence;
        message = static_cast<std::uint32_t>(word);
        return true;
      }
      if (clock::now() - begin > std::chrono::nanoseconds(end_.idle_ns)) return false;
      std::this_thread::yield();  // it is a thread among others, as no kernel is
    }
  }

  /// Answers the message received last.
  void answer(std::uint32_t message) {
    std::atomic_ref(*end_.to_host)
        .store(detail::mailbox_word(end_.seen, message), std::memory_order_release);
  }

 private:
  mailbox_end end_;
};

}  // namespace transfers
