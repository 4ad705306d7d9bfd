#include "src/fleet/history/history.hpp"

#include <algorithm>
#include <utility>

#include "src/fleet/model/absence.hpp"
#include "src/result_file/procedure.hpp"

namespace bench_transfers::fleet {
namespace {

/// Two copies of one sweep. Two parts of a fleet that began at one time are not.
bool is_same(const sweep_record& first, const sweep_record& second) {
  return first.begin == second.begin && first.id == second.id &&
         std::ranges::equal(first.gpus, second.gpus, {},
                            &std::pair<const std::string, gpu_record>::first,
                            &std::pair<const std::string, gpu_record>::first);
}

}  // namespace

std::size_t gpu_history::newest_sweep() const {
  const auto after =
      std::ranges::find_if(records.rbegin(), records.rend(), [](const gpu_record* record) {
        return record != nullptr;
      }).base();
  return static_cast<std::size_t>(after - records.begin()) - 1;
}

const gpu_record& gpu_history::newest() const { return *records[newest_sweep()]; }

history::history(std::vector<sweep_record> sweeps) : sweeps_(std::move(sweeps)) {
  std::ranges::stable_sort(
      sweeps_, {}, [](const sweep_record& sweep) { return std::pair(sweep.begin, sweep.id); });
  sweeps_.erase(std::unique(sweeps_.begin(), sweeps_.end(), is_same), sweeps_.end());
  leave_out_other_procedures();
  follow_gpus();
  find_changes();
  find_absent();
}

void history::leave_out_other_procedures() {
  result_file::procedures known;
  for (auto sweep = sweeps_.rbegin(); sweep != sweeps_.rend(); ++sweep) {
    std::set<aspect> others;
    for (const auto& benchmark : sweep->benchmarks)
      if (known.add(benchmark.name, benchmark.procedure)) others.insert(benchmark.aspect);
    for (auto& [uuid, record] : sweep->gpus)
      for (const auto& aspect : others) {
        record.slower.erase(aspect);
        record.named.erase(aspect);
      }
    other_procedures_.merge(sweep->other_procedures);
  }
  other_procedures_.insert(known.differing().begin(), known.differing().end());
}

void history::follow_gpus() {
  std::map<std::string, std::vector<const gpu_record*>> records;
  for (std::size_t i = 0; i < sweeps_.size(); ++i)
    for (const auto& [uuid, record] : sweeps_[i].gpus) {
      auto& of_gpu = records[uuid];
      of_gpu.resize(sweeps_.size(), nullptr);
      of_gpu[i] = &record;
      for (const auto& [aspect, slower] : record.slower) aspects_.insert(aspect);
    }
  for (auto& [uuid, of_gpu] : records) {
    auto& gpu = gpus_.emplace_back(gpu_history{uuid, std::move(of_gpu), {}, {}});
    for (std::size_t i = 0; i < gpu.records.size(); ++i)
      if (gpu.records[i] && gpu.records[i]->is_named) gpu.named.push_back(i);
    gpu.trouble = trouble_of(gpu.records);
  }
}

void history::find_changes() {
  using slot_of_node = std::pair<std::string, std::string>;
  std::map<slot_of_node, std::string> in_slot;
  std::map<std::string, place> last_place;
  for (std::size_t i = 0; i < sweeps_.size(); ++i) {
    const auto& gpus = sweeps_[i].gpus;
    for (const auto& [uuid, record] : gpus) {
      const auto& at = record.place;
      const auto known = last_place.find(uuid);
      const auto in_same_slot = in_slot.find({at.node, at.slot});
      const bool takes_a_place = !at.slot.empty() && in_same_slot != in_slot.end() &&
                                 in_same_slot->second != uuid &&
                                 !gpus.contains(in_same_slot->second);
      if (takes_a_place)
        changes_.push_back({change::kind::replaced, i, uuid, at, in_same_slot->second,
                            known == last_place.end() ? place() : known->second});
      else if (i > 0 && known == last_place.end())
        changes_.push_back({change::kind::added, i, uuid, at, {}, {}});
      else if (known != last_place.end() &&
               (known->second.node != at.node || known->second.slot != at.slot))
        changes_.push_back({change::kind::moved, i, uuid, at, {}, known->second});
    }
    for (const auto& [uuid, record] : gpus) {
      last_place[uuid] = record.place;
      if (!record.place.slot.empty()) in_slot[{record.place.node, record.place.slot}] = uuid;
    }
  }
}

std::map<std::string, std::size_t> history::first_sweeps_without(
    const std::vector<const gpu_history*>& gpus) const {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < sweeps_.size(); ++i) {
    std::set<std::string> nodes;
    for (const auto& [uuid, record] : sweeps_[i].gpus) nodes.insert(record.place.node);
    std::vector<absent_gpu> absent;
    for (const auto* gpu : gpus)
      if (gpu->newest_sweep() < i && !first.contains(gpu->uuid) &&
          nodes.contains(gpu->newest().place.node))
        absent.push_back({gpu->uuid, gpu->newest().place.node});
    const auto gone = are_gone(absent, sweeps_[i].unread);
    for (std::size_t k = 0; k < absent.size(); ++k)
      if (gone[k]) first.emplace(absent[k].uuid, i);
  }
  return first;
}

