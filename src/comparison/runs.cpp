#include "src/comparison/runs.hpp"

#include <algorithm>
#include <iterator>

#include "src/gate/io/read_run.hpp"

namespace bench_transfers::comparison {
namespace {

group_key key_of(const result_file::contents& read, const result_file::benchmark& described) {
  const bool has_several = result_file::member(read.facts, {"devices"}).size() > 1;
  std::optional<std::string> device;
  if (has_several && described.devices.size() == 1)
    device = result_file::id_of_device(read, described.devices.front());
  return {result_file::benchmark_name(described.strategy, described.variant, std::nullopt,
                                      result_file::cache_state::warm, device),
          described.family, described.strategy, described.memory.value_or(""), described.direction};
}

}  // namespace

side side_of(const result_file::contents& read, const std::filesystem::path& file,
             const gate::metric& judged_by) {
  side result{gate::runs_of(read, file, judged_by), {}, judged_by};
  for (const auto& [name, described] : read.benchmarks)
    result.facts.try_emplace(
        name, benchmark_facts{key_of(read, described), described.size_bytes, described.cache});
  return result;
}

side read_side(std::span<const std::filesystem::path> files) {
  side result;
  for (const auto& file : files) {
    auto read = side_of(gate::contents_of(file), file);
    std::ranges::move(read.runs, std::back_inserter(result.runs));
    result.facts.merge(read.facts);
  }
  return result;
}

}  // namespace bench_transfers::comparison
