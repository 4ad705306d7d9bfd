#include "src/advice/at_once_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>

#include "src/advice/text.hpp"
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

std::string line(const std::string& text) { return text + "\n"; }

/// Folds the lines that are too long.
std::string folded(const std::string& text, std::size_t columns) {
  std::istringstream lines(text);
  std::string result;
  for (std::string read; std::getline(lines, read);)
    result += read.size() > columns ? common::wrapped(read, columns) : line(read);
  return result;
}

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
      "keep "
      "{} of each, let at most {} of them copy at once{}.",
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

std::string rates_table(const host_map& map, const advice_at_once& answer) {
  std::size_t width = std::string_view("together").size();
  for (const auto& rates : answer.all.rates)
    width = std::max(width, map.devices[rates.device].size());
  auto text =
      fmt::format("{:<{}}  {:>7}  {:>7}  {:>5}\n", "GB/s", width, "alone", "at once", "kept");
  double total = 0;
  const auto row = [&](const std::string& name, double alone, double together) {
    text += fmt::format("{:<{}}  {:>7}  {:>7}  {:>5}\n", name, width, rate_text(alone),
                        rate_text(together), percent(together / alone));
  };
  for (const auto& rates : answer.all.rates) {
    row(map.devices[rates.device], rates.alone, rates.together);
    total += rates.alone;
  }
  row("together", total, answer.all.total);
  return text;
}

std::string groups_table(const host_map& map, const advice_at_once& answer) {
  if (!has_groups(answer)) return "";
  std::string text = fmt::format("Groups that keep {} of each rate, one after the other:\n",
                                 percent(undisturbed_rate));
  for (const auto& group : answer.groups)
    text += line(fmt::format("- {}: {} GB/s, {}", names_text(map, group.devices),
                             rate_text(group.total), common::time_text(group.ns)));
  return text;
}

std::string node_text(const host_map& map, const best_node& node) {
  const auto& name = map.devices[node.device];
  if (node.source == node_source::pci)
    return fmt::format("{}: use memory of NUMA node {}, which the PCI tree has next to it.", name,
                       node.node);
  return fmt::format(
      "{}: use memory of NUMA node {}, which gives {} GB/s; the slowest node gives "
      "{}.",
      name, node.node, rate_text(node.rate), rate_text(node.lowest));
}

std::string origin_text(const map_source& source) {
  const auto& origin = source.contents.origin;
  auto text = fmt::format("By the map {}", common::printable(source.file.string()));
  if (!origin.host_name.empty()) text += fmt::format(" of the host {}", origin.host_name);
  if (!origin.date.empty()) text += fmt::format(", measured {}", origin.date);
  if (!origin.commit.empty()) text += fmt::format(" by commit {}", origin.commit);
  if (origin.size_bytes)
    text += fmt::format(", with copies of {}", common::format_size(*origin.size_bytes));
  return line(text + ".");
}

std::string heading_text(const host_map& map, const advice_at_once& answer) {
  const char* source = answer.all.rates.size() < 2 ? ""
                       : answer.all.source == rate_source::measured
                           ? ", measured at once"
                           : ", predicted from the links of the map";
  return line(fmt::format("{} {}, {}{}:", names_text(map, answer.all.devices),
                          direction_text(answer.question.kind), size_of_copies(answer.question),
                          source));
}

std::string answer_text(const host_map& map, const advice_at_once& answer) {
  auto text = heading_text(map, answer);
  if (answer.all.rates.size() > 1) {
    text += line(effect_text(map, answer)) + line(time_advice(answer));
    text += "\n" + rates_table(map, answer);
  } else {
    text += line(fmt::format("Alone, at {} GB/s, this takes {}.", rate_text(answer.all.total),
                             common::time_text(answer.all.ns)));
  }
  if (const auto groups = groups_table(map, answer); !groups.empty()) text += "\n" + groups;
  if (!answer.nodes.empty()) text += "\n";
  for (const auto& node : answer.nodes) text += line(node_text(map, node));
  return text;
}

/// Those of all answers, each once.
std::string doubts_text(const std::vector<advice_at_once>& answers) {
  std::vector<std::string> texts;
  for (const auto& answer : answers)
    for (const auto& doubt : answer.doubts)
      if (std::ranges::find(texts, doubt.text) == texts.end()) texts.push_back(doubt.text);
  std::string text;
  for (const auto& doubt : texts) text += line("Note: " + doubt);
  return text.empty() ? text : "\n" + text;
}

using json = nlohmann::ordered_json;

json group_document(const host_map& map, const group_at_once& group) {
  json rates = json::array();
  for (const auto& device : group.rates)
    rates.push_back({{"device", map.devices[device.device]},
                     {"alone_bytes_per_second", device.alone},
                     {"together_bytes_per_second", device.together}});
  return {{"devices", names_json(map, group.devices)},
          {"source", to_string(group.source)},
          {"rates", std::move(rates)},
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
  json groups = json::array();
  for (const auto& group : answer.groups) groups.push_back(group_document(map, group));
  json pairs = json::array();
  for (const auto& pair : answer.pairs)
    pairs.push_back({{"device", map.devices[pair.device]},
                     {"other", map.devices[pair.other]},
                     {"kept", pair.kept},
                     {"source", to_string(pair.source)}});
  json nodes = json::array();
  for (const auto& node : answer.nodes) nodes.push_back(node_document(map, node));
  return {{"devices", names_json(map, answer.question.devices)},
          {"direction", to_string(answer.question.kind)},
          {"bytes", static_cast<std::uint64_t>(answer.question.bytes)},
          {"all", group_document(map, answer.all)},
          {"groups", std::move(groups)},
          {"groups_ns", answer.groups_ns},
          {"one_by_one_ns", answer.one_by_one_ns},
          {"fastest", to_string(answer.fastest)},
          {"pairs", std::move(pairs)},
          {"nodes", std::move(nodes)},
          {"doubts", common::to_json(answer.doubts)}};
}

}  // namespace

std::string at_once_text(const map_source& source, const std::vector<advice_at_once>& answers) {
  auto text = origin_text(source);
  for (const auto& answer : answers) text += "\n" + answer_text(source.contents.map, answer);
  text += doubts_text(answers);
  const bool has_gpu = !source.contents.origin.without_gpu;
  return labelled(has_gpu, folded(text, columns_beside_label(has_gpu)));
}

json at_once_document(const map_source& source, const std::vector<advice_at_once>& answers) {
  const auto& origin = source.contents.origin;
  json list = json::array();
  for (const auto& answer : answers) list.push_back(answer_document(source.contents.map, answer));
  return {{"format", at_once_format},
          {"kind", "at_once"},
          {"from",
           {{"file", source.file.string()},
            {"gpu", !origin.without_gpu},
            {"date", common::or_null(origin.date)},
            {"git_commit", common::or_null(origin.commit)},
            {"size_bytes", common::or_null(origin.size_bytes)}}},
          {"answers", std::move(list)}};
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
