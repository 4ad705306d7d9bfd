#include "src/gate/io/read_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "src/common/files.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/gate/io/hash.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/result_file/entries.hpp"
#include "src/result_file/format.hpp"
#include "src/result_file/json_text.hpp"

namespace bench_transfers::gate {
namespace {

using simdjson::dom::element;

constexpr std::string_view digest_key = "digest";

element member_of(const element& parent, std::string_view key) {
  element value;
  if (parent[key].get(value) != simdjson::SUCCESS)
    throw bad_input(fmt::format("it is a damaged baseline: it has no '{}'", key));
  return value;
}

/// `kind`: the name of the type in messages.
template <class Value>
Value as(const element& value, std::string_view key, std::string_view kind) {
  Value result{};
  if (value.get(result) != simdjson::SUCCESS)
    throw bad_input(fmt::format("it is a damaged baseline: its '{}' is not a {}", key, kind));
  return result;
}

std::string_view raw_text_in(const element& parent, std::string_view key) {
  return as<std::string_view>(member_of(parent, key), key, "text");
}

std::string text_in(const element& parent, std::string_view key) {
  const auto value = member_of(parent, key);
  return value.is_null() ? std::string()
                         : common::printable(as<std::string_view>(value, key, "text"));
}

simdjson::dom::array list_in(const element& parent, std::string_view key) {
  return as<simdjson::dom::array>(member_of(parent, key), key, "list");
}

simdjson::dom::object object_in(const element& parent, std::string_view key) {
  return as<simdjson::dom::object>(member_of(parent, key), key, "object");
}

bool truth_in(const element& parent, std::string_view key) {
  return as<bool>(member_of(parent, key), key, "truth value");
}

double positive(const element& value, std::string_view key) {
  const auto number = as<double>(value, key, "number");
  if (!std::isfinite(number) || number <= 0) throw bad_input("a value that is not positive");
  return number;
}

double figure_in(const element& value, const metric& judged_by) {
  const auto number = positive(value, "figures");
  if (!judged_by.can_be(number))
    throw bad_input(fmt::format("a value that nobody can have measured: {}", number));
  return number;
}

std::uint64_t hexadecimal_in(const element& parent, std::string_view key) {
  const auto text = text_in(parent, key);
  std::uint64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || stopped != text.data() + text.size())
    throw bad_input(fmt::format("its '{}' is not a hexadecimal number", key));
  return value;
}

bool has(const element& parent, std::string_view key) {
  return parent[key].error() == simdjson::SUCCESS;
}

/// The member as `read` returns it, for example text_in; none if an older baseline lacks it.
template <class Read>
auto if_there(const element& parent, std::string_view key, const Read& read) {
  return has(parent, key) ? std::optional(read(parent, key)) : std::nullopt;
}

std::optional<std::chrono::sys_seconds> time_in(const element& entry, std::string_view key) {
  const auto text = text_in(entry, key);
  if (text.empty()) return std::nullopt;
  const auto time = common::parse_timestamp(text);
  if (!time) throw bad_input(fmt::format("it has an invalid timestamp: '{}'", text));
  return time;
}

process process_in(const element& entry) {
  process process;
  process.file = text_in(entry, "file");
  process.started = time_in(entry, "started_utc");
  process.finished = if_there(entry, "finished_utc", time_in);
  process.boot = text_in(entry, "boot");
  process.card = text_in(entry, "card");
  process.content = hexadecimal_in(entry, "content");
  process.slot = if_there(entry, "slot", text_in).value_or("");
  process.host = if_there(entry, "host", text_in).value_or("");
  process.measurements = if_there(entry, "measurements", hexadecimal_in);
  return process;
}

benchmark_class limited_by_in(const element& entry) {
  const auto kind = benchmark_class_from(raw_text_in(entry, "limited_by"));
  if (!kind) throw bad_input("its 'limited_by' is unknown");
  return *kind;
}

std::optional<double> reference_in(const element& entry, const metric& judged_by) {
  const auto value = member_of(entry, "reference");
  return value.is_null() ? std::nullopt : std::optional(figure_in(value, judged_by));
}

amount amount_in(const element& entry, std::string_view key) {
  const auto value = member_of(entry, key);
  const auto number = [&](std::string_view by) {
    return as<double>(member_of(value, by), by, "number");
  };
  return {number("by_real_time"), number("by_cpu_time")};
}

unsigned procedure_in(const element& entry, std::string_view key) {
  const auto number = as<std::uint64_t>(member_of(entry, key), key, "whole number");
  constexpr std::uint64_t most = 1'000'000;
  if (number < 1 || number > most)
    throw bad_input(fmt::format("its '{}' is no whole number from 1 on", key));
  return static_cast<unsigned>(number);
}

work work_in(const element& entry) {
  // Older baselines are of procedures that have no number, as the first ones.
  return {.procedure = if_there(entry, "procedure", procedure_in).value_or(1),
          .bytes = if_there(entry, "bytes_of_operation", amount_in),
          .items = if_there(entry, "items_of_operation", amount_in),
          .label = if_there(entry, "label", text_in).value_or("")};
}

figures_of_processes figures_in(const simdjson::dom::array& values, std::size_t processes,
                                const metric& judged_by) {
  figures_of_processes figures;
  for (const auto value : values)
    figures.push_back(value.is_null() ? std::nullopt : std::optional(figure_in(value, judged_by)));
  if (figures.size() != processes) throw bad_input("more or fewer values than there are runs");
  if (std::ranges::count_if(figures, [](const auto& figure) { return !!figure; }) <
      std::ptrdiff_t{least_processes})
    throw bad_input("fewer than three values");
  return figures;
}

history history_in(const element& entry, std::size_t processes, const metric& judged_by) {
  history history;
  if (const auto bytes = member_of(entry, "bytes"); !bytes.is_null())
    history.bytes = positive(bytes, "bytes");
  const auto figures = [&](const element& parent, std::string_view key) {
    return figures_in(list_in(parent, key), processes, judged_by);
  };
  history.figures = figures(entry, "figures");
  history.means = if_there(entry, "means", figures).value_or(figures_of_processes());
  history.fastest = if_there(entry, "fastest", figures).value_or(figures_of_processes());
  history.limited_by = limited_by_in(entry);
  history.reference = reference_in(entry, judged_by);
  history.work = work_in(entry);
  return history;
}

/// Whether a text is the first of two words, for example "more" and not "less".
bool is_first_of(const element& content, std::string_view key, const std::string& first,
                 const std::string& second) {
  const auto word = text_in(content, key);
  if (word != first && word != second)
    throw bad_input(fmt::format("its '{}' is neither {} nor {}", key, first, second));
  return word == first;
}

/// None if the runs of the baseline declare nothing.
std::optional<declaration> declared_in(const element& content, bool more_is_better) {
  if (!has(content, "unit") && !has(content, "metric_kind")) return std::nullopt;
  const auto kind = result_file::metric_kind_from(text_in(content, "metric_kind"));
  if (!kind) throw bad_input("its 'metric_kind' is unknown");
  return declaration{text_in(content, "unit"), *kind, more_is_better};
}

metric metric_in(const element& content) {
  auto judged_by = metric::named(text_in(content, "judged_by"));
  if (judged_by.key.empty()) throw bad_input("it does not say what it is judged by");
  judged_by.more_is_better = is_first_of(content, "better", "more", "less");
  judged_by = judged_by.with(declared_in(content, judged_by.more_is_better));
  if (judged_by.is_time() && judged_by.more_is_better)
    throw bad_input("it is judged by a time of which more is better");
  judged_by.fastest_repetition = !is_first_of(content, "of_repetitions", "median", "fastest");
  return judged_by;
}

/// The facts that identify a machine. Without them, a baseline of bench_transfers would accept runs
/// of any machine.
fingerprint machine_in(const element& content, bool ours) {
  fingerprint machine;
  std::set<std::string> keys;
  for (const auto& [key, value] : object_in(content, "machine")) {
    machine.emplace_back(common::printable(key),
                         common::printable(as<std::string_view>(value, key, "text")));
    if (!keys.insert(machine.back().first).second)
      throw bad_input(fmt::format("it has {} twice", machine.back().first));
  }
  if (ours && machine.empty()) throw bad_input("it does not say of which machine it is");
  return machine;
}

std::vector<process> processes_in(const simdjson::dom::array& content) {
  if (content.size() < least_processes) throw bad_input("it has fewer than three runs");
  if (content.size() > most_processes)
    throw bad_input(fmt::format("it has more than {} runs", most_processes));
  std::vector<process> processes;
  std::map<std::uint64_t, std::string> file_of_content;
  for (const auto entry : content) {
    const auto process = process_in(entry);
    const auto [first, is_new] = file_of_content.emplace(process.content, process.file);
    if (!is_new)
      throw bad_input(
          fmt::format("two of its runs are the same: '{}' and '{}'", first->second, process.file));
    processes.push_back(process);
  }
  return processes;
}

/// Adds the content of an element; the notation of its numbers and its white space do not count.
void add(const element& part, hash& digest) {
  using simdjson::dom::element_type;
  const auto type = part.is_number() ? element_type::DOUBLE : part.type();
  digest.add(static_cast<std::uint64_t>(type));
  switch (type) {
    case element_type::ARRAY: {
      const simdjson::dom::array list(part);
      digest.add(list.size());
      for (const auto entry : list) add(entry, digest);
      break;
    }
    case element_type::OBJECT: {
      const simdjson::dom::object object(part);
      digest.add(object.size());
      for (const auto& [key, value] : object) {
        digest.add(key);
        add(value, digest);
      }
      break;
    }
    case element_type::STRING: digest.add(std::string_view(part)); break;
    case element_type::BOOL: digest.add(std::uint64_t{bool(part)}); break;
    case element_type::NULL_VALUE: break;
    default: digest.add(std::bit_cast<std::uint64_t>(double(part)));
  }
}

std::string digest_of(const element& content) {
  hash digest;
  for (const auto& [key, value] : simdjson::dom::object(content)) {
    if (key == digest_key) continue;
    digest.add(key);
    add(value, digest);
  }
  return fmt::format("{:016x}", digest.value());
}

void require_format(const element& content) {
  const auto value = member_of(content, "format");
  std::int64_t format = 0;
  // get() fails for numbers that are not whole or too large.
  if (value.get(format) != simdjson::SUCCESS) throw bad_input("its format is not a whole number");
  if (format != baseline_format)
    throw bad_input(fmt::format("its format is {}, this program reads {}: {}", format,
                                baseline_format,
                                format > baseline_format ? "use a newer one" : "pin it anew"));
}

std::vector<std::string> measuring_options_in(const element& content, std::string_view key) {
  std::vector<std::string> options;
  for (const auto entry : list_in(content, key)) {
    std::string_view option;
    if (entry.get(option) != simdjson::SUCCESS || !common::is_measuring_option(option))
      throw bad_input("bad options");
    options.push_back(common::printable(option));
  }
  return options;
}

/// Refuses a baseline that has lost or changed content since it was made, as when two versions are
/// merged line by line.
void require_whole(const baseline& baseline, const element& content) {
  const auto count = as<double>(member_of(content, "benchmark_count"), "benchmark_count", "number");
  if (count != static_cast<double>(baseline.benchmarks.size()))
    throw bad_input(fmt::format("it says that it has {} benchmarks and has {}: pin it anew", count,
                                baseline.benchmarks.size()));
  if (raw_text_in(content, digest_key) != digest_of(content))
    throw bad_input("it is not as it was pinned (digest): pin it anew");
}

baseline baseline_of(const element& content) {
  std::string_view kind;
  if (content["kind"].get(kind) != simdjson::SUCCESS || kind != baseline_kind)
    throw bad_input("it is not a baseline (gate_transfers pin makes one)");
  require_format(content);
  baseline baseline;
  baseline.judged_by = metric_in(content);
  baseline.ours = truth_in(content, "ours");
  baseline.on_host = truth_in(content, "on_host");
  baseline.device = text_in(content, "device");
  baseline.machine = machine_in(content, baseline.ours);
  baseline.options = if_there(content, "options", measuring_options_in);
  baseline.processes = processes_in(list_in(content, "runs"));
  for (const auto& [name, entry] : object_in(content, "benchmarks")) {
    try {
      const bool is_new =
          baseline.benchmarks
              .emplace(common::printable(name),
                       history_in(entry, baseline.processes.size(), baseline.judged_by))
              .second;
      if (!is_new) throw bad_input("a name that is there twice");
    } catch (const bad_input& error) {
      throw bad_input(fmt::format("{}: {}", common::printable_in_short(name), error.what()));
    }
  }
  if (baseline.benchmarks.empty()) throw bad_input("it has no benchmarks");
  require_whole(baseline, content);
  return baseline;
}

element baseline_parsed(simdjson::dom::parser& parser, std::string text) {
  constexpr std::size_t most_depth = 16;
  if (parser.allocate(text.size(), most_depth) != simdjson::SUCCESS)
    throw bad_input("there is not enough memory to read it");
  try {
    return result_file::parsed(parser, std::move(text));
  } catch (const result_file::bad_entry& error) {
    throw bad_input(error.what());
  }
}

}  // namespace

std::string digest_of(std::string text) {
  simdjson::dom::parser parser;
  return digest_of(baseline_parsed(parser, std::move(text)));
}

baseline baseline_in(std::string text, const std::filesystem::path& file) {
  try {
    simdjson::dom::parser parser;
    return baseline_of(baseline_parsed(parser, std::move(text)));
  } catch (const bad_input& error) {
    throw bad_input(
        fmt::format("cannot use {}: {}", common::printable_in_short(file.string()), error.what()));
  }
}

baseline read_baseline(const std::filesystem::path& file) {
  std::string text;
  try {
    text = common::read_text(file);
  } catch (const common::read_error& error) {
    throw bad_input(
        fmt::format("cannot read {}: {}", common::printable_in_short(file.string()), error.what()));
  }
  return baseline_in(std::move(text), file);
}

}  // namespace bench_transfers::gate
