#include "src/result_file/summary/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "src/common/sizes.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::results {
namespace {

using json = nlohmann::ordered_json;
using column = std::map<std::string, double>;  // by strategy

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

std::string readable_time(double ns) {
  if (ns < 1e3) return fmt::format("{:.1f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.2f} µs", ns / 1e3);
  return fmt::format("{:.2f} ms", ns / 1e6);
}

/// "cpu/pinned" -> "pinned"
std::string memory_of(const std::string& strategy) {
  return strategy.substr(strategy.find('/') + 1);
}

}  // namespace

std::string table(const std::vector<figure>& figures, const json& link) {
  if (figures.empty()) return "";
  const auto [small, large] = std::ranges::minmax(figures, {}, &figure::bytes);
  const auto time = [](const figure& f) { return f.median_ns / 1000; };
  const auto rate = [](const figure& f) { return f.gb_per_s; };
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
  const auto if_latency = [&](const std::string& cells) { return with_latency ? cells : ""; };
  std::string text = fmt::format(
      "\n{:<{}}{}{:^20}{:^14}\n{:<{}}{}{:>9} {:>9} {:>6} {:>6}\n", "", width,
      if_latency(fmt::format("{:^20}", small.name.size + " latency, µs")),
      large.name.size + ", GB/s", "% of link", "strategy", width,
      if_latency(fmt::format("{:>9} {:>9} ", "h2d  ", "d2h  ")), "h2d  ", "d2h  ", "h2d", "d2h");
  for (const auto& name : strategies)
    text += fmt::format("{:<{}}{}{:>9} {:>9} {:>6} {:>6}\n", name, width,
                        if_latency(fmt::format("{:>9} {:>9} ", cell(slow_to, name, 3, true),
                                               cell(slow_from, name, 3, true))),
                        cell(rate_to, name, 2, false), cell(rate_from, name, 2, false),
                        percent(rate_to, name), percent(rate_from, name));
  return text + "* best of its column, or within 1 % of it.\n";
}

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
      return found == all.end() ? "-" : fmt::format("{:.2f}", found->gb_per_s);
    };
    text +=
        fmt::format("{:<54}{:>8}{:>12}{:>12}\n", strategy, own.name.size, rate(true), rate(false));
  }
  if (text.empty()) return "";
  return fmt::format("\n{:<54}{:>8}{:>12}{:>12}\n", "measured up to smaller sizes, GB/s there",
                     "size", "h2d", "d2h") +
         text;
}

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

std::string table_of_duplex(const std::vector<figure>& figures, const json& content) {
  if (figures.empty()) return "";
  const auto largest = std::ranges::max(figures, {}, &figure::bytes);
  std::map<std::string, by_name<std::vector<double>>> counters;
  for (const auto* counter :
       {"h2d_gb_per_s", "d2h_gb_per_s", "h2d_alone_gb_per_s", "d2h_alone_gb_per_s"})
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
                        cell(one.gb_per_s, 2));
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
  const auto bytes_of = [](const figure& one) { return common::parse_size(one.name.size); };
  for (const auto& one : figures) {
    auto& largest = rows[memory_of(one.name.strategy)].largest;
    if (largest == nullptr || bytes_of(one) > bytes_of(*largest)) largest = &one;
  }
  for (const auto& one : figures) {
    auto& into = rows[memory_of(one.name.strategy)];
    if (one.name.size != into.largest->name.size) continue;
    into.gb_per_s[one.name.variant] = one.gb_per_s;
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

}  // namespace bench_transfers::results
