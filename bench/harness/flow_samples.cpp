#include "bench/harness/flow_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "bench/harness/flow_rates.hpp"
#include "bench/harness/interruption.hpp"

namespace bench_transfers::bench {
namespace {

std::vector<std::size_t> bytes_of(std::span<const flow> flows) {
  std::vector<std::size_t> bytes;
  for (const auto& flow : flows) bytes.push_back(flow.source.bytes);
  return bytes;
}

/// GB/s of the flows at once; nullopt if they were not.
std::optional<std::vector<double>> sample(flow_team& team, std::span<const flow> flows,
                                          std::span<const std::size_t> bytes,
                                          std::size_t least_copies) {
  return rates_at_once(team.run(flows, least_copies), bytes);
}

/// Adds a sample of all flows at once: their rates, and the time of one copy of each.
void add_at_once(const std::vector<double>& rates, std::span<const std::size_t> bytes,
                 samples& result) {
  const auto total = static_cast<double>(std::reduce(bytes.begin(), bytes.end()));
  result.operation.push_back(total / std::reduce(rates.begin(), rates.end()));
  for (std::size_t i = 0; i < rates.size(); ++i) result.flows[i].at_once.push_back(rates[i]);
}

/// Takes another sample where the flows were not at once.
void time_at_once(flow_team& team, std::span<const flow> flows, std::span<const std::size_t> bytes,
                  std::size_t copies, samples& result) {
  constexpr std::size_t most_discarded = 20;
  for (;;) {
    if (const auto rates = sample(team, flows, bytes, copies))
      return add_at_once(*rates, bytes, result);
    if (interruption() != 0) return;
    if (++result.discarded > most_discarded)
      throw not_at_once(fmt::format(
          "the copies were never busy at once for long enough in {} samples", result.discarded));
  }
}

/// When the flows of this rank and of all others were busy, and how many ranks took part.
struct time_of_ranks {
  common_time time;
  std::size_t ranks;
};

std::optional<time_of_ranks> common_time_of_ranks(meeting& meeting,
                                                  const std::optional<common_time>& own) {
  const auto ranks = meeting.exchange(own);
  if (ranks.empty()) return std::nullopt;
  common_time time = *own;
  time.mean_course = {};
  for (const auto& rank : ranks) {
    time.begin = std::max(time.begin, rank.begin);
    time.end = std::min(time.end, rank.end);
    time.mean_course += rank.mean_course / static_cast<double>(ranks.size());
  }
  if (!time.is_long_enough()) return std::nullopt;
  return time_of_ranks{time, ranks.size()};
}

/// How many meetings a repetition may take.
constexpr std::uint64_t meetings_of_repetition = 16;

}  // namespace

schedule settle_flows(flow_team& team, std::span<const flow> flows,
                      std::chrono::nanoseconds min_time) {
  schedule planned;
  planned.operations = 3;  // for a median, as often as each of few flows can be taken alone
  planned.copies = copies_lasting(
      std::chrono::duration<double, std::nano>(min_time) / static_cast<double>(planned.operations),
      team.run(flows, 1));
  return planned;
}

void time_flows(flow_team& team, std::span<const flow> flows, const schedule& planned,
                const std::function<void(const std::function<void()>&)>& untimed, samples& result) {
  result.flows.resize(flows.size());
  const auto bytes = bytes_of(flows);
  // In each turn other flows: each flow is alone in one of the turns.
  const auto time_alone = [&](std::size_t turn) {
    for (auto i = turn; i < flows.size(); i += planned.operations)
      untimed([&] {
        if (const auto rates =
                sample(team, flows.subspan(i, 1), std::span(bytes).subspan(i, 1), planned.copies))
          result.flows[i].alone.push_back(rates->front());
      });
  };
  for (std::size_t turn = 0; turn < planned.operations && interruption() == 0; ++turn) {
    const bool alone_comes_first = turn % 2 == 1;
    if (alone_comes_first) time_alone(turn);
    time_at_once(team, flows, bytes, planned.copies, result);
    if (!alone_comes_first) time_alone(turn);
  }
}

void time_flows_of_ranks(flow_team& team, std::span<const flow> flows, const schedule& planned,
                         turns& others, std::uint64_t first, samples& result) {
  result.flows.resize(flows.size());
  const auto bytes = bytes_of(flows);
  for (std::uint64_t i = 0; i < meetings_of_repetition && interruption() == 0 &&
                            result.operation.size() < planned.operations;
       ++i) {
    const auto meeting = others.meet(first + i);
    // Longer, where that was too short: processes without processors of their own start late.
    constexpr std::size_t most_doublings = 8;
    const auto copies = planned.copies << std::min(result.discarded, most_doublings);
    const auto ends = team.run(flows, copies, meeting.get());
    const auto common = common_time_of_ranks(*meeting, common_time_of(ends));
    if (!common) {
      ++result.discarded;
      continue;
    }
    add_at_once(rates_within(common->time, ends, bytes), bytes, result);
    result.ranks = std::min(result.ranks.value_or(common->ranks), common->ranks);
  }
  if (result.operation.empty() && interruption() == 0)
    throw not_at_once(fmt::format("the ranks were never busy at once for long enough in {} samples",
                                  result.discarded));
}

std::uint64_t first_meeting(const std::string& benchmark, std::uint64_t seed, int round) {
  constexpr unsigned bits = 40;
  std::mt19937_64 random(std::hash<std::string>()(benchmark) ^
                         (seed + static_cast<unsigned>(round)));
  const auto within_round = random() >> (64 - bits);
  return ((static_cast<std::uint64_t>(round) << bits) + within_round) * meetings_of_repetition;
}

}  // namespace bench_transfers::bench
