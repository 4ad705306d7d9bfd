#include "results/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "results/wrapped.hpp"
#include "sizes.hpp"
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
  std::string run_name;
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
      figures.push_back({*split, bytes.at(name), statistics::median(times), name});
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

  // Others have a table of their own.
  std::vector<std::string> strategies;
  for (const auto& one : figures)
    if ((one.bytes == small.bytes || one.bytes == large.bytes) &&
        std::ranges::find(strategies, one.name.strategy) == strategies.end())
      strategies.push_back(one.name.strategy);

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

/// What was not measured at the largest size of all: rates at its own.
std::string table_of_smaller(const std::vector<figure>& figures) {
  if (figures.empty()) return "";
  const auto largest = std::ranges::max(figures, {}, &figure::bytes).bytes;
  by_name<std::vector<figure>> smaller;
  for (const auto& one : figures) smaller[one.name.strategy].push_back(one);
  std::string text;
  for (const auto& [strategy, all] : smaller) {
    const auto own = std::ranges::max(all, {}, &figure::bytes);
    if (own.bytes == largest) continue;
    const auto rate = [&](bool towards_device) -> std::string {
      const auto found = std::ranges::find_if(all, [&](const figure& one) {
        return one.bytes == own.bytes && to_device(one.name.variant) == towards_device;
      });
      return found == all.end() ? "-" : fmt::format("{:.2f}", found->bytes / found->median_ns);
    };
    text +=
        fmt::format("{:<54}{:>8}{:>12}{:>12}\n", strategy, own.name.size, rate(true), rate(false));
  }
  if (text.empty()) return "";
  return fmt::format("\n{:<54}{:>8}{:>12}{:>12}\n", "measured up to smaller sizes, GB/s there",
                     "size", "h2d", "d2h") +
         text;
}

/// What transfers take of the machine, at the largest size measured.
std::string table_of_costs(const std::vector<figure>& figures, const json& content) {
  if (figures.empty()) return "";
  const auto largest = std::ranges::max(figures, {}, &figure::bytes);
  const std::array counters{values_of(content, "cpu_s_per_gb"), values_of(content, "cores"),
                            values_of(content, "multiprocessors")};
  if (counters[0].empty()) return "";  // a file of an older version
  constexpr std::array<const char*, 3> formats{"{:.4f}", "{:.2f}", "{:.0f}"};
  by_name<std::array<std::string, 6>> rows;
  std::vector<std::string> order;
  std::size_t width = 34;
  for (const auto& one : figures) {
    if (one.bytes != largest.bytes) continue;
    const auto& name = one.name.strategy;
    if (!rows.contains(name)) order.push_back(name);
    auto& cells = rows[name];
    width = std::max(width, name.size() + 1);
    for (std::size_t i = 0; i < counters.size(); ++i)
      if (const auto found = counters[i].find(one.run_name); found != counters[i].end())
        cells[2 * i + (to_device(one.name.variant) ? 0 : 1)] =
            fmt::format(fmt::runtime(formats[i]), statistics::median(found->second));
  }
  std::string text =
      fmt::format("\n{:<{}}{:^18}{:^16}{:^17}\n{:<{}}", "", width, "CPU s per GB", "cores busy",
                  "multiprocessors", fmt::format("what it takes, {}", largest.name.size), width);
  constexpr std::array<int, 6> widths{9, 9, 8, 8, 8, 8};
  const auto line = [&](const std::array<std::string, 6>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += fmt::format("{:>{}}", cells[i].empty() ? "-" : cells[i], widths[i]);
    text += '\n';
  };
  line({"h2d", "d2h", "h2d", "d2h", "h2d", "d2h"});
  for (const auto& name : order) {
    text += fmt::format("{:<{}}", name, width);
    line(rows.at(name));
  }
  return text;
}

