#include "src/exports/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/common/message.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/exports/results/formats.hpp"

namespace bench_transfers::exports {
namespace {

template <class Digits>
std::string with_interval(std::string text, const measured_value& value, Digits digits) {
  if (value.interval)
    text += fmt::format(" ({} to {})", digits(value.interval->low), digits(value.interval->high));
  return text;
}

std::string time_cell(const benchmark_value& value) {
  auto text = common::time_text(value.time_ns.value);
  if (const auto& modes = value.modes)
    text = fmt::format("{} in {} or {} in {}", common::time_text(modes->low.median),
                       modes->low.count, common::time_text(modes->high.median), modes->high.count);
  return with_interval(text, value.time_ns, common::time_text);
}

/// Rates of a few bytes are far below 0.01 GB/s.
std::string rate_text(double gb_per_s) {
  return gb_per_s < 0.1 ? common::rate_digits(gb_per_s) : common::three_digits(gb_per_s);
}

std::string rate_cell(const benchmark_value& value) {
  if (!value.gb_per_s) return "";
  auto text = rate_text(value.gb_per_s->value);
  if (const auto& modes = value.modes)
    text = fmt::format("{} or {}", rate_text(*value.bytes / modes->low.median),
                       rate_text(*value.bytes / modes->high.median));
  return with_interval(text, *value.gb_per_s, rate_text);
}

row row_of(const benchmark_value& value) {
  const auto& described = value.described;
  return {{described.name, described.memory.value_or(""),
           result_file::to_string(described.direction),
           described.size_bytes ? common::format_size(*described.size_bytes) : "",
           result_file::to_string(described.cache), time_cell(value), rate_cell(value)}};
}

std::string heading_of(const run_values& run) {
  const auto device = run.benchmarks.empty() ? "" : run.benchmarks.front().device_name;
  auto text =
      fmt::format("{}: {}{}", markdown_text(run.file),
                  run.on_host ? "measured without a GPU, copies within this machine's memory"
                              : markdown_text(device),
                  run.complete ? "" : ", incomplete");
  if (const auto in_parts = common::in_parts_text(run.parts)) text += ", " + *in_parts;
  if (std::ranges::any_of(run.benchmarks, &benchmark_value::confidential))
    text += ", with confidential computing: each byte is encrypted on its way";
  if (!run.started_utc.empty()) text += ", " + markdown_text(run.started_utc);
  return text + "\n\n";
}

}  // namespace

std::string markdown_of(std::span<const run_values> runs) {
  comment text;
  for (const auto& run : runs) {
    table shown{"",
                {{"benchmark", cells::codes},
                 {"memory"},
                 {"direction"},
                 {"size", cells::numbers},
                 {"cache"},
                 {"time (95 %), less is better", cells::numbers},
                 {"GB/s (95 %), more is better", cells::numbers}}};
    for (const auto& value : run.benchmarks) shown.rows.push_back(row_of(value));
    text.add(heading_of(run));
    text.add(shown, std::string::npos);
  }
  return text.text() +
         "Medians over the repetitions of a run, with their 95 % intervals between its processes; "
         "one process has none. \"Or\": the repetitions lie in two groups, \"in\" so many each.\n";
}

}  // namespace bench_transfers::exports
