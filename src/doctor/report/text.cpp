#include "src/common/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "src/doctor/path_links.hpp"
#include "src/doctor/report/report.hpp"
#include "src/exports/text.hpp"

namespace bench_transfers::doctor {
namespace {

std::string origin_of(const cost& cost) {
  switch (cost.origin) {
    case cost::source::pcie_rates: return "by the rates of PCI Express";
    case cost::source::recorded_run: return "recorded on another machine";
    case cost::source::published: return "published for another machine";
    case cost::source::measured: return "measured";
  }
  return "";
}

std::string cost_text(const std::optional<cost>& cost) {
  if (!cost) return "Cost: not known.";
  const auto least = std::min(cost->least_lost, cost->most_lost);
  const auto most = std::max(cost->least_lost, cost->most_lost);
  const auto part = common::percent_text(most);
  auto range = part;
  if (least == 0 && most > 0)
    range = "up to " + part;
  else if (common::percent_text(least) != part)
    range = fmt::format("{} to {}", common::percent_text(least), part);
  return fmt::format("Cost: {} of {}, {} ({}).", range, cost->rate, origin_of(*cost),
                     cost->reference);
}

exports::finding shown_as(const std::string& code, const std::string& gpu,
                          std::vector<std::string> paragraphs, const remedy& fix) {
  paragraphs.push_back(fix.text + ".");
  for (auto& paragraph : paragraphs) paragraph = common::printable(paragraph);
  return {code + (gpu.empty() ? "" : fmt::format(" ({})", gpu)), std::move(paragraphs),
          common::printable(fix.command)};
}

void add_findings(exports::answer& out, const std::string& title,
                  std::vector<exports::finding> findings) {
  if (findings.empty()) return;
  out.say("");
  out.say(title + ":");
  std::ranges::move(findings, std::back_inserter(out.parts));
}

std::vector<exports::finding> findings_of(const diagnosis& diagnosis, severity severity) {
  std::vector<exports::finding> findings;
  for (const auto& found : diagnosis.findings)
    if (found.severity == severity)
      findings.push_back(
          shown_as(found.code, found.gpu, {found.what, cost_text(found.cost)}, found.fix));
  return findings;
}

std::vector<exports::finding> unknowns_of(const diagnosis& diagnosis) {
  std::vector<exports::finding> unknowns;
  for (const auto& open : diagnosis.unknowns)
    unknowns.push_back(shown_as(open.code, open.gpu, {open.what}, open.fix));
  return unknowns;
}

std::string link_text(const topology::path_link& link, bool is_narrowest) {
  const auto place = (link.upper.empty() ? "" : link.upper + " to ") + link.lower;
  if (!link.limits) return fmt::format("  {}: a tunnel; what it carries is not told", place);
  return fmt::format("  {}: PCIe {}.0 x{} of {}.0 x{}, {:.1f} GB/s each way{}", place,
                     link.now.generation, link.now.width, link.most.generation, link.most.width,
                     link.now.gb_per_s(), is_narrowest ? ", the narrowest" : "");
}

void add_gpu(exports::answer& out, const facts& facts, const gpu_facts& gpu) {
  out.say(fmt::format("{}: {} at {}", gpu.id,
                      gpu.name.empty() ? "a GPU of NVIDIA" : common::printable(gpu.name),
                      gpu.bus_id));
  const auto links = links_of(facts, gpu);
  const auto limiting = topology::narrowest(links);
  for (std::size_t i = 0; i < links.size(); ++i)
    out.say(link_text(links[i], links.size() > 1 && limiting == i));
  if (limiting && gpu.settings_of_link) {
    const auto [low, high] = packet_limit_of(gpu, links[*limiting]);
    out.say(fmt::format("  packets of at most {} bytes: {:.1f} to {:.1f} GB/s each way",
                        gpu.settings_of_link->max_payload_bytes, low, high));
  }
}

std::string copy_text(const measured_copy& copy) {
  return fmt::format("{}: copies of pinned memory {} reach {} GB/s", copy.gpu,
                     copy.towards == direction::h2d ? "to the GPU" : "to the host",
                     common::rate_digits(copy.gb_per_s));
}

std::string verdict_text(const diagnosis& diagnosis) {
  switch (conclude(diagnosis)) {
    case verdict::healthy: return "Nothing slows transfers, as far as this machine shows.";
    case verdict::findings:
      return fmt::format("Transfers may be slow: {}.",
                         common::counted(diagnosis.findings.size(), "finding"));
    default:
      return fmt::format("Whether transfers are slow is not known; {}.",
                         common::counted(diagnosis.findings.size(), "finding"));
  }
}

}  // namespace

std::string text_of(const facts& facts, const diagnosis& diagnosis) {
  exports::answer out;
  for (const auto& gpu : facts.gpus) add_gpu(out, facts, gpu);
  for (const auto& copy : facts.copies) out.say(copy_text(copy));
  out.say(verdict_text(diagnosis));
  add_findings(out, "Slows transfers", findings_of(diagnosis, severity::slows));
  add_findings(out, "May slow transfers", findings_of(diagnosis, severity::may_slow));
  add_findings(out, "Cannot be known", unknowns_of(diagnosis));
  return exports::text_of(out);
}

}  // namespace bench_transfers::doctor
