#include "src/result_file/reader.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <string_view>
#include <utility>

#include "src/common/files.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/result_file/contradictions.hpp"
#include "src/result_file/entries.hpp"
#include "src/result_file/facts.hpp"
#include "src/result_file/json_text.hpp"
#include "src/result_file/rows.hpp"
#include "src/result_file/to_nlohmann.hpp"

namespace bench_transfers::result_file {
namespace {

using json = nlohmann::ordered_json;
using simdjson::dom::element;

constexpr int known_schema = 1;
/// Of lists and objects in each other, as plots/model/strict_json.py has it.
constexpr std::size_t most_depth = 512;

void require_schema(const json& context) {
  const auto& schema = member(context, {"json_schema_version"});
  if (!schema.is_null()) require_version(schema, "json_schema_version", known_schema);
}

/// A run of several processes began with its first one. Files of before 2026-11-28 say when the
/// last one began.
void begin_with_first_process(json& facts) {
  const auto began = text_at(member(facts, {"parts"}).front(), {"started_utc"});
  if (common::parse_timestamp(began)) facts["run"]["started_utc"] = began;
}

benchmark described_by_name_alone(const std::string& name) {
  benchmark described;
  described.name = described.family = described.strategy = name;
  described.role = "other";
  return described;
}

[[noreturn]] benchmark refuse_undescribed(const std::string& name) {
  throw bad_benchmark(name, "context.transfers.benchmarks does not have it");
}

/// It lives as long as the parser.
element element_in(simdjson::dom::parser& parser, std::string text) {
  if (parser.allocate(text.size(), most_depth) != simdjson::SUCCESS)
    throw bad_entry("there is not enough memory to read it");
  return parsed(parser, std::move(text));
}

contents contents_of(std::string text) {
  simdjson::dom::parser parser;
  const auto document = element_in(parser, std::move(text));
  simdjson::dom::array rows;
  if (document["benchmarks"].get(rows) != simdjson::SUCCESS)
    throw bad_entry("it is no result file: it has no list of benchmarks");
  contents read;
  simdjson::dom::object context, transfers;
  if (document["context"].get(context) == simdjson::SUCCESS)
    read.context = to_nlohmann(context, {"transfers"});
  require_schema(read.context);
  const bool is_own = document["context"]["transfers"].get(transfers) == simdjson::SUCCESS;
  if (is_own)
    take_facts(transfers, read);
  else
    read.roles.emplace("other", role{"other", "other benchmarks", table::times});
  read_rows(rows, is_own ? refuse_undescribed : described_by_name_alone, read);
  require_no_contradiction(read);  // of the times that the file itself gives
  if (read.processes > 1 && read.last_process > 1) begin_with_first_process(read.facts);
  return read;
}

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view why) {
  throw unusable_file(fmt::format("cannot use {}: {}", common::printable(file.string()), why));
}

}  // namespace

contents read_text(std::string text, const std::filesystem::path& file) {
  try {
    return contents_of(std::move(text));
  } catch (const bad_entry& error) {
    refuse(file, error.what());
  }
}

json document_in(std::string text, const std::filesystem::path& file) {
  try {
    simdjson::dom::parser parser;
    return to_nlohmann(element_in(parser, std::move(text)));
  } catch (const bad_entry& error) {
    refuse(file, error.what());
  }
}

contents read(const std::filesystem::path& file) {
  try {
    return read_text(common::read_text(file), file);
  } catch (const common::read_error& error) {
    refuse(file, error.what());
  }
}

contents read_json(const json& document, const std::filesystem::path& file) {
  return read_text(document.dump(-1, ' ', false, json::error_handler_t::replace), file);
}

void require_bench_transfers(const contents& read, const std::filesystem::path& file) {
  if (!read.is_bench_transfers()) refuse(file, "it is no result file of bench_transfers");
}

void require(needed what, const contents& read, const std::filesystem::path& file) {
  if (const auto lacking = lacks(what, read); !lacking.empty()) refuse(file, lacking);
}

}  // namespace bench_transfers::result_file
