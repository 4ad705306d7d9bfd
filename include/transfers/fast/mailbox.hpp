#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "transfers/core/device.hpp"

namespace transfers {

/// The device-side handle of a mailbox; pass it to the kernel by value. Each direction has one
/// 64-bit word in mapped host memory: a sequence number in the upper half, a message in the lower.
struct mailbox_end {
  std::uint64_t* to_device = nullptr;  ///< device address
  std::uint64_t* to_host = nullptr;    ///< device address
  std::uint32_t last_received = 0;     ///< sequence number of the last message considered received
  std::uint64_t idle_ns = 0;  ///< idle timeout: without a message for this long, the kernel exits
};

namespace detail {

/// Replaces a sequence number: no more messages follow.
inline constexpr std::uint32_t stop_sequence = 0xFFFF'FFFF;

constexpr std::uint64_t mailbox_word(std::uint32_t sequence, std::uint32_t message) {
  return std::uint64_t{sequence} << 32U | message;
}

}  // namespace detail

/// Exchanges 32-bit messages with a running kernel, which answers each of them. This is the fastest
/// round trip, because the driver neither launches, copies nor waits (docs/fast_paths/message.md).
/// A message may refer to other memory: writes of the host to mapped memory before the message are
/// visible to a kernel that receives with acquire order (mailbox.cuh), and writes of a kernel
/// before an answer with release order are visible to the host.
///
/// A kernel that never exits would block every device-wide synchronization (cudaDeviceSynchronize,
/// cudaFree). Therefore the kernel exits after an idle timeout, and the next message starts it
/// again. While it waits, it occupies one thread of a multiprocessor and a small part of the link;
/// on the host nothing runs between messages.
///
/// Only one thread at a time may use a mailbox.
class mailbox {
 public:
  /// Enqueues a kernel that answers messages until mailbox_on_device::receive() returns false.
  using service = std::function<void(stream&, const mailbox_end&)>;

  /// Times after which the kernel or the host gives up.
  struct limits {
    std::chrono::nanoseconds idle = std::chrono::milliseconds(100);  ///< then the kernel exits
    std::chrono::nanoseconds answer = std::chrono::seconds(2);       ///< then exchange() gives up
  };

  /// Throws out_of_memory, unsupported, device_error.
  mailbox(device& device, service answering);
  mailbox(device& device, service answering, limits time_limits);
  /// Stops the kernel and waits for it.
  ~mailbox();
  mailbox(const mailbox&) = delete;
  mailbox& operator=(const mailbox&) = delete;

  /// Launches the kernel unless it is running, so that the next message does not wait for the
  /// launch. Throws device_error.
  void start();

  /// Sends a message and returns the answer; the calling thread spins until then. Throws
  /// device_error if the kernel fails, exits without an answer or does not answer in time; throws
  /// what a service on the host device throws.
  std::uint32_t exchange(std::uint32_t message);

  /// Stops the kernel and returns when it has exited. Throws device_error.
  void stop();

 private:
  void launch(std::uint32_t last_received);
  [[nodiscard]] bool runs();
  [[nodiscard]] bool is_answered() const;
  /// False if the answer has not arrived by then.
  [[nodiscard]] bool wait_for_answer(std::chrono::steady_clock::time_point until) const;
  void tell_to_leave() noexcept;

  service service_;
  limits limits_;
  host_memory words_;
  std::uint64_t* to_device_;  ///< host addresses
  std::uint64_t* to_host_;
  std::uint32_t sent_ = 0;          ///< sequence number of the last message
  std::unique_ptr<stream> stream_;  ///< for the kernel only; destroyed before words_
  std::unique_ptr<event> left_;     ///< null if not launched
};

/// A service that answers each message with itself.
[[nodiscard]] mailbox::service echo_service(const device& device);

/// The receiving end for a function that stands in for a kernel on the host device and is called
/// through stream::call. It has the same interface as mailbox_on_device in mailbox.cuh.
class mailbox_on_host {
 public:
  /// `end` is the argument of the service.
  explicit mailbox_on_host(const mailbox_end& end) : end_(end) {}

  /// Waits for the next message. Returns false if the function must return.
  [[nodiscard]] bool receive(std::uint32_t& message) {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    for (;;) {
      const auto word = std::atomic_ref(*end_.to_device).load(std::memory_order_acquire);
      const auto sequence = static_cast<std::uint32_t>(word >> 32U);
      if (sequence == detail::stop_sequence) return false;
      if (sequence != end_.last_received) {
        end_.last_received = sequence;
        message = static_cast<std::uint32_t>(word);
        return true;
      }
      if (clock::now() - begin > std::chrono::nanoseconds(end_.idle_ns)) return false;
      std::this_thread::yield();  // unlike a kernel, it shares the processor with other threads
    }
  }

  /// Answers the last received message.
  void answer(std::uint32_t message) {
    std::atomic_ref(*end_.to_host)
        .store(detail::mailbox_word(end_.last_received, message), std::memory_order_release);
  }

 private:
  mailbox_end end_;
};

}  // namespace transfers
