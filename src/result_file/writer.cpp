#include "src/result_file/writer.hpp"

#include <algorithm>
#include <climits>
#include <map>
#include <set>
#include <stdexcept>

#include "src/common/gzip.hpp"
#include "src/common/writing.hpp"

namespace bench_transfers::result_file {
namespace {

using json = nlohmann::ordered_json;

bool is_aggregate(const json& row) { return row.value("run_type", "") == "aggregate"; }

/// Names of the benchmarks that have aggregates.
std::set<std::string> aggregated_in(const json& rows) {
  std::set<std::string> names;
  for (const auto& row : rows)
    if (is_aggregate(row)) names.insert(row.at("run_name"));
  return names;
}

}  // namespace

std::string to_text(const json& content, bool aggregates_only) {
  // Host names and the like need not be UTF-8; JSON must be.
  const auto dump = [](const json& value, int indent) {
    return value.dump(indent, ' ', false, json::error_handler_t::replace);
  };
  const auto& rows = content.at("benchmarks");
  const auto aggregated = aggregates_only ? aggregated_in(rows) : std::set<std::string>{};
  std::string text = "{\n\"context\": " + dump(content.at("context"), 1) + ",\n\"benchmarks\": [";
  const char* separator = "\n";
  for (const auto& row : rows) {
    if (!is_aggregate(row) && aggregated.contains(row.value("run_name", ""))) continue;
    text.append(separator).append(dump(row, -1));
    separator = ",\n";
  }
  return text + "\n]\n}\n";
}

writer::writer(std::filesystem::path path, json context, json rows)
    : path_(std::move(path)),
      content_{{"context", std::move(context)}, {"benchmarks", std::move(rows)}} {
  if (!path_.empty()) common::require_writable(path_);
  write();
}

void writer::add(json row) {
  content_["benchmarks"].push_back(std::move(row));
  if (std::chrono::steady_clock::now() >= next_write_) write();
}

void writer::replace(const std::string& run_name, json row) {
  auto& rows = content_["benchmarks"].get_ref<json::array_t&>();
  std::erase_if(rows, [&](const json& old) { return old.value("run_name", "") == run_name; });
  rows.push_back(std::move(row));
}

void writer::describe(const metric& counter) {
  auto& metrics = content_["context"]["transfers"]["metrics"];
  const auto description = to_json(counter);
  if (described_.insert(counter.name).second)
    metrics[counter.name] = description;
  else if (metrics[counter.name] != description)
    throw std::logic_error("two strategies describe the counter " + counter.name + " differently");
}

void writer::revise(const std::function<void(json&, json&)>& change) {
  change(content_["context"]["transfers"], content_["benchmarks"]);
}

void writer::set_facts(json facts) { content_["context"]["transfers"] = std::move(facts); }

void writer::finish(bool aggregates_only, std::span<const std::string> order) {
  std::map<std::string, std::size_t> place;
  for (const auto& name : order) place.try_emplace(name, place.size());
  auto rows = content_["benchmarks"].get<std::vector<json>>();
  for (const auto& row : rows) place.try_emplace(row.at("run_name"), place.size());
  std::ranges::stable_sort(rows, {}, [&](const json& row) {
    return std::pair(place.at(row.at("run_name")), row.value("repetition_index", INT_MAX));
  });
  content_["benchmarks"] = rows;
  write(aggregates_only);
}

void writer::write(bool aggregates_only) {
  if (path_.empty()) return;
  const auto start = std::chrono::steady_clock::now();
  const auto text = to_text(content_, aggregates_only);
  common::write_whole(path_, path_.extension() == ".gz" ? common::packed(text) : text);
  const auto end = std::chrono::steady_clock::now();
  next_write_ = end + 20 * (end - start);
}

}  // namespace bench_transfers::result_file
