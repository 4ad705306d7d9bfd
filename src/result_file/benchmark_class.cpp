#include "src/result_file/benchmark_class.hpp"

#include <set>
#include <string_view>

namespace bench_transfers::result_file {
namespace {

bool is_page_locked(std::string_view memory) {
  return memory.starts_with("pinned") || memory.starts_with("registered");
}

/// Page-locked memory is all that the device reads and writes without the CPU's help. Where threads
/// have just written it by plain stores, the caches of their cores decide.
bool is_by_link(const benchmark& described) {
  static const std::set<std::string_view> roles{"copy", "kernel_access", "duplex", "concurrent",
                                                "overlap"};
  return roles.contains(described.role) && described.memory && is_page_locked(*described.memory) &&
         (!is_written(described.cache) || described.cache == cache_state::streamed);
}

/// Roles in which calls are what is measured.
bool is_by_latency(const benchmark& described) {
  static const std::set<std::string_view> roles{"floor", "launch", "latency"};
  return roles.contains(described.role);
}

/// Roles in which the CPU, host memory or the driver works, and copies from and to memory that is
/// not page-locked or has just been written.
bool is_by_host(const benchmark& described) {
  static const std::set<std::string_view> roles{
      "allocation", "arguments",  "asleep",         "array",          "container_copy",
      "conversion", "cpu_read",   "cpu_write",      "cpu_read_write", "deallocation",
      "fill",       "first_call", "scattered_copy", "strided_copy"};
  static const std::set<std::string_view> copies{"copy", "overlap", "concurrent"};
  return roles.contains(described.role) || (copies.contains(described.role) && described.memory);
}

}  // namespace

std::string to_string(benchmark_class kind) {
  switch (kind) {
    case benchmark_class::link: return "link";
    case benchmark_class::host: return "host";
    case benchmark_class::latency: return "latency";
    case benchmark_class::other: break;
  }
  return "other";
}

std::optional<benchmark_class> benchmark_class_from(std::string_view word) {
  for (const auto kind : all_classes)
    if (to_string(kind) == word) return kind;
  return std::nullopt;
}

benchmark_class class_of(benchmark_class limited_by, std::optional<double> nanoseconds) {
  constexpr double latency_border = 50e3;
  return nanoseconds && *nanoseconds < latency_border ? benchmark_class::latency : limited_by;
}

benchmark_class limited_by(const benchmark& described, bool on_host) {
  if (is_by_latency(described)) return benchmark_class::latency;
  if (is_by_link(described)) return on_host ? benchmark_class::host : benchmark_class::link;
  return is_by_host(described) ? benchmark_class::host : benchmark_class::other;
}

}  // namespace bench_transfers::result_file
