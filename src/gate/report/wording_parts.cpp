#include "src/gate/report/wording_parts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "src/gate/report/figures.hpp"

namespace bench_transfers::gate {

std::string verb(std::size_t count) { return count == 1 ? "is" : "are"; }

std::string limit_of(benchmark_class kind, const limits& limits) {
  return limit_text(limits.threshold_for(kind));
}

std::string with_class(benchmark_class kind, const std::string& text) {
  return fmt::format("{}: {}", to_string(kind), text);
}

std::string few_repetitions_text(std::size_t count, const std::string& where) {
  return fmt::format("{}{} {} fewer than half of {} repetitions left", counted(count, "benchmark"),
                     where, count == 1 ? "has" : "have", count == 1 ? "its" : "their");
}

std::string worst_text(std::size_t count, const std::string& worst, double by) {
  return fmt::format("{}, {}{} by {}", counted(count, "benchmark"), count == 1 ? "" : "the worst ",
                     worst, percent_text(by));
}

std::string median_text(const reasons::environment_changed& cause) {
  return fmt::format("the median of {}{} is {} {}",
                     cause.benchmarks < cause.of ? fmt::format("{} of ", cause.benchmarks) : "",
                     counted(cause.of, "benchmark"), percent_text(std::abs(cause.slowdown)),
                     cause.slowdown > 0 ? "slower" : "faster");
}

}  // namespace bench_transfers::gate
