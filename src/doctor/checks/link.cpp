#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/doctor/checks/checks.hpp"
#include "src/doctor/links.hpp"

namespace bench_transfers::doctor::checks {
namespace {

using json = nlohmann::ordered_json;

std::string text_of(const link_rate& rate) {
  return fmt::format("PCIe {}.0 x{}", rate.generation, rate.width);
}

json evidence_of(const path_link& link) {
  return {{"upper", link.upper.empty() ? json() : json(link.upper)},
          {"lower", link.lower},
          {"generation", link.now.generation},
          {"width", link.now.width},
          {"generation_max", link.most.generation},
          {"width_max", link.most.width}};
}

/// What a slower link takes off, by the specification. None if it is not slower than another link
/// of the path: that one limits the copies.
std::optional<cost> cost_of(const link_rate& now, const link_rate& other) {
  const double lost = 1 - now.gb_per_s() / other.gb_per_s();
  if (!(lost > 0)) return std::nullopt;
  return cost{.least_lost = lost,
              .most_lost = lost,
              .rate = "the link's raw rate",
              .origin = cost::source::pcie_rates,
              .reference = fmt::format("{:.1f} of {:.1f} GB/s", now.gb_per_s(), other.gb_per_s())};
}

std::string place_of(const path_link& link) {
  return link.upper.empty() ? fmt::format("The link of {}", link.lower)
                            : fmt::format("The link between {} and {}", link.upper, link.lower);
}

remedy reseat(const path_link& link) {
  return {
      "Reseat the card, and change its slot, riser or cable; the firmware may split the slot "
      "(bifurcation). The command shows what both ends can do",
      fmt::format("lspci -vv -s {} | grep -E 'LnkCap:|LnkSta:'", link.lower)};
}

std::string generation_setting(const path_link& link) {
  return fmt::format("lspci -vv -s {} | grep -E 'LnkCap|LnkSta|LnkCtl2'",
                     link.upper.empty() ? link.lower : link.upper);
}

template <class Look>
void for_each_link(const facts& facts, Look&& look) {
  for (const auto& gpu : facts.gpus)
    for (const auto& link : links_of(gpu)) look(gpu, link);
}

}  // namespace

void link_width(const facts& facts, diagnosis& diagnosis) {
  for_each_link(facts, [&](const gpu_facts& gpu, const path_link& link) {
    if (link.now.width >= link.most.width) return;
    diagnosis.findings.push_back(
        {.code = "link_width",
         .severity = severity::slows,
         .gpu = gpu.id,
         .what = fmt::format("{} runs at {} lanes of the {} that it can have.", place_of(link),
                             link.now.width, link.most.width),
         .evidence = evidence_of(link),
         .cost = cost_of(link.now, {link.now.generation, link.most.width}),
         .fix = reseat(link)});
  });
}

void link_generation(const facts& facts, diagnosis& diagnosis) {
  for_each_link(facts, [&](const gpu_facts& gpu, const path_link& link) {
    if (link.now.generation >= link.most.generation) return;
    const auto state = fmt::format("{} runs at generation {} of {}", place_of(link),
                                   link.now.generation, link.most.generation);
    if (!gpu.under_load) {
      diagnosis.unknowns.push_back(
          {.code = "link_asleep",
           .gpu = gpu.id,
           .what = state + ", but nothing is copied now: a link that sleeps does that, too.",
           .evidence = evidence_of(link),
           .decides = true,
           .fix = {"Read the link while the GPU copies, which needs CUDA",
                   "bench_transfers doctor"}});
      return;
    }
    diagnosis.findings.push_back(
        {.code = "link_generation",
         .severity = severity::slows,
         .gpu = gpu.id,
         .what = state + " while the GPU copies.",
         .evidence = evidence_of(link),
         .cost = cost_of(link.now, {link.most.generation, link.now.width}),
         .fix = {
             "Set the slot's speed to automatic or the highest in the firmware's settings; if it "
             "is, reseat the card, and change its riser or cable. The command shows the target",
             generation_setting(link)}});
  });
}

void slot_limit(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    const auto links = links_of(gpu);
    if (links.empty() || links.back().upper.empty()) continue;
    const auto& link = links.back();
    if (link.most == link.lower_most) continue;
    auto evidence = evidence_of(link);
    evidence["gpu_generation_max"] = link.lower_most.generation;
    evidence["gpu_width_max"] = link.lower_most.width;
    diagnosis.findings.push_back(
        {.code = "slot_limit",
         .severity = severity::slows,
         .gpu = gpu.id,
         .what = fmt::format("The slot at {} can do {}, the GPU {}.", link.upper,
                             text_of(link.most), text_of(link.lower_most)),
         .evidence = std::move(evidence),
         .cost = cost_of(link.most, link.lower_most),
         .fix = {"Put the card into a slot that can do more; the firmware may limit the slot",
                 fmt::format("lspci -vv -s {} | grep LnkCap", link.upper)}});
  }
}

