#include "src/doctor/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/common/text.hpp"
#include "src/doctor/path_links.hpp"

namespace bench_transfers::doctor {
namespace {

constexpr std::size_t indent = 4;

/// A paragraph below the line with a code.
std::string indented(const std::string& text) {
  const std::string margin(indent, ' ');
  return margin +
         common::wrapped(common::printable(text), common::terminal_columns - indent, indent);
}

/// Commands stay on one line, to be copied.
std::string command_line(const std::string& command) {
  return command.empty() ? "" : fmt::format("{:{}}$ {}\n", "", indent, common::printable(command));
}

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

std::string heading_of(const std::string& code, const std::string& gpu) {
  return fmt::format("  {}{}\n", code, gpu.empty() ? "" : fmt::format(" ({})", gpu));
}

std::string text_of(const remedy& fix) {
  return indented(fix.text + ".") + command_line(fix.command);
}

std::string findings_text(const diagnosis& diagnosis, severity severity,
                          const std::string& heading) {
  std::string text;
  for (const auto& found : diagnosis.findings)
    if (found.severity == severity)
      text += heading_of(found.code, found.gpu) + indented(found.what) +
              indented(cost_text(found.cost)) + text_of(found.fix);
  return text.empty() ? "" : fmt::format("\n{}:\n{}", heading, text);
}

std::string unknowns_text(const diagnosis& diagnosis) {
  std::string text;
  for (const auto& open : diagnosis.unknowns)
    text += heading_of(open.code, open.gpu) + indented(open.what) + text_of(open.fix);
  return text.empty() ? "" : "\nCannot be known:\n" + text;
}

std::string link_text(const topology::path_link& link, bool is_narrowest) {
  const auto place = (link.upper.empty() ? "" : link.upper + " to ") + link.lower;
  if (!link.limits) return fmt::format("  {}: a tunnel; what it carries is not told\n", place);
  return fmt::format("  {}: PCIe {}.0 x{} of {}.0 x{}, {:.1f} GB/s each way{}\n", place,
                     link.now.generation, link.now.width, link.most.generation, link.most.width,
                     link.now.gb_per_s(), is_narrowest ? ", the narrowest" : "");
}

std::string gpu_text(const facts& facts, const gpu_facts& gpu) {
  auto text =
      fmt::format("{}: {} at {}\n", gpu.id,
                  gpu.name.empty() ? "a GPU of NVIDIA" : common::printable(gpu.name), gpu.bus_id);
  const auto links = links_of(facts, gpu);
  const auto limiting = topology::narrowest(links);
  for (std::size_t i = 0; i < links.size(); ++i)
    text += link_text(links[i], links.size() > 1 && limiting == i);
  if (limiting && gpu.settings_of_link) {
    const auto [low, high] = packet_limit_of(gpu, links[*limiting]);
    text += fmt::format("  packets of at most {} bytes: {:.1f} to {:.1f} GB/s each way\n",
                        gpu.settings_of_link->max_payload_bytes, low, high);
  }
  return text;
}

std::string copy_text(const measured_copy& copy) {
  return fmt::format("{}: copies of pinned memory {} reach {} GB/s\n", copy.gpu,
                     copy.towards == direction::h2d ? "to the GPU" : "to the host",
                     common::rate_digits(copy.gb_per_s));
}

std::string verdict_text(const diagnosis& diagnosis) {
  switch (conclude(diagnosis)) {
    case verdict::healthy: return "Nothing slows transfers, as far as this machine shows.";
    case verdict::findings:
      return fmt::format("Transfers may be slow: {}.",
                         common::counted(diagnosis.findings.size(), "finding"));
    case verdict::not_known:
      return fmt::format("Whether transfers are slow is not known; {}.",
                         common::counted(diagnosis.findings.size(), "finding"));
  }
  return "";
}

}  // namespace

std::string text_of(const facts& facts, const diagnosis& diagnosis) {
  std::string text;
  for (const auto& gpu : facts.gpus) text += gpu_text(facts, gpu);
  for (const auto& copy : facts.copies) text += copy_text(copy);
  text += common::wrapped(verdict_text(diagnosis));
  text += findings_text(diagnosis, severity::slows, "Slows transfers");
  text += findings_text(diagnosis, severity::may_slow, "May slow transfers");
  return text + unknowns_text(diagnosis);
}

}  // namespace bench_transfers::doctor
