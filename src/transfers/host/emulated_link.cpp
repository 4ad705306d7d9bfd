#include "transfers/host/emulated_link.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "src/transfers/host/shared_flows.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

using seconds = std::chrono::duration<double>;

constexpr std::size_t index_of(direction direction) { return direction == direction::h2d ? 0 : 1; }

}  // namespace

/// Directions without a common limit do not concern each other: each has a lane of its own.
struct emulated_link::lane {
  explicit lane(std::vector<double> capacities) : flows(std::move(capacities)) {}
  std::mutex mutex;
  detail::shared_flows flows;
};

struct emulated_link::state {
  link_description description;
  emulated_link::link_clock clock;
  std::chrono::nanoseconds origin = clock.now();
  std::array<std::unique_ptr<lane>, 2> lanes = {};

  [[nodiscard]] bool has_common_limit() const { return description.both_bytes_per_second > 0; }
};

emulated_link::emulated_link(link_description description, link_clock clock)
    : state_(new state{.description = std::move(description), .clock = std::move(clock)}) {
  const auto& [name, h2d, d2h, total] = state_->description;
  for (const double rate : {h2d, d2h, total})
    if (!std::isfinite(rate) || rate < 0)
      throw invalid_argument("the rate of a link must be a number of bytes per second");
  if (state_->has_common_limit()) {
    state_->lanes[0] = std::make_unique<lane>(std::vector{h2d, d2h, total});
  } else {
    state_->lanes[0] = std::make_unique<lane>(std::vector{h2d});
    state_->lanes[1] = std::make_unique<lane>(std::vector{d2h});
  }
}

emulated_link::~emulated_link() = default;

emulated_link::link_clock emulated_link::system_clock() {
  using steady = std::chrono::steady_clock;
  return {.now = [] { return steady::now().time_since_epoch(); },
          .sleep_until =
              [](std::chrono::nanoseconds end) {
                // Linux lets a thread sleep for some 50 us longer than asked (prctl(2),
                // PR_SET_TIMERSLACK).
                constexpr std::chrono::microseconds awake{100};
                const steady::time_point wake_up{end};
                if (steady::now() < wake_up - awake) std::this_thread::sleep_until(wake_up - awake);
                while (steady::now() < wake_up) std::this_thread::yield();
              }};
}

const link_description& emulated_link::description() const noexcept { return state_->description; }

double emulated_link::now() const { return seconds(state_->clock.now() - state_->origin).count(); }

void emulated_link::credit_delay(copy_sequence& sequence, double delay) {
  sequence.delay_ = std::clamp(delay, 0.0, seconds(most_delay).count());
}

std::chrono::duration<double, std::nano> emulated_link::time_of(
    const copy_sequence& sequence) const {
  return seconds(now() - sequence.delay_);
}

emulated_link::copy_sequence emulated_link::ended_at(
    std::chrono::duration<double, std::nano> time) const {
  copy_sequence sequence;
  credit_delay(sequence, now() - seconds(time).count());
  return sequence;
}

emulated_link::crossing::crossing(emulated_link& link, copy_sequence& sequence, std::size_t bytes,
                                  direction direction)
    : link_(link), sequence_(sequence), lane_(index_of(direction)) {
  std::vector<std::size_t> capacities{0};
  if (link.state_->has_common_limit()) {
    capacities = {lane_, 2};
    lane_ = 0;
  }
  auto& lane = *link.state_->lanes.at(lane_);
  const std::scoped_lock lock(lane.mutex);
  const double time = link.now();
  flow_ = lane.flows.add(static_cast<double>(bytes), std::move(capacities), time - sequence.delay_,
                         time);
  // If the delay is longer than the copy takes, the next copy gets the rest of it.
  finished_ = lane.flows.end_of(flow_).has_value();
  credit_delay(sequence, finished_ ? time - *lane.flows.end_of(flow_) : 0);
}

emulated_link::crossing::~crossing() {
  auto& lane = *link_.state_->lanes.at(lane_);
  const std::scoped_lock lock(lane.mutex);
  if (!finished_) lane.flows.advance(link_.now());
  lane.flows.remove(flow_);
}

void emulated_link::crossing::finish() {
  auto& lane = *link_.state_->lanes.at(lane_);
  for (bool slept = false; !finished_; slept = true) {
    double next_end = 0;
    {
      const std::scoped_lock lock(lane.mutex);
      const double time = link_.now();
      lane.flows.advance(time);
      if (const auto end = lane.flows.end_of(flow_)) {
        finished_ = true;
        // Without a wait for the link, the copy itself took that long.
        credit_delay(sequence_, slept ? time - *end : 0);
        return;
      }
      next_end = *lane.flows.next_end();
    }
    // Rounded up with a margin: the flow must have ended when the time is read again.
    const std::chrono::nanoseconds wake_up(static_cast<std::int64_t>(next_end * 1e9) + 2);
    link_.state_->clock.sleep_until(link_.state_->origin + wake_up);
  }
}

}  // namespace transfers
