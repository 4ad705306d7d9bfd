#include "results/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

namespace results {
namespace {

using json = nlohmann::ordered_json;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& why) {
  throw write_error(fmt::format("cannot write {}: {}", path.string(), why));
}

bool is_aggregate(const json& row) { return row.value("run_type", "") == "aggregate"; }

}  // namespace

std::string to_text(const json& content) {
  // Host names and the like need not be UTF-8; JSON must be.
  const auto dump = [](const json& value, int indent) {
    return value.dump(indent, ' ', false, json::error_handler_t::replace);
  };
  std::string text = "{\n\"context\": " + dump(content.at("context"), 1) + ",\n\"benchmarks\": [";
  const char* separator = "\n";
  for (const auto& row : content.at("benchmarks")) {
    text.append(separator).append(dump(row, -1));
    separator = ",\n";
  }
  return text + "\n]\n}\n";
}

result_file::result_file(std::filesystem::path path, json context)
    : path_(std::move(path)),
      content_{{"context", std::move(context)}, {"benchmarks", json::array()}} {
  write();
}

void result_file::add(json row) {
  content_["benchmarks"].push_back(std::move(row));
  if (std::chrono::steady_clock::now() >= next_write_) write();
}

void result_file::set_facts(json facts) { content_["context"]["transfers"] = std::move(facts); }

void result_file::finish(bool aggregates_only) {
  std::map<std::string, std::size_t> first_seen;
  auto rows = content_["benchmarks"].get<std::vector<json>>();
  for (const auto& row : rows) first_seen.try_emplace(row.at("run_name"), first_seen.size());
  std::ranges::stable_sort(rows, {}, [&](const json& row) {
    return std::pair(first_seen.at(row.at("run_name")), row.value("repetition_index", INT_MAX));
  });
  if (aggregates_only) {
    std::set<std::string> aggregated;
    for (const auto& row : rows)
      if (is_aggregate(row)) aggregated.insert(row.at("run_name"));
    std::erase_if(rows, [&](const json& row) {
      return !is_aggregate(row) && aggregated.contains(row.at("run_name"));
    });
  }
  content_["benchmarks"] = rows;
  write();
}

void result_file::write() {
  if (path_.empty()) return;
  const auto start = std::chrono::steady_clock::now();
  auto temporary = path_;
  temporary += ".part";
  errno = 0;
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    if (!out) fail(path_, std::strerror(errno));
    out << to_text(content_);
    out.close();
    if (!out) {
      const auto why = errno != 0 ? std::strerror(errno) : "not everything could be written";
      std::error_code ignored;
      std::filesystem::remove(temporary, ignored);
      fail(path_, why);
    }
  }
  std::error_code error;
  std::filesystem::rename(temporary, path_, error);
  if (error) fail(path_, error.message());
  const auto now = std::chrono::steady_clock::now();
  next_write_ = now + 20 * (now - start);
}

}  // namespace results
