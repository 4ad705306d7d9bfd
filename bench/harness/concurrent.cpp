#include "bench/harness/concurrent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

#include "bench/harness/interruption.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::bench {
namespace {

using nanoseconds = std::chrono::duration<double, std::nano>;

using step = meeting::step;

constexpr std::size_t in_flight = 2;

/// Null where the flow needs none.
std::shared_ptr<const void> conditions_of(const flow& copied) {
  return copied.conditions ? copied.conditions() : nullptr;
}

/// How many copies had ended at a time between the first and the last end, with the part of the
/// copy that was under way.
double copies_until(const copy_ends& ends, wall_clock::time_point time) {
  const auto next = std::ranges::upper_bound(ends, time);
  if (next == ends.begin()) return 0;
  const auto whole = static_cast<double>(next - ends.begin() - 1);
  if (next == ends.end()) return whole;
  const auto before = *std::prev(next);
  return whole + nanoseconds(time - before) / nanoseconds(*next - before);
}

/// What the threads of flows share while they run.
class common_course {
 public:
  /// `meeting`: with the flows of other processes; null: there are none.
  common_course(std::size_t flows, std::size_t least_copies, meeting* meeting)
      : flows_(flows), least_copies_(least_copies), meeting_(meeting) {}

  /// Returns when all threads have called it. Spins: a thread that wakes up takes longer than a
  /// short copy.
  void start_together() {
    reach(step::arrived);
    constexpr int spins_before_yielding = 10'000;
    for (int spins = 0; !have_all_reached(step::arrived) && !is_over(); ++spins)
      if (spins > spins_before_yielding) std::this_thread::yield();
  }
  /// A flow is this far.
  void reach(step milestone) {
    if (count_of(milestone).fetch_add(1, std::memory_order_acq_rel) + 1 == flows_ && meeting_)
      meeting_->reach(milestone);
  }
  [[nodiscard]] bool have_all_reached(step milestone) {
    return count_of(milestone).load(std::memory_order_acquire) == flows_ &&
           (!meeting_ || meeting_->have_all_reached(milestone));
  }
  [[nodiscard]] std::size_t least_copies() const { return least_copies_; }
  void give_up() { given_up_.store(true, std::memory_order_release); }
  [[nodiscard]] bool is_over() {
    return have_all_reached(step::finished) || given_up_.load(std::memory_order_acquire) ||
           interruption() != 0;
  }

 private:
  std::atomic<std::size_t>& count_of(step milestone) {
    return counts_[static_cast<std::size_t>(milestone)];
  }

  std::size_t flows_, least_copies_;
  meeting* meeting_;
  std::array<std::atomic<std::size_t>, 3> counts_ = {};  ///< of flows that have reached each step
  std::atomic<bool> given_up_ = false;
};

/// One flow on its thread. Everything is allocated before the threads start.
class running_flow {
 public:
  running_flow(const flow& copied, std::size_t least_copies)
      : flow_(&copied), begin_(copied.stream->record()) {
    for (auto& event : ended_) event = copied.stream->record();
    // A flow that is much faster than the others makes many more copies. Its later ones are made,
    // but not noted: then the time that counts ends earlier.
    constexpr std::size_t faster = 16;
    constexpr std::size_t least_room = 1024;
    ends_.reserve(least_room + faster * least_copies);
    begin_->wait();
  }

  void run(common_course& course) {
    try {
      const auto conditions = conditions_of(*flow_);
      course.start_together();
      copy(course);
    } catch (...) {
      failure_ = std::current_exception();
      course.give_up();
    }
  }

  [[nodiscard]] const std::exception_ptr& failure() const { return failure_; }

  /// By the host's clock, which all flows share. A thread that gets no processor notices an end
  /// late, so the device's clock says how far apart the ends are, and the end that was noticed the
  /// soonest where they are on the host's.
  [[nodiscard]] copy_ends ends() const {
    auto soonest = nanoseconds::max();
    for (const auto& [by_host, by_device] : ends_)
      soonest = std::min(soonest, nanoseconds(by_host.time_since_epoch()) - by_device);
    copy_ends ends;
    for (const auto& [by_host, by_device] : ends_)
      ends.emplace_back(std::chrono::round<wall_clock::duration>(soonest + by_device));
    return ends;
  }

