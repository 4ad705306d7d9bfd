#include "src/fleet/io/sweep_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "src/common/files.hpp"
#include "src/common/gzip.hpp"
#include "src/common/message.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/common/writing.hpp"
#include "src/fleet/io/collect.hpp"
#include "src/result_file/checked_value.hpp"
#include "src/result_file/json_text.hpp"

namespace bench_transfers::fleet {
namespace {

using common::or_null;
using json = nlohmann::ordered_json;
using result_file::checked_value;

constexpr std::size_t format = 1;
constexpr const char* kind_of_file = "fleet_sweep";
/// Of devices, as in result files.
constexpr const char* gpu_kind = "cuda";
constexpr const char* host_kind = "host";
constexpr std::size_t most_benchmarks = 10'000;
constexpr std::size_t most_times = 100'000;
constexpr std::size_t most_problems = 1'000'000;
constexpr std::size_t most_runs = 1'000;
constexpr std::size_t most_procedures = 1'000'000;
constexpr std::size_t most_copied = std::size_t{1} << 50;
/// About 50,000 GPUs after one quick run each.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

json to_json(const benchmark& shown) {
  json entry{{"name", shown.name},
             {"class", to_string(shown.aspect.kind)},
             {"direction", to_string(shown.aspect.towards)},
             {"together", shown.aspect.together},
             {"copied_bytes", or_null(shown.copied_bytes)}};
  if (shown.procedure != 1) entry["procedure"] = shown.procedure;
  return entry;
}

json to_json(const gpu& shown) {
  return {{"uuid", shown.uuid},
          {"slot", or_null(shown.slot)},
          {"model", shown.model},
          {"node", shown.node},
          {"rack", or_null(shown.rack)},
          {"rank", or_null(shown.rank)},
          {"local_rank", or_null(shown.local_rank)},
          {"local_size", or_null(shown.local_size)},
          {"link",
           {{"generation", or_null(shown.link.generation)},
            {"width", or_null(shown.link.width)},
            {"generation_max", or_null(shown.link.generation_max)},
            {"width_max", or_null(shown.link.width_max)}}},
          {"parts", shown.parts},
          {"warnings", shown.warnings},
          {"wrong_data", shown.wrong_data},
          {"kind", shown.on_host ? host_kind : gpu_kind},
          {"times_ns", shown.times}};
}

std::optional<int> small(const checked_value& object, const char* key) {
  constexpr std::size_t most = 255;
  const auto value = object.at_or_null(key);
  return value ? std::optional(static_cast<int>(value->whole(most))) : std::nullopt;
}

std::string text_or_empty(const checked_value& object, const char* key) {
  const auto value = object.at_or_null(key);
  return value ? value->text() : std::string();
}

benchmark benchmark_of(const checked_value& entry) {
  benchmark result{entry.at("name").text(), {}};
  const auto kind = result_file::benchmark_class_from(entry.at("class").text());
  entry.at("class").require(kind.has_value(), "is unknown");
  const auto towards = result_file::direction_from(entry.at("direction").text());
  entry.at("direction").require(towards.has_value(), "is unknown");
  result.aspect = {*kind, *towards, entry.at("together").truth()};
  if (const auto bytes = entry.find("copied_bytes"))
    result.copied_bytes = bytes->whole(most_copied);
  if (const auto procedure = entry.find("procedure")) {
    result.procedure = static_cast<unsigned>(procedure->whole(most_procedures));
    procedure->require(result.procedure > 0, "is no number of a procedure");
  }
  return result;
}

benchmark_times times_of(const checked_value& entry) {
  benchmark_times runs;
  for (const auto& run : entry.list(most_runs)) {
    runs.push_back(run.numbers(
        most_times, [](double time) { return time >= shortest_time && time < longest_time; },
        "is no time that can be measured"));
    run.require(!runs.back().empty(), "is empty");
  }
  return runs;
}

gpu gpu_of(const checked_value& entry, std::size_t benchmarks) {
  gpu result;
  result.uuid = entry.at("uuid").text();
  result.slot = text_or_empty(entry, "slot");
  result.model = entry.at("model").text();
  result.node = entry.at("node").text();
  result.rack = text_or_empty(entry, "rack");
  if (const auto rank = entry.at_or_null("rank")) result.rank = rank->whole(most_ranks);
  if (const auto rank = entry.find("local_rank")) result.local_rank = rank->whole(most_ranks);
  if (const auto size = entry.find("local_size")) result.local_size = size->whole(most_ranks);
  const auto link = entry.at("link");
  result.link = {small(link, "generation"), small(link, "width"), small(link, "generation_max"),
                 small(link, "width_max")};
  if (const auto parts = entry.find("parts")) {
    result.parts = parts->whole(most_parts);
    parts->require(result.parts > 0, "is no number of parts");
  }
  if (const auto kind = entry.find("kind")) result.on_host = kind->text() == host_kind;
  for (const auto& code : entry.at("warnings").list(most_benchmarks))
    result.warnings.insert(code.text());
  for (const auto& name : entry.at("wrong_data").list(most_benchmarks))
    result.wrong_data.insert(name.text());
  const auto times = entry.at("times_ns");
  for (const auto& of_benchmark : times.list(most_benchmarks))
    result.times.push_back(times_of(of_benchmark));
  times.require(result.times.size() == benchmarks, "has not one list for each benchmark");
  return result;
}

common::message problem_of(const checked_value& entry) {
  return {entry.at("code").text(), json::parse(entry.at("data").json()), entry.at("text").text()};
}

sweep sweep_of(const checked_value& file) {
  const auto kind = file.find("kind");
  file.require(kind && kind->text() == kind_of_file,
               "is no sweep ('kind' is not 'fleet_sweep'): fleet_transfers collect makes one of "
               "result files");
  file.at("format").require(file.at("format").whole(most_ranks) == format,
                            fmt::format("is not {}", format));
  sweep result;
  result.id = text_or_empty(file, "sweep");
  if (const auto begin = file.find("begin")) {
    result.begin = common::parse_timestamp(begin->text());
    begin->require(result.begin.has_value(), "is no time");
  }
  if (const auto size = file.at_or_null("world_size")) result.world_size = size->whole(most_gpus);
  for (const auto& entry : file.at("benchmarks").list(most_benchmarks))
    result.benchmarks.push_back(benchmark_of(entry));
  for (const auto& rank : file.at("other_ranks").list(most_gpus))
    result.other_ranks.insert(rank.whole(most_ranks));
  if (const auto nodes = file.find("absent_nodes"))
    for (const auto& node : nodes->list(most_gpus)) result.absent_nodes.insert(node.text());
  std::set<std::string> uuids;
  for (const auto& entry : file.at("gpus").list(most_gpus)) {
    result.gpus.push_back(gpu_of(entry, result.benchmarks.size()));
    entry.require(uuids.insert(result.gpus.back().uuid).second, "has the UUID of another GPU");
  }
  for (const auto& entry : file.at("problems").list(most_problems))
    result.problems.push_back(problem_of(entry));
  return result;
}

/// A folder of results is no sweep yet; with MPI it has one.
void require_no_folder(const std::filesystem::path& file) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(file, unknown)) return;
  const auto shown = common::printable(file.string());
  const auto sweep = file / "sweep.json.gz";
  throw unusable_sweep(fmt::format(
      "{} is a folder, not a sweep: {}", shown,
      std::filesystem::exists(sweep, unknown)
          ? fmt::format("it has one, {}", common::printable(sweep.string()))
          : fmt::format("fleet_transfers collect {} --out=FILE makes one of its results", shown)));
}

}  // namespace

