#include "src/fleet/ranks/meeting.hpp"

namespace bench_transfers::fleet {

milestone meeting::milestone_of(step reached) const noexcept {
  constexpr std::uint64_t steps_of_meeting = 8;
  return milestone{static_cast<std::uint64_t>(milestone::first_meeting) +
                   number_ * steps_of_meeting + static_cast<std::uint64_t>(reached)};
}

void meeting::reach(step reached) noexcept { ranks_->reach(milestone_of(reached)); }

bool meeting::have_all_reached(step reached) noexcept {
  return ranks_->have_all_reached(milestone_of(reached));
}

std::vector<busy_time> meeting::exchange(const std::optional<busy_time>& own) {
  auto& own_slot = ranks_->table().own();
  if (own) {
    own_slot.begin = own->begin.time_since_epoch().count();
    own_slot.end = own->end.time_since_epoch().count();
    own_slot.course = own->course.count();
    own_slot.met = number_ + 1;
  }
  reach(step::told);
  ranks_->wait_for_all(milestone_of(step::told));
  std::vector<busy_time> times;
  if (!own || ranks_->is_interrupted()) return times;
  times.push_back(*own);
  const auto time_of = [](std::int64_t ns) {
    return shared_clock::time_point(std::chrono::nanoseconds(ns));
  };
  for (const auto& other : ranks_->table().slots())
    if (&other != &own_slot && other.met == number_ + 1)
      times.push_back(
          {time_of(other.begin), time_of(other.end), std::chrono::nanoseconds(other.course)});
  return times;
}

}  // namespace bench_transfers::fleet