/// Both directions at once, at the largest size measured: in all, each while the other one is kept
/// busy, each alone, and by how much that slows each down.
std::string table_of_duplex(const std::vector<figure>& figures, const json& content) {
  if (figures.empty()) return "";
  const auto largest = std::ranges::max(figures, {}, &figure::bytes);
  std::map<std::string, by_name<std::vector<double>>> counters;
  for (const auto* counter :
       {"gb_per_s", "h2d_gb_per_s", "d2h_gb_per_s", "h2d_alone_gb_per_s", "d2h_alone_gb_per_s"})
    counters[counter] = values_of(content, counter);
  std::string text =
      fmt::format("\n{:<42}{:>9}{:^16}{:^16}{:^13}\n{:<51}{:>8}{:>8}{:>8}{:>8}{:>7}{:>6}\n",
                  fmt::format("both ways at once, {}, GB/s", largest.name.size), "in all",
                  "at once", "alone", "% lost", "", "h2d", "d2h", "h2d", "d2h", "h2d", "d2h");
  for (const auto& one : figures) {
    if (one.bytes != largest.bytes) continue;
    const auto rate = [&](const std::string& counter) -> std::optional<double> {
      const auto found = counters.at(counter).find(one.run_name);
      if (found == counters.at(counter).end()) return std::nullopt;
      return statistics::median(found->second);
    };
    const auto cell = [](std::optional<double> value, int decimals) {
      return value ? fmt::format("{:.{}f}", *value, decimals) : std::string("-");
    };
    text += fmt::format("{:<42}{:>9}", one.name.strategy + "/" + one.name.variant,
                        cell(rate("gb_per_s"), 2));
    for (const auto* state : {"_gb_per_s", "_alone_gb_per_s"})
      for (const std::string way : {"h2d", "d2h"})
        text += fmt::format("{:>8}", cell(rate(way + state), 2));
    for (const std::string way : {"h2d", "d2h"}) {
      const auto with_other = rate(way + "_gb_per_s");
      const auto alone = rate(way + "_alone_gb_per_s");
      const auto lost =
          with_other && alone ? std::optional(100 * (1 - *with_other / *alone)) : std::nullopt;
      text += fmt::format("{:>{}}", cell(lost, 1), way == "h2d" ? 7 : 6);
    }
    text += '\n';
  }
  return text;
}

