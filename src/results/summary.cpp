#include "results/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "results/wrapped.hpp"
#include "statistics/quantile.hpp"

namespace results {
namespace {

using json = nlohmann::ordered_json;
using column = std::map<std::string, double>;  // by strategy

/// What a benchmark's name says: strategy/variant/size, with "/cold" left to the caller.
struct parts {
  std::string strategy, variant, size;
};

std::optional<parts> split_name(const std::string& name) {
  const auto size = name.rfind('/');
  if (size == std::string::npos || size == 0) return std::nullopt;
  const auto variant = name.rfind('/', size - 1);
  if (variant == std::string::npos) return std::nullopt;
  return parts{name.substr(0, variant), name.substr(variant + 1, size - variant - 1),
               name.substr(size + 1)};
}

struct figure {
  parts name;
  double bytes;
  double median_ns;
};

/// A repetition that was measured: neither an aggregate nor a failure.
bool is_measured(const json& row) {
  return row.value("run_type", "") == "iteration" && row.contains("median_ns");
}

/// "2_arguments" before "16_arguments".
struct natural_order {
  bool operator()(const std::string& left, const std::string& right) const {
    return strverscmp(left.c_str(), right.c_str()) < 0;
  }
};
template <class Value>
using by_name = std::map<std::string, Value, natural_order>;

/// A counter's values over the repetitions, for the benchmarks that have it.
by_name<std::vector<double>> values_of(const json& content, const std::string& counter) {
  by_name<std::vector<double>> values;
  for (const auto& row : content.at("benchmarks"))
    if (is_measured(row) && row.contains(counter))
      values[row.at("run_name")].push_back(row.at(counter));
  return values;
}

by_name<std::vector<double>> medians_by_name(const json& content) {
  return values_of(content, "median_ns");
}

std::vector<figure> figures_of(const json& content, bool cold) {
  std::map<std::string, double> bytes;
  for (const auto& row : content.at("benchmarks"))
    if (is_measured(row) && row.contains("bytes")) bytes[row.at("run_name")] = row.at("bytes");
  std::vector<figure> figures;
  for (const auto& [name, times] : medians_by_name(content)) {
    constexpr std::string_view suffix = "/cold";
    if (name.ends_with(suffix) != cold) continue;
    const auto split = split_name(cold ? name.substr(0, name.size() - suffix.size()) : name);
    if (split && bytes.contains(name))
      figures.push_back({*split, bytes.at(name), statistics::median(times)});
  }
  return figures;
}

bool to_device(const std::string& variant) { return variant == "h2d" || variant == "read"; }

/// Whether it moves data in one direction, which its variant names; others have a list of their
/// own.
bool is_directed(const figure& one) {
  return to_device(one.name.variant) || one.name.variant == "d2h" || one.name.variant == "write";
}

template <class Value>
column pick(const std::vector<figure>& figures, double bytes, bool towards_device, Value&& value) {
  column picked;
  for (const auto& one : figures)
    if (one.bytes == bytes && to_device(one.name.variant) == towards_device)
      picked[one.name.strategy] = value(one);
  return picked;
}

/// Text for one cell; '*' marks the best and its equals.
std::string cell(const column& all, const std::string& strategy, int decimals, bool small_is_best) {
  const auto found = all.find(strategy);
  if (found == all.end()) return "-  ";
  double best = found->second;
  for (const auto& [name, value] : all)
    best = small_is_best ? std::min(best, value) : std::max(best, value);
  const bool marked = small_is_best ? found->second <= best * 1.01 : found->second >= best * 0.99;
  const int shown = found->second < 1000 ? decimals : 1;  // so that columns stay narrow
  return fmt::format("{:.{}f} {}", found->second, shown, marked ? '*' : ' ');
}

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
  return wrapped(line + ".");
}

std::string table(const std::vector<figure>& figures, const json& link) {
  if (figures.empty()) return "";
  const auto [small, large] = std::ranges::minmax(figures, {}, &figure::bytes);
  const auto time = [](const figure& f) { return f.median_ns / 1000; };
  const auto rate = [](const figure& f) { return f.bytes / f.median_ns; };
  std::vector<std::string> strategies;
  for (const auto& one : figures)
    if (std::ranges::find(strategies, one.name.strategy) == strategies.end())
      strategies.push_back(one.name.strategy);

  // Latency is of interest only where it is not bandwidth seen from the other side.
  const bool with_latency = small.bytes < large.bytes || small.bytes <= 4096;
  const auto slow_to = pick(figures, small.bytes, true, time);
  const auto slow_from = pick(figures, small.bytes, false, time);
  const auto rate_to = pick(figures, large.bytes, true, rate);
  const auto rate_from = pick(figures, large.bytes, false, rate);
  const auto percent = [&](const column& rates, const std::string& strategy) {
    const auto found = rates.find(strategy);
    if (link.is_null() || found == rates.end()) return std::string("-");
    return fmt::format("{:.0f}", 100 * found->second / link.at("limit_gb_per_s").get<double>());
  };

  std::size_t width = 34;
  for (const auto& name : strategies) width = std::max(width, name.size() + 1);
  std::string text = fmt::format(
      "\n{:<{}}{:^20}{:^20}{:^14}\n{:<{}}{:>9} {:>9} {:>9} {:>9} {:>6} {:>6}\n", "", width,
      fmt::format("{} latency, µs", small.name.size), fmt::format("{}, GB/s", large.name.size),
      "% of link", "strategy", width, "h2d  ", "d2h  ", "h2d  ", "d2h  ", "h2d", "d2h");
  for (const auto& name : strategies)
    text += fmt::format("{:<{}}{:>9} {:>9} {:>9} {:>9} {:>6} {:>6}\n", name, width,
                        with_latency ? cell(slow_to, name, 3, true) : "",
                        with_latency ? cell(slow_from, name, 3, true) : "",
                        cell(rate_to, name, 2, false), cell(rate_from, name, 2, false),
                        percent(rate_to, name), percent(rate_from, name));
  return text + "* best of its column, or within 1 % of it.\n";
}

std::string readable_time(double ns) {
  if (ns < 1e3) return fmt::format("{:.1f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.2f} µs", ns / 1e3);
  return fmt::format("{:.2f} ms", ns / 1e6);
}

/// What is not a copy in one direction: times at the smallest and the largest size.
std::string table_of_others(const std::vector<figure>& figures) {
  by_name<std::pair<figure, figure>> found;
  for (const auto& one : figures) {
    const auto name = one.name.strategy + "/" + one.name.variant;
    auto& [small, large] = found.try_emplace(name, one, one).first->second;
    if (one.bytes < small.bytes) small = one;
    if (one.bytes > large.bytes) large = one;
  }
  if (found.empty()) return "";
  std::string text = fmt::format("\n{:<60}{:>20}{:>20}\n", "time of one operation", "smallest size",
                                 "largest size");
  const auto cell = [](const figure& one) {
    return fmt::format("{}, {}", one.name.size, readable_time(one.median_ns));
  };
  for (const auto& [name, ends] : found) {
    text += fmt::format("{:<60}{:>20}", name, cell(ends.first));
    if (ends.first.bytes < ends.second.bytes) text += fmt::format("{:>20}", cell(ends.second));
    text += '\n';
  }
  return text;
}

/// What has no size, but for the harness's own floor.
std::string table_of_unsized(const json& content) {
  std::string text;
  const auto sized = values_of(content, "bytes");
  const auto over_plain = values_of(content, "over_plain_ns");
  for (const auto& [name, times] : medians_by_name(content)) {
    if (sized.contains(name) || name.starts_with("null/")) continue;
    const auto over = over_plain.find(name);
    text += fmt::format("{:<60}{:>20}", name, readable_time(statistics::median(times)));
    if (over != over_plain.end())
      text += fmt::format("{:>20}",
                          fmt::format("{:+.0f} ns to plain", statistics::median(over->second)));
    text += '\n';
  }
  return text.empty() ? "" : "\n" + text;
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
        text += wrapped(fmt::format(
            "Note: the flag WRITECOMBINED had no effect here: the CPU reads {} at {}. A hypervisor "
            "or the driver has overridden the memory type; on bare metal such reads are slow.",
            memory, rates));
      continue;
    }
    const auto& streaming = block.at("cpu_reads").at("streaming_gb_per_s");
    if (type == "write-combined")
      text += wrapped(fmt::format(
          "Note: {} is write-combined: the CPU reads it at {}. Only write to it; if it must be "
          "read, transfers::streaming_load does it at {} GB/s.",
          memory, rates, two_digits(streaming.get<double>())));
    else
      text += wrapped(fmt::format("Note: the memory type of {} is {}: the CPU reads it at {}.",
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
    const std::string reason = one.at("reason");
    auto found =
        std::ranges::find(by_reason, reason, [](const auto& entry) { return entry.first; });
    if (found == by_reason.end()) found = by_reason.insert(by_reason.end(), {reason, {}});
    found->second.push_back(one.at("name"));
  }
  std::string text;
  for (const auto& [reason, names] : by_reason)
    text += wrapped(names.size() == 1 ? fmt::format("Skipped {}: {}.", names.front(), reason)
                                      : fmt::format("Skipped {} and {} more: {}.", names.front(),
                                                    names.size() - 1, reason));
  return text;
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
  const auto others = std::ranges::stable_partition(figures, is_directed);
  const std::vector<figure> undirected(others.begin(), others.end());
  figures.erase(others.begin(), others.end());
  text += table(figures, facts.at("link")) + table_of_others(undirected);
  text += table_of_unsized(content) + floor_line(content) + skipped_lines(facts.at("skipped"));
  text += memory_type_lines(facts);
  for (const auto& warning : facts.at("warnings"))
    text += wrapped("Note: " + warning.get<std::string>());
  if (const auto signal = interrupted_by(facts); !signal.empty())
    text += fmt::format("Interrupted by {}: this is what was measured until then.\n", signal);
  return text + failure_lines(content);
}

}  // namespace results
