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

bool known_to_differ(const std::string& left, const std::string& right) {
  return !left.empty() && !right.empty() && left != right;
}

bool is_same_start(const process& left, const process& right) {
  return left.started && right.started && *left.started == *right.started && !left.boot.empty() &&
         left.boot == right.boot && left.card == right.card;
}

void require_new(const run& measured, std::map<std::uint64_t, std::string>& seen) {
  const auto [place, is_new] = seen.try_emplace(measured.content, quoted(measured.file));
  if (!is_new)
    throw bad_input(fmt::format("{} holds the same measurements as {}: they are not independent",
                                quoted(measured.file), place->second));
}

/// The file that a run has left when it was interrupted, or while it went on, beside that of the
/// whole: two short runs may begin in the same second, but not one that ended and one that did not.
void require_no_part(const run& measured, std::span<const run> runs,
                     std::span<const process> known) {
  if (measured.complete) return;
  const auto origin = origin_of(measured);
  const bool is_part =
      std::ranges::any_of(known,
                          [&](const process& other) { return is_same_start(origin, other); }) ||
      std::ranges::any_of(runs, [&](const run& other) {
        return &other != &measured && is_same_start(origin, origin_of(other));
      });
  if (is_part)
    throw bad_input(
        fmt::format("{} was interrupted, and another file is of a run that began in the same "
                    "second on the same machine: they may be one run",
                    quoted(measured.file)));
}

void require_of_a_kind(const run& first, const run& other) {
  if (other.ours != first.ours)
    throw bad_input(fmt::format("{} and {} were made by different programs", quoted(first.file),
                                quoted(other.file)));
  if (other.on_host != first.on_host)
    throw bad_input(fmt::format("{} was made without a GPU and {} with one",
                                quoted(other.on_host ? other.file : first.file),
                                quoted(other.on_host ? first.file : other.file)));
}

}  // namespace

void require_comparable(std::span<const run> runs, std::span<const process> known) {
  std::map<std::uint64_t, std::string> seen;
  for (const auto& process : known)
    seen.try_emplace(process.content, process.file + " of the baseline");
  for (const auto& measured : runs) {
    require_new(measured, seen);
    require_no_part(measured, runs, known);
    require_of_a_kind(runs.front(), measured);
  }
}

process origin_of(const run& measured) {
  return {measured.file.filename().string(), measured.started, measured.boot, measured.card,
          measured.content};
}

std::vector<std::size_t> sessions_of(std::span<const process> processes) {
  std::vector<std::size_t> order(processes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return processes[i].started.value_or(sys_seconds::min()); });
  // The latest process of each session so far.
  std::vector<std::size_t> latest;
  std::vector<std::size_t> sessions(processes.size());
  for (const auto i : order) {
    const auto& now = processes[i];
    const auto same = std::ranges::find_if(latest, [&](std::size_t k) {
      const auto& before = processes[k];
      const bool later =
          before.started && now.started && *now.started - *before.started > same_session;
      return !later && !known_to_differ(before.boot, now.boot) &&
             !known_to_differ(before.card, now.card);
    });
    sessions[i] = static_cast<std::size_t>(same - latest.begin());
    if (same == latest.end())
      latest.push_back(i);
    else
      *same = i;
  }
  return sessions;
}

std::size_t number_of_sessions(std::span<const process> processes) {
  const auto sessions = sessions_of(processes);
  return sessions.empty() ? 0 : std::ranges::max(sessions) + 1;
}

}  // namespace bench_transfers::gate
