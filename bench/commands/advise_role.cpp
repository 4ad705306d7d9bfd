#include <fmt/format.h>

#include <algorithm>

#include "bench/commands/advise.hpp"
#include "src/advice/role_rules.hpp"
#include "src/advice/text.hpp"
#include "src/advice/to_json.hpp"
#include "src/command/options.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/result_file/reader.hpp"

// advise --for: how to do another transfer than a copy.

namespace bench_transfers::bench {
namespace {

advice::role_answers answers_about(const advice_request& request,
                                   const advice::file_for_answers& read) {
  auto answers = advice::answers_about(
      read.jobs, [&](result_file::direction towards) -> std::optional<advice::question> {
        if (!request.direction.empty() && request.direction != result_file::to_string(towards))
          return std::nullopt;
        auto question = question_for(request, towards);
        question.bytes = static_cast<double>(common::parse_size(request.bytes));
        return question;
      });
  if (answers.ranked.empty())
    refuse(read.copies, answers.left_out.empty() ? "no benchmarks of that direction"
                                                 : advice::unranked_text(answers.left_out.front()));
  return answers;
}

}  // namespace

bool advise_role(written_answer& out, const advice_request& request) {
  const auto read = file_of(request);
  out.claimed = claims::claim_outputs({request.json}, std::span(&read.copies.from.file, 1));
  if (read.jobs.empty())
    refuse(
        read.copies,
        fmt::format("no benchmarks of the role {} that are alternatives to each other; it has {}",
                    common::printable_in_short(request.role),
                    read.roles.empty() ? "none of another role" : names_of(read.roles)));
  const auto answers = answers_about(request, read);
  out.text.label = advice::label_of(read.copies.from.has_gpu);
  advice::add_alternatives(out.text, answers, calls_to_recommend());
  if (!request.json.empty()) out.write(request.json, advice::alternatives_document(answers));
  return std::ranges::none_of(answers.ranked, [](const auto& answer) {
    return advice::reason_not_to_recommend(answer.ranked).has_value();
  });
}

void check_role(const advice_request& request, const CLI::App& command) {
  commands::refuse_without_effect(command, {"--map", "--check", "--written-by"}, "--for=ROLE");
  if (const auto rules = advice::rules_of(request.role); !rules.counts_memory) {
    constexpr const char* why = "--for=ROLE of a role that has no costs of memory";
    commands::refuse_without_effect(command, {"--reuse", "--cpu-writes"}, why);
    if (rules.read_again.empty()) commands::refuse_without_effect(command, {"--cpu-reads"}, why);
  }
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

}  // namespace bench_transfers::bench
