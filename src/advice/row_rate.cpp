#include "src/advice/row_rate.hpp"

#include <cmath>
#include <string_view>

#include "src/result_file/contents.hpp"

namespace bench_transfers::advice {
namespace {

std::optional<double> positive(std::optional<double> value) {
  return value && *value > 0 && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<double> counter_per_byte(const result_file::row& row, const std::string& counter,
                                       std::optional<double> bytes) {
  const auto ns = positive(row.number(counter));
  return ns && bytes ? std::optional(*ns / *bytes) : std::nullopt;
}

}  // namespace

std::optional<double> ns_per_byte(const result_file::row& row, const timing& timed) {
  const auto bytes =
      positive(timed.is_of_its_size ? static_cast<double>(row.benchmark->size_bytes.value_or(0))
                                    : row.number("bytes"));
  auto rate = counter_per_byte(row, timed.counter, bytes);
  if (timed.read_again) {
    const auto of_reads = counter_per_byte(row, timed.read_again->counter, bytes);
    if (!rate || !of_reads) return std::nullopt;
    *rate += timed.read_again->times * *of_reads;
  }
  // The smallest times vanish when they are divided.
  return rate && std::isnormal(*rate) ? rate : std::nullopt;
}

std::vector<std::string> timed_in_turn(const result_file::row& row) {
  constexpr std::string_view before = "over_", behind = "_ns";
  std::vector<std::string> names;
  for (const auto& value : row.values) {
    const std::string_view name = *value.name;
    if (!name.starts_with(before) || !name.ends_with(behind)) continue;
    const auto form = name.substr(before.size());
    if (row.number(form)) names.emplace_back(form.substr(0, form.size() - behind.size()));
  }
  return names;
}

}  // namespace bench_transfers::advice
