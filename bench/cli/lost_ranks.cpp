#include "bench/cli/lost_ranks.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "src/common/printable.hpp"
#include "src/common/timestamp.hpp"

namespace bench_transfers::bench {

common::message warning_of(const fleet::lost_rank& lost) {
  using std::chrono::duration, std::chrono::floor, std::chrono::seconds;
  const auto since = common::timestamp_text(floor<seconds>(lost.since));
  const auto silence = duration<double>(lost.silence).count();
  const auto device = common::printable(lost.device);
  const auto reason = lost.has_ended ? std::string("its process has ended")
                                     : fmt::format("no sign of life for {:.3g} s", silence);
  return {"rank_lost",
          {{"rank", lost.world_rank},
           {"local_rank", lost.rank},
           {"device", device},
           {"has_ended", lost.has_ended},
           {"since_utc", since}},
          fmt::format("the other ranks of the node no longer wait for rank {} (local rank {}, {}) "
                      "since {}: {}",
                      lost.world_rank, lost.rank, device, since, reason)};
}

std::vector<common::message> warnings_of_lost(const fleet::node_ranks* ranks) {
  std::vector<common::message> warnings;
  if (!ranks) return warnings;
  for (const auto& lost : ranks->lost()) warnings.push_back(warning_of(lost));
  return warnings;
}

}  // namespace bench_transfers::bench
