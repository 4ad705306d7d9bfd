#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "tests/unit/transfers/counting_device.hpp"

namespace bench_transfers::bench {

/// By the clock of an hourly_stream, an hour lies between each of its events and the next.
class hourly_event final : public transfers::event {
 public:
  hourly_event(std::unique_ptr<transfers::event> inner, int hour)
      : inner_(std::move(inner)), hour_(hour) {}

  [[nodiscard]] bool done() const override { return inner_->done(); }
  void wait() const override { inner_->wait(); }
  [[nodiscard]] std::chrono::duration<double, std::nano> time_since(
      const transfers::event& earlier) const override {
    return std::chrono::hours(hour_ - dynamic_cast<const hourly_event&>(earlier).hour_);
  }

  [[nodiscard]] transfers::event& inner() { return *inner_; }
  void move_to(int hour) { hour_ = hour; }

 private:
  std::unique_ptr<transfers::event> inner_;
  int hour_;
};

/// A stream whose copies are never at once with those of others: whatever the machine does
/// meanwhile, they end an hour after each other.
class hourly_stream final : public transfers::counting_stream {
 public:
  using counting_stream::counting_stream;

  [[nodiscard]] std::unique_ptr<transfers::event> record(transfers::event_timing timing) override {
    return std::make_unique<hourly_event>(counting_stream::record(timing), ++hour_);
  }
  void record_again(transfers::event& recorded) override {
    auto& hourly = dynamic_cast<hourly_event&>(recorded);
    counting_stream::record_again(hourly.inner());
    hourly.move_to(++hour_);
  }

 private:
  int hour_ = 0;
};

/// Moves a flow to an hourly stream of the device.
inline void make_hourly(flow& copied, transfers::device& device) {
  const auto stream = std::make_shared<hourly_stream>(device.create_stream());
  copied.stream = stream;
  copied.enqueue = [stream, src = copied.source, dst = copied.destination,
                    direction = copied.direction] {
    stream->copy(dst.data, src.data, src.bytes, direction);
  };
}

}  // namespace bench_transfers::bench