void history::find_absent() {
  std::map<std::string, std::size_t> replaced;  // the newest time
  for (const auto& change : changes_)
    if (change.what == change::kind::replaced) replaced[change.old_gpu] = change.sweep;
  std::vector<const gpu_history*> lost;
  for (auto& gpu : gpus_) {
    const auto by_another = replaced.find(gpu.uuid);
    if (gpu.newest_sweep() + 1 == sweeps_.size()) continue;
    if (by_another != replaced.end() && by_another->second > gpu.newest_sweep()) {
      gpu.presence = presence::replaced;
      gpu.trouble.reset();
    } else {
      gpu.presence = presence::not_swept;
      lost.push_back(&gpu);
    }
  }
  const auto first = first_sweeps_without(lost);
  for (auto& gpu : gpus_) {
    const auto sweep = first.find(gpu.uuid);
    if (sweep == first.end()) continue;
    gpu.presence = presence::gone;
    changes_.push_back({change::kind::gone, sweep->second, gpu.uuid, gpu.newest().place, {}, {}});
  }
  std::ranges::stable_sort(changes_, {}, &change::sweep);
}

verdict history::newest_verdict() const {
  return sweeps_.empty() ? verdict::unknown : sweeps_.back().verdict;
}

bool history::is_in_trouble() const {
  return newest_verdict() == verdict::named ||
         std::ranges::any_of(gpus_, &gpu_history::is_in_trouble);
}

bool history::is_healthy() const { return newest_verdict() == verdict::healthy; }

bool history::is_known(const gpu_history& gpu) const {
  return gpu.presence == presence::there && newest_verdict() != verdict::unknown;
}

std::vector<const gpu_history*> history::beginning_with(const std::string& uuid) const {
  std::vector<const gpu_history*> list;
  for (const auto& gpu : gpus_) {
    if (gpu.uuid == uuid) return {&gpu};
    if (gpu.uuid.starts_with(uuid)) list.push_back(&gpu);
  }
  return list;
}

void add_onsets(const sweep& sweep, judgement& judged, const history& history) {
  if (judged.findings.empty()) return;
  std::map<std::string, const trouble*> troubles;
  for (const auto& gpu : history.gpus())
    if (gpu.trouble) troubles.emplace(gpu.uuid, &*gpu.trouble);
  for (auto& found : judged.findings) {
    std::vector<const trouble*> since;
    for (const auto gpu : found.gpus)
      if (const auto known = troubles.find(sweep.gpus[gpu].uuid); known != troubles.end())
        since.push_back(known->second);
    if (since.empty()) continue;
    const auto middle = since.begin() + static_cast<std::ptrdiff_t>(since.size() / 2);
    std::ranges::nth_element(since, middle, {}, [](const trouble* of_gpu) {
      return std::pair(of_gpu->since, !of_gpu->before);
    });
    const auto& usual = **middle;
    const auto& first = history.sweeps()[usual.since];
    found.since = onset{first.id, first.begin, !usual.before, usual.sweeps};
    if (usual.sweeps > 1) std::erase(found.what_to_do, advice::second_sweep);
  }
}

void add_gpus_of_missing(judgement& judged, const history& history) {
  std::map<std::string, std::vector<missing_rank*>> missing;
  for (auto& rank : judged.missing)
    if (!rank.node.empty()) missing[rank.node].push_back(&rank);
  std::map<std::string, std::vector<const gpu_history*>> gone;
  for (const auto& gpu : history.gpus())
    if (gpu.presence == presence::gone && !std::ranges::count(judged.gone, gpu.uuid, &gpu::uuid))
      gone[gpu.newest().place.node].push_back(&gpu);
  for (const auto& [node, ranks] : missing) {
    const auto& gpus = gone[node];
    if (gpus.size() != ranks.size()) continue;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      ranks[i]->uuid = gpus[i]->uuid;
      ranks[i]->slot = gpus[i]->newest().place.slot;
    }
  }
}

}  // namespace bench_transfers::fleet
