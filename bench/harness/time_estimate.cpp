#include "bench/harness/time_estimate.hpp"

namespace bench_transfers::bench {

void time_estimate::expect(const expected_work& work) {
  auto& group = groups_[work.bytes];
  group.preparations += 1;
  group.repetitions += work.repetitions;
  timed_ += work.repetitions * work.timed;
}

void time_estimate::prepared(const expected_work& work, seconds cost, int repetitions) {
  auto& group = groups_[work.bytes];
  group.preparations -= 1;
  group.repetitions -= work.repetitions;
  group.count += 1;
  group.cost += cost;
  timed_ -= work.repetitions * work.timed;
  repetitions_ += repetitions * (cost + work.timed);
}

time_estimate::seconds time_estimate::left() const {
  size_group all;
  for (const auto& [bytes, group] : groups_) {
    all.count += group.count;
    all.cost += group.cost;
  }
  if (all.count == 0) return {};
  auto left = repetitions_ + timed_;
  for (const auto& [bytes, group] : groups_) {
    const auto& known = group.count > 0 ? group : all;
    left += (group.preparations + group.repetitions) * (known.cost / known.count);
  }
  return left;
}

}  // namespace bench_transfers::bench
