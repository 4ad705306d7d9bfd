#include "src/transfers/host/shared_flows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace transfers::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

shared_flows::flow_id shared_flows::add(double bytes, std::vector<std::size_t> used_capacities,
                                        double earliest, double now) {
  advance(now);
  // While another flow is under way, time_ is now: the capacities were in use until then.
  time_ = std::max(time_, std::min(earliest, now));
  flows_.emplace(next_id_, flow_state{bytes, std::move(used_capacities), std::nullopt});
  share_capacities();
  end_finished_flows();
  advance(now);
  return next_id_++;
}

void shared_flows::advance(double now) {
  // Of a difference of times: what ends within it ends now, or it would do so never.
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * now;
  for (double step = until_next_end(); step < infinity && time_ < now; step = until_next_end()) {
    step = std::min(step, now - time_);
    for (auto& [id, flow] : flows_) {
      if (flow.end) continue;
      const bool ends = flow.bytes_left / flow.rate <= step + rounding;
      flow.bytes_left = ends ? 0 : flow.bytes_left - flow.rate * step;
    }
    time_ = step == now - time_ ? now : time_ + step;
    end_finished_flows();
  }
}

void shared_flows::remove(flow_id id) {
  const bool shared = !flows_.at(id).end;
  flows_.erase(id);
  if (shared) share_capacities();
}

std::optional<double> shared_flows::next_end() const {
  const double step = until_next_end();
  return step < infinity ? std::optional(time_ + step) : std::nullopt;
}

double shared_flows::until_next_end() const {
  double least = infinity;
  for (const auto& [id, flow] : flows_)
    if (!flow.end) least = std::min(least, flow.bytes_left / flow.rate);
  return least;
}

void shared_flows::end_finished_flows() {
  bool ended = false;
  for (auto& [id, flow] : flows_) {
    if (flow.end || (flow.bytes_left > 0 && flow.rate < infinity)) continue;
    flow.end = time_;
    ended = true;
  }
  if (ended) share_capacities();
}

/// Progressive filling: all rates grow together; where a capacity is full, the flows through it
/// stay as they are, and the others go on.
void shared_flows::share_capacities() {
  auto left = capacities_;
  std::vector<std::size_t> growing(capacities_.size(), 0);  ///< flows through each capacity
  const auto uses = [](const flow_state& flow, std::size_t capacity) {
    return std::ranges::find(flow.used_capacities, capacity) != flow.used_capacities.end();
  };
  for (auto& [id, flow] : flows_) {
    flow.rate = infinity;
    if (flow.end) continue;
    for (const auto capacity : flow.used_capacities) ++growing[capacity];
  }
  for (;;) {
    std::size_t fullest = capacities_.size();
    double least_share = infinity;
    for (std::size_t i = 0; i < capacities_.size(); ++i) {
      if (capacities_[i] == 0 || growing[i] == 0) continue;
      const double share = std::max(0.0, left[i]) / static_cast<double>(growing[i]);
      if (share >= least_share) continue;
      least_share = share;
      fullest = i;
    }
    if (fullest == capacities_.size()) return;
    for (auto& [id, flow] : flows_) {
      if (flow.end || flow.rate < infinity || !uses(flow, fullest)) continue;
      flow.rate = least_share;
      for (const auto capacity : flow.used_capacities) {
        left[capacity] -= least_share;
        --growing[capacity];
      }
    }
  }
}

}  // namespace transfers::detail
