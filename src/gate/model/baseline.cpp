#include "src/gate/model/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::gate {
namespace {

using std::chrono::sys_seconds;

constexpr std::chrono::hours same_session{1};

bool known_to_differ(const std::string& lhs, const std::string& rhs) {
  return !lhs.empty() && !rhs.empty() && lhs != rhs;
}

/// Another run may begin in the same second.
bool is_short(const period& part) { return part.end == part.begin; }

bool overlap(const period& lhs, const period& rhs) {
  if (lhs.begin == rhs.begin) return !is_short(lhs) && !is_short(rhs);
  return lhs.begin < rhs.end.value_or(rhs.begin) && rhs.begin < lhs.end.value_or(lhs.begin);
}

[[noreturn]] void refuse_copy(const run& run, const std::string& other) {
  throw bad_input(fmt::format("{} holds the same measurements as {}: they are not independent",
                              quoted(run.name()), other));
}

/// Measurements that are known, and whose they are.
class known_measurements {
 public:
  void add(const process& process) {
    files_.try_emplace(process.content, process.file + " of the baseline");
    if (process.measurements)
      files_.try_emplace(*process.measurements, process.file + " of the baseline");
  }

  void add_new(const run& run) {
    add_new(run, run.content);
    if (run.measurements) add_new(run, *run.measurements);
  }

 private:
  void add_new(const run& run, std::uint64_t measurements) {
    const auto [entry, is_new] = files_.try_emplace(measurements, quoted(run.name()));
    if (!is_new) refuse_copy(run, entry->second);
  }

  std::map<std::uint64_t, std::string> files_;
};

/// Figures of one benchmark in two runs that two processes do not have in common by chance.
enum class likeness { coarse, different, alike };

likeness likeness_of(const benchmark_values& lhs, const benchmark_values& rhs) {
  if (lhs.values.size() != rhs.values.size() || lhs.values.empty()) return likeness::different;
  const double one = lhs.values.front(), other = rhs.values.front();
  if (!is_fine(one)) return likeness::coarse;
  return std::abs(one - other) <= fine_digits * one ? likeness::alike : likeness::different;
}

/// Whether most times are the same but for their last digits: of one process, written in another
/// way or changed a little.
bool is_copy(const run& lhs, const run& rhs) {
  constexpr std::size_t least = 3, most_different = 8;
  std::size_t alike = 0, different = 0;
  for (const auto& [name, benchmark] : lhs.benchmarks) {
    const auto other = rhs.benchmarks.find(name);
    if (other == rhs.benchmarks.end()) continue;
    const auto found = likeness_of(benchmark, other->second);
    if (found == likeness::alike) ++alike;
    if (found == likeness::different) ++different;
    if (different > alike + most_different) return false;
  }
  return alike >= least && alike > different;
}

/// Runs by the first of their fine figures. Copies with other last digits are at the same place or
/// beside it, and few others are.
class possible_copies {
 public:
  /// Throws bad_input if it is a copy of one that was added before.
  void add_new(const run& run) {
    const auto first = std::ranges::find_if(run.benchmarks, [](const auto& entry) {
      return !entry.second.values.empty() && is_fine(entry.second.values.front());
    });
    if (first == run.benchmarks.end()) return;
    constexpr double step = 10 * fine_digits;
    const auto place = std::llround(std::log(first->second.values.front()) / step);
    for (const auto near : {place - 1, place, place + 1})
      for (const auto* other : runs_[{first->first, near}])
        if (is_copy(*other, run)) refuse_copy(run, quoted(other->name()));
    runs_[{first->first, place}].push_back(&run);
  }

 private:
  std::map<std::pair<std::string, long long>, std::vector<const run*>> runs_;
};

/// What ran on a GPU since a start of the machine.
struct part {
  period time;
  std::string file;
  const run* of = nullptr;  ///< none: it is of the baseline

