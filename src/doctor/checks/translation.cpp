#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/doctor/checks/registration.hpp"
#include "src/doctor/checks/remedies.hpp"

namespace bench_transfers::doctor::checks {
namespace {

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
           .fix = {"Switch ACS off in the firmware's settings, or in each port until the next "
                   "start; virtual machines need it for their isolation",
                   fmt::format("setpci -s {} ECAP_ACS+6.w=0000", redirecting.front()),
                   place::system}});
    if (!hidden.empty())
      diagnosis.unknowns.push_back(
          {.code = "acs_hidden",
           .gpu = gpu.id,
           .what = "Only root can read whether ports redirect copies between GPUs (ACS).",
           .evidence = {{"ports", hidden}},
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
         .fix = kernel_argument(facts.host, "Let the host's devices pass the IOMMU",
                                facts.host.platform.arm ? "iommu.passthrough=1" : "iommu=pt")});
  }
}

const registration of_translation{topic::translation, {iommu_translation, acs_redirect}};

}  // namespace
}  // namespace bench_transfers::doctor::checks
