#include "src/advice/role_rules.hpp"

#include <algorithm>
#include <array>

namespace bench_transfers::advice {
namespace {

using result_file::benchmark;

/// Of roles that differ from the others. A small copy that must not wait is judged by its tail, and
/// what the memory of the bulk copy beside it costs is another question. What the bulk copy loses
/// is a part of its own rate, which differs from method to method.
/// What fills memory and copies it has the CPU's writes in its time.
constexpr std::array different{
    role_rules{.role = "interference",
               .apart = &benchmark::variant,
               .time = "p99_ns",
               .counts_memory = false,
               .rate_of_loss = "bulk_alone_gb_per_s"},
    role_rules{.role = "fill", .counts_memory = false, .read_again = "read_again_ns"}};

/// Benchmarks of these do different jobs each, or are terms of other answers.
constexpr auto not_alternatives = std::to_array<std::string_view>(
    {"copy",       "array",        "conversion",   "arguments",      "first_call",
     "allocation", "cpu_read",     "cpu_write",    "cpu_read_write", "cpu_after_transfer",
     "concurrent", "deallocation", "staged_parts", "stalls",         "loaded",
     "company",    "blocked",      "asleep",       "floor",          "other"});

}  // namespace

role_rules rules_of(std::string_view role) {
  const auto* const entry = std::ranges::find(different, role, &role_rules::role);
  return entry == different.end() ? role_rules{role} : *entry;
}

bool has_alternatives(std::string_view role) {
  return std::ranges::find(not_alternatives, role) == not_alternatives.end();
}

bool is_rankable(const benchmark& described, std::size_t device) {
  return has_alternatives(described.role) && described.size_bytes &&
         described.cache == result_file::cache_state::warm && !described.node &&
         described.devices == std::vector{device};
}

std::string strategy_of(const benchmark& described, const role_rules& rules) {
  const bool says_direction =
      described.variant == result_file::to_string(described.direction) ||
      (described.in_place && (described.variant == "read" || described.variant == "write"));
  if (!described.variant || says_direction || rules.apart == &benchmark::variant)
    return described.strategy;
  return described.strategy + "/" + *described.variant;
}

bool is_price(const result_file::metric& metric, const role_rules& rules) {
  using result_file::metric_kind;
  const bool is_cost =
      metric.better == result_file::better::less &&
      (metric.kind == metric_kind::count || (metric.kind == metric_kind::share && metric.headline));
  return is_cost || (!metric.name.empty() && metric.name == rules.rate_of_loss);
}

}  // namespace bench_transfers::advice
