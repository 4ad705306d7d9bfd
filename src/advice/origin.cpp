#include "src/advice/origin.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "src/common/text.hpp"
#include "src/result_file/contents.hpp"
#include "src/result_file/reader.hpp"

namespace bench_transfers::advice {
namespace {

/// One of several devices is also named as on the command line.
std::string name_of_device(const result_file::contents& content, std::size_t index) {
  using result_file::text_at;
  const auto& devices = result_file::member(content.facts, {"devices"});
  if (devices.size() < 2) return text_at(content.facts, {"device", "name"});
  return result_file::id_of_device(content, index) + " " + text_at(devices.at(index), {"name"});
}

/// How many processes have measured something.
int processes_in(const result_file::contents& content) {
  std::set<int> processes;
  for (const auto& row : content.rows)
    if (row.kind == result_file::row_kind::repetition) processes.insert(row.process);
  return static_cast<int>(std::max<std::size_t>(1, processes.size()));
}

std::optional<double> bytes_at(const nlohmann::ordered_json& facts,
                               std::initializer_list<const char*> keys) {
  const auto& value = result_file::member(facts, keys);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

}  // namespace

origin origin_of(const result_file::contents& content, const std::filesystem::path& file,
                 std::size_t device) {
  using result_file::text_at;
  auto host_bytes = bytes_at(content.facts, {"machine", "memory", "total_bytes"});
  const auto limit = bytes_at(content.facts, {"machine", "memory", "cgroup_limit_bytes"});
  if (limit) host_bytes = std::min(host_bytes.value_or(*limit), *limit);
  return {.file = file,
          .device = name_of_device(content, device),
          .cpu = text_at(content.facts, {"machine", "cpu", "model"}),
          .started = text_at(content.facts, {"run", "started_utc"}),
          .commit = text_at(content.facts, {"program", "git_commit"}),
          .has_gpu = !content.on_host,
          .complete = content.complete,
          .parts = content.parts,
          .processes = processes_in(content),
          .confidential = result_file::is_confidential(content, device),
          .host_bytes = host_bytes,
          .device_bytes = bytes_at(result_file::device_of(content, device), {"memory_bytes"})};
}

std::size_t index_of_device(const result_file::contents& content, const std::filesystem::path& file,
                            const std::string& id) {
  if (id.empty()) return 0;
  const auto count = result_file::member(content.facts, {"devices"}).size();
  std::vector<std::string> ids;
  for (std::size_t index = 0; index < count; ++index)
    ids.push_back(result_file::id_of_device(content, index));
  const auto match = std::ranges::find(ids, id);
  if (match == ids.end())
    throw result_file::unusable_file(
        fmt::format("cannot use {}: it has no device {}, but {}", common::printable(file.string()),
                    common::printable_in_short(id), fmt::join(ids, ", ")));
  return static_cast<std::size_t>(match - ids.begin());
}

}  // namespace bench_transfers::advice
