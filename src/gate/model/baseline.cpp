#include "src/gate/model/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::gate {
namespace {

using std::chrono::sys_seconds;

constexpr std::chrono::hours same_session{1};

bool known_to_differ(const std::string& lhs, const std::string& rhs) {
  return !lhs.empty() && !rhs.empty() && lhs != rhs;
}

bool is_same_start(const process& lhs, const process& rhs) {
  return lhs.started && rhs.started && *lhs.started == *rhs.started && !lhs.boot.empty() &&
         lhs.boot == rhs.boot && lhs.card == rhs.card;
}

void require_new(const run& run, std::map<std::uint64_t, std::string>& file_of_content) {
  const auto [entry, is_new] = file_of_content.try_emplace(run.content, quoted(run.file));
  if (!is_new)
    throw bad_input(fmt::format("{} holds the same measurements as {}: they are not independent",
                                quoted(run.file), entry->second));
}

/// Refuses an incomplete file beside a file of the complete run, and files of one run that was
/// resumed. Two short runs may begin in the same second, but not if one of them is such a file.
void require_no_part(const run& suspect, std::span<const run> runs,
                     std::span<const process> known) {
  if (suspect.complete && suspect.parts == 1) return;
  const auto origin = origin_of(suspect);
  const auto has_same_start = [&](const process& process) {
    return is_same_start(origin, process);
  };
  const bool is_part =
      std::ranges::any_of(known, has_same_start) || std::ranges::any_of(runs, [&](const run& run) {
        return &run != &suspect && has_same_start(origin_of(run));
      });
  if (is_part)
    throw bad_input(
        fmt::format("{} {}, and another file is of a run that began in the same second on the same "
                    "machine: they may be one run",
                    quoted(suspect.file),
                    suspect.complete ? "was measured in parts" : "did not reach its end"));
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

void require_comparable(std::span<const run> runs, std::span<const process> known) {
  std::map<std::uint64_t, std::string> file_of_content;
  for (const auto& process : known)
    file_of_content.try_emplace(process.content, process.file + " of the baseline");
  for (const auto& run : runs) {
    require_new(run, file_of_content);
    require_no_part(run, runs, known);
    require_same_kind(runs.front(), run);
  }
}

process origin_of(const run& run) {
  return {run.file.filename().string(), run.started, run.boot, run.card, run.content};
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
             !known_to_differ(before.latest->card, now.card);
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
