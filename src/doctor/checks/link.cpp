#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/common/message.hpp"
#include "src/doctor/checks/registration.hpp"
#include "src/doctor/checks/remedies.hpp"

namespace bench_transfers::doctor::checks {
namespace {

using json = nlohmann::ordered_json;
using topology::link_rate;
using topology::path_link;

std::string text_of(const link_rate& rate) {
  return fmt::format("PCIe {}.0 x{}", rate.generation, rate.width);
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

remedy reseat(const host_facts& host, const gpu_facts& gpu, const path_link& link) {
  const auto* const text =
      is_soldered(host, gpu)
          ? "The GPU is soldered to the board: look at the firmware's settings, and have the board "
            "repaired if it had more lanes before"
          : "Reseat the card, and change its slot, riser or cable; the firmware may split the slot "
            "(bifurcation)";
  return {text, show_link(gpu, link), place::hardware, "what both ends can do"};
}

remedy raise_generation(const host_facts& host, const gpu_facts& gpu, const path_link& link) {
  if (!power_saving_of(host, gpu).empty()) return switch_off_power_saving(gpu);
  const auto* const text =
      is_soldered(host, gpu)
          ? "Set the link's speed to automatic or the highest in the firmware's settings"
          : "Set the slot's speed to automatic or the highest in the firmware's settings; if it "
            "is, reseat the card, and change its riser or cable";
  return {text, show_link(gpu, link), place::hardware, "the target"};
}

std::string cause_of(const std::vector<std::string>& reasons) {
  return reasons.empty() ? "" : fmt::format("; power is saved there: {}", fmt::join(reasons, ", "));
}

json power_of(const host_facts& host, const gpu_facts& gpu) {
  return {{"aspm", gpu.power.aspm},
          {"aspm_policy", common::or_null(host.aspm_policy)},
          {"runtime_control", common::or_null(gpu.power.runtime_control)}};
}

template <class Look>
void for_each_link(const facts& facts, Look&& look) {
  for (const auto& gpu : facts.gpus)
    for (const auto& link : links_of(facts, gpu)) look(gpu, link);
}

void link_width(const facts& facts, diagnosis& diagnosis) {
  for_each_link(facts, [&](const gpu_facts& gpu, const path_link& link) {
    if (!gpu.under_load || !link.is_narrower()) return;
    diagnosis.findings.push_back(
        {.code = "link_width",
         .severity = severity::slows,
         .gpu = gpu.id,
         .what = fmt::format("{} runs at {} lanes of the {} that it can have.", place_of(link),
                             link.now.width, link.most.width),
         .evidence = to_json(link),
         .cost = cost_of(link.now, {link.now.generation, link.most.width}),
         .fix = reseat(facts.host, gpu, link)});
  });
}

void link_generation(const facts& facts, diagnosis& diagnosis) {
  for_each_link(facts, [&](const gpu_facts& gpu, const path_link& link) {
    if (!gpu.under_load || !link.is_slower()) return;
    auto evidence = to_json(link);
    evidence.update(power_of(facts.host, gpu));
    diagnosis.findings.push_back(
        {.code = "link_generation",
         .severity = severity::slows,
         .gpu = gpu.id,
         .what = fmt::format("{} runs at generation {} of {} while the GPU copies{}.",
                             place_of(link), link.now.generation, link.most.generation,
                             cause_of(power_saving_of(facts.host, gpu))),
         .evidence = std::move(evidence),
         .cost = cost_of(link.now, {link.most.generation, link.now.width}),
         .fix = raise_generation(facts.host, gpu, link)});
  });
}

void sleeping_link(const facts& facts, diagnosis& diagnosis) {
  for_each_link(facts, [&](const gpu_facts& gpu, const path_link& link) {
    if (gpu.under_load || !link.is_below_maximum()) return;
    diagnosis.unknowns.push_back(
        {.code = "link_asleep",
         .gpu = gpu.id,
         .what = fmt::format("{} runs at {} of {}, but nothing is copied now: a link that sleeps "
                             "does that, too.",
                             place_of(link), text_of(link.now), text_of(link.most)),
         .evidence = to_json(link),
         .decides = true,
         .fix = {"Read the link while the GPU copies, which needs CUDA",
                 "bench_transfers doctor"}});
  });
}

void tunnelled_link(const facts& facts, diagnosis& diagnosis) {
  for_each_link(facts, [&](const gpu_facts& gpu, const path_link& link) {
    if (link.limits) return;
    auto evidence = to_json(link);
    std::string reached;
    for (const auto& copy : facts.copies) {
      if (copy.gpu != gpu.id) continue;
      const bool to_gpu = copy.towards == direction::h2d;
      evidence[to_gpu ? "h2d_gb_per_s" : "d2h_gb_per_s"] = copy.gb_per_s;
      reached += fmt::format("{}{:.1f} GB/s {}", reached.empty() ? " Copies reach " : ", ",
                             copy.gb_per_s, to_gpu ? "to the GPU" : "to the host");
    }
    if (!reached.empty()) reached += ".";
    diagnosis.unknowns.push_back(
        {.code = "tunnelled_link",
         .gpu = gpu.id,
         .what =
             fmt::format("{} says {}, which is not what it carries: it is a tunnel (Thunderbolt, "
                         "USB4), or a hypervisor made it up. Thunderbolt 3 and 4 carry 4 GB/s "
                         "of PCI Express or less.{}",
                         place_of(link), text_of(link.now), reached),
         .evidence = std::move(evidence),
         .decides = true,
         .fix = reached.empty()
                    ? remedy{"Measure what it carries", "bench_transfers doctor --measure"}
                    : remedy{"Compare it with what others reach through such a tunnel",
                             "bench_transfers --strategies=copy"}});
  });
}

void power_saving(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    const auto reasons = power_saving_of(facts.host, gpu);
    // Of a link that it slows while the GPU copies, link_generation tells the cause and the remedy.
    const bool is_told =
        gpu.under_load && std::ranges::any_of(links_of(facts, gpu), &path_link::is_slower);
    if (reasons.empty() || is_told) continue;
    diagnosis.findings.push_back(
        {.code = "power_saving",
         .severity = severity::may_slow,
         .gpu = gpu.id,
         .what = fmt::format("Power is saved where the GPU copies: {}. The first copies after a "
                             "pause wait until it wakes.",
                             fmt::join(reasons, "; ")),
         .evidence = power_of(facts.host, gpu),
         .fix = switch_off_power_saving(gpu)});
  }
}

void slot_limit(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    const auto links = links_of(facts, gpu);
    if (links.empty() || links.back().upper.empty()) continue;
    // Behind a tunnel it is not known which part limits.
    if (!std::ranges::all_of(links, &path_link::limits)) continue;
    const auto& link = links.back();
    if (link.most == link.lower_most) continue;
    auto evidence = to_json(link);
    evidence["gpu_generation_max"] = link.lower_most.generation;
    evidence["gpu_width_max"] = link.lower_most.width;
    const bool soldered = is_soldered(facts.host, gpu);
    diagnosis.findings.push_back(
        {.code = "slot_limit",
         .severity = severity::slows,
         .gpu = gpu.id,
         .what = fmt::format("The {} at {} can do {}, the GPU {}.", soldered ? "port" : "slot",
                             link.upper, text_of(link.most), text_of(link.lower_most)),
         .evidence = std::move(evidence),
         .cost = cost_of(link.most, link.lower_most),
         .fix = {soldered ? "The GPU is soldered to the board, which was built like this: only the "
                            "firmware's settings may give the port more"
                          : "Put the card into a slot that can do more; the firmware may limit the "
                            "slot",
                 show_link(gpu, link), place::hardware}});
  }
}

void upstream_limit(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    const auto links = links_of(facts, gpu);
    for (std::size_t i = 0; i + 1 < links.size(); ++i) {
      const auto& link = links[i];
      if (!link.limits || !(link.most.gb_per_s() < links.back().most.gb_per_s())) continue;
      auto evidence = to_json(link);
      evidence["gpu_link"] = to_json(links.back());
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
               "lspci -tv", place::hardware}});
    }
  }
}

void hidden_link(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) {
    if (!gpu.on_pcie) continue;
    if (links_of(facts, gpu).empty())
      diagnosis.unknowns.push_back(
          {.code = "link_hidden",
           .gpu = gpu.id,
           .what = "Neither the kernel nor the driver tells the speed and width of the GPU's link.",
           .evidence = {{"bus_id", gpu.bus_id}},
           .decides = true,
           .fix =
               give_container(facts.host, access::management_library,
                              {"Read it from the driver, which wakes the GPU", "nvidia-smi -q"})});
    if (gpu.path.hops.size() < 2)
      diagnosis.unknowns.push_back(
          {.code = "path_hidden",
           .gpu = gpu.id,
           .what = "The ports and switches between the GPU and the CPU are not shown: one of them "
                   "may be narrow.",
           .evidence = {{"bus_id", gpu.bus_id}, {"hops", gpu.path.hops.size()}},
           .fix = {"Look at the ports and switches", "lspci -tv", place::hardware}});
  }
}

const registration of_links{topic::links,
                            {link_width, link_generation, power_saving, sleeping_link,
                             tunnelled_link, slot_limit, upstream_limit, hidden_link}};

}  // namespace
}  // namespace bench_transfers::doctor::checks
