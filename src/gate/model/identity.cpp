#include "src/gate/model/identity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "src/common/quantities.hpp"

namespace bench_transfers::gate {
namespace {

using names = std::set<std::string>;
using std::chrono::sys_seconds;

template <class Condition>
names known_values(const baseline& before, std::string process::*member, Condition counts) {
  names values;
  for (const auto& process : before.processes)
    if (!(process.*member).empty() && counts(process)) values.insert(process.*member);
  return values;
}

names known_values(const baseline& before, std::string process::*member) {
  return known_values(before, member, [](const process&) { return true; });
}

void compare(std::string_view key, const names& before, const std::string& after,
             std::vector<difference>& differing) {
  if (!before.empty() && !before.contains(after))
    differing.push_back({std::string(key), fmt::format("{}", fmt::join(before, ", ")), after});
}

bool is_in_slot(const process& process, const std::string& slot) {
  return process.slot.empty() || slot.empty() || process.slot == slot;
}

void compare_gpus(const baseline& before, const run& after, std::vector<difference>& differing) {
  compare("device.pci_bus_id", known_values(before, &process::slot), after.slot, differing);
  const auto in_slot = known_values(before, &process::card, [&](const process& process) {
    return is_in_slot(process, after.slot);
  });
  if (in_slot.size() < 2)
    compare("device.uuid", known_values(before, &process::card), after.card, differing);
}

/// The processes on the run's GPU or machine; if there are none, all.
std::vector<process> processes_like(const run& after, const baseline& before) {
  std::vector<process> like;
  std::ranges::copy_if(before.processes, std::back_inserter(like), [&](const process& process) {
    return process.card == after.card && process.host == after.host;
  });
  return like.empty() ? before.processes : like;
}

/// When the newest session began. Within a session the order of runs tells nothing: those of two
/// programs may be measured in turn.
std::optional<sys_seconds> newest_session(const std::vector<process>& processes) {
  const auto sessions = sessions_of(processes);
  const auto newest = std::ranges::max_element(processes, {}, &process::started);
  if (newest == processes.end()) return std::nullopt;
  auto begin = newest->started;
  for (std::size_t i = 0; i < processes.size(); ++i)
    if (processes[i].started &&
        sessions[i] == sessions[static_cast<std::size_t>(newest - processes.begin())])
      begin = std::min(begin, processes[i].started);
  return begin;
}

std::optional<sys_seconds> newest_session_like(const run& after, const baseline& before) {
  return newest_session(processes_like(after, before));
}

void compare_times(const baseline& before, const run& after, std::vector<difference>& differing) {
  const auto newest = newest_session_like(after, before);
  if (newest && after.started && *after.started < *newest)
    differing.push_back({std::string(started_key), common::timestamp_text(*newest),
                         common::timestamp_text(*after.started)});
}

/// Without the device, which is compared by what it is. The order does not matter.
std::string line_of(std::vector<std::string> options) {
  std::erase_if(options, [](const auto& option) { return option.starts_with("--device="); });
  std::ranges::sort(options);
  return options.empty() ? "none" : fmt::format("{}", fmt::join(options, " "));
}

void compare_options(const baseline& before, const run& after, std::vector<difference>& differing) {
  if (before.options && after.options)
    compare(options_key, {line_of(*before.options)}, line_of(*after.options), differing);
}

}  // namespace

std::vector<difference> differences_from(const baseline& before, const run& after) {
  auto differing = differences(before.machine, after.machine);
  std::erase_if(differing, [](const difference& fact) {
    return fact.before.empty() && !is_false_unless_told(fact.key);
  });
  compare_times(before, after, differing);
  compare_options(before, after, differing);
  compare_gpus(before, after, differing);
  compare("host_name", known_values(before, &process::host), after.host, differing);
  return differing;
}

bool is_age_known(const baseline& before, const run& after) {
  return after.started && newest_session_like(after, before);
}

std::vector<doubt> doubts_of(const run& process) {
  std::vector<doubt> doubts;
  if (!process.faults.empty()) doubts.push_back(doubt::faults_injected);
  if (is_disturbed(process)) doubts.push_back(doubt::disturbed);
  const auto has_figure = [](const auto& entry) { return is_usable(entry.second); };
  if (std::ranges::none_of(process.benchmarks, has_figure))
    doubts.push_back(doubt::nothing_measured);
  return doubts;
}

std::string to_string(doubt why) {
  switch (why) {
    case doubt::faults_injected: return "faults_injected";
    case doubt::disturbed: return "disturbed";
    case doubt::nothing_measured: break;
  }
  return "nothing_measured";
}

}  // namespace bench_transfers::gate