std::string to_text(const sweep& sweep) {
  const auto convert = [](const auto& shown) { return to_json(shown); };
  const json document{{"kind", kind_of_file},
                      {"format", format},
                      {"sweep", or_null(sweep.id)},
                      {"begin", or_null(sweep.begin)},
                      {"world_size", or_null(sweep.world_size)},
                      {"other_ranks", sweep.other_ranks},
                      {"absent_nodes", sweep.absent_nodes},
                      {"benchmarks", common::list_of(sweep.benchmarks, convert)},
                      {"gpus", common::list_of(sweep.gpus, convert)},
                      {"problems", common::to_json(sweep.problems)}};
  return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

void write_sweep(const std::filesystem::path& file, const sweep& sweep) {
  auto text = to_text(sweep);
  const bool compressed = file.string().ends_with(".gz");
  common::write_output(file, compressed ? common::packed(text) : text);
}

std::vector<std::filesystem::path> sweeps_below(const std::vector<std::filesystem::path>& folders) {
  constexpr std::size_t beginning = 100;
  const auto is_named = [&](const std::filesystem::path& file) {
    return std::ranges::find(folders, file) != folders.end();
  };
  std::vector<std::filesystem::path> sweeps;
  for (auto& file : files_below(folders).files)
    if (is_named(file.path) ||
        common::beginning_of(file.path, beginning).find(R"("fleet_sweep")") != std::string::npos)
      sweeps.push_back(std::move(file.path));
  if (sweeps.empty())
    throw nothing_to_collect(
        fmt::format("there are no sweeps in {}: fleet_transfers collect makes them of result files",
                    names_of(folders)));
  return sweeps;
}

sweep sweep_from_text(std::string text, const std::filesystem::path& file) {
  try {
    simdjson::dom::parser parser;
    return sweep_of(checked_value(result_file::parsed(parser, std::move(text)), ""));
  } catch (const result_file::bad_entry& bad) {
    throw unusable_sweep(
        fmt::format("cannot use {}: {}", common::printable(file.string()), bad.what()));
  }
}

sweep read_sweep(const std::filesystem::path& file) {
  require_no_folder(file);
  try {
    return sweep_from_text(common::read_text(file, most_bytes), file);
  } catch (const common::read_error& error) {
    throw unusable_sweep(
        fmt::format("cannot read {}: {}", common::printable(file.string()), error.what()));
  }
}

}  // namespace bench_transfers::fleet