/// Round trips in pieces against the same one after the other, at the largest size measured: how
/// much of the copies' time is hidden.
std::string table_of_overlap(const std::vector<figure>& figures, const json& content) {
  if (figures.empty()) return "";
  const auto largest = std::ranges::max(figures, {}, &figure::bytes);
  std::map<std::string, by_name<std::vector<double>>> counters;
  for (const auto* counter : {"median_ns", "upload_ns", "download_ns"})
    counters[counter] = values_of(content, counter);
  const auto median_of = [&](const std::string& counter,
                             const std::string& run_name) -> std::optional<double> {
    const auto found = counters.at(counter).find(run_name);
    if (found == counters.at(counter).end()) return std::nullopt;
    return statistics::median(found->second);
  };
  std::string text = fmt::format("\n{:<48}{:>10}{:>26}\n",
                                 fmt::format("up, work, down, {} each way", largest.name.size),
                                 "ms", "% of the copies hidden");
  for (const auto& one : figures) {
    if (one.bytes != largest.bytes) continue;
    const auto serial = one.name.strategy + "/serial/" + one.name.size;
    const auto time = median_of("median_ns", one.run_name);
    const auto all = median_of("median_ns", serial);
    const auto up = median_of("upload_ns", serial);
    const auto down = median_of("download_ns", serial);
    const bool in_pieces = one.run_name != serial;
    text += fmt::format("{:<48}{:>10.2f}{:>26}\n", one.name.strategy + "/" + one.name.variant,
                        time.value_or(0) / 1e6,
                        in_pieces && time && all && up && down
                            ? fmt::format("{:.0f}", 100 * (*all - *time) / (*up + *down))
                            : "-");
  }
  return text;
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

/// "cpu/pinned" -> "pinned"
std::string memory_of(const std::string& strategy) {
  return strategy.substr(strategy.find('/') + 1);
}

/// What the CPU pays for each kind of memory, by one thread, at the largest size measured.
std::string table_of_cpu_access(const std::vector<figure>& figures, const json& content) {
  if (figures.empty()) return "";
  constexpr std::array<std::string_view, 7> rates{"read_scalar",    "read_vector", "read_memcpy",
                                                  "read_streaming", "write_fill",  "write_memcpy",
                                                  "write_streaming"};
  const auto latencies = values_of(content, "ns_per_access");
  std::map<std::string, std::string> types;
  for (const auto& block : content.at("context").at("transfers").value("buffers", json::array()))
    if (const auto type = block.value("memory_type", json()); type.is_string())
      types[block.at("memory")] = type;

  struct row {
    const figure* largest = nullptr;
    std::map<std::string, double> gb_per_s;
    std::optional<double> random_ns;
  };
  by_name<row> rows;
  // Of an operation, the bytes are others: it goes over a part of so much memory.
  const auto bytes_of = [](const figure& one) { return bench::parse_size(one.name.size); };
  for (const auto& one : figures) {
    auto& largest = rows[memory_of(one.name.strategy)].largest;
    if (largest == nullptr || bytes_of(one) > bytes_of(*largest)) largest = &one;
  }
  for (const auto& one : figures) {
    auto& into = rows[memory_of(one.name.strategy)];
    if (one.name.size != into.largest->name.size) continue;
    into.gb_per_s[one.name.variant] = one.bytes / one.median_ns;
    if (one.name.variant != "read_random") continue;
    const auto found =
        latencies.find(fmt::format("{}/{}/{}", one.name.strategy, one.name.variant, one.name.size));
    if (found != latencies.end()) into.random_ns = statistics::median(found->second);
  }
  const auto usual = std::ranges::max(figures, {}, bytes_of).name.size;
  std::string text =
      fmt::format("\n{:<26}{:^28}{:^21}{:>9}\n{:<26}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>9} {}\n",
                  fmt::format("CPU, one thread, {}", usual), "reads, GB/s", "writes, GB/s",
                  "random", "", "scalar", "vector", "memcpy", "stream", "fill", "memcpy", "stream",
                  "read, ns", "memory type");
  for (const auto& [memory, found] : rows) {
    const auto& size = found.largest->name.size;
    text += fmt::format("{:<26}", size == usual ? memory : memory + " " + size);
    for (const auto rate : rates) {
      const auto value = found.gb_per_s.find(std::string(rate));
      text += value == found.gb_per_s.end() ? fmt::format("{:>7}", "-")
                                            : fmt::format("{:>7.3g}", value->second);
    }
    text += found.random_ns ? fmt::format("{:>9.3g}", *found.random_ns) : fmt::format("{:>9}", "-");
    const auto type = types.find(memory);
    if (memory.starts_with("emulated"))
      text += " EMULATION";
    else if (type != types.end())
      text += " " + type->second;
    text += '\n';
  }
  return text;
}

/// What memory costs to get and to give back, at the largest size measured.
std::string table_of_allocation(const std::vector<figure>& figures) {
  if (figures.empty()) return "";
  struct row {
    std::optional<figure> allocate, free;
  };
  by_name<row> rows;
  for (const auto& one : figures) {
    auto& into = rows[one.name.variant];
    auto& largest = one.name.strategy == "free" ? into.free : into.allocate;
    if (!largest || one.bytes > largest->bytes) largest = one;
  }
  std::string text = fmt::format("\n{:<27}{:>14}{:>14}{:>24}\n", "memory, to get and give back",
                                 "allocate", "free", "ms for a GiB, in all");
  for (const auto& [memory, both] : rows) {
    const auto& one = both.allocate ? *both.allocate : *both.free;
    const auto time = [](const std::optional<figure>& f) {
      return f ? readable_time(f->median_ns) : std::string("-");
    };
    text += fmt::format("{:<27}{:>14}{:>14}", fmt::format("{} {}", memory, one.name.size),
                        time(both.allocate), time(both.free));
    // Of small blocks and pools the time does not grow with the size.
    constexpr double large = 16 << 20;
    if (both.allocate && both.free && one.bytes >= large)
      text += fmt::format("{:>24.2f}", (both.allocate->median_ns + both.free->median_ns) / 1e6 *
                                           static_cast<double>(1 << 30) / one.bytes);
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
    text += wrapped("Note: " + warning.get<std::string>());
  if (const auto signal = interrupted_by(facts); !signal.empty())
    text += fmt::format("Interrupted by {}: this is what was measured until then.\n", signal);
  return text + failure_lines(content);
}

}  // namespace results
