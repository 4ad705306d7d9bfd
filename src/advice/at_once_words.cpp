#include "src/advice/at_once_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "src/common/message.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/topology/findings/findings.hpp"
#include "src/topology/findings/words.hpp"

namespace bench_transfers::advice {
namespace {

using topology::device_set;
using topology::host_map;
using topology::rate_text;
using topology::traffic;
using topology::undisturbed_rate;

constexpr int at_once_format = 1;

const char* words_of(const topology::flow& flow) {
  return direction_text(flow.direction == topology::direction::h2d ? traffic::h2d : traffic::d2h);
}

std::string size_of_copies(const copies_at_once& question) {
  return fmt::format("{}{}", common::format_size(static_cast<std::size_t>(question.bytes)),
                     question.kind == traffic::both ? " each way" : "");
}

std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

/// Otherwise they are what is done anyway: all at once, or one by one.
bool has_groups(const advice_at_once& answer) {
  return answer.groups.size() > 1 && answer.groups.size() < answer.all.rates.size();
}

/// Whether and how much devices slow each other down.
std::string effect_text(const host_map& map, const advice_at_once& answer) {
  const auto& all = answer.all;
  const auto devices = names_text(map, all.devices);
  if (answer.groups.size() == 1)
    return were_at_once(map, all.devices, answer.question.kind) || all.devices.size() == 1
               ? fmt::format("{} may copy at once: each keeps at least {} of its rate.", devices,
                             percent(std::min(1.0, all.kept)))
               : fmt::format(
                     "Whether {} slow each other down is not known: they were never "
                     "measured at once.",
                     devices);
  std::size_t most = 0;
  for (const auto& group : answer.groups) most = std::max(most, group.devices.size());
  return fmt::format(
      "{} slow each other down: all at once, the slowest copy ({} {}) keeps {} of its rate. To "
      "keep {} of each, let at most {} of them copy at once{}.",
      devices, map.devices[all.slowest.device], words_of(all.slowest), percent(all.kept),
      percent(undisturbed_rate), most, has_groups(answer) ? ", in the groups below" : "");
}

/// What to do to be done first.
std::string time_advice(const advice_at_once& answer) {
  const auto at_once = common::time_text(answer.all.ns);
  const auto groups =
      fmt::format("in {} groups {}", answer.groups.size(), common::time_text(answer.groups_ns));
  const auto one_by_one = "one by one " + common::time_text(answer.one_by_one_ns);
  switch (answer.fastest) {
    case order::at_once:
      return fmt::format("Copy all at once: that takes {}, {}{}.", at_once,
                         has_groups(answer) ? groups + ", " : "", one_by_one);
    case order::groups:
      return fmt::format("Copy in {} groups: that takes {}, all at once {}, {}.",
                         answer.groups.size(), common::time_text(answer.groups_ns), at_once,
                         one_by_one);
    case order::one_by_one:
      return fmt::format("Copy one by one: that takes {}, all at once {}.",
                         common::time_text(answer.one_by_one_ns), at_once);
  }
  return "";
}

exports::table rates_table(const host_map& map, const advice_at_once& answer) {
  using exports::cells;
  exports::table table{"",
                       {{"GB/s"},
                        {"alone", cells::numbers, 7},
                        {"at once", cells::numbers, 7},
                        {"kept", cells::numbers, 5}}};
  double total = 0;
  const auto add = [&](const std::string& name, double alone, double together) {
    table.rows.push_back(
        {{name, rate_text(alone), rate_text(together), percent(together / alone)}});
  };
  for (const auto& rates : answer.all.rates) {
    add(map.devices[rates.device], rates.alone, rates.together);
    total += rates.alone;
  }
  add("together", total, answer.all.total);
  return table;
}

exports::section groups_of(const host_map& map, const advice_at_once& answer) {
  exports::section groups{fmt::format("Groups that keep {} of each rate, one after the other",
                                      percent(undisturbed_rate))};
  for (const auto& group : answer.groups)
    groups.sentences.push_back(fmt::format("{}: {} GB/s, {}", names_text(map, group.devices),
                                           rate_text(group.total), common::time_text(group.ns)));
  return groups;
}

std::string node_text(const host_map& map, const best_node& node) {
  const auto& name = map.devices[node.device];
  if (node.source == node_source::pci)
    return fmt::format("{}: use memory of NUMA node {}, which the PCI tree has next to it.", name,
                       node.node);
  return fmt::format(
      "{}: use memory of NUMA node {}, which gives {} GB/s; the slowest node gives {}.", name,
      node.node, rate_text(node.rate), rate_text(node.lowest));
}

std::string origin_text(const map_source& source) {
  const auto& origin = source.contents.origin;
  auto text = fmt::format("By the map {}", common::printable(source.file.string()));
  if (!origin.host_name.empty()) text += fmt::format(" of the host {}", origin.host_name);
  if (!origin.date.empty()) text += fmt::format(", measured {}", origin.date);
  if (!origin.commit.empty()) text += fmt::format(" by commit {}", origin.commit);
  if (origin.size_bytes)
    text += fmt::format(", with copies of {}", common::format_size(*origin.size_bytes));
  return text + ".";
}

std::string heading_text(const host_map& map, const advice_at_once& answer) {
  const char* source = answer.all.rates.size() < 2 ? ""
                       : answer.all.source == rate_source::measured
                           ? ", measured at once"
                           : ", predicted from the links of the map";
  return fmt::format("{} {}, {}{}:", names_text(map, answer.all.devices),
                     direction_text(answer.question.kind), size_of_copies(answer.question), source);
}

void add_answer(exports::answer& out, const host_map& map, const advice_at_once& answer) {
  out.say("");
  out.say(heading_text(map, answer));
  if (answer.all.rates.size() > 1) {
    out.say(effect_text(map, answer));
    out.say(time_advice(answer));
    out.add(rates_table(map, answer));
  } else {
    out.say(fmt::format("Alone, at {} GB/s, this takes {}.", rate_text(answer.all.total),
                        common::time_text(answer.all.ns)));
  }
  if (has_groups(answer)) {
    out.say("");
    out.parts.emplace_back(groups_of(map, answer));
  }
  if (!answer.nodes.empty()) out.say("");
  for (const auto& node : answer.nodes) out.say(node_text(map, node));
}

/// Those of all answers, each once.
void add_doubts(exports::answer& out, const std::vector<advice_at_once>& answers) {
  std::vector<std::string> said;
  for (const auto& answer : answers)
    for (const auto& doubt : answer.doubts) {
      if (std::ranges::find(said, doubt.text) != said.end()) continue;
      if (said.empty()) out.say("");
      out.say("Note: " + said.emplace_back(doubt.text));
    }
}

json group_document(const host_map& map, const group_at_once& group) {
  const auto rate_document = [&](const auto& device) -> json {
    return {{"device", map.devices[device.device]},
            {"alone_bytes_per_second", device.alone},
            {"together_bytes_per_second", device.together}};
  };
  return {{"devices", device_names(map, group.devices)},
          {"source", to_string(group.source)},
          {"rates", common::list_of(group.rates, rate_document)},
          {"bytes_per_second", group.total},
          {"kept", group.kept},
          {"slowest",
           {{"device", map.devices[group.slowest.device]},
            {"direction", group.slowest.direction == topology::direction::h2d ? "h2d" : "d2h"}}},
          {"time_ns", group.ns}};
}

json node_document(const host_map& map, const best_node& node) {
  const auto rate = [&](double value) {
    return node.source == node_source::measured ? json(value) : json(nullptr);
  };
  return {{"device", map.devices[node.device]},
          {"node", node.node},
          {"source", to_string(node.source)},
          {"bytes_per_second", rate(node.rate)},
          {"lowest_bytes_per_second", rate(node.lowest)}};
}

json answer_document(const host_map& map, const advice_at_once& answer) {
  const auto pair_document = [&](const auto& pair) -> json {
    return {{"device", map.devices[pair.device]},
            {"other", map.devices[pair.other]},
            {"kept", pair.kept},
            {"source", to_string(pair.source)}};
  };
  return {
      {"devices", device_names(map, answer.question.devices)},
      {"direction", to_string(answer.question.kind)},
      {"bytes", static_cast<std::uint64_t>(answer.question.bytes)},
      {"all", group_document(map, answer.all)},
      {"groups", common::list_of(answer.groups,
                                 [&](const auto& group) { return group_document(map, group); })},
      {"groups_ns", answer.groups_ns},
      {"one_by_one_ns", answer.one_by_one_ns},
      {"fastest", to_string(answer.fastest)},
      {"pairs", common::list_of(answer.pairs, pair_document)},
      {"nodes",
       common::list_of(answer.nodes, [&](const auto& node) { return node_document(map, node); })},
      {"doubts", common::to_json(answer.doubts)}};
}

}  // namespace

void add_at_once(exports::answer& out, const map_source& source,
                 const std::vector<advice_at_once>& answers) {
  out.say(origin_text(source));
  for (const auto& answer : answers) add_answer(out, source.contents.map, answer);
  add_doubts(out, answers);
}

json at_once_document(const map_source& source, const std::vector<advice_at_once>& answers) {
  const auto& origin = source.contents.origin;
  return {{"format", at_once_format},
          {"kind", "at_once"},
          {"from",
           {{"file", source.file.string()},
            {"gpu", !origin.without_gpu},
            {"date", common::or_null(origin.date)},
            {"git_commit", common::or_null(origin.commit)},
            {"size_bytes", common::or_null(origin.size_bytes)}}},
          {"answers", common::list_of(answers, [&](const auto& answer) {
             return answer_document(source.contents.map, answer);
           })}};
}

const char* to_string(rate_source source) {
  return source == rate_source::measured ? "measured" : "predicted";
}

const char* to_string(node_source source) {
  return source == node_source::measured ? "measured" : "pci";
}

const char* to_string(order shown) {
  switch (shown) {
    case order::at_once: return "at_once";
    case order::groups: return "groups";
    case order::one_by_one: return "one_by_one";
  }
  return "";
}

}  // namespace bench_transfers::advice
