#include "transfers/host/emulated_link.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <set>
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

/// Directions of links without a common limit do not concern each other: each has a lane of its
/// own.
struct emulated_link::lane {
  lane(std::vector<double> capacities, double most_late)
      : flows(std::move(capacities), most_late) {}
  std::mutex mutex;
  detail::shared_flows flows;
};

struct emulated_link::state {
  state(std::vector<link_description> described, emulated_link::link_clock used_clock)
      : links(std::move(described)), clock(std::move(used_clock)) {
    std::vector<double> h2d, d2h, all;
    for (const auto& link : links) {
      check(link);
      h2d.push_back(link.h2d_bytes_per_second);
      d2h.push_back(link.d2h_bytes_per_second);
      all.insert(all.end(), {h2d.back(), d2h.back(), link.both_bytes_per_second});
      has_common_limit |= link.both_bytes_per_second > 0;
    }
    const double most_late = seconds(most_delay).count();
    if (has_common_limit) {
      lanes[0] = std::make_unique<lane>(std::move(all), most_late);
    } else {
      lanes[0] = std::make_unique<lane>(std::move(h2d), most_late);
      lanes[1] = std::make_unique<lane>(std::move(d2h), most_late);
    }
  }

  [[nodiscard]] lane& lane_of(std::size_t direction) const {
    return *lanes.at(has_common_limit ? 0 : direction);
  }

  /// Of the lane of this direction.
  void add_capacities(std::size_t link, std::size_t direction,
                      std::vector<std::size_t>& capacities) const {
    if (has_common_limit)
      capacities.insert(capacities.end(), {3 * link + direction, 3 * link + 2});
    else
      capacities.push_back(link);
  }

  std::vector<link_description> links;
  emulated_link::link_clock clock;
  std::chrono::nanoseconds origin = clock.now();
  bool has_common_limit = false;
  std::array<std::unique_ptr<lane>, 2> lanes = {};

 private:
  static void check(const link_description& link) {
    for (const double rate :
         {link.h2d_bytes_per_second, link.d2h_bytes_per_second, link.both_bytes_per_second})
      if (!std::isfinite(rate) || rate < 0)
        throw invalid_argument("the rate of a link must be a number of bytes per second");
  }
};

emulated_link::emulated_link(link_description description, link_clock clock)
    : emulated_link(std::make_shared<state>(std::vector{std::move(description)}, std::move(clock)),
                    std::vector<std::size_t>{0}) {}

emulated_link::emulated_link(std::shared_ptr<state> network, const std::vector<std::size_t>& path)
    : state_(std::move(network)) {
  const auto lesser = [](double first, double second) {
    return first > 0 && second > 0 ? std::min(first, second) : std::max(first, second);
  };
  for (const auto index : path) {
    const auto& link = links_.emplace_back(state_->links.at(index));
    auto& [name, h2d, d2h, both] = description_;
    name += (name.empty() ? "" : "@") + link.name;
    h2d = lesser(h2d, link.h2d_bytes_per_second);
    d2h = lesser(d2h, link.d2h_bytes_per_second);
    both = lesser(both, link.both_bytes_per_second);
    for (const std::size_t direction : {0U, 1U})
      state_->add_capacities(index, direction, capacities_[direction]);
  }
}

emulated_link::~emulated_link() = default;

emulated_network::emulated_network(std::vector<link_description> links,
                                   emulated_link::link_clock clock)
    : state_(std::make_shared<emulated_link::state>(std::move(links), std::move(clock))) {}

emulated_network::~emulated_network() = default;

std::shared_ptr<emulated_link> emulated_network::path(const std::vector<std::size_t>& links) const {
  const std::set<std::size_t> distinct(links.begin(), links.end());
  if (links.empty() || distinct.size() < links.size() || *distinct.rbegin() >= state_->links.size())
    throw invalid_argument("a path has one or more links of its network, each once");
  return std::shared_ptr<emulated_link>(new emulated_link(state_, links));
}

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
  auto& lane = link.state_->lane_of(lane_);
  const std::scoped_lock lock(lane.mutex);
  const double time = link.now();
  flow_ = lane.flows.add(static_cast<double>(bytes), link.capacities_.at(lane_),
                         time - sequence.delay_, time);
  // If the delay is longer than the copy takes, the next copy gets the rest of it.
  finished_ = lane.flows.end_of(flow_).has_value();
  credit_delay(sequence, finished_ ? time - *lane.flows.end_of(flow_) : 0);
}

emulated_link::crossing::~crossing() {
  auto& lane = link_.state_->lane_of(lane_);
  const std::scoped_lock lock(lane.mutex);
  if (!finished_) lane.flows.advance(link_.now());
  lane.flows.remove(flow_);
}

void emulated_link::crossing::finish() {
  auto& lane = link_.state_->lane_of(lane_);
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
