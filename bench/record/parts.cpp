#include "bench/record/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "src/common/message.hpp"
#include "src/result_file/contents.hpp"

namespace bench_transfers::bench {
namespace {

using json = nlohmann::ordered_json;
using result_file::member;

json facts_of_device(const json& device) {
  json facts = json::object();
  for (const auto* key : {"id", "name", "uuid", "driver_version", "link", "clocks"})
    facts[key] = member(device, {key});
  return facts;
}

/// Each part judges the rounds of all parts before it, too.
bool is_judged_anew(const json& warning) {
  const auto& code = member(warning, {"code"});
  return code == "repetitions_disturbed" || code == "rounds_slowed";
}

/// What a part has of its own, from the whole context of its run.
json part_of(const json& context, std::size_t number, bool is_process) {
  const auto& facts = context.at("transfers");
  json part{{"number", number},
            {"resumed", number > 1 && !is_process},
            {"complete", member(facts, {"complete"}) == true}};
  for (const auto* key : {"started_utc", "finished_utc", "interrupted_by", "max_time_s", "seed",
                          "faults_injected", "command_line"})
    part[key] = member(facts, {"run", key});
  part["version"] = member(facts, {"program", "version"});
  part["git_commit"] = member(facts, {"program", "git_commit"});
  part["host_name"] = member(context, {"host_name"});
  part["cpu_model"] = member(facts, {"machine", "cpu", "model"});
  part["boot_id"] = member(facts, {"machine", "kernel", "boot_id"});
  part["devices"] = common::list_of(facts.at("devices"), facts_of_device);
  part["warnings"] = json::array();
  for (const auto& warning : member(facts, {"warnings"}))
    if (!is_judged_anew(warning)) part["warnings"].push_back(warning);
  return part;
}

json earlier_parts(const earlier_run& earlier, bool is_process) {
  auto parts = member(earlier.facts(), {"parts"});
  if (!parts.is_array()) parts = json::array({part_of(earlier.context(), 1, is_process)});
  // No other process follows one that has not ended by itself; its time may have been up.
  if (is_process)
    parts.back()["complete"] = std::ranges::none_of(
        parts.back()["warnings"],
        [](const json& warning) { return member(warning, {"code"}) == "max_time_reached"; });
  return parts;
}

json driver_of(const json& part) {
  const auto& devices = member(part, {"devices"});
  if (!devices.is_array() || devices.empty()) return nullptr;
  return member(devices.front(), {"driver_version"});
}

/// A fact that may differ between two parts, and the words for it.
struct part_fact {
  const char* key;
  json before;
  json now;
  const char* sentence;
};

/// Says where the conditions of a part are not those of the part before it.
void warn_of_differences(json& facts, const json& before, const json& now) {
  const auto number = now.at("number").get<std::size_t>();
  const std::vector<part_fact> known{
      {"boot_id", member(before, {"boot_id"}), member(now, {"boot_id"}),
       "the machine was started again before it"},
      {"driver_version", driver_of(before), driver_of(now), "its driver is another version"},
      {"version", member(before, {"version"}), member(now, {"version"}),
       "another version of the program measured it"},
      {"git_commit", member(before, {"git_commit"}), member(now, {"git_commit"}),
       "another build of the program measured it"}};
  for (const auto& fact : known)
    if (fact.before != fact.now)
      facts["warnings"].push_back(common::to_json(common::message{
          "parts_differ",
          {{"part", number}, {"fact", fact.key}, {"before", fact.before}, {"now", fact.now}},
          fmt::format("part {} differs from the part before it: {}", number, fact.sentence)}));
}

/// Entries of two lists of objects; of two with the same `key` the one of `own`.
json joined_lists(const json& earlier, const json& own, const char* key) {
  auto list = own.is_array() ? own : json::array();
  if (!earlier.is_array()) return list;
  json joined = json::array();
  for (const auto& entry : earlier) {
    const auto is_same = [&](const json& other) {
      return member(other, {key}) == member(entry, {key});
    };
    if (std::ranges::none_of(list, is_same)) joined.push_back(entry);
  }
  for (auto& entry : list) joined.push_back(std::move(entry));
  return joined;
}

/// What was left out for time may be there now: the part keeps saying it.
bool is_of_the_whole(const json& warning) {
  return member(warning, {"code"}) != "max_time_reached" && !is_judged_anew(warning);
}

/// Of the processes of one run, the last one says how it is: "load average 11.1".
bool tells_the_same(const json& earlier, const json& own, bool is_process) {
  if (!is_process) return earlier == own;
  return member(earlier, {"code"}) == member(own, {"code"}) &&
         member(earlier, {"data", "device"}) == member(own, {"data", "device"});
}

json joined_warnings(const json& earlier, const json& own, bool is_process) {
  json joined = json::array();
  if (earlier.is_array())
    for (const auto& warning : earlier) {
      const auto is_told = [&](const json& later) {
        return tells_the_same(warning, later, is_process);
      };
      if (is_of_the_whole(warning) && std::ranges::none_of(own, is_told)) joined.push_back(warning);
    }
  for (const auto& warning : own) joined.push_back(warning);
  return joined;
}

/// What a run is asked for is that of the first part.
void keep_request(json& run, const json& earlier) {
  for (const auto* key : {"labels", "note", "options", "site_defaults"})
    run[key] = member(earlier, {key});
  if (const auto& processes = member(earlier, {"processes"}); !processes.is_null())
    run["processes"] = processes;
  auto faults = member(earlier, {"faults_injected"});
  if (!faults.is_array()) faults = json::array();
  for (const auto& fault : run.at("faults_injected"))
    if (std::ranges::find(faults, fault) == faults.end()) faults.push_back(fault);
  run["faults_injected"] = std::move(faults);
}

}  // namespace

json with_earlier_parts(json own, const earlier_run& earlier, bool is_process) {
  auto parts = earlier_parts(earlier, is_process);
  auto& facts = own.at("transfers");
  const auto& before = earlier.facts();
  const auto number = parts.size() + 1;
  warn_of_differences(facts, parts.back(), part_of(own, number, is_process));
  parts.push_back(part_of(own, number, is_process));
  facts["parts"] = std::move(parts);
  keep_request(facts.at("run"), before.at("run"));
  if (is_process)
    for (const auto* key : {"seed", "started_utc"})
      facts.at("run")[key] = member(before, {"run", key});
  for (const auto* key : {"roles", "benchmarks", "metrics"}) {
    auto members = before.at(key);  // in this order
    members.update(facts.at(key));
    facts[key] = std::move(members);
  }
  facts["strategies"] =
      joined_lists(member(before, {"strategies"}), facts.at("strategies"), "name");
  facts["buffers"] = joined_lists(member(before, {"buffers"}), facts.at("buffers"), "memory");
  if (const auto& sentinels = member(before, {"sentinels"}); !sentinels.is_null())
    facts["sentinels"] = sentinels;
  facts["skipped"] = joined_lists(earlier.skipped(), facts.at("skipped"), "name");
  facts["warnings"] =
      joined_warnings(member(before, {"warnings"}), facts.at("warnings"), is_process);
  return own;
}

}  // namespace bench_transfers::bench
