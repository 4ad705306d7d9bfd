#include "tests/fuzz/read_run_properties.hpp"

#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include "src/common/printable.hpp"
#include "src/common/read_text.hpp"
#include "src/gate/io/read_run.hpp"
#include "src/gate/model/bad_input.hpp"

using namespace bench_transfers;

namespace {

/// Small, so that highly compressed input takes little time.
constexpr std::size_t most_unpacked = std::size_t{1} << 20;
constexpr std::size_t longest_message = 2000;

void require(bool holds, const char* message) {
  if (!holds) throw std::logic_error(message);
}

bool is_one_line(std::string_view text) { return common::printable(text) == text; }

void check_refusal(std::string_view message) {
  require(!message.empty(), "a refusal says nothing");
  require(is_one_line(message), "a refusal is not one printable line");
  require(message.size() <= longest_message, "a refusal is too long");
}

void check_texts(const gate::run& read) {
  std::set<std::string> keys;
  for (const auto& [key, value] : read.machine) {
    require(!value.empty(), "a fact of the fingerprint is empty");
    require(is_one_line(key) && is_one_line(value), "the fingerprint is not printable");
    require(keys.insert(key).second, "the fingerprint has a key twice");
  }
  for (const auto& text : {read.device, read.card, read.boot})
    require(is_one_line(text), "a name is not printable");
  for (const auto* const list : {&read.faults, &read.unjudged})
    for (const auto& text : *list) require(is_one_line(text), "a text is not printable");
  for (const auto& [code, text] : read.warnings)
    require(is_one_line(code) && is_one_line(text), "a warning is not printable");
  if (read.declared) require(is_one_line(read.declared->unit), "a unit is not printable");
  require(read.ours || (read.machine.empty() && read.boot.empty() && read.card.empty()),
          "another program's file has our facts");
}

void check_benchmarks(const gate::run& read, bool are_times) {
  require(!read.benchmarks.empty(), "a run has no benchmarks");
  for (const auto& [name, benchmark] : read.benchmarks) {
    require(!name.empty() && is_one_line(name), "a benchmark's name is not printable");
    require(!benchmark.values.empty() || benchmark.failed > 0, "a benchmark has no repetition");
    for (const double value : benchmark.values) {
      require(std::isfinite(value) && value > 0, "a value is not positive");
      require(!are_times || (value >= 1e-3 && value <= 1e15), "a time is absurd");
    }
    require(!benchmark.bytes || (std::isfinite(*benchmark.bytes) && *benchmark.bytes > 0),
            "bytes are not positive");
  }
  for (const auto& name : read.unjudged)
    require(!read.benchmarks.contains(name), "a benchmark is judged and is not");
}

std::optional<gate::run> read_with(const std::string& text, const gate::metric& judged_by) {
  try {
    return gate::run_in(text, "some.json", judged_by);
  } catch (const gate::bad_input& refusal) {
    check_refusal(refusal.what());
    return std::nullopt;
  }
}

}  // namespace

void check_read_run(std::string bytes) {
  std::string text;
  try {
    text = common::unpacked(std::move(bytes), most_unpacked);
  } catch (const common::read_error& refusal) {
    return check_refusal(refusal.what());
  }
  for (const auto* const key : {"real_time", "gb_per_s"}) {
    const auto judged_by = gate::metric::named(key);
    const auto read = read_with(text, judged_by);
    if (!read) continue;
    check_texts(*read);
    check_benchmarks(*read, judged_by.key == "real_time");
    const auto again = read_with(text, judged_by);
    require(again && again->content == read->content, "a second reading finds something else");
  }
}
