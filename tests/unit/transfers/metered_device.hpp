#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include "tests/unit/transfers/counting_device.hpp"

namespace transfers {

/// The time of a simulation, in seconds: when the caller has last waited for something.
using metered_time = std::shared_ptr<double>;

/// A link of metered devices, which may share it. Copies cross it one after the other.
struct metered_link {
  double bytes_per_second = 0;
  double seconds_of_copy = 0;  ///< of each copy, besides its bytes
  double free_at = 0;
};

/// Copies move nothing: they take the time that their link needs, in a simulation.
class metered_stream final : public counting_stream {
 public:
  metered_stream(std::unique_ptr<stream> inner, metered_time time,
                 std::shared_ptr<metered_link> link, double peer_bytes_per_second)
      : counting_stream(std::move(inner)),
        time_(std::move(time)),
        link_(std::move(link)),
        peer_bytes_per_second_(peer_bytes_per_second) {}

  void copy(std::byte* /*dst*/, const std::byte* /*src*/, std::size_t bytes,
            direction /*direction*/) override {
    end_ = std::max({end_, *time_, link_->free_at}) + link_->seconds_of_copy +
           static_cast<double>(bytes) / link_->bytes_per_second;
    link_->free_at = end_;
  }
  void copy_d2d(std::byte* /*dst*/, const std::byte* /*src*/, std::size_t bytes) override {
    end_ = std::max(end_, *time_) + static_cast<double>(bytes) / peer_bytes_per_second_;
  }
  [[nodiscard]] std::unique_ptr<event> record(event_timing /*timing*/) override {
    return std::make_unique<metered_event>(time_, std::max(end_, *time_));
  }
  void record_again(event& recorded) override {
    dynamic_cast<metered_event&>(recorded).at = std::max(end_, *time_);
  }
  void wait(const event& other) override {
    end_ = std::max(end_, dynamic_cast<const metered_event&>(other).at);
  }
  void synchronize() override { *time_ = std::max(*time_, end_); }

 private:
  struct metered_event final : event {
    metered_event(metered_time simulated, double end) : time(std::move(simulated)), at(end) {}
    [[nodiscard]] bool done() const override { return at <= *time; }
    void wait() const override { *time = std::max(*time, at); }
    [[nodiscard]] std::chrono::duration<double, std::nano> time_since(
        const event& earlier) const override {
      wait();
      return std::chrono::duration<double>(at - dynamic_cast<const metered_event&>(earlier).at);
    }
    metered_time time;
    double at;
  };

  metered_time time_;
  std::shared_ptr<metered_link> link_;
  double peer_bytes_per_second_;
  double end_ = 0;  ///< of the work enqueued so far
};

/// A device whose streams take simulated time.
class metered_device final : public forwarding_device {
 public:
  /// `peer_bytes_per_second`: between its memory and that of other devices.
  metered_device(metered_time time, std::shared_ptr<metered_link> link,
                 double peer_bytes_per_second)
      : time_(std::move(time)),
        link_(std::move(link)),
        peer_bytes_per_second_(peer_bytes_per_second) {}

  [[nodiscard]] std::unique_ptr<stream> create_stream() override {
    return std::make_unique<metered_stream>(forwarding_device::create_stream(), time_, link_,
                                            peer_bytes_per_second_);
  }

 private:
  metered_time time_;
  std::shared_ptr<metered_link> link_;
  double peer_bytes_per_second_;
};

}  // namespace transfers
