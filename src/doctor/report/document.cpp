#include <cmath>

#include "src/common/message.hpp"
#include "src/doctor/path_links.hpp"
#include "src/doctor/report/report.hpp"

namespace bench_transfers::doctor {
namespace {

using json = nlohmann::ordered_json;
using common::list_of;

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
  for (std::size_t i = 0; i < links.size(); ++i) {
    auto& entry = list.emplace_back(doctor::to_json(links[i]));
    entry["limit_gb_per_s"] = links[i].limits ? json(rounded(links[i].now.gb_per_s())) : json();
    entry["bottleneck"] = bottleneck == i;
  }
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

constexpr auto as_json = [](const auto& entry) { return to_json(entry); };

}  // namespace

json document_of(const facts& facts, const diagnosis& diagnosis) {
  return {{"kind", "doctor"},
          {"format", newest_format},
          {"verdict", to_string(conclude(diagnosis))},
          {"gpus", list_of(facts.gpus, [&](const auto& gpu) { return to_json(facts, gpu); })},
          {"measured", list_of(facts.copies, as_json)},
          {"findings", list_of(diagnosis.findings, as_json)},
          {"cannot_be_known", list_of(diagnosis.unknowns, as_json)}};
}

}  // namespace bench_transfers::doctor
