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

std::string cell(const std::map<access, double>& values, const access& column) {
  const auto value = values.find(column);
  return value == values.end() ? "-" : fmt::format("{:.3g}", value->second);
}

std::string type_of(const std::string& memory, const memory_row& row,
                    const std::map<std::string, std::string>& types) {
  if (row.largest->benchmark->emulation) return "EMULATION";
  const auto type = types.find(memory);
  return type == types.end() ? "" : type->second;
}

std::vector<exports::column> columns_of(const std::string& size, const std::vector<access>& rates,
                                        const std::vector<access>& latencies) {
  constexpr std::size_t rate = 6, latency = 8;
  std::vector<exports::column> columns{
      {"", cells::codes, 26, fmt::format("CPU, one thread, {}", size)}};
  for (const auto& of : rates)
    columns.push_back({of.method.substr(0, rate), cells::numbers, rate,
                       of.role == "cpu_read" ? "reads, GB/s" : "writes, GB/s"});
  for (const auto& of : latencies)
    columns.push_back({of.role == "cpu_read" ? "read, ns" : "write, ns", cells::numbers, latency,
                       of.method.substr(0, latency)});
  columns.push_back({"memory type"});
  return columns;
}

}  // namespace

exports::table table_of_cpu_access(const std::vector<figure>& sized, const figures& measured) {
  if (sized.empty()) return {};
  const auto rows = rows_of(sized, measured);
  const auto types = types_in(measured.file());
  const auto rates = without_more_than(7, columns_of(rows, &memory_row::gb_per_s));
  const auto latencies = without_more_than(1, columns_of(rows, &memory_row::latency_ns));
  const auto usual = std::ranges::max(sized, {}, size_of).size();
  exports::table table{.columns = columns_of(usual, rates, latencies), .between = 1};
  for (const auto& [memory, row] : rows) {
    const auto size = row.largest->size();
    auto& line =
        table.rows.emplace_back(exports::row{{size == usual ? memory : memory + " " + size}}).cells;
    for (const auto& column : rates) line.push_back(cell(row.gb_per_s, column));
    for (const auto& column : latencies) line.push_back(cell(row.latency_ns, column));
    line.push_back(type_of(memory, row, types));
  }
  return table;
}

}  // namespace bench_transfers::result_file
