#include "tests/fuzz/read_baseline_properties.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "src/common/printable.hpp"
#include "src/gate/io/read_baseline.hpp"
#include "src/gate/model/bad_input.hpp"

using namespace bench_transfers;

namespace {

void require(bool holds, const char* property) {
  if (!holds) throw std::logic_error(property);
}

void require_printable(const std::string& text) {
  require(common::printable(text) == text, "a text that is not printable");
}

}  // namespace

void check_read_baseline(const std::string& text) {
  gate::baseline baseline;
  try {
    baseline = gate::baseline_in(text, "baseline.json");
  } catch (const gate::bad_input& refusal) {
    require(std::string(refusal.what()).find('\n') == std::string::npos, "a refusal of two lines");
    return;
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
