#include "src/exports/openmetrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/sentences.hpp"
#include "src/fleet/report/words.hpp"

namespace bench_transfers::fleet {
namespace {

using metrics = exports::openmetrics;
using label = metrics::label;

std::vector<label> labels_of(const gpu& gpu) {
  return {{"gpu", gpu.uuid},
          {"node", gpu.node},
          {"slot", gpu.slot},
          {"rack", gpu.rack},
          {"model", gpu.model}};
}

std::vector<label> with(std::vector<label> labels, std::vector<label> more) {
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

std::vector<label> labels_of(const sweep& sweep, const finding& found) {
  return with(labels_of(part_of(sweep, found)),
              {{"scope", to_string(found.scope)},
               {"code", to_string(found.pattern)},
               {"class", found.pattern == pattern::wrong_data ? "" : to_string(found.kind)},
               {"reference", to_string(found.reference)}});
}

void add_counts(metrics& out, const sweep& sweep, const judgement& judged) {
  out.begin("transfers_fleet_verdict", "1 for the verdict of the newest sweep, 0 for the others.");
  for (const auto shown : {verdict::healthy, verdict::named, verdict::unknown})
    out.add({{"verdict", to_string(shown)}}, judged.verdict == shown ? 1 : 0);
  if (sweep.begin) {
    out.begin("transfers_fleet_begin_timestamp_seconds", "When the sweep began, in Unix time.");
    out.add({}, static_cast<double>(sweep.begin->time_since_epoch().count()));
  }
  const auto count = [&](const char* name, const char* help, std::size_t number) {
    out.begin(name, help);
    out.add({}, static_cast<double>(number));
  };
  count("transfers_fleet_gpus", "GPUs in the sweep.", sweep.gpus.size());
  count("transfers_fleet_findings", "Parts that are named, missing ranks included.",
        judged.findings.size() + judged.missing.size() + judged.gone.size());
  const auto ranks_of_gone =
      std::ranges::count_if(judged.gone, [](const gpu& gone) { return gone.rank.has_value(); });
  count("transfers_fleet_missing_ranks", "Ranks that have left no results.",
        judged.missing.size() + static_cast<std::size_t>(ranks_of_gone));
  count("transfers_fleet_absent_nodes", "Nodes of the reference that were declared absent.",
        judged.declared_absent.size());
  count("transfers_fleet_unknown_gpus", "GPUs that could not be tested.",
        judged.unknown_gpus.size());
  count("transfers_fleet_problems", "Files or runs that could not be used, or are doubtful.",
        problems_of(sweep, judged).size());
}

void add_findings(metrics& out, const sweep& sweep, const judgement& judged) {
  out.begin("transfers_fleet_finding",
            "1 for each part that is named: a GPU, node, rack, slot or the fleet.");
  for (const auto& found : judged.findings) out.add(labels_of(sweep, found), 1);
  for (const auto& missing : judged.missing)
    out.add({{"gpu", missing.uuid},
             {"node", missing.node},
             {"slot", missing.slot},
             {"scope", to_string(scope::gpu)},
             {"code", missing_code},
             {"rank", fmt::format("{}", missing.rank)}},
            1);
  for (const auto& gone : judged.gone)
    out.add(with(labels_of(gone), {{"scope", to_string(scope::gpu)}, {"code", gone_code}}), 1);
  out.begin("transfers_fleet_finding_sweeps",
            "With a history: how many sweeps in a row show a named part, this one included.");
  for (const auto& found : judged.findings)
    if (found.since) out.add(labels_of(sweep, found), static_cast<double>(found.since->sweeps));
  out.begin("transfers_fleet_finding_slower_ratio",
            "How much slower a named part is than its reference: 0.05 is 5 %.");
  for (const auto& found : judged.findings)
    if (const auto* worst = found.worst()) out.add(labels_of(sweep, found), worst->slower.value);
}

void add_scores(metrics& out, const sweep& sweep, const judgement& judged) {
  const auto add = [&](const char* name, const char* help,
                       std::vector<std::optional<double>> aspect_scores::*member) {
    out.begin(name, help);
    for (const auto& scores : judged.scores) {
      const auto& aspect = scores.aspect;
      for (std::size_t i = 0; i < (scores.*member).size(); ++i)
        if (const auto& slower = (scores.*member)[i])
          out.add(
              with(labels_of(sweep.gpus[i]), {{"class", to_string(aspect.kind)},
                                              {"direction", to_string(aspect.towards)},
                                              {"together", aspect.together ? "true" : "false"}}),
              *slower);
    }
  };
  add("transfers_fleet_slower_ratio",
      "How much slower a GPU is than healthy GPUs of its model: 0.05 is 5 %.",
      &aspect_scores::beside_peers);
  if (!judged.scores.empty() && !judged.scores.front().since_baseline.empty())
    add("transfers_fleet_slower_than_baseline_ratio",
        "How much slower a GPU is than in the baseline: 0.05 is 5 %.",
        &aspect_scores::since_baseline);
}

}  // namespace

std::string openmetrics_of(const sweep& sweep, const judgement& judged) {
  metrics out;
  add_counts(out, sweep, judged);
  add_findings(out, sweep, judged);
  add_scores(out, sweep, judged);
  return out.text();
}

}  // namespace bench_transfers::fleet