  [[nodiscard]] std::chrono::sys_seconds end() const { return time.end.value_or(time.begin); }
  /// There is, or may be, another file of the same process.
  [[nodiscard]] bool is_of_several() const {
    return of != nullptr && (!of->complete || of->parts > 1);
  }
};

/// Two short runs may begin in the same second, but not if one of them is a part.
bool may_be_one_process(const part& lhs, const part& rhs) {
  return overlap(lhs.time, rhs.time) ||
         (lhs.time.begin == rhs.time.begin && (lhs.is_of_several() || rhs.is_of_several()));
}

/// The processes of a run follow one another, within a second if they are short.
bool are_of_one_file(const part& lhs, const part& rhs) {
  return lhs.of != nullptr && rhs.of != nullptr && lhs.of->process.count > 1 &&
         lhs.of->file == rhs.of->file;
}

using parts_by_gpu = std::map<std::pair<std::string, std::string>, std::vector<part>>;

parts_by_gpu parts_of(std::span<const run> runs, std::span<const process> known) {
  parts_by_gpu parts;
  for (const auto& process : known)
    if (process.started && !process.boot.empty())
      parts[{process.boot, process.card}].push_back(
          {{*process.started, process.finished}, process.file + " of the baseline", nullptr});
  for (const auto& run : runs)
    if (!run.boot.empty())
      for (const auto& period : run.periods)
        parts[{run.boot, run.card}].push_back({period, quoted(run.name()), &run});
  return parts;
}

/// Refuses copies and parts of one process: an unfinished file beside the complete one, a run that
/// was resumed and its first part, the benchmarks of one process in two files.
void require_own_times(std::span<const run> runs, std::span<const process> known) {
  auto all = parts_of(runs, known);
  for (auto& [gpu, parts] : all) {
    std::ranges::stable_sort(parts, {}, [](const part& one) { return one.time.begin; });
    const auto* latest = &parts.front();
    for (const auto& next : std::span(parts).subspan(1)) {
      if (next.of != latest->of && !are_of_one_file(*latest, next) &&
          may_be_one_process(*latest, next))
        throw bad_input(fmt::format(
            "{} and {} were measured at the same time on one {}: they are one process, or "
            "disturbed each other",
            latest->file, next.file, runs.front().on_host ? "machine" : "GPU"));
      if (next.end() > latest->end()) latest = &next;
    }
  }
}

void require_same_kind(const run& first, const run& run) {
  if (run.ours != first.ours)
    throw bad_input(fmt::format("{} and {} were made by different programs", quoted(first.file),
                                quoted(run.file)));
  if (run.on_host != first.on_host)
    throw bad_input(fmt::format("{} was made without a GPU and {} with one",
                                quoted(run.on_host ? run.file : first.file),
                                quoted(run.on_host ? first.file : run.file)));
}

}  // namespace

bool has_all(const history& history, const figures_of_processes& others) {
  return std::ranges::equal(history.figures, others, [](const auto& figure, const auto& other) {
    return other.has_value() || !figure.has_value();
  });
}

void require_comparable(std::span<const run> runs, std::span<const process> known) {
  known_measurements measurements;
  possible_copies copies;
  for (const auto& process : known) measurements.add(process);
  for (const auto& run : runs) {
    measurements.add_new(run);
    copies.add_new(run);
    require_same_kind(runs.front(), run);
  }
  require_own_times(runs, known);
}

std::vector<run> runs_beside(std::span<const process> known, std::vector<run> runs) {
  std::multiset<std::uint64_t> contents;
  for (const auto& process : known) contents.insert(process.content);
  std::erase_if(runs, [&](const run& run) { return !contents.extract(run.content).empty(); });
  return runs;
}

process origin_of(const run& run) {
  return {run.name().filename().string(),
          run.started,
          run.boot,
          run.card,
          run.content,
          run.slot,
          run.host,
          run.measurements,
          run.periods.empty() ? std::nullopt : run.periods.front().end};
}

std::vector<process> origins_of(std::span<const run> runs) {
  std::vector<process> origins;
  for (const auto& run : runs) origins.push_back(origin_of(run));
  return origins;
}

std::vector<std::size_t> sessions_of(std::span<const process> processes) {
  std::vector<std::size_t> order(processes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return processes[i].started.value_or(sys_seconds::min()); });
  struct session {
    std::size_t number;
    const process* latest;  ///< so far
  };
  std::vector<session> open;  // to which later processes may belong
  std::size_t count = 0;
  std::vector<std::size_t> sessions(processes.size());
  for (const auto i : order) {
    const auto& now = processes[i];
    std::erase_if(open, [&](const session& before) {
      const auto& started = before.latest->started;
      return started && now.started && *now.started - *started > same_session;
    });
    auto same = std::ranges::find_if(open, [&](const session& before) {
      return !known_to_differ(before.latest->boot, now.boot) &&
             !known_to_differ(before.latest->card, now.card) &&
             !known_to_differ(before.latest->host, now.host);
    });
    if (same == open.end()) same = open.insert(same, {count++, &now});
    same->latest = &now;
    sessions[i] = same->number;
  }
  return sessions;
}

std::size_t number_of_sessions(std::span<const process> processes) {
  const auto sessions = sessions_of(processes);
  return sessions.empty() ? 0 : std::ranges::max(sessions) + 1;
}

}  // namespace bench_transfers::gate
