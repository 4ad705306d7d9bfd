#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "src/common/text.hpp"
#include "src/machine/trust.hpp"
#include "src/trust/judgement.hpp"
#include "src/trust/marks.hpp"
#include "src/trust/measured.hpp"
#include "src/trust/times.hpp"

namespace bench_transfers::trust {
namespace {

using json = nlohmann::ordered_json;
using result_file::member;
using result_file::text_at;

std::optional<double> number_at(const json& object, std::initializer_list<const char*> keys) {
  const auto& value = member(object, keys);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

template <class Number>
std::optional<Number> count_at(const json& object, std::initializer_list<const char*> keys) {
  const auto value = number_at(object, keys);
  return value && *value >= 0 && *value < 1e9 ? std::optional(static_cast<Number>(*value))
                                              : std::nullopt;
}

/// A message as a sentence.
std::string sentence(std::string text) {
  text = common::printable(text);
  if (text.front() >= 'a' && text.front() <= 'z') text.front() -= 'a' - 'A';
  return text.ends_with('.') ? text : text + '.';
}

std::optional<machine::pcie_link> link_in(const json& facts) {
  const auto count = [&](const char* key) { return count_at<int>(facts, {"link", key}); };
  const auto generation = count("generation"), width = count("width");
  const auto generation_max = count("generation_max"), width_max = count("width_max");
  if (text_at(facts, {"link", "type"}) != "pcie" || !generation || !width || !generation_max ||
      !width_max)
    return std::nullopt;
  return machine::pcie_link{*generation, *width, *generation_max, *width_max};
}

std::optional<machine::throttle_reasons> throttle_reasons_in(const json& facts) {
  const auto& listed = member(facts, {"clocks", "gpu", "throttle_reasons"});
  if (!listed.is_array()) return std::nullopt;
  machine::throttle_reasons reasons;
  for (const auto& reason : listed)
    reasons.insert(reason.is_string() ? common::printable(reason.get_ref<const std::string&>())
                                      : "unreadable");
  return reasons;
}

/// Of the start and the end of a run; the end is missing where the device was lost.
std::vector<double> at_both_ends(const json& facts, const char* key) {
  std::vector<double> values;
  const auto& listed = member(facts, {"clocks", "gpu", key});
  if (listed.is_array())
    for (const auto& value : listed) {
      if (!value.is_number() || value.get<double>() <= 0) break;
      values.push_back(value.get<double>());
    }
  return values;
}

machine::clocks_of_run clocks_in(const json& facts) {
  const auto sm_mhz = at_both_ends(facts, "sm_mhz");
  const auto at = [&](std::size_t end, std::optional<unsigned> replays) {
    return machine::gpu_clocks{.sm_mhz = sm_mhz.size() > end
                                             ? std::optional(static_cast<unsigned>(sm_mhz[end]))
                                             : std::nullopt,
                               .pcie_replays = replays};
  };
  return {
      .start = {.gpu = at(0, 0U), .cpu_throttle_events = 0},
      .end = {.gpu = at(1, count_at<unsigned>(facts, {"clocks", "gpu", "pcie_replays"})),
              .cpu_throttle_events =
                  count_at<std::size_t>(facts, {"clocks", "cpu", "throttle_events"})},
      .seen_between = throttle_reasons_in(facts),
  };
}

/// Judges the facts of a file, subject by subject.
class judge_of_facts {
 public:
  explicit judge_of_facts(const result_file::contents& read,
                          const std::vector<measured>& benchmarks)
      : read_(read), facts_(read.facts), benchmarks_(benchmarks) {
    const auto node = read.on_host ? std::nullopt : count_at<int>(facts_, {"device", "numa_node"});
    for (auto& doubt : machine::doubts(member(facts_, {"machine"}), link_in(facts_), node))
      doubts_.emplace(doubt.code, std::move(doubt));
    for (auto& doubt : machine::doubts(clocks_in(facts_))) doubts_.emplace(doubt.code, doubt);
  }

  std::vector<finding> findings() {
    about_run();
    if (!read_.on_host) about_link();
    about_host();
    if (!read_.on_host) about_memory();
    if (!read_.on_host) about_gpu_clocks();
    about_cpu_clocks();
    about_governor();
    return std::move(findings_);
  }

  /// Those of the file that are about something else.
  [[nodiscard]] std::vector<common::message> other_warnings() const {
    std::vector<common::message> others;
    for (const auto& warning : read_.warnings)
      if (!asked_.contains(warning.code)) others.push_back(warning);
    return others;
  }

 private:
  finding& say(subject about, const char* code, std::string text, json data = json::object()) {
    return findings_.emplace_back(finding{about, {code, std::move(data), std::move(text)}});
  }
  void not_known(subject about, const char* code, std::string text, std::string fact) {
    say(about, code, std::move(text)).unknown = std::move(fact);
  }
  finding& warn(subject about, const char* code, std::string text, json data = json::object()) {
    auto& said = say(about, code, std::move(text), std::move(data));
    said.warns = true;
    return said;
  }
  /// Null if the machine gives no reason for it.
  finding* doubt(subject about, const std::string& code) {
    asked_.insert(code);
    const auto found = doubts_.find(code);
    if (found == doubts_.end()) return nullptr;
    auto& said = findings_.emplace_back(finding{about, found->second, true});
    said.said.text = sentence(said.said.text);
    return &said;
  }

  [[nodiscard]] std::string hypervisor() const {
    return text_at(facts_, {"machine", "virtualisation", "hypervisor"});
  }

  void about_run() {
    about_completeness();
    if (read_.parts > 1)
      warn(
          subject::run, "several_parts",
          fmt::format("It was measured in {} parts, one after another: a figure may be of several.",
                      read_.parts),
          {{"parts", read_.parts}});
    about_faults();
    about_failures();
    about_program();
  }

  void about_completeness() {
    if (read_.complete) return;
    const auto signal = text_at(facts_, {"run", "interrupted_by"});
    const auto rounds = count_at<std::size_t>(facts_, {"run", "rounds"}).value_or(0);
    const bool has_transfers = std::ranges::any_of(benchmarks_, is_transfer);
    std::set<std::size_t> counts;
    for (const auto& benchmark : benchmarks_)
      if (!has_transfers || is_transfer(benchmark)) counts.insert(benchmark.times_ns.size());
    auto text = fmt::format("The run did not end by itself{}: ",
                            signal.empty() ? "" : fmt::format(" ({})", signal));
    if (counts.empty() || rounds < *counts.rbegin())
      text += "part of it is missing.";
    else
      text += fmt::format("its {} have {} of {} repetitions, and some may be missing.",
                          has_transfers ? "transfers" : "benchmarks",
                          counts.size() == 1
                              ? std::to_string(*counts.begin())
                              : fmt::format("{} to {}", *counts.begin(), *counts.rbegin()),
                          rounds);
    warn(subject::run, "incomplete", text, {{"interrupted_by", signal}, {"rounds", rounds}});
  }

  void about_faults() {
    asked_.insert("faults_injected");
    const auto names = faults_in(read_);
    if (names.empty()) return;
    warn(subject::run, "faults_injected",
         fmt::format("Faults were injected on purpose ({}): use no number of this run. No "
                     "conclusions are drawn from it here.",
                     fmt::join(names, ", ")),
         {{"faults", names}});
  }

  void about_failures() {
    std::map<std::string, std::string> failed;
    for (const auto& row : read_.rows)
      if (row.failed) failed.try_emplace(row.benchmark->name, row.failed->message);
    if (failed.empty()) return;
    auto [name, reason] = *failed.begin();
    while (reason.ends_with('.')) reason.pop_back();
    warn(subject::run, "failed_benchmarks",
         fmt::format("{} failed{} {} ({}).",
                     common::counted(static_cast<double>(failed.size()), "benchmark", "benchmarks"),
                     failed.size() > 1 ? ", for example" : ":", name,
                     reason.empty() ? "no reason given" : reason),
         {{"count", failed.size()}, {"first", name}});
  }

  void about_program() {
    const auto build = text_at(facts_, {"program", "build_type"});
    const auto commit = text_at(facts_, {"program", "git_commit"});
    if (!build.empty() && build != "Release")
      warn(subject::run, "slow_build",
           fmt::format("The program was built as {}: it is slower than Release.", build),
           {{"build_type", build}});
    else if (commit.ends_with("-dirty"))
      say(subject::run, "uncommitted_changes",
          fmt::format("The program had changes that are in no commit ({}): the run cannot be "
                      "repeated exactly.",
                      commit),
          {{"commit", commit}});
  }

  void about_link() {
    const auto link = link_in(facts_);
    if (auto* const slow = doubt(subject::link, "link_below_maximum")) {
      slow->brief = fmt::format("PCIe {}.0 x{} instead of {}.0 x{}", link->generation, link->width,
                                link->generation_max, link->width_max);
    } else if (link) {
      const auto name = fmt::format("PCIe {}.0 x{}", link->generation, link->width);
      say(subject::link, "link_at_maximum",
          fmt::format("The link ran at its full speed under load: {}.", name))
          .brief = name;
    } else {
      not_known(subject::link, "link_not_known",
                "Whether the link ran at its full speed is not known.", "the link's full speed");
    }
    if (auto* const replays = doubt(subject::link, "pcie_replays"))
      replays->brief = common::counted(replays->said.data.at("replays").get<double>(),
                                       "repeated packet", "repeated packets");
  }

  void about_host() {
    const std::string shared = read_.on_host ? "memory and processors" : "host and link";
    const auto& described = member(facts_, {"machine"});
    if (!described.is_object() || !described.contains("virtualisation"))
      return not_known(
          subject::host, "sharing_not_known",
          fmt::format("Whether other machines may use the same {} is not known.", shared),
          "who shares " + shared);
    if (auto* const shares = doubt(subject::host, "virtual_machine")) {
      shares->brief = "in " + hypervisor();
      shares->unknown = "who shares " + shared;
    }
  }

  void about_memory() {
    const auto device = count_at<int>(facts_, {"device", "numa_node"});
    const auto process = count_at<int>(facts_, {"machine", "process", "numa_node"});
    const bool one_node = number_at(facts_, {"machine", "cpu", "numa_nodes"}) == 1;
    if (one_node && !hypervisor().empty())
      return not_known(subject::memory, "numa_of_guest",
                       "The virtual machine has one NUMA node. Whether its memory is near the GPU "
                       "in the physical machine is not known.",
                       "NUMA distance");
    const auto near = [&](const char* code, const std::string& text) {
      say(subject::memory, code, text).brief = "memory near";
    };
    if (one_node)
      return near("numa_one_node", "The host has one NUMA node: no memory is far from the GPU.");
    if (!device || !process)
      return not_known(subject::memory, "numa_not_known",
                       "Whether the memory was near the GPU (NUMA) is not known.", "NUMA distance");
    if (auto* const far = doubt(subject::memory, "numa_far"))
      far->brief = "memory far from the GPU";
    else
      near("numa_near", fmt::format("The process ran on the GPU's NUMA node, {}.", *device));
  }

  /// "1980 MHz at the start and 1755 MHz at the end"; empty if nothing is known.
  static std::string over_the_run(const std::vector<double>& values, const char* unit) {
    if (values.empty()) return "";
    auto text = fmt::format("{:.0f} {} at the start", values[0], unit);
    if (values.size() < 2) return text;
    return text + (values[0] == values[1]
                       ? " and at the end"
                       : fmt::format(" and {:.0f} {} at the end", values[1], unit));
  }

  [[nodiscard]] std::string text_of_clocks() const {
    auto text = over_the_run(at_both_ends(facts_, "sm_mhz"), "MHz");
    if (text.empty()) return text;
    if (const auto highest = number_at(facts_, {"clocks", "gpu", "sm_max_mhz"}))
      text += fmt::format(" (maximum {:.0f} MHz)", *highest);
    const auto warmth = over_the_run(at_both_ends(facts_, "temperature_c"), "°C");
    return "its SM clock was " + text + (warmth.empty() ? "" : ", its temperature " + warmth);
  }

  void about_gpu_clocks() {
    const auto clocks = text_of_clocks();
    const auto with_clocks = [&](const char* text) {
      return clocks.empty() ? std::string(text) : fmt::format("{}: {}", text, clocks);
    };
    const auto reasons = throttle_reasons_in(facts_);
    if (auto* const throttled = doubt(subject::gpu_clocks, "gpu_throttled")) {
      throttled->brief = fmt::format("GPU: {}", fmt::join(*reasons, ", "));
      if (!clocks.empty()) throttled->said.text += ' ' + sentence(clocks);
      return;
    }
    if (auto* const fell = doubt(subject::gpu_clocks, "gpu_clock_fell")) {
      fell->brief = "the GPU's clock fell";
      return;
    }
    if (!reasons)
      return not_known(subject::gpu_clocks, "gpu_throttling_not_known",
                       with_clocks("Whether the GPU was throttled is not known") + ".",
                       "GPU throttling");
    if (member(facts_, {"complete"}) != true)
      return not_known(subject::gpu_clocks, "gpu_throttling_at_end_not_known",
                       with_clocks("No throttling of the GPU was seen at the start") +
                           "; what came later may not be in the file.",
                       "GPU throttling until the end");
    const auto mhz = at_both_ends(facts_, "sm_mhz");
    const auto highest = number_at(facts_, {"clocks", "gpu", "sm_max_mhz"});
    say(subject::gpu_clocks, "gpu_not_throttled",
        with_clocks("No throttling of the GPU was seen") + ".")
        .brief = mhz.empty() || !highest
                     ? "GPU"
                     : fmt::format("GPU {:.0f} of {:.0f} MHz", std::ranges::min(mhz), *highest);
  }

  void about_cpu_clocks() {
    if (auto* const hot = doubt(subject::cpu_clocks, "cpu_throttled"))
      hot->brief = "CPU too hot";
    else if (number_at(facts_, {"clocks", "cpu", "throttle_events"}) == 0)
      say(subject::cpu_clocks, "cpu_not_throttled", "The CPU was not throttled for being too hot.")
          .brief = "CPU";
    else
      not_known(subject::cpu_clocks, "cpu_throttling_not_known",
                "Whether the CPU was throttled is not known.", "CPU throttling");
  }

  void about_governor() {
    const auto governor = text_at(facts_, {"machine", "cpu", "governor"});
    if (auto* const varies = doubt(subject::governor, "cpu_governor"))
      varies->brief = fmt::format("governor {} of the CPU", governor);
    else if (governor.empty())
      not_known(subject::governor, "governor_not_known",
                "The CPU's frequency governor is not known: its clock may have varied.",
                "governor of the CPU");
  }

  const result_file::contents& read_;
  const json& facts_;
  const std::vector<measured>& benchmarks_;
  std::map<std::string, common::message> doubts_;
  std::set<std::string> asked_;  ///< codes of doubts that findings would be of
  std::vector<finding> findings_;
};

}  // namespace

std::vector<std::string> faults_in(const result_file::contents& read) {
  const auto& faults = member(read.facts, {"run", "faults_injected"});
  std::vector<std::string> names;
  if (faults.is_array())
    for (const auto& fault : faults)
      if (fault.is_string())
        names.push_back(common::printable(fault.get_ref<const std::string&>()));
  return names;
}

judgement judge(const result_file::contents& read) {
  const auto benchmarks = benchmarks_in(read);
  judge_of_facts of_facts(read, benchmarks);
  judgement given;
  given.findings = of_facts.findings();
  given.warnings = of_facts.other_warnings();
  const auto add = [&](std::vector<finding> more) {
    std::ranges::move(more, std::back_inserter(given.findings));
  };
  const auto noise = noise_of(benchmarks);
  add({noise.finding});
  const bool is_falsified = !faults_in(read).empty();
  if (!is_falsified && !read.on_host) {
    add(about_rates(read, benchmarks));
    add(about_both_ways(benchmarks));
  }
  given.choices = choices_in(benchmarks);
  conclude(given, noise, is_falsified, read.on_host);
  return given;
}

}  // namespace bench_transfers::trust
