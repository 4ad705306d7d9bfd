#include "src/gate/io/read_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "src/common/files.hpp"
#include "src/common/number.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/gate/io/digest.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/result_file/checked_value.hpp"
#include "src/result_file/format.hpp"
#include "src/result_file/json_text.hpp"

namespace bench_transfers::gate {
namespace {

using result_file::bad_entry;
using result_file::checked_value;
using simdjson::dom::element;

std::string text_or_empty(const std::optional<checked_value>& value) {
  return value ? value->text() : std::string();
}

/// The member as `read` returns it; none if an older baseline lacks it.
template <class Read>
auto if_there(const checked_value& parent, std::string_view key, const Read& read) {
  return parent.has(key) ? std::optional(read(parent.at(key))) : std::nullopt;
}

double positive(const checked_value& value) {
  const auto number = value.number();
  value.require(number > 0, "is not positive");
  return number;
}

double figure_of(const checked_value& value, const metric& judged_by) {
  const auto number = positive(value);
  if (!judged_by.can_be(number))
    value.refuse(fmt::format("is {}, which nobody can have measured", number));
  return number;
}

std::uint64_t hexadecimal(const checked_value& value) {
  const auto number = common::number_from<std::uint64_t>(value.text(), 16);
  value.require(number.has_value(), "is no hexadecimal number");
  return *number;
}

std::optional<std::chrono::sys_seconds> time_of(const std::optional<checked_value>& value) {
  if (!value || value->text().empty()) return std::nullopt;
  const auto time = common::parse_timestamp(value->text());
  value->require(time.has_value(), "is no timestamp");
  return time;
}

process process_of(const checked_value& entry) {
  process process;
  process.file = text_or_empty(entry.at_or_null("file"));
  process.started = time_of(entry.at_or_null("started_utc"));
  process.finished = time_of(entry.find("finished_utc"));
  process.boot = text_or_empty(entry.at_or_null("boot"));
  process.card = text_or_empty(entry.at_or_null("card"));
  process.content = hexadecimal(entry.at("content"));
  process.slot = text_or_empty(entry.find("slot"));
  process.host = text_or_empty(entry.find("host"));
  process.measurements = if_there(entry, "measurements", hexadecimal);
  return process;
}

benchmark_class class_of(const checked_value& value) {
  const auto kind = benchmark_class_from(value.text());
  value.require(kind.has_value(), "is unknown");
  return *kind;
}

amount amount_of(const checked_value& value) {
  return {value.at("by_real_time").number(), value.at("by_cpu_time").number()};
}

unsigned procedure_of(const checked_value& value) {
  return static_cast<unsigned>(value.whole_from_1(1'000'000));
}

work work_of(const checked_value& entry) {
  // Older baselines are of procedures that have no number, as the first ones.
  return {.procedure = if_there(entry, "procedure", procedure_of).value_or(1),
          .bytes = if_there(entry, "bytes_of_operation", amount_of),
          .items = if_there(entry, "items_of_operation", amount_of),
          .label = text_or_empty(entry.find("label"))};
}

figures_of_processes figures_of(const checked_value& values, std::size_t processes,
                                const metric& judged_by) {
  figures_of_processes figures;
  for (const auto& value : values.list_with_nulls(processes))
    figures.push_back(value ? std::optional(figure_of(*value, judged_by)) : std::nullopt);
  values.require(figures.size() == processes, "has fewer entries than there are runs");
  values.require(std::ranges::count_if(figures, [](const auto& figure) { return !!figure; }) >=
                     std::ptrdiff_t{least_processes},
                 "has fewer than three values");
  return figures;
}

history history_of(const checked_value& entry, std::size_t processes, const metric& judged_by) {
  const auto figures = [&](const checked_value& values) {
    return figures_of(values, processes, judged_by);
  };
  history history;
  if (const auto bytes = entry.at_or_null("bytes")) history.bytes = positive(*bytes);
  history.figures = figures(entry.at("figures"));
  history.means = if_there(entry, "means", figures).value_or(figures_of_processes());
  history.fastest = if_there(entry, "fastest", figures).value_or(figures_of_processes());
  history.limited_by = class_of(entry.at("limited_by"));
  if (const auto reference = entry.at_or_null("reference"))
    history.reference = figure_of(*reference, judged_by);
  history.work = work_of(entry);
  return history;
}

/// Whether a text is the first of two words, for example "more" and not "less".
bool is_first_of(const checked_value& value, std::string_view first, std::string_view second) {
  const auto word = value.text();
  if (word != first && word != second)
    value.refuse(fmt::format("is neither {} nor {}", first, second));
  return word == first;
}

/// None if the runs of the baseline declare nothing.
std::optional<declaration> declared_in(const checked_value& content, bool more_is_better) {
  if (!content.has("unit") && !content.has("metric_kind")) return std::nullopt;
  const auto word = content.at("metric_kind");
  const auto kind = result_file::metric_kind_from(word.text());
  word.require(kind.has_value(), "is unknown");
  return declaration{text_or_empty(content.at_or_null("unit")), *kind, more_is_better};
}

metric metric_in(const checked_value& content) {
  auto judged_by = metric::named(content.at("judged_by").text());
  content.require(!judged_by.key.empty(), "does not say what it is judged by");
  judged_by.more_is_better = is_first_of(content.at("better"), "more", "less");
  judged_by = judged_by.with(declared_in(content, judged_by.more_is_better));
  content.require(!judged_by.is_time() || !judged_by.more_is_better,
                  "is judged by a time of which more is better");
  judged_by.fastest_repetition = !is_first_of(content.at("of_repetitions"), "median", "fastest");
  return judged_by;
}

/// The facts that identify a machine. Without them, a baseline of bench_transfers would accept runs
/// of any machine.
fingerprint machine_in(const checked_value& content, bool ours) {
  fingerprint machine;
  std::set<std::string> keys;
  for (const auto& [key, value] : content.at("machine").members()) {
    machine.emplace_back(common::printable(key), value.text());
    value.require(keys.insert(machine.back().first).second, "is there twice");
  }
  content.require(!ours || !machine.empty(), "does not say of which machine it is");
  return machine;
}

std::vector<process> processes_of(const checked_value& runs) {
  std::vector<process> processes;
  std::map<std::uint64_t, std::string> file_of_content;
  for (const auto& run : runs.list(most_processes)) {
    const auto process = process_of(run);
    const auto [first, is_new] = file_of_content.emplace(process.content, process.file);
    if (!is_new)
      throw bad_entry(
          fmt::format("two of its runs are the same: '{}' and '{}'", first->second, process.file));
    processes.push_back(process);
  }
  runs.require(processes.size() >= least_processes, "has fewer than three entries");
  return processes;
}

void require_format(const checked_value& content) {
  const auto format = content.at("format").whole(SIZE_MAX);
  if (format != baseline_format)
    throw bad_entry(fmt::format("its format is {}, this program reads {}: {}", format,
                                baseline_format,
                                format > baseline_format ? "use a newer one" : "pin it anew"));
}

std::vector<std::string> measuring_options_of(const checked_value& values) {
  std::vector<std::string> options;
  for (const auto& value : values.list(SIZE_MAX)) {
    options.push_back(value.text());
    value.require(common::is_measuring_option(options.back()), "is no measuring option");
  }
  return options;
}

/// Refuses a baseline that has lost or changed content since it was made, as when two versions are
/// merged line by line.
void require_whole(const baseline& baseline, const checked_value& content,
                   const std::string& digest) {
  const auto count = content.at("benchmark_count").number();
  if (count != static_cast<double>(baseline.benchmarks.size()))
    throw bad_entry(fmt::format("it says that it has {} benchmarks and has {}: pin it anew", count,
                                baseline.benchmarks.size()));
  content.require(content.at(digest_key).text() == digest,
                  "is not as it was pinned (digest): pin it anew");
}

baseline baseline_of(const element& document) {
  std::string_view kind;
  if (document["kind"].get(kind) != simdjson::SUCCESS || kind != baseline_kind)
    throw bad_entry("it is not a baseline (gate_transfers pin makes one)");
  const checked_value content(document, "");
  require_format(content);
  baseline baseline;
  baseline.judged_by = metric_in(content);
  baseline.ours = content.at("ours").truth();
  baseline.on_host = content.at("on_host").truth();
  baseline.device = text_or_empty(content.at_or_null("device"));
  baseline.machine = machine_in(content, baseline.ours);
  baseline.options = if_there(content, "options", measuring_options_of);
  baseline.processes = processes_of(content.at("runs"));
  for (const auto& [name, entry] : content.at("benchmarks").members())
    entry.require(baseline.benchmarks
                      .emplace(common::printable(name),
                               history_of(entry, baseline.processes.size(), baseline.judged_by))
                      .second,
                  "is there twice");
  content.require(!baseline.benchmarks.empty(), "has no benchmarks");
  require_whole(baseline, content, digest_of(document));
  return baseline;
}

element baseline_parsed(simdjson::dom::parser& parser, std::string text) {
  constexpr std::size_t most_depth = 16;
  if (parser.allocate(text.size(), most_depth) != simdjson::SUCCESS)
    throw bad_entry("there is not enough memory to read it");
  return result_file::parsed(parser, std::move(text));
}

}  // namespace

baseline baseline_in(std::string text, const std::filesystem::path& file) {
  try {
    simdjson::dom::parser parser;
    return baseline_of(baseline_parsed(parser, std::move(text)));
  } catch (const bad_entry& error) {
    throw bad_input(
        fmt::format("cannot use {}: {}", common::printable_in_short(file.string()), error.what()));
  }
}

baseline read_baseline(const std::filesystem::path& file) {
  try {
    return baseline_in(common::read_text(file), file);
  } catch (const common::read_error& error) {
    throw bad_input(
        fmt::format("cannot read {}: {}", common::printable_in_short(file.string()), error.what()));
  }
}

}  // namespace bench_transfers::gate
