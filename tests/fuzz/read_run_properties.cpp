#include <cmath>
#include <cstddef>
#include <optional>
#include <set>

#include "src/common/gzip.hpp"
#include "src/gate/io/read_run.hpp"
#include "src/gate/model/bad_input.hpp"
#include "tests/fuzz/properties.hpp"
#include "tests/fuzz/refusals.hpp"

namespace bench_transfers::fuzz {
namespace {

void check_texts(const gate::run& run) {
  std::set<std::string> keys;
  for (const auto& [key, value] : run.machine) {
    require(!value.empty(), "a fact of the fingerprint is empty");
    require(is_one_line(key) && is_one_line(value), "the fingerprint is not printable");
    require(keys.insert(key).second, "the fingerprint has a key twice");
  }
  for (const auto& text : {run.device, run.card, run.slot, run.host, run.boot})
    require(is_one_line(text), "a name is not printable");
  for (const auto* const texts : {&run.faults, &run.unjudged})
    for (const auto& text : *texts) require(is_one_line(text), "a text is not printable");
  for (const auto& [code, text] : run.warnings)
    require(is_one_line(code) && is_one_line(text), "a warning is not printable");
  if (run.declared) require(is_one_line(run.declared->unit), "a unit is not printable");
  require(run.ours || (run.boot.empty() && run.card.empty() && run.slot.empty()),
          "another program's file has our facts");
}

void check_benchmarks(const gate::run& run, bool are_times) {
  require(!run.benchmarks.empty(), "a run has no benchmarks");
  for (const auto& [name, benchmark] : run.benchmarks) {
    require(!name.empty() && is_one_line(name), "a benchmark's name is not printable");
    require(!benchmark.values.empty() || benchmark.failed > 0, "a benchmark has no repetition");
    for (const double value : benchmark.values) {
      require(std::isfinite(value) && value > 0, "a value is not positive");
      require(!are_times || (value >= 1e-3 && value <= 1e15), "a time is absurd");
    }
    require(!benchmark.bytes || (std::isfinite(*benchmark.bytes) && *benchmark.bytes > 0),
            "bytes are not positive");
  }
  for (const auto& name : run.unjudged)
    require(!run.benchmarks.contains(name), "a benchmark is judged and is not");
}

std::vector<gate::run> read_with(const std::string& text, const gate::metric& judged_by) {
  try {
    return gate::runs_in(text, "some.json", judged_by);
  } catch (const gate::bad_input& refusal) {
    check_refusal(refusal.what());
    return {};
  }
}

}  // namespace

void check_read_run(const std::string& bytes) {
  std::string text;
  try {
    text = common::unpacked(bytes, most_unpacked);
  } catch (const common::read_error& refusal) {
    return check_refusal(refusal.what());
  }
  for (const auto* const key : {"real_time", "gb_per_s"}) {
    const auto judged_by = gate::metric::named(key);
    const auto runs = read_with(text, judged_by);
    const auto again = read_with(text, judged_by);
    require(runs.size() == again.size(), "a second reading finds another number of processes");
    for (std::size_t i = 0; i < runs.size(); ++i) {
      check_texts(runs[i]);
      check_benchmarks(runs[i], judged_by.key == "real_time");
      require(again[i].content == runs[i].content, "a second reading finds something else");
    }
  }
}

}  // namespace bench_transfers::fuzz
