#include "src/gate/model/benchmark_class.hpp"

namespace bench_transfers::gate {

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

}  // namespace bench_transfers::gate
