#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/common/text.hpp"
#include "src/trust/examination.hpp"

namespace bench_transfers::trust {
namespace {

using result_file::member;
using result_file::text_at;

void link(examination& asked) {
  if (asked.read.on_host) return;
  const auto link = link_in(asked.facts);
  if (auto* const slow = asked.doubt("link_below_maximum")) {
    slow->brief = fmt::format("PCIe {}.0 x{} instead of {}.0 x{}", link->generation, link->width,
                              link->generation_max, link->width_max);
  } else if (link) {
    const auto name = fmt::format("PCIe {}.0 x{}", link->generation, link->width);
    asked
        .say("link_at_maximum", fmt::format("The link ran at its full speed under load: {}.", name))
        .brief = name;
  } else {
    asked.not_known("link_not_known", "Whether the link ran at its full speed is not known.",
                    "the link's full speed");
  }
  if (auto* const replays = asked.doubt("pcie_replays"))
    replays->brief = common::counted(replays->said.data.at("replays").get<double>(),
                                     "repeated packet", "repeated packets");
}

std::string hypervisor(const examination& asked) {
  return text_at(asked.facts, {"machine", "virtualisation", "hypervisor"});
}

void host(examination& asked) {
  const std::string shared = asked.read.on_host ? "memory and processors" : "host and link";
  const auto& described = member(asked.facts, {"machine"});
  if (!described.is_object() || !described.contains("virtualisation"))
    return asked.not_known(
        "sharing_not_known",
        fmt::format("Whether other machines may use the same {} is not known.", shared),
        "who shares " + shared);
  if (auto* const shares = asked.doubt("virtual_machine")) {
    shares->brief = "in " + hypervisor(asked);
    shares->unknown = "who shares " + shared;
  }
}

void memory(examination& asked) {
  if (asked.read.on_host) return;
  const auto device = count_at<int>(asked.facts, {"device", "numa_node"});
  const auto process = count_at<int>(asked.facts, {"machine", "process", "numa_node"});
  const bool one_node = number_at(asked.facts, {"machine", "cpu", "numa_nodes"}) == 1;
  if (one_node && !hypervisor(asked).empty())
    return asked.not_known(
        "numa_of_guest",
        "The virtual machine has one NUMA node. Whether its memory is near the GPU "
        "in the physical machine is not known.",
        "NUMA distance");
  const auto near = [&](const char* code, const std::string& text) {
    asked.say(code, text).brief = "memory near";
  };
  if (one_node)
    return near("numa_one_node", "The host has one NUMA node: no memory is far from the GPU.");
  if (!device || !process)
    return asked.not_known("numa_not_known",
                           "Whether the memory was near the GPU (NUMA) is not known.",
                           "NUMA distance");
  if (auto* const far = asked.doubt("numa_far"))
    far->brief = "memory far from the GPU";
  else
    near("numa_near", fmt::format("The process ran on the GPU's NUMA node, {}.", *device));
}

/// "1980 MHz at the start and 1755 MHz at the end"; empty if nothing is known.
std::string over_the_run(const std::vector<double>& values, const char* unit) {
  if (values.empty()) return "";
  auto text = fmt::format("{:.0f} {} at the start", values[0], unit);
  if (values.size() < 2) return text;
  return text + (values[0] == values[1]
                     ? " and at the end"
                     : fmt::format(" and {:.0f} {} at the end", values[1], unit));
}

std::string text_of_clocks(const examination& asked) {
  auto text = over_the_run(at_both_ends(asked.facts, "sm_mhz"), "MHz");
  if (text.empty()) return text;
  if (const auto highest = number_at(asked.facts, {"clocks", "gpu", "sm_max_mhz"}))
    text += fmt::format(" (maximum {:.0f} MHz)", *highest);
  const auto warmth = over_the_run(at_both_ends(asked.facts, "temperature_c"), "°C");
  return "its SM clock was " + text + (warmth.empty() ? "" : ", its temperature " + warmth);
}

void gpu_clocks(examination& asked) {
  if (asked.read.on_host) return;
  const auto clocks = text_of_clocks(asked);
  const auto with_clocks = [&](const char* text) {
    return clocks.empty() ? std::string(text) : fmt::format("{}: {}", text, clocks);
  };
  const auto reasons = throttle_reasons_in(asked.facts);
  if (auto* const throttled = asked.doubt("gpu_throttled")) {
    throttled->brief = fmt::format("GPU: {}", fmt::join(*reasons, ", "));
    if (!clocks.empty()) throttled->said.text += ' ' + sentence(clocks);
    return;
  }
  if (auto* const fell = asked.doubt("gpu_clock_fell")) {
    fell->brief = "the GPU's clock fell";
    return;
  }
  if (!reasons)
    return asked.not_known("gpu_throttling_not_known",
                           with_clocks("Whether the GPU was throttled is not known") + ".",
                           "GPU throttling");
  if (member(asked.facts, {"complete"}) != true)
    return asked.not_known("gpu_throttling_at_end_not_known",
                           with_clocks("No throttling of the GPU was seen at the start") +
                               "; what came later may not be in the file.",
                           "GPU throttling until the end");
  const auto mhz = at_both_ends(asked.facts, "sm_mhz");
  const auto highest = number_at(asked.facts, {"clocks", "gpu", "sm_max_mhz"});
  asked.say("gpu_not_throttled", with_clocks("No throttling of the GPU was seen") + ".").brief =
      mhz.empty() || !highest
          ? "GPU"
          : fmt::format("GPU {:.0f} of {:.0f} MHz", std::ranges::min(mhz), *highest);
}

void cpu_clocks(examination& asked) {
  if (auto* const hot = asked.doubt("cpu_throttled"))
    hot->brief = "CPU too hot";
  else if (number_at(asked.facts, {"clocks", "cpu", "throttle_events"}) == 0)
    asked.say("cpu_not_throttled", "The CPU was not throttled for being too hot.").brief = "CPU";
  else
    asked.not_known("cpu_throttling_not_known", "Whether the CPU was throttled is not known.",
                    "CPU throttling");
}

void governor(examination& asked) {
  const auto governor = text_at(asked.facts, {"machine", "cpu", "governor"});
  if (auto* const varies = asked.doubt("cpu_governor"))
    varies->brief = fmt::format("governor {} of the CPU", governor);
  else if (governor.empty())
    asked.not_known("governor_not_known",
                    "The CPU's frequency governor is not known: its clock may have varied.",
                    "governor of the CPU");
}

const registration of_link{subject::link, {link}}, of_host{subject::host, {host}},
    of_memory{subject::memory, {memory}}, of_gpu{subject::gpu_clocks, {gpu_clocks}},
    of_cpu{subject::cpu_clocks, {cpu_clocks}}, of_governor{subject::governor, {governor}};

}  // namespace
}  // namespace bench_transfers::trust
