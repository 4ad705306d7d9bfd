#include "src/gate/io/run_hashes.hpp"

#include <bit>
#include <cmath>
#include <string_view>

#include "src/gate/io/hash.hpp"

namespace bench_transfers::gate {

std::uint64_t content_of(const run& run) {
  hash content;
  if (run.started) content.add(static_cast<std::uint64_t>(run.started->time_since_epoch().count()));
  // Several may begin in one second, and have lost all values.
  if (run.process.count > 1) content.add(static_cast<std::uint64_t>(run.process.number));
  for (const auto& [name, benchmark] : run.benchmarks) {
    content.add(std::string_view(name));
    content.add(benchmark.failed);
    content.add(benchmark.values.size());
    content.add(benchmark.values.data(), benchmark.values.size() * sizeof(double));
  }
  return content.value();
}

std::optional<std::uint64_t> measurements_of(const result_file::contents& file,
                                             const result_file::process_of_run& process) {
  hash measurements;
  bool may_tell = false;
  for (const auto& row : file.rows) {
    if (row.kind != result_file::row_kind::repetition || !process.has(row.process)) continue;
    measurements.add(std::string_view(row.benchmark->name));
    measurements.add(static_cast<std::uint64_t>(row.repetition.value_or(0)));
    for (const auto& [name, number] : row.values) {
      if (std::isnan(number)) continue;
      measurements.add(std::string_view(*name));
      measurements.add(std::bit_cast<std::uint64_t>(number));
      may_tell = may_tell || is_fine(number);
    }
  }
  return may_tell ? std::optional(measurements.value()) : std::nullopt;
}

}  // namespace bench_transfers::gate