 private:
  void enqueue(std::size_t copy) {
    flow_->enqueue();
    flow_->stream->record_again(*ended_[copy % in_flight]);
  }

  void copy(common_course& course) {
    for (std::size_t i = 0; i < in_flight; ++i) enqueue(i);
    std::size_t counted = 0;
    for (std::size_t i = 0;; ++i) {
      ended_[i % in_flight]->wait();
      if (ends_.size() < ends_.capacity())
        ends_.push_back({wall_clock::now(), ended_[i % in_flight]->time_since(*begin_)});
      if (i == 0)
        course.reach(step::busy);
      else if (course.have_all_reached(step::busy) && ++counted == course.least_copies())
        course.reach(step::finished);
      if (course.is_over()) break;
      enqueue(i + in_flight);
    }
    flow_->stream->synchronize();
  }

  struct end {
    wall_clock::time_point by_host;
    nanoseconds by_device;  ///< since begin_
  };

  const flow* flow_;
  std::unique_ptr<transfers::event> begin_;
  std::array<std::unique_ptr<transfers::event>, in_flight> ended_;
  std::vector<end> ends_;
  std::exception_ptr failure_;
};

void throw_failures(std::span<const flow> flows, std::span<const running_flow> running) {
  std::vector<flows_failed::failure> failures;
  for (std::size_t i = 0; i < flows.size(); ++i)
    if (running[i].failure())
      failures.push_back({flows[i].device, flows[i].name, running[i].failure()});
  if (!failures.empty()) throw flows_failed(std::move(failures));
}

std::vector<std::size_t> bytes_of(std::span<const flow> flows) {
  std::vector<std::size_t> bytes;
  for (const auto& flow : flows) bytes.push_back(flow.source.bytes);
  return bytes;
}

/// GB/s of the flows at once; nullopt if they were not.
std::optional<std::vector<double>> sample(flow_team& team, std::span<const flow> flows,
                                          std::size_t least_copies) {
  const auto ends = team.run(flows, least_copies);
  return rates_at_once(ends, bytes_of(flows));
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

/// The mean time of a copy.
nanoseconds mean_time(const copy_ends& ends) {
  return nanoseconds(ends.back() - ends.front()) / static_cast<double>(ends.size() - 1);
}

}  // namespace

bool common_time::is_long_enough() const {
  const nanoseconds time = end - begin;
  return time > nanoseconds(0) && time >= mean_course / 2;
}

std::optional<common_time> common_time_of(std::span<const copy_ends> flows) {
  if (std::ranges::any_of(flows, [](const copy_ends& ends) { return ends.size() < 2; }))
    return std::nullopt;
  common_time time{flows.front().front(), flows.front().back(), {}};
  for (const auto& ends : flows) {
    time.begin = std::max(time.begin, ends.front());
    time.end = std::min(time.end, ends.back());
    time.mean_course += nanoseconds(ends.back() - ends.front()) / static_cast<double>(flows.size());
  }
  return time;
}

std::vector<double> rates_within(const common_time& time, std::span<const copy_ends> flows,
                                 std::span<const std::size_t> bytes) {
  const nanoseconds window = time.end - time.begin;
  std::vector<double> rates;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const double copies = copies_until(flows[i], time.end) - copies_until(flows[i], time.begin);
    rates.push_back(copies * static_cast<double>(bytes[i]) / window.count());
  }
  return rates;
}

std::optional<std::vector<double>> rates_at_once(std::span<const copy_ends> flows,
                                                 std::span<const std::size_t> bytes) {
  const auto time = common_time_of(flows);
  if (!time || !time->is_long_enough()) return std::nullopt;
  return rates_within(*time, flows, bytes);
}

void flow_team::on_threads(std::span<const flow> flows, const std::function<void(unsigned)>& part) {
  if (flows.size() == 1) return part(0);
  auto& team = teams_[flows.size()];
  if (!team) team = std::make_unique<transfers::worker_team>(static_cast<unsigned>(flows.size()));
  team->run(part);
}

