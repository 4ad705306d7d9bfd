#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/commands/advise.hpp"
#include "src/advice/leave_out.hpp"
#include "src/advice/map.hpp"
#include "src/advice/text.hpp"
#include "src/advice/to_json.hpp"
#include "src/command/options.hpp"
#include "src/common/files.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/topology/map/reader.hpp"

// advise --bytes --direction, --check, --map: how to copy.

namespace bench_transfers::bench {
namespace {

/// Every question about copies that is asked at once: by direction, then by size.
std::vector<advice::question> questions_of(const advice_request& request) {
  std::vector<advice::question> questions;
  for (const auto& direction : common::split(request.direction))
    for (const auto bytes : common::parse_sizes(request.bytes, SIZE_MAX))
      for (const auto reuse : request.reuses) {
        questions.push_back(question_for(request, result_file::direction_from(direction).value()));
        questions.back().bytes = static_cast<double>(bytes);
        questions.back().reuse = static_cast<double>(reuse);
      }
  return questions;
}

/// Whether something can be recommended for each question.
bool answer_questions(written_answer& out, const advice_request& request,
                      const advice::measurements& measured, const advice::cost_model& model) {
  std::vector<advice::ranked_question> answers;
  for (const auto& question : questions_of(request))
    answers.push_back({question, model.rank(question)});
  const auto is_ranked = [](const auto& answer) { return !answer.ranked.strategies.empty(); };
  if (std::ranges::none_of(answers, is_ranked))
    refuse(measured, advice::why_unranked(answers.front()));
  if (answers.size() == 1)
    advice::add_ranking(out.text, measured, model, answers.front(), calls_to_recommend());
  else
    advice::add_rankings(out.text, measured, model, answers, calls_to_recommend());
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
  advice::add_check(out.text, measured, checks);
  if (!request.json.empty())
    out.write(request.json, advice::check_document(measured, model, checks));
}

void write_map(written_answer& out, const advice_request& request,
               const advice::measurements& measured, const advice::cost_model& model) {
  const std::array maps{advice::map_of(model, question_for(request, result_file::direction::h2d)),
                        advice::map_of(model, question_for(request, result_file::direction::d2h))};
  if (maps[0].cells.empty() && maps[1].cells.empty())
    refuse(measured, "no strategy has all that a sum needs");
  out.write(request.map, advice::map_document(measured, model, maps));
  out.text.say(fmt::format("Map: {} sizes, {} reuse counts, both directions: {}",
                           maps[0].sizes.size(), maps[0].reuses.size(),
                           common::printable(request.map.string())));
  if (!model.measured().allocation)
    out.text.say("Note: all reuse counts have the same answer there: allocating was not measured.");
}

/// A guess of users who have the map of a host.
void refuse_map_of_host(const std::filesystem::path& map) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(map, failure)) return;
  try {
    static_cast<void>(topology::read_map_file(map));
  } catch (const topology::unusable_map&) {
    return;
  }
  throw common::usage_error(
      fmt::format("--map would replace the map of a host ({0}): read it with --host-map={0}",
                  common::printable(map.string())));
}

void check_directions_of_copies(const std::string& directions) {
  for (const auto& direction : common::split(directions))
    if (direction != "h2d" && direction != "d2h")
      throw common::usage_error(fmt::format("bad --direction '{}': h2d or d2h", directions));
}

}  // namespace

bool advise_copies(written_answer& out, const advice_request& request) {
  const auto read = file_of(request);
  const auto& measured = read.copies;
  out.text.label = advice::label_of(measured.from.has_gpu);
  out.claimed =
      claims::claim_outputs({request.json, request.map}, std::span(&measured.from.file, 1));
  const advice::cost_model model(measured);
  if (!model.transfer_sizes())
    refuse(measured, measured.lines == result_file::cache_state::warm
                         ? "no transfers of two sizes or more with warm caches in it"
                         : "no transfers of two sizes or more in it, of memory " +
                               result_file::describe(measured.lines));
  const bool is_known = request.bytes.empty() || answer_questions(out, request, measured, model);
  if (!request.bytes.empty() && !read.roles.empty())
    out.text.say(fmt::format("Other transfers in this file: --for={}.", names_of(read.roles)));
  if (request.check) answer_check(out, request, measured, model);
  if (!request.map.empty()) write_map(out, request, measured, model);
  return is_known;
}

void check_copies(const advice_request& request, const CLI::App& command) {
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
  refuse_map_of_host(request.map);
  if (common::is_same_file(request.json, request.map))
    throw common::usage_error("--json and --map name the same file");
}

}  // namespace bench_transfers::bench
