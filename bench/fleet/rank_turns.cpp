#include "bench/fleet/rank_turns.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/fleet/ranks/meeting.hpp"

namespace bench_transfers::bench {
namespace {

class meeting_of_ranks final : public meeting {
 public:
  meeting_of_ranks(fleet::node_ranks& ranks, std::uint64_t number) : met_(ranks, number) {}

  void reach(step milestone) noexcept override { met_.reach(of_ranks(milestone)); }
  [[nodiscard]] bool have_all_reached(step milestone) noexcept override {
    return met_.have_all_reached(of_ranks(milestone));
  }
  std::vector<common_time> exchange(const std::optional<common_time>& own) override {
    std::optional<fleet::busy_time> told;
    if (own)
      told = {own->begin, own->end,
              std::chrono::duration_cast<std::chrono::nanoseconds>(own->mean_course)};
    std::vector<common_time> times;
    for (const auto& [begin, end, course] : met_.exchange(told))
      times.push_back({begin, end, course});
    return times;
  }

 private:
  static fleet::meeting::step of_ranks(step milestone) {
    return milestone == step::arrived ? fleet::meeting::step::arrived
           : milestone == step::busy  ? fleet::meeting::step::busy
                                      : fleet::meeting::step::finished;
  }

  fleet::meeting met_;
};

}  // namespace

common::message warning_of(const fleet::lost_rank& lost) {
  using std::chrono::duration, std::chrono::floor, std::chrono::seconds;
  const auto since = common::timestamp_text(floor<seconds>(lost.since));
  const auto silence = duration<double>(lost.silence).count();
  const auto device = common::printable(lost.device);
  const auto reason = lost.process_ended ? std::string("its process has ended")
                                         : fmt::format("no sign of life for {:.3g} s", silence);
  return {"rank_lost",
          {{"rank", lost.world_rank},
           {"local_rank", lost.rank},
           {"device", device},
           {"has_ended", lost.process_ended},
           {"since_utc", since}},
          fmt::format("the other ranks of the node no longer wait for rank {} (local rank {}, {}) "
                      "since {}: {}",
                      lost.world_rank, lost.rank, device, since, reason)};
}

void rank_turns::end() {
  ranks_.end_turn();
  ranks_.wait_for_all_turns();
}

std::unique_ptr<meeting> rank_turns::meet(std::uint64_t number) {
  return std::make_unique<meeting_of_ranks>(ranks_, number);
}

std::vector<common::message> rank_turns::warnings() const {
  std::vector<common::message> warnings;
  for (const auto& lost : ranks_.lost()) warnings.push_back(warning_of(lost));
  return warnings;
}

}  // namespace bench_transfers::bench
