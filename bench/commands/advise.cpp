#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/cli/choose_device.hpp"
#include "bench/cli/default_file.hpp"
#include "bench/cli/run.hpp"
#include "src/advice/alternatives.hpp"
#include "src/advice/at_once.hpp"
#include "src/advice/at_once_words.hpp"
#include "src/advice/leave_out.hpp"
#include "src/advice/map.hpp"
#include "src/advice/measurements.hpp"
#include "src/advice/ranking.hpp"
#include "src/advice/text.hpp"
#include "src/advice/to_json.hpp"
#include "src/claims/file_claim.hpp"
#include "src/command/command.hpp"
#include "src/command/options.hpp"
#include "src/common/files.hpp"
#include "src/common/message.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/common/writing.hpp"
#include "src/exports/text.hpp"
#include "src/result_file/reader.hpp"
#include "src/topology/map/reader.hpp"

namespace bench_transfers::bench {
namespace {

/// The command line of `bench_transfers advise`.
struct advice_request {
  std::string role = "copy";  ///< of the benchmarks that are ranked
  /// A size as common::parse_size takes it; of copies also several, as common::parse_sizes takes
  /// them; empty: no ranking.
  std::string bytes;
  /// "h2d" or "d2h"; of copies also "h2d,d2h", of other roles "both", "none"; empty: all.
  std::string direction;
  std::vector<std::int64_t> reuses{1};
  std::optional<double> cpu_writes, cpu_reads;  ///< empty: the usual value for the direction
  std::filesystem::path source;                 ///< empty: the newest local result
  std::string device;                           ///< id of one of its devices; empty: the first
  std::filesystem::path json, map;              ///< empty: none
  std::string devices;  ///< "all" or devices of a host map, "cuda:0,2-3"; empty: no copies at once
  std::filesystem::path host_map;  ///< what `bench_transfers map` wrote
  bool check = false;
  bool allow_host = false;
};

/// A result file was read, but nothing in it can be ranked; what() is one line. Exit code 3.
class nothing_to_rank : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace files = std::filesystem;

constexpr const char* local_results = "results/local";
constexpr std::int64_t most_reuse = 1'000'000'000'000;
constexpr double most_accesses = 1'000'000;

std::int64_t parse_reuse(const std::string& text) {
  std::int64_t reuse = 0;
  const auto* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, reuse);
  if (error == std::errc{} && stopped == end && reuse >= 1 && reuse <= most_reuse) return reuse;
  throw common::usage_error(
      fmt::format("bad --reuse '{}': a whole number from 1 to {}", text, most_reuse));
}

/// Of "h2d,d2h"; CLI11 drops an empty last part.
std::vector<std::string> parts_of(const std::string& list) {
  auto parts = CLI::detail::split(list, ',');
  if (list.ends_with(',')) parts.emplace_back();
  return parts;
}

std::vector<std::int64_t> parse_reuses(const std::string& text) {
  std::vector<std::int64_t> reuses;
  for (const auto& part : parts_of(text)) reuses.push_back(parse_reuse(part));
  return reuses;
}

double parse_accesses(const std::string& option, const std::string& text) {
  double times = 0;
  if (CLI::detail::lexical_cast(text, times) && times >= 0 && times <= most_accesses) return times;
  throw common::usage_error(
      fmt::format("bad {} '{}': a number from 0 to {}", option, text, most_accesses));
}

std::string advise_footer() {
  return "Predicts (allocate + free) / reuse + writes x fill + transfer + reads x read-back from\n"
         "what bench_transfers has measured; docs/ADVISE.md has the model and its error.\n"
         "With --for: by which of the ways in the file to do another transfer: file, overlap,\n"
         "duplex, scattered_copy, batched_copy, parameters, interference, wait, or a role of\n"
         "your own.\n"
         "Of copies, --bytes, --direction and --reuse take several values: --bytes=1KiB:1MiB:x4\n"
         "--direction=h2d,d2h --reuse=1,100.\n"
         "With --host-map and --devices: how to copy to several devices, by a map of the host.\n"
         "Exit codes: 0 answered, 1 the answer cannot be written, 2 usage or unusable file,\n"
         "3 nothing in the file can be ranked, or it cannot tell.";
}

/// The newest of files.
class newest_file {
 public:
  void offer(const files::directory_entry& entry) {
    std::error_code unreadable;
    const auto time = entry.last_write_time(unreadable);
    if (unreadable || (!path_.empty() && time <= time_)) return;
    path_ = entry.path();
    time_ = time;
  }
  [[nodiscard]] const files::path& path() const { return path_; }

