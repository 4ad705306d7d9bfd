#include <fmt/format.h>

#include <map>

#include "src/common/text.hpp"
#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

/// The same memory, allocated and released.
struct allocation_and_release {
  std::optional<figure> allocation, release;
};

/// What is allocated: a kind of host memory, or how it is done.
std::string subject_of(const benchmark& described) {
  if (!described.memory && !described.method) return described.strategy;
  if (!described.memory || !described.method) return described.memory.value_or(*described.method);
  return *described.memory + " " + *described.method;
}

std::string time_of(const std::optional<figure>& shown) {
  return shown ? common::time_cell(shown->median_ns) : "-";
}

}  // namespace

exports::table table_of_allocation(const std::vector<figure>& sized) {
  std::map<std::string, allocation_and_release, common::natural_order> rows;
  for (const auto& figure : sized) {
    auto& row = rows[subject_of(*figure.benchmark)];
    auto& largest = figure.benchmark->role == "deallocation" ? row.release : row.allocation;
    if (!largest || figure.bytes > largest->bytes) largest = figure;
  }
  exports::table table{"",
                       {{"allocation and release", cells::codes, 27},
                        {"allocate", cells::numbers, 12},
                        {"free", cells::numbers, 12},
                        {"ms for a GiB, in all", cells::numbers, 22}}};
  for (const auto& [subject, row] : rows) {
    const auto& shown = row.allocation ? *row.allocation : *row.release;
    // Of small blocks and pools the time does not grow with the size.
    constexpr double large = 16 << 20;
    const bool grows = row.allocation && row.release && shown.bytes >= large;
    table.rows.push_back(
        {{fmt::format("{} {}", subject, shown.size()), time_of(row.allocation),
          time_of(row.release),
          grows ? common::decimals((row.allocation->median_ns + row.release->median_ns) / 1e6 *
                                       static_cast<double>(1 << 30) / shown.bytes,
                                   2)
                : ""}});
  }
  return table;
}

}  // namespace bench_transfers::result_file
