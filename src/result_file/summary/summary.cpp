#include "src/result_file/summary/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "src/common/wrapped.hpp"
#include "src/result_file/summary/figures.hpp"
#include "src/result_file/summary/tables.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::results {
namespace {

using json = nlohmann::ordered_json;

std::string device_line(const json& facts) {
  const auto& device = facts.at("device");
  if (device.at("kind") == "host")
    return "Device: host, no GPU: every figure is a copy within this machine's memory, not a GPU "
           "link.\n";
  auto line = fmt::format("Device: {}", device.at("name").get<std::string>());
  const auto& link = facts.at("link");
  if (!link.is_null())
    line += fmt::format(
        ", PCIe {}.0 x{}: at most {:.1f} GB/s each way, {:.1f} to {:.1f} after packet headers",
        link.at("generation").get<int>(), link.at("width").get<int>(),
        link.at("limit_gb_per_s").get<double>(),
        link.at("packet_limit_gb_per_s").at(0).get<double>(),
        link.at("packet_limit_gb_per_s").at(1).get<double>());
  return common::wrapped(line + ".");
}

/// Two digits of a rate in GB/s, or all before the point.
std::string two_digits(double rate) {
  return rate < 10 ? fmt::format("{:.2g}", rate) : fmt::format("{:.0f}", rate);
}

/// What the kinds of memory are to the processor, where that is worth a word.
std::string memory_type_lines(const json& facts) {
  std::string text;
  bool noted_without_effect = false;
  for (const auto& block : facts.value("buffers", json::array())) {
    const auto type = block.value("memory_type", json());
    if (!type.is_string()) continue;
    const std::string memory = block.at("memory");
    const double plain = block.at("cpu_reads").at("plain_gb_per_s");
    const double ordinary = block.at("cpu_reads_of_ordinary_memory").at("plain_gb_per_s");
    const auto rates = fmt::format("{} GB/s against {} for ordinary memory, caches cold",
                                   two_digits(plain), two_digits(ordinary));
    if (type == "write-back") {
      // The first of those with the flag stands for all.
      if (memory.ends_with("_wc") && !std::exchange(noted_without_effect, true))
        text += common::wrapped(fmt::format(
            "Note: the flag WRITECOMBINED had no effect here: the CPU reads {} at {}. A hypervisor "
            "or the driver has overridden the memory type; on bare metal such reads are slow.",
            memory, rates));
      continue;
    }
    const auto& streaming = block.at("cpu_reads").at("streaming_gb_per_s");
    if (type == "write-combined")
      text += common::wrapped(fmt::format(
          "Note: {} is write-combined: the CPU reads it at {}. Only write to it; if it must be "
          "read, transfers::streaming_load does it at {} GB/s.",
          memory, rates, two_digits(streaming.get<double>())));
    else
      text += common::wrapped(fmt::format("Note: the memory type of {} is {}: the CPU reads it at {}.",
                                  memory, type.get<std::string>(), rates));
  }
  return text;
}

std::string floor_line(const json& content) {
  const auto medians = medians_by_name(content);
  std::string text;
  for (const auto* name : {"null/single", "null/batched"}) {
    const auto found = medians.find(name);
    if (found == medians.end()) continue;
    text += fmt::format("{} {:.1f} ns", text.empty() ? "Harness floor:" : ",",
                        statistics::median(found->second));
    text += std::string(name) == "null/single" ? " per operation timed alone" : " in a batch";
  }
  return text.empty() ? "" : text + ".\n";
}

/// Reasons, each once, with how many benchmarks it covers.
std::string skipped_lines(const json& skipped) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const auto& one : skipped) {
    const std::string reason = one.at("reason").at("text");
    auto found =
        std::ranges::find(by_reason, reason, [](const auto& entry) { return entry.first; });
    if (found == by_reason.end()) found = by_reason.insert(by_reason.end(), {reason, {}});
    found->second.push_back(one.at("name"));
  }
  std::string text;
  for (const auto& [reason, names] : by_reason)
    text += common::wrapped(names.size() == 1 ? fmt::format("Skipped {}: {}.", names.front(), reason)
                                      : fmt::format("Skipped {} and {} more: {}.", names.front(),
                                                    names.size() - 1, reason));
  return text;
}

/// Moves those for which it is true out of `figures`.
template <class Condition>
std::vector<figure> taken_out(std::vector<figure>& figures, Condition&& condition) {
  const auto found = std::ranges::stable_partition(figures, std::not_fn(condition));
  std::vector<figure> taken(found.begin(), found.end());
  figures.erase(found.begin(), found.end());
  return taken;
}

std::string interrupted_by(const json& facts) {
  const auto run = facts.value("run", json::object());
  const auto signal = run.value("interrupted_by", json());
  return signal.is_string() ? signal.get<std::string>() : "";
}

std::string failure_lines(const json& content) {
  std::string text;
  for (const auto& row : content.at("benchmarks"))
    if (row.value("error_occurred", false))
      text += fmt::format("FAILED {}: {}\n", row.at("run_name").get<std::string>(),
                          row.value("error_message", "no message"));
  return text;
}

}  // namespace

std::string summary(const json& content) {
  const auto& facts = content.at("context").at("transfers");
  auto figures = figures_of(content, false);
  std::string text = device_line(facts);
  if (figures.empty()) {
    figures = figures_of(content, true);
    if (!figures.empty()) text += "Caches were flushed before every operation (cold).\n";
  }
  const auto cpu =
      taken_out(figures, [](const figure& f) { return f.name.strategy.starts_with("cpu/"); });
  const auto allocation = taken_out(figures, [](const figure& f) {
    return f.name.strategy == "allocate" || f.name.strategy == "free";
  });
  const auto duplex =
      taken_out(figures, [](const figure& f) { return f.name.strategy.starts_with("duplex/"); });
  const auto overlap =
      taken_out(figures, [](const figure& f) { return f.name.strategy.starts_with("overlap/"); });
  const auto undirected = taken_out(figures, [](const figure& f) { return !is_directed(f); });
  text += table(figures, facts.at("link")) + table_of_smaller(figures);
  text += table_of_costs(figures, content);
  text += table_of_duplex(duplex, content) + table_of_overlap(overlap, content);
  text += table_of_others(undirected);
  text += table_of_cpu_access(cpu, content) + table_of_allocation(allocation);
  text += table_of_unsized(content) + floor_line(content) + skipped_lines(facts.at("skipped"));
  text += memory_type_lines(facts);
  for (const auto& warning : facts.at("warnings"))
    text += common::wrapped("Note: " + warning.at("text").get<std::string>());
  if (const auto signal = interrupted_by(facts); !signal.empty())
    text += fmt::format("Interrupted by {}: this is what was measured until then.\n", signal);
  return text + failure_lines(content);
}

}  // namespace bench_transfers::results
