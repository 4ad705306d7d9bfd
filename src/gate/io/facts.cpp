#include "src/gate/io/facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "src/common/printable.hpp"
#include "src/gate/io/known_facts.hpp"
#include "src/gate/io/timestamp.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::gate {
namespace {

using simdjson::dom::element;

constexpr std::int64_t newest_schema = 1;  // Google Benchmark's

using path = std::vector<std::string_view>;

/// A member of nested objects; none where there is none, or null.
std::optional<element> member(element in, const path& keys) {
  for (const auto key : keys)
    if (in[key].get(in) != simdjson::SUCCESS) return std::nullopt;
  return in.is_null() ? std::nullopt : std::optional(in);
}

/// A fact in one line; none for what is not a text, number or truth.
std::optional<std::string> text_of(const element& fact) {
  std::string_view text;
  bool truth = false;
  double number = 0;
  if (fact.get(text) == simdjson::SUCCESS)
    return text.empty() ? std::nullopt : std::optional(common::printable(text));
  if (fact.get(truth) == simdjson::SUCCESS) return truth ? "true" : "false";
  if (fact.get(number) == simdjson::SUCCESS) return fmt::format("{}", number);
  return std::nullopt;
}

std::string text_at(const element& in, const path& keys) {
  const auto found = member(in, keys);
  return found ? text_of(*found).value_or("") : "";
}

/// A file without it is of a run that has ended.
bool is_complete(const element& facts) {
  bool complete = true;
  if (const auto found = member(facts, {"complete"});
      found && found->get(complete) != simdjson::SUCCESS)
    throw bad_input("its complete is neither true nor false");
  return complete;
}

/// Empty where there is none.
std::vector<element> list_at(const element& facts, const path& keys) {
  const auto value = member(facts, keys);
  if (!value) return {};
  simdjson::dom::array list;
  if (value->get(list) != simdjson::SUCCESS)
    throw bad_input(fmt::format("its {} is not a list", fmt::join(keys, ".")));
  std::vector<element> entries;
  for (const auto entry : list) entries.push_back(entry);
  return entries;
}

std::vector<std::string> texts_at(const element& facts, const path& keys) {
  std::vector<std::string> texts;
  for (const auto entry : list_at(facts, keys))
    if (auto text = text_of(entry)) texts.push_back(std::move(*text));
  return texts;
}

/// Throws unless `number` is from 1 to `newest`, as far as it is there.
void require_version(const std::optional<element>& number, std::int64_t newest, const char* key) {
  if (!number) return;
  std::int64_t version = 0;
  if (number->get(version) != simdjson::SUCCESS)
    throw bad_input(fmt::format("its {} is not a whole number", key));
  if (version < 1 || version > newest)
    throw bad_input(fmt::format("its {} is {}, this program reads {}{}", key, version,
                                newest > 1 ? "1 to " : "", newest));
}

/// Whether memory is cached decides about rates by a factor, whatever was asked for.
void add_memory_types(const element& facts, fingerprint& into) {
  const auto blocks = member(facts, {"buffers"});
  simdjson::dom::array list;
  if (!blocks || blocks->get(list) != simdjson::SUCCESS) return;
  std::set<std::string> seen;
  for (const auto block : list) {
    const auto kind = text_at(block, {"memory"});
    const auto type = text_at(block, {"memory_type"});
    const bool known = !kind.empty() && !type.empty();
    if (known && seen.insert(kind).second) into.emplace_back("memory_type." + kind, type);
  }
}

std::optional<std::string> rounded_gib(const element& bytes) {
  double number = 0;
  if (bytes.get(number) != simdjson::SUCCESS) return std::nullopt;
  constexpr double gib = 1 << 30;
  return fmt::format("{}", std::round(number / gib));
}

void add_fact(const known_fact& fact, const element& facts, fingerprint& into) {
  const auto value = member(facts, fact.place);
  if (!value) return;
  if (auto text = fact.in_gib ? rounded_gib(*value) : text_of(*value))
    into.emplace_back(fact.key, std::move(*text));
}

/// Memory types explain less than the link, and more than the rest.
fingerprint fingerprint_of(const element& facts) {
  fingerprint machine;
  const auto known = known_facts();
  const auto after_link = std::ranges::find_if_not(
      known, [](const known_fact& fact) { return fact.key.starts_with("link."); });
  for (auto fact = known.begin(); fact != after_link; ++fact) add_fact(*fact, facts, machine);
  add_memory_types(facts, machine);
  for (auto fact = after_link; fact != known.end(); ++fact) add_fact(*fact, facts, machine);
  return machine;
}

/// Texts in format 1, and messages from format 2 on.
std::vector<run_warning> warnings_in(const element& facts) {
  std::vector<run_warning> warnings;
  for (const auto warning : list_at(facts, {"warnings"})) {
    if (warning.is_object())
      warnings.push_back({text_at(warning, {"code"}), text_at(warning, {"text"})});
    else if (auto text = text_of(warning))
      warnings.push_back({"other", std::move(*text)});
  }
  return warnings;
}

/// What the file says about the field judged by, where that is a counter.
std::optional<declaration> declared_in(const element& facts, const metric& judged_by) {
  const auto entry = member(facts, {"metrics", judged_by.key});
  if (!entry || !judged_by.is_counter()) return std::nullopt;
  const auto kind = result_file::metric_kind_from(text_at(*entry, {"kind"}));
  const auto better = text_at(*entry, {"better"});
  const auto direction = result_file::better_from(better);
  if (!kind)
    throw bad_input(fmt::format("it does not say what kind of metric {} is",
                                common::printable_in_short(judged_by.key)));
  if (!direction && !better.empty())
    throw bad_input(fmt::format("its metric {} is better when it is '{}', neither more nor less",
                                common::printable_in_short(judged_by.key),
                                common::printable_in_short(better)));
  return declaration{
      text_at(*entry, {"unit"}), *kind,
      direction ? std::optional(*direction == result_file::better::more) : std::nullopt};
}

void read_facts(const element& facts, const metric& judged_by, run& into) {
  const auto format = member(facts, {"format"});
  if (!format) throw bad_input("it does not say its format (context.transfers.format)");
  require_version(format, result_file::newest_format, "format");
  const auto kind = text_at(facts, {"device", "kind"});
  if (kind.empty())
    throw bad_input("it does not say what device was measured (context.transfers.device)");
  into.ours = true;
  into.on_host = kind == "host";
  into.device = text_at(facts, {"device", "name"});
  into.card = text_at(facts, {"device", "uuid"});
  into.machine = fingerprint_of(facts);
  into.started = parse_timestamp(text_at(facts, {"run", "started_utc"}));
  into.boot = text_at(facts, {"machine", "kernel", "boot_id"});
  into.faults = texts_at(facts, {"run", "faults_injected"});
  into.complete = is_complete(facts);
  into.warnings = warnings_in(facts);
  into.declared = declared_in(facts, judged_by);
}

}  // namespace

void read_context(const element& document, const metric& judged_by, run& into) {
  require_version(member(document, {"context", "json_schema_version"}), newest_schema,
                  "json_schema_version");
  const auto facts = member(document, {"context", "transfers"});
  if (facts && facts->is_object())
    read_facts(*facts, judged_by, into);
  else
    into.started = parse_timestamp(text_at(document, {"context", "date"}));
}

}  // namespace bench_transfers::gate
