#include "src/exports/results/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "src/common/text.hpp"
#include "src/exports/results/formats.hpp"

namespace bench_transfers::exports {

std::vector<std::pair<const char*, std::string>> fields_of(const run_values& run,
                                                           const benchmark_value& value) {
  const auto& described = value.described;
  return {{"device", fmt::format("{}", fmt::join(value.devices, "+"))},
          {"device_name", value.device_name},
          {"gpu", value.uuid},
          {"on_host", run.on_host ? "true" : "false"},
          {"benchmark", described.name},
          {"family", described.family},
          {"strategy", described.strategy},
          {"method", described.method.value_or("")},
          {"setting", described.setting.value_or("")},
          {"memory", described.memory.value_or("")},
          {"variant", described.variant.value_or("")},
          {"direction", result_file::to_string(described.direction)},
          {"size_bytes",
           described.size_bytes ? fmt::format("{}", *described.size_bytes) : std::string()},
          {"cache", result_file::to_string(described.cache)}};
}

std::vector<std::pair<const char*, std::string>> known_fields_of(const run_values& run,
                                                                 const benchmark_value& value) {
  auto fields = fields_of(run, value);
  std::erase_if(fields, [](const auto& field) { return field.second.empty(); });
  if (value.confidential) fields.emplace_back("confidential_computing", "true");
  return fields;
}

void require_unique_names(std::span<const run_values> runs, const char* format) {
  std::map<std::string, std::string> file_of_name;
  for (const auto& run : runs)
    for (const auto& value : run.benchmarks) {
      const auto [entry, is_new] = file_of_name.try_emplace(value.described.name, run.file);
      if (!is_new)
        throw not_exportable(fmt::format(
            "{} and {} both have {}, and {} knows a benchmark by its name alone: export each file "
            "by itself",
            entry->second, run.file, common::printable_in_short(value.described.name), format));
    }
}

}  // namespace bench_transfers::exports
