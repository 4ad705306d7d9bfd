#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "src/common/message.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/exports/text.hpp"
#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/sections.hpp"
#include "src/fleet/report/sentences.hpp"
#include "src/fleet/report/words.hpp"
#include "src/result_file/procedure.hpp"

namespace bench_transfers::fleet {
namespace {

using common::or_null;
using json = nlohmann::ordered_json;

const char* code_of(change::kind kind) {
  switch (kind) {
    case change::kind::added: return "new";
    case change::kind::gone: return "gone";
    case change::kind::moved: return "moved";
    case change::kind::replaced: break;
  }
  return "replaced";
}

const char* code_of(presence presence) {
  switch (presence) {
    case presence::there: return "there";
    case presence::gone: return "gone";
    case presence::replaced: return "replaced";
    case presence::not_swept: break;
  }
  return "not_swept";
}

json rounded_percent(double part) {
  constexpr double thousandths = 1e5;
  return std::round(thousandths * part) / 1e3;
}

json to_json(const gpu_history& gpu, const std::set<aspect>& aspects) {
  const auto& newest = gpu.newest();
  const auto& trouble = gpu.trouble;
  const bool has_aspect = trouble && trouble->aspect;
  json entry{{"uuid", gpu.uuid},
             {"node", newest.place.node},
             {"slot", or_null(newest.place.slot)},
             {"rack", or_null(newest.place.rack)},
             {"model", newest.model},
             {"presence", code_of(gpu.presence)},
             {"since", trouble ? json(trouble->since) : json(nullptr)},
             {"before", trouble ? or_null(trouble->before) : json(nullptr)},
             {"aspect", has_aspect ? json(code_of(*trouble->aspect)) : json(nullptr)},
             {"slower_percent_now", has_aspect ? rounded_percent(trouble->slower) : json(nullptr)},
             {"named", gpu.named},
             {"slower_percent", json::object()}};
  for (const auto& aspect : aspects) {
    json values = json::array();
    bool is_measured = false;
    for (const auto* record : gpu.records) {
      const bool has = record && record->slower.contains(aspect);
      values.push_back(has ? rounded_percent(record->slower.at(aspect)) : json(nullptr));
      is_measured = is_measured || has;
    }
    if (is_measured) entry["slower_percent"][code_of(aspect)] = values;
  }
  return entry;
}

json to_json(const place& place) {
  return {{"node", place.node}, {"slot", or_null(place.slot)}, {"rack", or_null(place.rack)}};
}

json to_json(const change& change) {
  json entry{{"code", code_of(change.what)}, {"sweep", change.sweep}, {"gpu", change.gpu}};
  entry.update(to_json(change.place));
  entry["old"] = nullptr;
  if (change.what == change::kind::moved || change.what == change::kind::replaced) {
    const bool is_moved = change.what == change::kind::moved;
    json old{{"gpu", is_moved ? change.gpu : change.old_gpu}};
    old.update(to_json(is_moved ? change.old_place : change.place));
    entry["old"] = std::move(old);
  }
  return entry;
}

std::string name_of(const history& history, std::size_t index) {
  const auto& sweep = history.sweeps()[index];
  return fmt::format("sweep {}{}", sweep.id.empty() ? fmt::format("{}", index + 1) : sweep.id,
                     sweep.begin ? " of " + common::timestamp_text(*sweep.begin) : "");
}

std::string place_of(const place& at) { return place_text(at.node, at.rack, at.slot); }

std::string trouble_text(const history& history, const trouble& trouble) {
  const auto what = trouble.aspect
                        ? fmt::format("slower by {} in {}", common::slower_text(trouble.slower),
                                      describe(*trouble.aspect))
                        : std::string("named");
  return fmt::format("{} since {}{}", what, name_of(history, trouble.since),
                     trouble.before
                         ? fmt::format("; {} does not show it", name_of(history, *trouble.before))
                         : " or before");
}

/// What the newest sweep does not show, behind the trouble.
std::string presence_text(const history& history, const gpu_history& gpu) {
  const auto last = gpu.newest_sweep();
  switch (gpu.presence) {
    case presence::there: return "";
    case presence::gone: return "gone after " + name_of(history, last);
    case presence::replaced: return "replaced after " + name_of(history, last);
    case presence::not_swept: break;
  }
  return "not swept after " + name_of(history, last);
}

std::string state_text(const history& history, const gpu_history& gpu) {
  const auto trouble = gpu.trouble ? trouble_text(history, *gpu.trouble) : std::string();
  const auto presence = presence_text(history, gpu);
  return trouble + (trouble.empty() || presence.empty() ? "" : "; ") + presence;
}

std::string change_text(const history& history, const change& change) {
  const auto what = [&]() -> std::string {
    switch (change.what) {
      case change::kind::added: return "is new on " + place_of(change.place);
      case change::kind::gone: return "is gone from " + place_of(change.place);
      case change::kind::moved:
        return fmt::format("has moved from {} to {}", place_of(change.old_place),
                           place_of(change.place));
      case change::kind::replaced: break;
    }
    return fmt::format("is in the place of {} ({})", change.old_gpu, place_of(change.place));
  }();
  return fmt::format("  GPU {} {}: {} [{}]\n", change.gpu, what, name_of(history, change.sweep),
                     code_of(change.what));
}

/// What the newest sweep lacks, and how many ranks did earlier ones?
std::string absence_text(const history& history) {
  const auto& sweeps = history.sweeps();
  std::string text;
  auto sentences = missing_sentences(sweeps.back().missing);
  std::ranges::move(gone_sentences(sweeps.back().gone), std::back_inserter(sentences));
  for (const auto& sentence : sentences) text += fmt::format("  {}\n", sentence);
  for (std::size_t i = 0; i + 1 < sweeps.size(); ++i)
    if (const auto count = sweeps[i].missing.size(); count > 0)
      text += fmt::format("  {} left no results in {} [{}]\n", common::counted(count, "rank"),
                          name_of(history, i), missing_code);
  return text;
}

std::string head_text(const history& history) {
  const auto count = history.sweeps().size();
  return fmt::format("{} of {}: {}{}\n", common::counted(count, "sweep"),
                     common::counted(history.gpus().size(), "GPU"), name_of(history, 0),
                     count > 1 ? " to " + name_of(history, count - 1) : "");
}

/// A GPU sweep by sweep.
exports::table table_of(const history& history, const gpu_history& gpu,
                        const std::vector<aspect>& aspects) {
  using exports::cells;
  exports::table table{
      "", {{"begin", cells::numbers}, {"sweep"}, {"missing", cells::numbers}, {"place"}}};
  for (const auto& aspect : aspects) table.columns.push_back({code_of(aspect), cells::numbers});
  table.columns.push_back({""});
  for (std::size_t i = 0; i < gpu.records.size(); ++i) {
    const auto& sweep = history.sweeps()[i];
    const auto* record = gpu.records[i];
    exports::row row{{sweep.begin ? common::timestamp_text(*sweep.begin) : "-",
                      sweep.id.empty() ? "-" : sweep.id, fmt::format("{}", sweep.missing.size()),
                      record ? place_of(record->place) : "not there"}};
    for (const auto& aspect : aspects)
      row.cells.push_back(slower_cell(record && record->slower.contains(aspect)
                                          ? std::optional(record->slower.at(aspect))
                                          : std::nullopt));
    row.cells.emplace_back(std::ranges::find(gpu.named, i) != gpu.named.end() ? "named" : "");
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<common::message> problems_of(const history& history) {
  std::vector<common::message> problems;
  // Those of a reference are the same for each sweep.
  for (const auto& sweep : history.sweeps())
    for (const auto& problem : sweep.problems_of_references)
      if (std::ranges::find(problems, problem.text, &common::message::text) == problems.end())
        problems.push_back(problem);
  if (auto problem = result_file::procedures_differ(history.other_procedures()))
    problems.push_back(std::move(*problem));
  return problems;
}

}  // namespace

std::string json_of(const history& history, const gpu_history* only) {
  json document{{"kind", "fleet_history"},  {"format", 1},           {"sweeps", json::array()},
                {"aspects", json::array()}, {"gpus", json::array()}, {"changes", json::array()}};
  document["thresholds_percent"] = thresholds_percent();
  for (const auto& sweep : history.sweeps())
    document["sweeps"].push_back({{"id", or_null(sweep.id)},
                                  {"begin", or_null(sweep.begin)},
                                  {"gpus", sweep.gpus.size()},
                                  {"missing_ranks", sweep.missing.size()},
                                  {"verdict", to_string(sweep.verdict)}});
  for (const auto& aspect : history.aspects()) document["aspects"].push_back(to_json(aspect));
  for (const auto& gpu : history.gpus())
    if (!only || only == &gpu) document["gpus"].push_back(to_json(gpu, history.aspects()));
  for (const auto& change : history.changes())
    if (!only || change.gpu == only->uuid || change.old_gpu == only->uuid)
      document["changes"].push_back(to_json(change));
  document["problems"] = common::to_json(problems_of(history));
  return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string text_of(const history& history) {
  constexpr std::size_t most_changes = 50;
  auto text = head_text(history);
  text += fmt::format("The newest sweep is {}.\n", to_string(history.sweeps().back().verdict));
  std::vector<const gpu_history*> troubled;
  for (const auto& gpu : history.gpus())
    if (gpu.is_in_trouble()) troubled.push_back(&gpu);
  std::ranges::stable_sort(troubled, {}, [&](const gpu_history* gpu) {
    return gpu->trouble ? gpu->trouble->since : history.sweeps().size();
  });
  text += absence_text(history);
  const auto& newest = history.sweeps().back();
  if (troubled.empty() && newest.missing.empty() && newest.gone.empty())
    text += "No GPU is in trouble.\n";
  for (const auto* gpu : troubled)
    text += fmt::format("  GPU {} ({}): {}\n", gpu->uuid, place_of(gpu->newest().place),
                        state_text(history, *gpu));
  const auto not_swept =
      std::ranges::count(history.gpus(), presence::not_swept, &gpu_history::presence);
  if (not_swept > 0)
    text += fmt::format("{} of nodes that were not swept since.\n",
                        common::counted(not_swept, "GPU is", "GPUs are"));
  const auto& changes = history.changes();
  if (!changes.empty()) text += "Changes:\n";
  for (std::size_t i = 0; i < std::min(changes.size(), most_changes); ++i)
    text += change_text(history, changes[i]);
  if (changes.size() > most_changes)
    text += fmt::format("  and {} more\n", changes.size() - most_changes);
  return text + exports::text_of(problem_section(problems_of(history)));
}

std::string text_of(const history& history, const gpu_history& gpu) {
  std::vector<aspect> shown;
  for (const auto& aspect : history.aspects())
    if (aspect.kind == benchmark_class::link || (gpu.trouble && gpu.trouble->aspect == aspect))
      shown.push_back(aspect);
  auto text = fmt::format("GPU {} ({})\n", gpu.uuid, gpu.newest().model);
  const auto state = state_text(history, gpu);
  text += state.empty() ? "It is in no trouble.\n" : state + "\n";
  text += exports::text_of(table_of(history, gpu, shown));
  for (const auto& change : history.changes())
    if (change.gpu == gpu.uuid || change.old_gpu == gpu.uuid) text += change_text(history, change);
  return text + exports::text_of(problem_section(problems_of(history))) +
         "Each figure: how much longer the GPU took than healthy GPUs of its model in that sweep; "
         "-: not\nmeasured, or nothing to compare it with. missing: ranks of the sweep that left "
         "no "
         "results.\n";
}

}  // namespace bench_transfers::fleet
