#include "src/comparison/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "src/common/figures.hpp"
#include "src/common/message.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/gate/judge/answer.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/gate/report/figures.hpp"

namespace bench_transfers::comparison {
namespace {

constexpr std::size_t most_names = 4;

std::string counted_benchmarks(std::size_t count) { return gate::counted(count, "benchmark"); }

void warn_of_machines(std::span<const gate::difference> machines,
                      std::vector<std::string>& warnings) {
  std::vector<std::string> unknown_of_first, unknown_of_second;
  for (const auto& fact : machines) {
    if (fact.before.empty())
      unknown_of_first.push_back(fact.key);
    else if (fact.after.empty())
      unknown_of_second.push_back(fact.key);
    else if (fact.key != "device.name")  // said before
      warnings.push_back(
          fmt::format("They differ in {}: A {}, B {}.", fact.key, fact.before, fact.after));
  }
  if (!unknown_of_first.empty())
    warnings.push_back(fmt::format("Known of B alone: {}.", fmt::join(unknown_of_first, ", ")));
  if (!unknown_of_second.empty())
    warnings.push_back(fmt::format("Known of A alone: {}.", fmt::join(unknown_of_second, ", ")));
}

void warn_of(const char* letter, const side& side, std::vector<std::string>& warnings) {
  for (const auto& run : side.runs) {
    const auto name = common::printable(run.file.filename().string());
    if (!run.complete && run.tells_of_file())
      warnings.push_back(fmt::format("{}: {} did not reach its end.", letter, name));
    if (const auto in_parts = common::in_parts_text(run.parts))
      warnings.push_back(fmt::format("{}: {} was {}.", letter, name, *in_parts));
    if (!run.tells_of_file()) continue;
    if (!run.faults.empty())
      warnings.push_back(fmt::format("{}: faults were injected into {} on purpose.", letter, name));
    for (const auto& warning : run.warnings)
      if (gate::concerns_figures(warning))
        warnings.push_back(fmt::format("{}: {}: {}", letter, name, warning.text));
  }
}

/// A side of runs that are not alike stands for no machine.
void warn_of_unlike(const char* letter, const side& side, std::vector<std::string>& warnings) {
  std::set<std::string> keys;
  for (const auto& run : side.runs)
    for (const auto& fact : gate::differences(side.runs.front().machine, run.machine))
      keys.insert(fact.key);
  if (!keys.empty())
    warnings.push_back(
        fmt::format("{}: its runs differ from each other in {}.", letter, fmt::join(keys, ", ")));
}

void note(std::vector<std::string>& notes, const std::vector<std::string>& names, const char* why) {
  if (!names.empty())
    notes.push_back(fmt::format("Not compared: {} {}: {}.", counted_benchmarks(names.size()), why,
                                common::listed(names, most_names)));
}

/// Benchmarks that are slower or faster though their group is not.
std::string unlike_text(const comparison_result& result) {
  std::map<finding, std::size_t> counts;
  for (const auto& group : result.groups)
    for (const auto& benchmark : group.benchmarks)
      if (benchmark.difference.known != group.difference.known)
        ++counts[benchmark.difference.known];
  const auto slower = counts[finding::slower], faster = counts[finding::faster];
  if (slower + faster == 0) return "";
  return fmt::format("; unlike their groups: {} slower, {} faster", counted_benchmarks(slower),
                     faster);
}

}  // namespace

std::string to_string(basis basis) { return basis == basis::runs ? "runs" : "repetitions"; }

std::string to_string(finding known) {
  switch (known) {
    case finding::slower: return "slower";
    case finding::faster: return "faster";
    case finding::needs_runs: return "needs_runs";
    case finding::no_interval: return "no_interval";
    case finding::not_told: break;
  }
  return "not_told";
}

std::string words_of(finding known) {
  switch (known) {
    case finding::slower: return "slower";
    case finding::faster: return "faster";
    case finding::needs_runs: return "needs more runs";
    case finding::no_interval: return "one repetition: no interval";
    case finding::not_told: break;
  }
  return "not significant";
}

std::string side_sentence(const char* letter, const side& runs) {
  std::vector<std::string> names;
  for (const auto& run : runs.runs)
    if (run.tells_of_file())
      names.push_back(
          common::printable(run.file.string()) +
          (run.process.count > 1 ? fmt::format(" ({} processes)", run.process.count) : ""));
  std::vector<std::string> devices;
  for (const auto& run : runs.runs)
    if (const auto label = gate::device_label(run.device, run.on_host);
        std::ranges::find(devices, label) == devices.end())
      devices.push_back(label);
  return fmt::format("{}: {} of {}: {}", letter, gate::counted(runs.runs.size(), "run"),
                     fmt::join(devices, " and "), common::listed(names, most_names));
}

std::vector<std::string> warnings_of(const side& first, const side& second,
                                     const comparison_result& result) {
  std::vector<std::string> warnings;
  if (first.runs.front().on_host)
    warnings.emplace_back(
        "Both were measured without a GPU: these are copies within the machines' memory.");
  // Another GPU explains most.
  const auto& device = first.runs.front().device;
  const auto& other = second.runs.front().device;
  if (device != other && !device.empty() && !other.empty())
    warnings.push_back(fmt::format("These are different devices: A {}, B {}.", device, other));
  warn_of_machines(result.machines, warnings);
  for (const auto& [letter, side] : {std::pair("A", &first), {"B", &second}}) {
    warn_of_unlike(letter, *side, warnings);
    warn_of(letter, *side, warnings);
  }
  return warnings;
}

std::string interval_title(basis basis) {
  return basis == basis::runs ? "95 % interval" : "95 % within the runs";
}

std::string basis_sentence(const comparison_result& result) {
  if (result.basis == basis::runs)
    return "The intervals include the differences between runs and sessions of one machine.";
  return fmt::format(
      "The intervals include only the differences between repetitions within a run. Runs differ "
      "more, and only {} runs of a side show by how much. Until then, no row is called slower or "
      "faster.",
      gate::least_processes);
}

std::string count_sentence(const comparison_result& result) {
  const auto count = [&](finding known) {
    return std::ranges::count_if(
        result.groups, [&](const auto& group) { return group.difference.known == known; });
  };
  const auto of_all = gate::counted(result.groups.size(), "group");
  const auto single = count(finding::no_interval);
  const auto without_interval = single > 0 ? fmt::format(", {} without interval", single) : "";
  if (result.basis == basis::repetitions)
    return fmt::format("{}: {} beyond what repetitions explain, {} not significant{}.", of_all,
                       count(finding::needs_runs), count(finding::not_told), without_interval);
  return fmt::format("{}: {} slower, {} faster, {} not significant{}{}, all taken together.",
                     of_all, count(finding::slower), count(finding::faster),
                     count(finding::not_told), without_interval, unlike_text(result));
}

std::vector<std::string> notes_of(const comparison_result& result) {
  std::vector<std::string> notes;
  for (const auto& shared : result.classes)
    notes.push_back(fmt::format(
        "The median of the {} of the class {} is {} ({}): {}.",
        counted_benchmarks(shared.benchmarks), to_string(shared.kind),
        shift_text(shared.difference.shift), interval_text(shared.difference.interval_95),
        shared.difference.is_told()
            ? "the whole class has shifted, which may be the machine's doing"
            : words_of(shared.difference.known)));
  const auto& out = result.left_out;
  note(notes, out.only_first, "of A alone");
  note(notes, out.only_second, "of B alone");
  note(notes, out.failed, "that failed");
  note(notes, out.other_bytes, "with other numbers of bytes");
  note(notes, out.other_procedure,
       "measured by different procedures (measure both sides with one version of the program)");
  note(notes, out.too_few, "measured in too few runs");
  note(notes, out.few_repetitions, "with fewer than half of their repetitions left");
  return notes;
}

std::string shift_text(double shift) { return gate::signed_percent_text(gate::slowdown(shift)); }

std::string shift_digits(double shift) {
  return common::percent_digits(gate::slowdown(shift), true);
}

std::string interval_text(const std::optional<statistics::interval>& ends) {
  if (!ends) return "-";
  return fmt::format("{} to {}", shift_text(ends->low), shift_text(ends->high));
}

std::string size_text(const compared_benchmark& benchmark) {
  if (!benchmark.size_bytes) return benchmark.name;
  return common::format_size(*benchmark.size_bytes) +
         (benchmark.cache == result_file::cache_state::warm
              ? ""
              : " " + result_file::to_string(benchmark.cache));
}

}  // namespace bench_transfers::comparison
