#include "tests/fuzz/read_baseline_properties.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "src/common/printable.hpp"
#include "src/gate/io/read_baseline.hpp"
#include "src/gate/model/bad_input.hpp"

using namespace bench_transfers;

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

void require_printable(const std::string& text) {
  require(common::printable(text) == text, "a text that is not printable");
}

}  // namespace

void check_read_baseline(const std::string& text) {
  gate::baseline one;
  try {
    one = gate::baseline_in(text, "baseline.json");
  } catch (const gate::bad_input& refused) {
    require(std::string(refused.what()).find('\n') == std::string::npos, "a refusal of two lines");
    return;
  }
  require(one.processes.size() >= gate::least_processes, "too few runs");
  require(!one.benchmarks.empty(), "no benchmarks");
  require_printable(one.device);
  require_printable(one.judged_by.key);
  for (const auto& [key, value] : one.machine) {
    require_printable(key);
    require_printable(value);
  }
  for (const auto& origin : one.processes) {
    require_printable(origin.file);
    require_printable(origin.boot);
    require_printable(origin.card);
  }
  for (const auto& [name, history] : one.benchmarks) {
    require_printable(name);
    require(history.figures.size() == one.processes.size(), "not a figure for each run");
    for (const auto& value : history.figures)
      require(!value || (std::isfinite(*value) && *value > 0), "a figure that is no time");
  }
}
