#include "src/result_file/contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/common/text.hpp"

namespace bench_transfers::result_file {

using json = nlohmann::ordered_json;

std::optional<double> row::number(std::string_view name) const {
  for (const auto& value : values)
    if (*value.name == name && !std::isnan(value.number)) return value.number;
  return std::nullopt;
}

std::vector<process_of_run> processes_of(const contents& read) {
  int begun = read.complete ? read.processes : 1;
  for (const auto& row : read.rows) begun = std::max(begun, std::min(row.process, read.processes));
  std::vector<process_of_run> processes;
  for (int number = 1; number <= begun; ++number) processes.push_back({number, read.processes});
  return processes;
}

std::string lacks(needed what, const contents& read) {
  const auto has = [&](const auto& is_wanted) { return std::ranges::any_of(read.rows, is_wanted); };
  const bool has_one = has([](const row& row) { return row.kind == row_kind::repetition; });
  if (!has_one && !read.rows.empty())
    return "it has only aggregates; the repetitions are there when it is measured without "
           "--benchmark_report_aggregates_only";
  if (what == needed::a_plan) return "";
  if (!has_one)
    return read.complete && !read.skipped.empty() ? "none of its benchmarks could run"
                                                  : "it has no benchmarks";
  if (what != needed::a_time) return "";
  const auto has_measured = [](const row& row) {
    return row.kind == row_kind::repetition && !row.failed;
  };
  if (!has(has_measured)) return "all of its benchmarks have failed";
  const auto* const time = read.is_bench_transfers() ? "median_ns" : "real_time";
  const auto has_time = [&](const row& row) {
    return has_measured(row) && row.number(time).value_or(0) > 0;
  };
  return has(has_time) ? "" : fmt::format("none of its benchmarks has a {} above zero", time);
}

std::string text_at(const json& object, std::initializer_list<const char*> keys) {
  const auto& text = member(object, keys);
  return text.is_string() ? common::printable(text.get_ref<const std::string&>()) : "";
}

const json& device_of(const contents& read, std::size_t index) {
  static const json null;
  const auto& devices = member(read.facts, {"devices"});
  return index < devices.size() ? devices.at(index) : null;
}

std::string id_of_device(const contents& read, std::size_t index) {
  const auto id = text_at(device_of(read, index), {"id"});
  return id.empty() ? std::to_string(index) : id;
}

bool is_confidential(const contents& read, std::size_t index) {
  const auto& value = member(device_of(read, index), {"confidential_computing"});
  return value.is_boolean() && value.get<bool>();
}

}  // namespace bench_transfers::result_file
