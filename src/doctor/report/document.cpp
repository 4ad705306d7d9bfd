#include "src/doctor/report/document.hpp"

#include <cmath>
#include <utility>

#include "src/common/message.hpp"
#include "src/doctor/path_links.hpp"

namespace bench_transfers::doctor {
namespace {

using json = nlohmann::ordered_json;

constexpr int newest_format = 1;

double rounded(double value) { return std::round(value * 1000) / 1000; }

json to_json(const std::optional<cost>& cost) {
  if (!cost) return nullptr;
  return {{"least_lost", rounded(cost->least_lost)},
          {"most_lost", rounded(cost->most_lost)},
          {"rate", cost->rate},
          {"source", to_string(cost->origin)},
          {"reference", cost->reference}};
}

json to_json(const remedy& fix) {
  return {{"text", fix.text}, {"command", common::or_null(fix.command)}};
}

json to_json(const finding& found) {
  return {{"code", found.code},
          {"severity", to_string(found.severity)},
          {"gpu", common::or_null(found.gpu)},
          {"what", found.what},
          {"evidence", found.evidence},
          {"cost", to_json(found.cost)},
          {"fix", to_json(found.fix)}};
}

json to_json(const unknown& open) {
  return {{"code", open.code},       {"gpu", common::or_null(open.gpu)},
          {"what", open.what},       {"evidence", open.evidence},
          {"decides", open.decides}, {"fix", to_json(open.fix)}};
}

json links_to_json(const facts& facts, const gpu_facts& gpu) {
  const auto links = links_of(facts, gpu);
  const auto bottleneck = topology::narrowest(links);
  auto list = json::array();
  for (std::size_t i = 0; i < links.size(); ++i)
    list.push_back(
        {{"upper", common::or_null(links[i].upper)},
         {"lower", links[i].lower},
         {"generation", links[i].now.generation},
         {"width", links[i].now.width},
         {"generation_max", links[i].most.generation},
         {"width_max", links[i].most.width},
         {"limit_gb_per_s", links[i].limits ? json(rounded(links[i].now.gb_per_s())) : json()},
         {"bottleneck", bottleneck == i}});
  return list;
}

json to_json(const facts& facts, const gpu_facts& gpu) {
  json entry{{"id", gpu.id},
             {"name", common::or_null(gpu.name)},
             {"pci_bus_id", gpu.bus_id},
             {"read_under_load", gpu.under_load},
             {"links", links_to_json(facts, gpu)}};
  const auto links = links_of(facts, gpu);
  if (const auto limiting = topology::narrowest(links); limiting && gpu.settings_of_link) {
    const auto [low, high] = packet_limit_of(gpu, links[*limiting]);
    entry.update(machine::to_json(*gpu.settings_of_link));
    entry["packet_limit_gb_per_s"] = {rounded(low), rounded(high)};
  }
  return entry;
}

json to_json(const measured_copy& copy) {
  return {{"gpu", copy.gpu},
          {"direction", copy.towards == direction::h2d ? "h2d" : "d2h"},
          {"memory", "pinned"},
          {"bytes", copy.bytes},
          {"gb_per_s", rounded(copy.gb_per_s)}};
}

template <class Values>
json list_of(const Values& values) {
  auto list = json::array();
  for (const auto& value : values) list.push_back(to_json(value));
  return list;
}

}  // namespace

json document_of(const facts& facts, const diagnosis& diagnosis) {
  auto gpus = json::array();
  for (const auto& gpu : facts.gpus) gpus.push_back(to_json(facts, gpu));
  return {{"kind", "doctor"},
          {"format", newest_format},
          {"verdict", to_string(conclude(diagnosis))},
          {"gpus", std::move(gpus)},
          {"measured", list_of(facts.copies)},
          {"findings", list_of(diagnosis.findings)},
          {"cannot_be_known", list_of(diagnosis.unknowns)}};
}

}  // namespace bench_transfers::doctor