 private:
  files::path path_;
  files::file_time_type time_;
};

/// The newest result that scripts/bench has written below `local_results`, or a run without --out
/// in the current folder.
files::path newest_local_result() {
  newest_file newest;
  std::error_code error;
  files::recursive_directory_iterator below(
      local_results, files::directory_options::skip_permission_denied, error);
  for (; !error && below != files::recursive_directory_iterator(); below.increment(error))
    if (below->path().filename() == "result.json") newest.offer(*below);
  files::directory_iterator here(".", error);
  for (; !error && here != files::directory_iterator(); here.increment(error))
    if (is_default_file(here->path().filename().string())) newest.offer(*here);
  if (newest.path().empty())
    throw common::usage_error(
        fmt::format("no result file here or below {}: make one with scripts/bench "
                    "--profile=standard, or name one with --from",
                    local_results));
  return newest.path();
}

[[noreturn]] void refuse(const advice::measurements& measured, const std::string& why) {
  throw nothing_to_rank(fmt::format("nothing to rank in {}: {}", measured.from.file.string(), why));
}

advice::file_for_answers read(const advice_request& request) {
  try {
    auto read =
        advice::read_for_answers(request.source.empty() ? newest_local_result() : request.source,
                                 request.device, request.role);
    if (!read.copies.from.has_gpu && !request.allow_host)
      throw common::usage_error(fmt::format(
          "cannot use {}: it was made without a GPU; --allow-host answers for copies within this "
          "machine's memory",
          read.copies.from.file.string()));
    if (!read.lacks.empty()) refuse(read.copies, read.lacks);
    return read;
  } catch (const result_file::unusable_file& error) {
    throw common::usage_error(error.what());
  }
}

advice::question question_for(const advice_request& request, const std::string& direction) {
  auto question = advice::usual_question(direction);
  question.reuse = static_cast<double>(request.reuses.front());
  question.cpu_writes = request.cpu_writes.value_or(question.cpu_writes);
  question.cpu_reads = request.cpu_reads.value_or(question.cpu_reads);
  return question;
}

/// What is printed, and what the files get.
struct written_answer {
  exports::answer text;
  std::vector<common::output> files;
  std::vector<claims::file_claim> claimed;  ///< until all is written