void upstream_limit(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    const auto links = links_of(gpu);
    for (std::size_t i = 0; i + 1 < links.size(); ++i) {
      const auto& link = links[i];
      if (!(link.most.gb_per_s() < links.back().most.gb_per_s())) continue;
      auto evidence = evidence_of(link);
      evidence["gpu_link"] = evidence_of(links.back());
      diagnosis.findings.push_back(
          {.code = "upstream_limit",
           .severity = severity::slows,
           .gpu = gpu.id,
           .what =
               fmt::format("A link above the GPU's own, between {} and {}, can do {}: less than "
                           "the GPU's, {}.",
                           link.upper, link.lower, text_of(link.most), text_of(links.back().most)),
           .evidence = std::move(evidence),
           .cost = cost_of(link.most, links.back().most),
           .fix = {
               "Connect the switch to a wider or faster slot, or put the card into another slot",
               "lspci -tv"}});
    }
  }
}

void hidden_link(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    if (!gpu.on_pcie) continue;
    if (links_of(gpu).empty())
      diagnosis.unknowns.push_back(
          {.code = "link_hidden",
           .gpu = gpu.id,
           .what = "Neither the kernel nor the driver tells the speed and width of the GPU's link.",
           .evidence = {{"bus_id", gpu.bus_id}},
           .decides = true,
           .fix = {"Show /sys to the container, and NVIDIA's management library (utility)",
                   "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility IMAGE"}});
    if (gpu.path.hops.size() < 2)
      diagnosis.unknowns.push_back(
          {.code = "path_hidden",
           .gpu = gpu.id,
           .what = "The ports and switches between the GPU and the CPU are not shown: one of them "
                   "may be narrow.",
           .evidence = {{"bus_id", gpu.bus_id}, {"hops", gpu.path.hops.size()}},
           .decides = false,
           .fix = {"Run this on the host itself, outside of virtual machines and containers",
                   "lspci -tv"}});
  }
}

void acs_redirect(const facts& facts, diagnosis& diagnosis) {
  if (facts.gpus.size() < 2) return;  // it concerns copies between GPUs alone
  for (const auto& gpu : facts.gpus) {
    std::vector<std::string> redirecting, hidden;
    for (const auto& port : gpu.ports) {
      if (!port.redirects_peers) hidden.push_back(port.address);
      if (port.redirects_peers == true) redirecting.push_back(port.address);
    }
    if (!redirecting.empty())
      diagnosis.findings.push_back(
          {.code = "acs_redirect",
           .severity = severity::may_slow,
           .gpu = gpu.id,
           .what =
               fmt::format("Ports above the GPU send what GPUs copy to each other up to the CPU "
                           "(ACS): {}. Copies from and to the host do not change.",
                           fmt::join(redirecting, ", ")),
           .evidence = {{"ports", redirecting}},
           .cost = std::nullopt,
           .fix = {"Switch ACS off in the firmware's settings, or in each port until the next "
                   "start; virtual machines need it for their isolation",
                   fmt::format("setpci -s {} ECAP_ACS+6.w=0000", redirecting.front())}});
    if (!hidden.empty())
      diagnosis.unknowns.push_back(
          {.code = "acs_hidden",
           .gpu = gpu.id,
           .what = "Only root can read whether ports redirect copies between GPUs (ACS).",
           .evidence = {{"ports", hidden}},
           .decides = false,
           .fix = {"Run this as root", "sudo bench_transfers doctor"}});
  }
}

void iommu_translation(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    if (!gpu.iommu_domain || !gpu.iommu_domain->starts_with("DMA")) continue;
    diagnosis.findings.push_back(
        {.code = "iommu_translation",
         .severity = severity::may_slow,
         .gpu = gpu.id,
         .what = "The IOMMU translates each address that the GPU reads or writes.",
         .evidence = {{"domain", *gpu.iommu_domain}},
         .cost = std::nullopt,
         .fix = {"Let the host's devices pass the IOMMU: add iommu=pt to the kernel's command line "
                 "and restart",
                 "grubby --update-kernel=ALL --args=iommu=pt"}});
  }
}

}  // namespace bench_transfers::doctor::checks
