#include "src/transfers/host/shared_flows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace transfers::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

shared_flows::flow_id shared_flows::add(double bytes, std::vector<std::size_t> used_capacities,
                                        double earliest, double current_time) {
  advance(current_time);
  earliest = std::min(earliest, current_time);
  flow_state added{bytes, std::move(used_capacities), std::nullopt};
  if (until_next_end() == infinity) {
    begin_anew(std::max(time_, earliest));
  } else if (earliest < current_time) {
    const double late = current_time - earliest;
    const double kept = take_kept(added.used_capacities, bytes, late);
    // It ended before now if that is enough.
    if (kept >= bytes) added.end = earliest + late * (kept > 0 ? bytes / kept : 1);
    added.bytes_left -= std::min(kept, bytes);
  }
  flows_.emplace(next_id_, std::move(added));
  share_capacities();
  end_finished_flows();
  advance(current_time);
  return next_id_++;
}

void shared_flows::begin_anew(double time) {
  time_ = time;
  std::ranges::fill(kept_, 0);
}

void shared_flows::keep_left_over(double step) {
  for (std::size_t i = 0; i < capacities_.size(); ++i)
    kept_[i] =
        std::min(kept_[i] + std::max(0.0, left_over_[i]) * step, capacities_[i] * most_late_);
}

double shared_flows::take_kept(const std::vector<std::size_t>& used_capacities, double bytes,
                               double late) {
  double kept = infinity;
  for (const auto capacity : used_capacities)
    if (capacities_[capacity] > 0)
      kept = std::min({kept, kept_[capacity], capacities_[capacity] * late});
  if (kept == infinity) return 0;  // nothing limits it: it ends now
  for (const auto capacity : used_capacities) kept_[capacity] -= std::min(kept, bytes);
  return kept;
}

void shared_flows::advance(double current_time) {
  // Rounding error of a difference of times: a flow that ends within it ends now, or it never ends.
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * current_time;
  for (double step = until_next_end(); step < infinity && time_ < current_time;
       step = until_next_end()) {
    step = std::min(step, current_time - time_);
    keep_left_over(step);
    for (auto& [id, flow] : flows_) {
      if (flow.end) continue;
      const bool ends = flow.bytes_left / flow.rate <= step + rounding;
      flow.bytes_left = ends ? 0 : flow.bytes_left - flow.rate * step;
    }
    time_ = step == current_time - time_ ? current_time : time_ + step;
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

/// Progressive filling: all rates grow together; once a capacity is full, the rates of the flows
/// through it are final, and the others keep growing.
void shared_flows::share_capacities() {
  auto& unused = left_over_;
  unused = capacities_;
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
      const double share = std::max(0.0, unused[i]) / static_cast<double>(growing[i]);
      if (share >= least_share) continue;
      least_share = share;
      fullest = i;
    }
    if (fullest == capacities_.size()) return;
    for (auto& [id, flow] : flows_) {
      if (flow.end || flow.rate < infinity || !uses(flow, fullest)) continue;
      flow.rate = least_share;
      for (const auto capacity : flow.used_capacities) {
        unused[capacity] -= least_share;
        --growing[capacity];
      }
    }
  }
}

}  // namespace transfers::detail
