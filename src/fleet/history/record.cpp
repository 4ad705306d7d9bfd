#include "src/fleet/history/record.hpp"

namespace bench_transfers::fleet {
namespace {

void keep_named(const sweep& sweep, const finding& found, sweep_record& record) {
  // What all GPUs have in common is no trouble of one of them.
  if (found.scope == scope::fleet) return;
  for (const auto gpu : found.gpus) {
    auto& kept = record.gpus.at(sweep.gpus[gpu].uuid);
    kept.is_named = true;
    for (const auto& slow : found.aspects)
      if (!slow.benchmark && found.reference == reference::peers) kept.named.insert(slow.aspect);
  }
}

}  // namespace

sweep_record record_of(const sweep& sweep, const judgement& judged) {
  sweep_record record{sweep.id, sweep.begin, judged.verdict, {}};
  for (std::size_t i = 0; i < sweep.gpus.size(); ++i) {
    const auto& gpu = sweep.gpus[i];
    auto& kept = record.gpus[gpu.uuid];
    kept.model = gpu.model;
    kept.place = {gpu.node, gpu.slot, gpu.rack};
    for (const auto& scores : judged.scores)
      if (const auto& slower = scores.beside_peers[i]) kept.slower[scores.aspect] = *slower;
  }
  for (const auto& found : judged.findings) keep_named(sweep, found, record);
  record.missing = judged.missing;
  record.gone = judged.gone;
  for (auto& gpu : record.gone) gpu.times.clear();
  record.unread = unread_results(sweep);
  record.benchmarks = sweep.benchmarks;
  record.other_procedures = judged.other_procedures;
  record.problems_of_references = judged.problems_of_baseline;
  return record;
}

}  // namespace bench_transfers::fleet
