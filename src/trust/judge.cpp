#include "src/common/text.hpp"
#include "src/trust/choices.hpp"
#include "src/trust/examination.hpp"
#include "src/trust/marks.hpp"
#include "src/trust/noise.hpp"

namespace bench_transfers::trust {

std::vector<std::string> faults_in(const result_file::contents& read) {
  const auto& faults = result_file::member(read.facts, {"run", "faults_injected"});
  std::vector<std::string> names;
  if (faults.is_array())
    for (const auto& fault : faults)
      if (fault.is_string())
        names.push_back(common::printable(fault.get_ref<const std::string&>()));
  return names;
}

judgement judge(const result_file::contents& read) {
  const auto benchmarks = benchmarks_in(read);
  examination facts(read, benchmarks);
  facts.ask();
  judgement given;
  given.findings = facts.findings();
  given.warnings = facts.other_warnings();
  given.choices = choices_in(benchmarks);
  conclude(given, noise_of(benchmarks), !faults_in(read).empty(), read.on_host);
  return given;
}

}  // namespace bench_transfers::trust
