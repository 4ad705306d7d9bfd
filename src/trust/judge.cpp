#include <algorithm>
#include <iterator>

#include "src/trust/examination.hpp"
#include "src/trust/marks.hpp"
#include "src/trust/times.hpp"

namespace bench_transfers::trust {

judgement judge(const result_file::contents& read) {
  const auto benchmarks = benchmarks_in(read);
  examination facts(read, benchmarks);
  facts.ask();
  judgement given;
  given.findings = facts.findings();
  given.warnings = facts.other_warnings();
  const auto add = [&](std::vector<finding> more) {
    std::ranges::move(more, std::back_inserter(given.findings));
  };
  const auto noise = noise_of(benchmarks);
  add({noise.finding});
  const bool is_falsified = std::ranges::any_of(given.findings, [](const finding& finding) {
    return finding.said.code == "faults_injected";
  });
  if (!is_falsified && !read.on_host) {
    add(about_rates(read, benchmarks));
    add(about_both_ways(benchmarks));
  }
  given.choices = choices_in(benchmarks);
  conclude(given, noise, is_falsified, read.on_host);
  return given;
}

}  // namespace bench_transfers::trust
