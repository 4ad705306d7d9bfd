#include "transfers/fast/mailbox.hpp"

#include <fmt/format.h>

#include <utility>

#include "src/transfers/core/relax.hpp"
#include "src/transfers/fast/mailbox_services.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

using clock = std::chrono::steady_clock;

/// Bytes between the words: neither a cache line nor a pair that is fetched together holds both.
constexpr std::size_t distance = 256;

void store(std::uint64_t* word, std::uint32_t sequence, std::uint32_t message) {
  std::atomic_ref(*word).store(detail::mailbox_word(sequence, message), std::memory_order_release);
}
std::uint64_t load(std::uint64_t* word) {
  return std::atomic_ref(*word).load(std::memory_order_acquire);
}

std::uint32_t next_after(std::uint32_t sequence) {
  return sequence + 1 == detail::stop_sequence ? 0 : sequence + 1;
}

}  // namespace

mailbox::mailbox(device& device, service answering)
    : mailbox(device, std::move(answering), limits{}) {}

mailbox::mailbox(device& device, service answering, limits time_limits)
    : service_(std::move(answering)),
      limits_(time_limits),
      words_(device.allocate_host(2 * distance, pinned(pin_flags::mapped))),
      to_device_(reinterpret_cast<std::uint64_t*>(words_.data())),
      to_host_(reinterpret_cast<std::uint64_t*>(words_.data() + distance)),
      stream_(device.create_stream()) {
  if (words_.on_device() == nullptr) throw unsupported("the device does not see host memory");
  store(to_device_, sent_, 0);
  store(to_host_, sent_, 0);
}

mailbox::~mailbox() {
  tell_to_leave();  // the stream waits for the kernel
}

void mailbox::tell_to_leave() noexcept { store(to_device_, detail::stop_sequence, 0); }

void mailbox::launch(std::uint32_t last_received) {
  const auto on_device = [this](std::size_t offset) {
    return reinterpret_cast<std::uint64_t*>(words_.on_device() + offset);
  };
  left_.reset();
  try {
    service_(*stream_, {on_device(0), on_device(distance), last_received,
                        static_cast<std::uint64_t>(limits_.idle.count())});
    left_ = stream_->record(event_timing::off);
  } catch (...) {
    // The kernel may be running, and without the event its exit cannot be detected.
    tell_to_leave();
    try {
      stream_->synchronize();
    } catch (...) {  // NOLINT(bugprone-empty-catch): the first failure is reported
    }
    throw;
  }
}

bool mailbox::runs() { return left_ && !left_->done(); }

void mailbox::start() {
  if (runs()) return;
  store(to_device_, sent_, 0);  // replaces the stop sequence of the last kernel
  launch(sent_);
}

void mailbox::stop() {
  tell_to_leave();
  left_.reset();
  stream_->synchronize();
}

bool mailbox::is_answered() const {
  return static_cast<std::uint32_t>(load(to_host_) >> 32U) == sent_;
}

bool mailbox::wait_for_answer(clock::time_point until) const {
  for (;;) {
    for (int i = 0; i < 64; ++i) {
      if (is_answered()) return true;
      detail::relax();
    }
    if (clock::now() > until) return is_answered();
  }
}

std::uint32_t mailbox::exchange(std::uint32_t message) {
  // Asking the driver takes longer than an answer, so a launched kernel is assumed to run.
  constexpr std::chrono::microseconds usual{20};
  if (!left_) start();
  const auto last_received = std::exchange(sent_, next_after(sent_));
  store(to_device_, sent_, message);

  auto checked_at = clock::now();
  const auto end = checked_at + limits_.answer;
  bool launched_for_it = false;
  for (; !wait_for_answer(std::min(checked_at + usual, end)); checked_at = clock::now()) {
    if (checked_at > end) {
      tell_to_leave();
      throw device_error(
          fmt::format("no answer from the kernel within {} ms",
                      std::chrono::duration<double, std::milli>(limits_.answer).count()),
          false);
    }
    if (runs()) {
      // On the host device the kernel is a thread, which may need this processor.
      std::this_thread::yield();
      continue;
    }
    if (is_answered()) break;  // before it left
    if (launched_for_it) {
      stop();  // throws the kernel's error, if there is one
      throw device_error("the kernel has left without an answer", false);
    }
    launch(last_received);
    launched_for_it = true;
  }
  return static_cast<std::uint32_t>(load(to_host_));
}

mailbox::service echo_service(const device& device) {
  if (device.description().cuda) return detail::cuda_echo_service();
  return [](stream& stream, const mailbox_end& end) {
    stream.call([end] {
      mailbox_on_host box(end);
      for (std::uint32_t message = 0; box.receive(message);) box.answer(message);
    });
  };
}

}  // namespace transfers
