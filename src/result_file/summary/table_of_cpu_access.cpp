#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

constexpr std::string_view latency_counter = "ns_per_access";

/// One method of access.
struct access {
  std::string role;  ///< reads before writes
  unsigned plainness;
  std::string method;

  auto operator<=>(const access&) const = default;
};

access access_of(const benchmark& described) {
  return {described.role, described.plainness, described.method.value_or("")};
}

/// One thread's reads or writes.
bool is_shown(const benchmark& described) {
  return !described.setting && (described.role == "cpu_read" || described.role == "cpu_write");
}

struct memory_row {
  const figure* largest = nullptr;
  std::map<access, double> gb_per_s;
  std::map<access, double> latency_ns;
};

/// Of an operation, the bytes are others: it goes over a part of so much memory.
std::size_t size_of(const figure& shown) { return shown.benchmark->size_bytes.value_or(0); }

std::string memory_of(const benchmark& described) {
  return described.memory.value_or(described.strategy);
}

using memory_rows = std::map<std::string, memory_row, common::natural_order>;

/// Each kind of memory at its largest size.
memory_rows rows_of(const std::vector<figure>& sized, const figures& measured) {
  memory_rows rows;
  for (const auto& figure : sized) {
    auto& largest = rows[memory_of(*figure.benchmark)].largest;
    if (largest == nullptr || size_of(figure) > size_of(*largest)) largest = &figure;
  }
  for (const auto& figure : sized) {
    const auto& described = *figure.benchmark;
    auto& row = rows.at(memory_of(described));
    if (size_of(figure) != size_of(*row.largest) || !is_shown(described)) continue;
    if (const auto latency = measured.median(described, latency_counter))
      row.latency_ns[access_of(described)] = *latency;
    else
      row.gb_per_s[access_of(described)] = figure.gb_per_s;
  }
  return rows;
}

/// How the processor treats each kind of memory, where the file knows.
std::map<std::string, std::string> types_in(const contents& file) {
  std::map<std::string, std::string> types;
  for (const auto& block : member(file.facts, {"buffers"}))
    if (auto type = text_at(block, {"memory_type"}); !type.empty())
      types[text_at(block, {"memory"})] = std::move(type);
  return types;
}

/// The accesses that any memory has.
std::vector<access> columns_of(const memory_rows& rows,
                               std::map<access, double> memory_row::*values) {
  std::set<access> columns;
  for (const auto& [memory, row] : rows)
    for (const auto& value : row.*values) columns.insert(value.first);
  return {columns.begin(), columns.end()};
}

/// The plainest ones, as many as there is room for.
std::vector<access> without_more_than(std::size_t most, std::vector<access> columns) {
  if (columns.size() <= most) return columns;
  std::ranges::stable_sort(columns, {}, &access::plainness);
  columns.resize(most);
  std::ranges::sort(columns);
  return columns;
}

std::string cell(const std::map<access, double>& values, const access& column, int width) {
  const auto value = values.find(column);
  return value == values.end() ? fmt::format("{:>{}}", "-", width)
                               : fmt::format("{:>{}.3g}", value->second, width);
}

std::string type_of(const std::string& memory, const memory_row& row,
                    const std::map<std::string, std::string>& types) {
  if (row.largest->benchmark->emulation) return " EMULATION";
  const auto type = types.find(memory);
  return type == types.end() ? "" : " " + type->second;
}

constexpr int rate_width = 7, latency_width = 9;

/// "reads, GB/s" over the columns of reads.
std::string group_title(const std::vector<access>& rates, const char* role, const char* title) {
  const auto count = std::ranges::count(rates, role, &access::role);
  return count == 0 ? "" : fmt::format("{:^{}}", title, rate_width * count);
}

std::string head(const std::string& size, const std::vector<access>& rates,
                 const std::vector<access>& latencies) {
  auto first = fmt::format("\n{:<26}", fmt::format("CPU, one thread, {}", size)) +
               group_title(rates, "cpu_read", "reads, GB/s") +
               group_title(rates, "cpu_write", "writes, GB/s");
  auto second = fmt::format("\n{:<26}", "");
  for (const auto& rate : rates)
    second += fmt::format("{:>{}.{}}", rate.method, rate_width, rate_width - 1);
  for (const auto& latency : latencies) {
    first += fmt::format("{:>{}.{}}", latency.method, latency_width, latency_width - 1);
    second +=
        fmt::format("{:>{}}", latency.role == "cpu_read" ? "read, ns" : "write, ns", latency_width);
  }
  return first + second + " memory type\n";
}

}  // namespace

std::string table_of_cpu_access(const std::vector<figure>& sized, const figures& measured) {
  if (sized.empty()) return "";
  const auto rows = rows_of(sized, measured);
  const auto types = types_in(measured.file());
  const auto rates = without_more_than(7, columns_of(rows, &memory_row::gb_per_s));
  const auto latencies = without_more_than(1, columns_of(rows, &memory_row::latency_ns));
  const auto usual = std::ranges::max(sized, {}, size_of).size();
  auto text = head(usual, rates, latencies);
  for (const auto& [memory, row] : rows) {
    const auto size = row.largest->size();
    text += fmt::format("{:<26}", size == usual ? memory : memory + " " + size);
    for (const auto& column : rates) text += cell(row.gb_per_s, column, rate_width);
    for (const auto& column : latencies) text += cell(row.latency_ns, column, latency_width);
    text += type_of(memory, row, types) + "\n";
  }
  return text;
}

}  // namespace bench_transfers::result_file
