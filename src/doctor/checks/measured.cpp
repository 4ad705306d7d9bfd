#include <fmt/format.h>

#include <algorithm>

#include "src/doctor/checks/registration.hpp"
#include "src/doctor/path_links.hpp"

namespace bench_transfers::doctor::checks {
namespace {

const gpu_facts* find_gpu(const facts& facts, const std::string& id) {
  const auto gpu = std::ranges::find(facts.gpus, id, &gpu_facts::id);
  return gpu == facts.gpus.end() ? nullptr : &*gpu;
}

const char* text_of(direction towards) {
  return towards == direction::h2d ? "to the GPU" : "to the host";
}

void slow_copies(const facts& facts, diagnosis& diagnosis) {
  for (const auto& copy : facts.copies) {
    const auto* const gpu = find_gpu(facts, copy.gpu);
    const auto links = gpu ? links_of(facts, *gpu) : std::vector<topology::path_link>{};
    const auto limiting = topology::narrowest(links);
    if (!limiting) continue;
    const auto limit = packet_limit_of(*gpu, links[*limiting]).first;
    if (!(copy.gb_per_s < machine::least_part_of_pcie_link * limit)) continue;
    const double lost = 1 - copy.gb_per_s / limit;
    diagnosis.findings.push_back(
        {.code = "copies_below_link",
         .severity = severity::slows,
         .gpu = copy.gpu,
         .what =
             fmt::format("Copies of pinned memory {} reach {:.1f} GB/s; the link can carry {:.1f}.",
                         text_of(copy.towards), copy.gb_per_s, limit),
         .evidence = {{"direction", copy.towards == direction::h2d ? "h2d" : "d2h"},
                      {"bytes", copy.bytes},
                      {"gb_per_s", copy.gb_per_s},
                      {"limit_gb_per_s", limit}},
         .cost = cost{.least_lost = lost,
                      .most_lost = lost,
                      .rate = "copies of pinned memory",
                      .origin = cost::source::measured,
                      .reference = "this run"},
         .fix = {"Mend the other findings first; then see which part loses the time",
                 "bench_transfers --profile=standard --strategies=copy"}});
  }
  if (facts.why_not_measured)
    diagnosis.unknowns.push_back(
        {.code = "not_measured",
         .what = fmt::format("Nothing was measured: {}.", *facts.why_not_measured),
         .evidence = {{"reason", *facts.why_not_measured}},
         .decides = true,
         .fix = {"Mend the reason, and measure again", "bench_transfers doctor --measure"}});
}

const registration of_rates{topic::rates, {slow_copies}};

}  // namespace
}  // namespace bench_transfers::doctor::checks
