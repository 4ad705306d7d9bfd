#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/common/message.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/exports/text.hpp"
#include "src/gate/report/figures.hpp"
#include "src/gate/report/reports.hpp"
#include "src/gate/report/wording.hpp"

namespace bench_transfers::gate {
namespace {

using json = nlohmann::ordered_json;

constexpr int history_format = 1;
constexpr std::size_t most_shown = 20;

std::string date_of(const session_record& session) {
  return session.begin ? common::timestamp_text(*session.begin) : "no date";
}

/// With its steps, "+1.66 % 2026-01-11", two on a line.
void add_rows(exports::table& table, const history_answer& answer, const std::string& name,
              const series& one) {
  constexpr std::size_t date_length = 10;
  table.rows.push_back(
      {{name, signed_percent_text(slowdown(one.sum)) + (one.has_crept ? " *" : "  "), ""}});
  for (std::size_t i = 0; i < one.steps.size(); ++i) {
    const auto& [session, shift] = one.steps[i];
    if (i > 0 && i % 2 == 0) table.rows.push_back({{"", "", ""}});
    table.rows.back().cells.back() +=
        fmt::format("{}{} {}", i % 2 == 0 ? "" : ", ", signed_percent_text(slowdown(shift)),
                    date_of(answer.sessions[session]).substr(0, date_length));
  }
}

std::string origin_text(const history_answer& answer) {
  const auto& sessions = answer.sessions;
  return fmt::format(
      "{}: {} from {} to {}, against {}, judged by {}", device_label(answer.device, answer.on_host),
      counted(sessions.size(), "session"), date_of(sessions.front()), date_of(sessions.back()),
      answer.has_first ? "the first baseline of the line" : "this baseline, the first of its line",
      metric_text(answer.judged_by));
}

std::string runs_were(std::size_t count) { return counted(count, "run was", "runs were"); }

/// Which runs do not count, and why.
std::string left_out_text(const history_answer& answer) {
  std::size_t differing = 0;
  std::map<doubt, std::size_t> doubted;
  for (const auto& session : answer.sessions) {
    differing += session.differing;
    for (const auto& [why, runs] : session.doubted) doubted[why] += runs;
  }
  std::vector<std::string> parts;
  if (differing > 0)
    parts.push_back(fmt::format("{} not as in the baseline (--allow-different permits that)",
                                runs_were(differing)));
  for (const auto& [why, runs] : doubted) switch (why) {
      case doubt::faults_injected:
        parts.push_back(fmt::format("{} made with faults injected on purpose", runs_were(runs)));
        break;
      case doubt::disturbed:
        parts.push_back(fmt::format("{} throttled or had a link that changed", runs_were(runs)));
        break;
      case doubt::nothing_measured:
        parts.push_back(
            fmt::format("{} no benchmark with a figure", counted(runs, "run has", "runs have")));
        break;
    }
  return parts.empty() ? "" : common::wrapped(fmt::format("Left out: {}.", fmt::join(parts, "; ")));
}

/// Where something else than time has changed.
std::string changes_text(const history_answer& answer) {
  std::string text;
  std::vector<std::string> before;
  for (const auto& session : answer.sessions) {
    if (session.changed != before && !(session.changed.empty() && before.empty()))
      text += common::wrapped(fmt::format(
          "From {}: {}.", date_of(session),
          session.changed.empty()
              ? "as in the baseline"
              : fmt::format("not as in the baseline: {}", fmt::join(session.changed, ", "))));
    before = session.changed;
  }
  return text;
}

std::string verdict_text(const history_answer& answer) {
  const auto verdict = to_string(answer.code());
  if (const auto count = answer.counting_sessions(); count < least_sessions_of_history)
    return fmt::format("{}: only {}, and {} are needed", verdict,
                       counted(count, "session counts", "sessions count"),
                       least_sessions_of_history);
  std::vector<std::string> red, unclear;
  for (const auto& one : answer.classes)
    if (answer.is_red(one) || answer.is_unclear(one))
      (answer.is_red(one) ? red : unclear)
          .push_back(fmt::format("the class {} by {}", to_string(one.kind),
                                 percent_text(slowdown(one.sum))));
  const auto is_red = [&](const series& one) { return answer.is_red(one); };
  if (const auto worst = std::ranges::find_if(answer.benchmarks, is_red);
      worst != answer.benchmarks.end())
    red.push_back(fmt::format(
        "{}, {} by {}",
        counted(static_cast<std::size_t>(std::ranges::count_if(answer.benchmarks, is_red)),
                "benchmark"),
        worst->name, percent_text(slowdown(worst->sum))));
  if (!red.empty())
    return fmt::format("{}: slower than the first baseline by more than the threshold: {}", verdict,
                       fmt::join(red, "; "));
  if (!answer.sessions.back().counts())
    return fmt::format("{}: no run of the newest session counts", verdict);
  if (const auto others = answer.sessions.back().of_other_procedures; others > 0)
    return fmt::format("{}: of the newest session {}", verdict, other_procedure_text(others));
  if (!unclear.empty())
    return fmt::format("{}: slower than the first baseline, and noise may be the reason: {}",
                       verdict, fmt::join(unclear, "; "));
  return fmt::format(
      "{}: nothing that decides is slower than the first baseline by more than its "
      "threshold, beyond doubt",
      verdict);
}

json series_to_json(const series& one) {
  const auto slowdown_of = [](const auto& shift) -> json {
    return shift ? json(slowdown(*shift)) : json(nullptr);
  };
  json steps = json::array();
  for (const auto& [session, shift] : one.steps)
    steps.push_back({{"session", session}, {"slowdown", slowdown(shift)}});
  json entry = json::object();
  if (!one.name.empty()) entry["name"] = one.name;
  entry.update({{"class", to_string(one.kind)},
                {"threshold", one.threshold},
                {"slowdown", slowdown(one.sum)},
                {"p", one.p},
                {"crept", one.has_crept},
                {"steps", std::move(steps)},
                {"slowdown_of_sessions", common::list_of(one.shifts, slowdown_of)}});
  return entry;
}

}  // namespace

std::string text_of(const history_answer& answer) {
  using exports::cells;
  exports::table table{
      "",
      {{"class or benchmark", cells::codes, 43}, {"slower by  ", cells::numbers, 10}, {"steps"}}};
  for (const auto& one : answer.classes)
    add_rows(table, answer, fmt::format("class {}", to_string(one.kind)), one);
  std::size_t worth_showing = 0;
  for (const auto& one : answer.benchmarks)
    if ((one.has_crept || !one.steps.empty()) && ++worth_showing <= most_shown)
      add_rows(table, answer, one.name, one);
  const auto more =
      worth_showing <= most_shown
          ? ""
          : fmt::format("and {} more with steps (--json has all)\n", worth_showing - most_shown);
  constexpr auto* const below =
      "\nslower by: the newest level against the first baseline; *: more than the threshold, "
      "beyond doubt\n";
  return common::wrapped(origin_text(answer)) + changes_text(answer) + left_out_text(answer) +
         (table.rows.empty() ? "\nNo benchmark has a step.\n"
                             : "\n" + exports::text_of(table) + more + below) +
         "\n" + common::wrapped(verdict_text(answer));
}

std::string json_of(const history_answer& answer) {
  json sessions = json::array();
  for (const auto& session : answer.sessions) {
    json left_out = json::object();
    if (session.differing > 0) left_out["differs"] = session.differing;
    for (const auto& [why, runs] : session.doubted) left_out[to_string(why)] = runs;
    sessions.push_back({{"begin", common::or_null(session.begin)},
                        {"runs", session.runs},
                        {"of_baseline", session.of_baseline},
                        {"changed", session.changed},
                        {"other_procedures", session.of_other_procedures},
                        {"left_out", std::move(left_out)}});
  }
  const json document{{"format", history_format},
                      {"kind", "gate_history"},
                      {"verdict", to_string(answer.code())},
                      {"exit_code", static_cast<int>(answer.code())},
                      {"device", common::or_null(answer.device)},
                      {"on_host", answer.on_host},
                      {"judged_by", answer.judged_by.key},
                      {"threshold", answer.limits.threshold},
                      {"latency_threshold", answer.limits.latency_threshold},
                      {"false_alarm", answer.limits.false_alarm},
                      {"has_first_baseline", answer.has_first},
                      {"sessions", std::move(sessions)},
                      {"classes", common::list_of(answer.classes, series_to_json)},
                      {"benchmarks", common::list_of(answer.benchmarks, series_to_json)}};
  return common::text_of(document);
}

}  // namespace bench_transfers::gate
