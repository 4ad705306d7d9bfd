#include "src/result_file/procedure.hpp"

#include <fmt/format.h>

#include "src/common/text.hpp"

namespace bench_transfers::result_file {

bool is_other_procedure(unsigned before, unsigned after) { return before != after; }

bool procedures::add(const std::string& benchmark, unsigned procedure) {
  const auto& first = known_.try_emplace(benchmark, procedure).first->second;
  const bool is_other = is_other_procedure(first, procedure);
  if (is_other) differing_.insert(benchmark);
  return is_other;
}

std::optional<common::message> procedures_differ(const std::set<std::string>& benchmarks) {
  if (benchmarks.empty()) return std::nullopt;
  return common::message{
      "procedures_differ",
      {{"count", benchmarks.size()}, {"benchmarks", benchmarks}},
      fmt::format(
          "{} by different procedures and {} not compared, {}{}: measure both sides with "
          "one version of the program",
          common::counted(benchmarks.size(), "benchmark was measured", "benchmarks were measured"),
          benchmarks.size() == 1 ? "is" : "are", benchmarks.size() == 1 ? "" : "such as ",
          common::printable_in_short(*benchmarks.begin()))};
}

}  // namespace bench_transfers::result_file
