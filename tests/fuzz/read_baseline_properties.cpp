#include <algorithm>
#include <cmath>

#include "src/gate/io/read_baseline.hpp"
#include "src/gate/model/bad_input.hpp"
#include "tests/fuzz/properties.hpp"
#include "tests/fuzz/refusals.hpp"

namespace bench_transfers::fuzz {
namespace {

void require_printable(const std::string& text) {
  require(is_one_line(text), "a text is not printable");
}

}  // namespace

void check_read_baseline(const std::string& text) {
  gate::baseline baseline;
  try {
    baseline = gate::baseline_in(text, "baseline.json");
  } catch (const gate::bad_input& refusal) {
    return check_refusal(refusal.what());
  }
  require(baseline.processes.size() >= gate::least_processes, "too few runs");
  require(!baseline.benchmarks.empty(), "no benchmarks");
  require_printable(baseline.device);
  require_printable(baseline.judged_by.key);
  for (const auto& [key, value] : baseline.machine) {
    require_printable(key);
    require_printable(value);
  }
  for (const auto& origin : baseline.processes) {
    require_printable(origin.file);
    require_printable(origin.boot);
    require_printable(origin.card);
  }
  for (const auto& [name, history] : baseline.benchmarks) {
    require_printable(name);
    require(history.figures.size() == baseline.processes.size(), "not a figure for each run");
    for (const auto& value : history.figures)
      require(!value || (std::isfinite(*value) && *value > 0), "a figure that is no time");
  }
}

}  // namespace bench_transfers::fuzz
