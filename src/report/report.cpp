#include "src/report/report.hpp"

#include <nlohmann/json.hpp>

#include "src/common/text.hpp"

namespace bench_transfers::report {
namespace {

using json = nlohmann::ordered_json;

json to_json(const use& given) {
  return {{"strategy", given.strategy}, {"summary", given.summary}, {"place", given.place}};
}

json to_json(const gained& given) {
  const auto& ends = given.gain.interval;
  return {{"benchmark", given.benchmark},
          {"value", given.gain.value},
          {"low", ends ? json(ends->low) : json()},
          {"high", ends ? json(ends->high) : json()},
          {"known", given.is_clear ? "faster"
                    : ends         ? "not_told"
                                   : "no_interval"},
          {"subject", given.subject},
          {"text", given.text},
          {"doubt", given.doubt}};
}

json to_json(const rule& given);
json to_json(const alike& given);
constexpr auto as_json = [](const auto& given) { return to_json(given); };

json to_json(const rule& given) {
  return {{"code", given.code},
          {"data", given.data},
          {"uses", common::list_of(given.uses, as_json)},
          {"why", given.why},
          {"gains", common::list_of(given.gains, as_json)}};
}

json to_json(const alike& given) {
  return {{"of", given.of},
          {"size_bytes", common::or_null(given.size)},
          {"groups", given.groups},
          {"text", given.text}};
}

json to_json(const statistics::mode& given) {
  return {{"median_ns", given.median}, {"repetitions", given.count}};
}

json to_json(const result_file::spread& given) {
  json shown{{"interval_ns", nullptr}, {"modes", nullptr}};
  if (given.interval) shown["interval_ns"] = {given.interval->low, given.interval->high};
  if (given.modes) shown["modes"] = {to_json(given.modes->low), to_json(given.modes->high)};
  return shown;
}

std::map<std::string, result_file::spread> known_spreads(const result_file::contents& read) {
  std::map<std::string, result_file::spread> known;
  for (const auto& [described, spread] : result_file::spreads_of(read))
    if (spread.interval || spread.modes) known[described->name] = spread;
  return known;
}

}  // namespace

run_report report_of(const result_file::contents& read, const std::string& name) {
  const run of(read);
  return {common::printable(name),
          trust::judge(read),
          what_matters(of),
          rules_of(of),
          basis_of_recommendations(of),
          all_alike(of),
          comparable_of(of, name),
          known_spreads(read)};
}

std::string document_of(std::span<const run_report> runs) {
  constexpr int format = 1;
  auto judged = json::array();
  std::vector<comparable> compared;
  for (const auto& run : runs) {
    judged.push_back({{"file", run.file}});
    auto& said = judged.back();
    said.update(trust::to_json(run.judged));
    said["matters"] = common::to_json(run.matters);
    said["rules"] = common::list_of(run.rules, as_json);
    said["basis"] = common::to_json(run.basis);
    said["alike"] = common::list_of(run.alike, as_json);
    said["questions"] = followed_questions(run.compared.questions);
    auto& spreads = said["spreads"] = json::object();
    for (const auto& [benchmark, spread] : run.spreads) spreads[benchmark] = to_json(spread);
    compared.push_back(run.compared);
  }
  const json document{{"kind", "judged runs"},
                      {"format", format},
                      {"runs", judged},
                      {"comparisons", comparisons_of(std::move(compared))}};
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace bench_transfers::report