  void write(const files::path& path, const nlohmann::ordered_json& document) {
    files.push_back({path, [document] { return common::text_of(document); }});
  }
};

/// Whose value it may be: "--bytes" of a size; empty: none's.
std::string option_of_value(const std::string& value) {
  if (value == "h2d" || value == "d2h") return "--direction";
  try {
    static_cast<void>(common::parse_size(value));
    return "--bytes";
  } catch (const common::usage_error&) {
    return "";
  }
}

/// Every question about copies that is asked at once: by direction, then by size.
std::vector<advice::question> questions_of(const advice_request& request) {
  std::vector<advice::question> questions;
  for (const auto& direction : parts_of(request.direction))
    for (const auto bytes : common::parse_sizes(request.bytes, SIZE_MAX))
      for (const auto reuse : request.reuses) {
        questions.push_back(question_for(request, direction));
        questions.back().bytes = static_cast<double>(bytes);
        questions.back().reuse = static_cast<double>(reuse);
      }
  return questions;
}

std::string why_unranked(const advice::ranked_question& answer) {
  const auto& left_out = answer.ranked.left_out;
  return left_out.empty() ? fmt::format("no transfers {} in it", answer.asked.direction)
                          : fmt::format("{}: {}", left_out.front().name, left_out.front().reason);
}

/// Whether something can be recommended for each question.
bool answer_questions(written_answer& out, const advice_request& request,
                      const advice::measurements& measured, const advice::cost_model& model) {
  std::vector<advice::ranked_question> answers;
  for (const auto& question : questions_of(request))
    answers.push_back({question, model.rank(question)});
  const auto is_ranked = [](const auto& answer) { return !answer.ranked.strategies.empty(); };
  if (std::ranges::none_of(answers, is_ranked)) refuse(measured, why_unranked(answers.front()));
  for (const auto& answer : answers) {
    if (!out.text.parts.empty()) out.text.say("");
    if (is_ranked(answer))
      advice::add_ranking(out.text, measured, model, answer.asked, answer.ranked);
    else
      out.text.say("Nothing to rank: " + why_unranked(answer));
  }
  if (!request.json.empty())
    out.write(request.json, answers.size() == 1
                                ? advice::ranking_document(measured, model, answers.front())
                                : advice::rankings_document(measured, model, answers));
  return std::ranges::all_of(answers, [&](const auto& answer) {
    return is_ranked(answer) && !advice::reason_not_to_recommend(answer.ranked);
  });
}

void answer_check(written_answer& out, const advice_request& request,
                  const advice::measurements& measured, const advice::cost_model& model) {
  const auto checks = advice::check_by_leaving_out(measured);
  if (checks.empty()) refuse(measured, "a check needs three sizes, one of them from 4KiB on");
  advice::add_check(out.text, measured, model, checks);
  if (!request.json.empty())
    out.write(request.json, advice::check_document(measured, model, checks));
}

void write_map(written_answer& out, const advice_request& request,
               const advice::measurements& measured, const advice::cost_model& model) {
  const std::array maps{advice::map_of(model, question_for(request, "h2d")),
                        advice::map_of(model, question_for(request, "d2h"))};
  if (maps[0].cells.empty() && maps[1].cells.empty())
    refuse(measured, "no strategy has all that a sum needs");
  out.write(request.map, advice::map_document(measured, model, maps));
  out.text.say(fmt::format("Map: {} sizes, {} reuse counts, both directions: {}",
                           maps[0].sizes.size(), maps[0].reuses.size(),
                           common::printable(request.map.string())));
  if (!model.measured().allocation)
    out.text.say("Note: all reuse counts have the same answer there: allocating was not measured.");
}

std::string names_of(const std::vector<advice::rankable_role>& roles) {
  std::vector<std::string> names;
  for (const auto& role : roles) names.push_back(role.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

advice::role_answers answers_about(const advice_request& request,
                                   const advice::file_for_answers& read) {
  auto answers = advice::answers_about(
      read.jobs, [&](const std::string& direction) -> std::optional<advice::question> {
        if (!request.direction.empty() && request.direction != direction) return std::nullopt;
        auto question = question_for(request, direction);
        question.bytes = static_cast<double>(common::parse_size(request.bytes));
        return question;
      });
  if (answers.ranked.empty())
    refuse(read.copies, answers.left_out.empty() ? "no benchmarks of that direction"
                                                 : advice::unranked_text(answers.left_out.front()));
  return answers;
}

/// Ranks the benchmarks of another role than copies.
bool advise_role(written_answer& out, const advice_request& request) {
  const auto read = bench::read(request);
  out.claimed = claims::claim_outputs({request.json}, std::span(&read.copies.from.file, 1));
  if (read.jobs.empty())
    refuse(
        read.copies,
        fmt::format("no benchmarks of the role {} that are alternatives to each other; it has {}",
                    common::printable_in_short(request.role),
                    read.roles.empty() ? "none of another role" : names_of(read.roles)));
  const auto answers = answers_about(request, read);
  out.text.label = advice::label_of(read.copies.from.has_gpu);
  advice::add_alternatives(out.text, answers);
  if (!request.json.empty()) out.write(request.json, advice::alternatives_document(answers));
  return std::ranges::none_of(answers.ranked, [](const auto& answer) {
    return advice::reason_not_to_recommend(answer.ranked).has_value();
  });
}

/// Returns whether everything that was asked has an answer.
bool advise_strategy(written_answer& out, const advice_request& request) {
  const auto read = bench::read(request);
  const auto& measured = read.copies;
  out.text.label = advice::label_of(measured.from.has_gpu);
  out.claimed =
      claims::claim_outputs({request.json, request.map}, std::span(&measured.from.file, 1));
  const advice::cost_model model(measured);
  if (!model.transfer_sizes())
    refuse(measured, "no transfers of two sizes or more with warm caches in it");
  const bool is_known = request.bytes.empty() || answer_questions(out, request, measured, model);
  if (!request.bytes.empty() && !read.roles.empty())
    out.text.say(fmt::format("Other transfers in this file: --for={}.", names_of(read.roles)));
  if (request.check) answer_check(out, request, measured, model);
  if (!request.map.empty()) write_map(out, request, measured, model);
  return is_known;
}

std::vector<std::string> names_in(const std::string& list) {
  try {
    return names_in_list(list);
  } catch (const common::usage_error&) {
    throw common::usage_error(
        fmt::format("bad --devices '{}': all, or devices of the map, such as cuda:0,2-3",
                    common::printable_in_short(list)));
  }
}

/// "all", or a list of the map's devices.
topology::device_set devices_named(const std::string& list, const topology::host_map& map) {
  if (list == "all") return topology::device_set::up_to(map.devices.size());
  topology::device_set devices;
  for (const auto& name : names_in(list)) {
    const auto device = std::ranges::find(map.devices, name);
    if (device == map.devices.end())
      throw common::usage_error(fmt::format("bad --devices: the map has no '{}', but {}", name,
                                            fmt::join(map.devices, ", ")));
    const auto index = static_cast<std::size_t>(device - map.devices.begin());
    if (devices.contains(index))
      throw common::usage_error(fmt::format("bad --devices: {} is named twice", name));
    devices = devices | topology::device_set::of(index);
  }
  return devices;
}

std::vector<topology::traffic> traffic_named(const std::string& direction) {
  std::vector<topology::traffic> kinds;
  for (const auto kind : topology::every_traffic)
    if (direction.empty() || direction == to_string(kind)) kinds.push_back(kind);
  return kinds;
}

advice::map_source read_map(const advice_request& request) {
  try {
    advice::map_source source{request.host_map, topology::read_map_file(request.host_map)};
    if (source.contents.origin.without_gpu && !request.allow_host)
      throw common::usage_error(
          fmt::format("cannot use {}: it was made without a GPU; --allow-host answers for copies "
                      "within this machine's memory",
                      common::printable(request.host_map.string())));
    return source;
  } catch (const topology::unusable_map& error) {
    throw common::usage_error(error.what());
  }
}

/// The size of the map's own copies, or what most maps are made of.
double bytes_at_once(const advice_request& request, const topology::map_origin& origin) {
  constexpr std::size_t usual_bytes = 16 << 20;
  return static_cast<double>(request.bytes.empty() ? origin.size_bytes.value_or(usual_bytes)
                                                   : common::parse_size(request.bytes));
}

bool advise_copies_at_once(written_answer& out, const advice_request& request) {
  const auto source = read_map(request);
  const auto& [map, origin] = source.contents;
  out.claimed = claims::claim_outputs({request.json}, std::span(&source.file, 1));
  const auto devices = devices_named(request.devices, map);
  std::vector<advice::advice_at_once> answers;
  for (const auto kind : traffic_named(request.direction)) {
    const advice::copies_at_once question{devices, kind, bytes_at_once(request, origin)};
    auto answer = advice::advise_at_once(map, question, origin.size_bytes);
    if (!answer)
      throw nothing_to_rank(fmt::format("nothing to advise by {}: it has no rates of {}",
                                        common::printable(source.file.string()), request.devices));
    answers.push_back(*std::move(answer));
  }
  out.text.label = advice::label_of(!origin.without_gpu);
  advice::add_at_once(out.text, source, answers);
  if (!request.json.empty()) out.write(request.json, advice::at_once_document(source, answers));
  return true;
}

void check_request_at_once(const advice_request& request, const CLI::App& command) {
  if (request.devices.empty())
    throw common::usage_error("--host-map needs --devices: all, or devices of the map");
  if (request.host_map.empty())
    throw common::usage_error("--devices needs --host-map: what bench_transfers map --out wrote");
  commands::refuse_without_effect(command,
                                  {"--for", "--reuse", "--cpu-writes", "--cpu-reads", "--from",
                                   "--of-device", "--map", "--check"},
                                  "--host-map");
  if (!request.direction.empty() && traffic_named(request.direction).empty())
    throw common::usage_error(
        fmt::format("bad --direction '{}': h2d, d2h or both", request.direction));
  if (!request.bytes.empty()) static_cast<void>(common::parse_size(request.bytes));
}

void check_request_for_role(const advice_request& request, const CLI::App& command) {
  commands::refuse_without_effect(command, {"--map", "--check"}, "--for=ROLE");
  if (!advice::has_costs_of_memory(request.role))
    commands::refuse_without_effect(command, {"--reuse", "--cpu-writes", "--cpu-reads"},
                                    "--for=ROLE of a role that has no costs of memory");
  if (request.bytes.empty())
    throw common::usage_error(
        fmt::format("--for={} needs --bytes", common::printable_in_short(request.role)));
  if (request.reuses.size() > 1)
    throw common::usage_error("several values of --reuse are of copies alone");
  static_cast<void>(common::parse_size(request.bytes));
  if (!request.direction.empty() && !result_file::direction_from(request.direction))
    throw common::usage_error(fmt::format("bad --direction '{}': h2d, d2h, both or none",
                                          common::printable_in_short(request.direction)));
}

void check_directions_of_copies(const std::string& directions) {
  for (const auto& direction : parts_of(directions))
    if (direction != "h2d" && direction != "d2h")
      throw common::usage_error(fmt::format("bad --direction '{}': h2d or d2h", directions));
}

void check_request(const advice_request& request, const CLI::App& command) {
  if (command.count("--host-map") + command.count("--devices") > 0)
    return check_request_at_once(request, command);
  if (request.role != "copy") return check_request_for_role(request, command);
  const bool ranks = command.count("--bytes") > 0;
  if (request.check)
    commands::refuse_without_effect(command, {"--bytes", "--direction", "--reuse"}, "--check");
  if (request.check && request.map.empty())
    commands::refuse_without_effect(command, {"--cpu-writes", "--cpu-reads"}, "--check alone");
  if (!ranks && !request.check && request.map.empty())
    throw common::usage_error(
        "advise needs --bytes and --direction, or --map, or --check, or --host-map (see --help)");
  if (ranks) static_cast<void>(common::parse_sizes(request.bytes, SIZE_MAX));
  if (ranks && command.count("--direction") == 0)
    throw common::usage_error("--bytes needs --direction: h2d or d2h");
  if (!ranks && !request.check)
    commands::refuse_without_effect(command, {"--direction", "--reuse", "--json"}, "--map alone");
  if (ranks) check_directions_of_copies(request.direction);
  if (common::is_same_file(request.json, request.map))
    throw common::usage_error("--json and --map name the same file");
}

void refuse_values_of_no_option(const std::vector<std::string>& arguments) {
  std::vector<std::string> meant;
  std::string first;
  for (const auto& argument : arguments)
    if (const auto option = option_of_value(argument); !option.empty()) {
      if (meant.empty()) first = argument;
      meant.push_back(fmt::format("{}={}", option, argument));
    }
  if (meant.empty()) return;
  throw common::usage_error(
      fmt::format("unknown argument '{}': did you mean {}? (see advise --help)",
                  common::printable_in_short(first), fmt::join(meant, " ")));
}

bool advise(const advice_request& request) {
  written_answer answered;
  const auto finish = [&] {
    common::write_outputs(answered.files, [&] { return exports::text_of(answered.text); });
  };
  bool is_known = false;
  try {
    is_known = (!request.host_map.empty() ? advise_copies_at_once
                : request.role == "copy"  ? advise_strategy
                                          : advise_role)(answered, request);
  } catch (const nothing_to_rank&) {
    finish();  // what has been answered before
    throw;
  }
  finish();
  return is_known;
}

/// Answers from a result file or a map.
class advise_command final : public commands::command {
 public:
  explicit advise_command(CLI::App& options) {
    options.footer(advise_footer());
    options
        .add_option("--for", request_.role,
                    "role of the benchmarks: copy (default), file, overlap, duplex …")
        ->type_name("ROLE");
    options.add_option("--bytes", request_.bytes, "size of one transfer, such as 64MiB")
        ->type_name("SIZE");
    options
        .add_option("--direction", request_.direction,
                    "h2d or d2h; with --devices or --for also both; with --for also none")
        ->type_name("DIRECTION");
    options
        .add_option_function<std::string>(
            "--reuse", [this](const std::string& text) { request_.reuses = parse_reuses(text); },
            "transfers with the same host memory (default: 1)")
        ->type_name("N");
    const auto add_accesses = [&](const char* name, std::optional<double>& value,
                                  const char* description) {
      options
          .add_option_function<std::string>(
              name, [name, &value](const std::string& text) { value = parse_accesses(name, text); },
              description)
          ->type_name("N");
    };
    add_accesses("--cpu-writes", request_.cpu_writes,
                 "CPU writes per transfer (default: 1 for h2d and both, 0 otherwise)");
    add_accesses("--cpu-reads", request_.cpu_reads,
                 "CPU reads per transfer (default: 1 for d2h and both, 0 otherwise)");
    options
        .add_option("--from", request_.source,
                    "result file (default: the newest result.json below results/local)")
        ->type_name("FILE");
    options
        .add_option("--of-device", request_.device,
                    "device of the run, such as cuda:1 (default: the first)")
        ->type_name("DEVICE");
    commands::add_json(options, request_.json);
    options
        .add_option("--map", request_.map, "write the best strategy for each size and reuse count")
        ->type_name("FILE");
    options
        .add_option("--host-map", request_.host_map,
                    "map of a host, of `bench_transfers map`; needs --devices")
        ->type_name("FILE");
    options
        .add_option("--devices", request_.devices,
                    "copies to these at once: all, or some, such as cuda:0,2-3")
        ->type_name("DEVICES");
    options.add_flag("--check", request_.check,
                     "predict each size from the others, to check the model");
    options.add_flag("--allow-host", request_.allow_host, "answer from a file made without a GPU");
  }

  void explain(const std::vector<std::string>& arguments) const override {
    refuse_values_of_no_option(arguments);
  }
  void check(const CLI::App& given) const override { check_request(request_, given); }

  [[nodiscard]] common::exit_code run() const override {
    try {
      return advise(request_) ? exit_code::done : exit_code::nothing_ran;
    } catch (const nothing_to_rank& error) {
      common::complain("bench_transfers", error.what());
      return exit_code::nothing_ran;
    }
  }

  [[nodiscard]] commands::offers offered() const override {
    return {{"--direction", {"h2d", "d2h", "both"}}};
  }

 private:
  advice_request request_;
};

const commands::registration<advise_command> advising{
    "advise", "Rank the strategies for one use, from a result file."};

}  // namespace
}  // namespace bench_transfers::bench