std::vector<copy_ends> flow_team::run(std::span<const flow> flows, std::size_t least_copies,
                                      bench::meeting* meeting) {
  common_course course(flows.size(), least_copies, meeting);
  std::vector<running_flow> running;
  running.reserve(flows.size());
  for (const auto& flow : flows) running.emplace_back(flow, least_copies);
  on_threads(flows, [&](unsigned index) { running[index].run(course); });
  throw_failures(flows, running);
  std::vector<copy_ends> ends;
  for (const auto& flow : running) ends.push_back(flow.ends());
  return ends;
}

void flow_team::copy_once(std::span<const flow> flows) {
  std::vector<flows_failed::failure> failures;
  std::mutex mutex;
  on_threads(flows, [&](unsigned index) {
    try {
      const auto conditions = conditions_of(flows[index]);
      flows[index].enqueue();
      flows[index].stream->synchronize();
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failures.push_back({flows[index].device, flows[index].name, std::current_exception()});
    }
  });
  if (!failures.empty()) throw flows_failed(std::move(failures));
}

schedule settle_flows(flow_team& team, std::span<const flow> flows,
                      std::chrono::nanoseconds min_time) {
  constexpr std::size_t least = 4, most = 256;
  nanoseconds slowest{};
  for (const auto& ends : team.run(flows, 1))
    if (ends.size() > 1) slowest = std::max(slowest, mean_time(ends));
  schedule planned;
  planned.operations = 3;  // for a median, as often as each of few flows can be taken alone
  const double copies = nanoseconds(min_time) / static_cast<double>(planned.operations) /
                        std::max(slowest, nanoseconds(1));
  planned.copies = static_cast<std::size_t>(
      std::clamp(std::ceil(copies), static_cast<double>(least), static_cast<double>(most)));
  return planned;
}

void time_flows(flow_team& team, std::span<const flow> flows, const schedule& planned,
                const std::function<void(const std::function<void()>&)>& untimed, samples& result) {
  constexpr std::size_t most_discarded = 20;
  result.flows.resize(flows.size());
  const auto bytes = bytes_of(flows);
  const auto total = static_cast<double>(std::reduce(bytes.begin(), bytes.end()));
  const auto time_at_once = [&] {
    const auto rates = sample(team, flows, planned.copies);
    if (!rates) return false;
    result.operation.push_back(total / std::reduce(rates->begin(), rates->end()));
    for (std::size_t i = 0; i < flows.size(); ++i) result.flows[i].at_once.push_back((*rates)[i]);
    return true;
  };
  const auto time_alone = [&](std::size_t turn) {
    for (auto i = turn % planned.operations; i < flows.size(); i += planned.operations)
      untimed([&] {
        if (const auto rates = sample(team, flows.subspan(i, 1), planned.copies))
          result.flows[i].alone.push_back(rates->front());
      });
  };
  for (std::size_t turn = 0; turn < planned.operations && interruption() == 0;) {
    if (turn % 2 == 1) time_alone(turn);
    bool counts = time_at_once();
    while (!counts && interruption() == 0) {
      if (++result.discarded > most_discarded)
        throw not_at_once(
            fmt::format("the copies were never busy at once for long enough in {} "
                        "samples",
                        result.discarded));
      counts = time_at_once();
    }
    if (turn % 2 == 0) time_alone(turn);
    ++turn;
  }
}

void time_flows_of_ranks(flow_team& team, std::span<const flow> flows, const schedule& planned,
                         turns& others, std::uint64_t first, samples& result) {
  result.flows.resize(flows.size());
  const auto bytes = bytes_of(flows);
  const auto total = static_cast<double>(std::reduce(bytes.begin(), bytes.end()));
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
    const auto rates = rates_within(common->time, ends, bytes);
    result.ranks = std::min(result.ranks.value_or(common->ranks), common->ranks);
    result.operation.push_back(total / std::reduce(rates.begin(), rates.end()));
    for (std::size_t k = 0; k < flows.size(); ++k) result.flows[k].at_once.push_back(rates[k]);
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
