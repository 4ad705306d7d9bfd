#include "src/fleet/report/words.hpp"

#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

namespace bench_transfers::fleet {
namespace {

/// Whether the words of each value stand at its place.
template <class Table>
constexpr bool is_in_order(const Table& table) {
  for (std::size_t i = 0; i < std::size(table); ++i)
    if (static_cast<std::size_t>(table[i].of) != i) return false;
  return true;
}

/// A code, and a clause in the imperative.
struct words_of_advice {
  advice of;
  const char *code, *clause;
};
constexpr words_of_advice known_advice[] = {
    {advice::take_out, "take_out", "take it out of use, and look at its memory and link errors"},
    {advice::look_at_node, "look_at_node",
     "look whether the node runs, sees the GPU and has started the process; its log says why not"},
    {advice::reseat, "reseat", "reseat the card"},
    {advice::cable_or_riser, "cable_or_riser", "look at its cable or riser, or exchange it"},
    {advice::slot_setting, "slot_setting",
     "look at the slot's generation and width in the BIOS, and at the slots between"},
    {advice::shared_link, "shared_link",
     "look at what the node's GPUs share: `bench_transfers map` names the link"},
    {advice::acs_and_iommu, "acs_and_iommu",
     "compare ACS, IOMMU and payload size of the slot with those of a healthy one"},
    {advice::numa_binding, "numa_binding",
     "bind the process and its memory to the GPU's NUMA node, and measure again"},
    {advice::host_memory, "host_memory",
     "look at the host's memory (channels, errors, huge pages) and the CPU's speed"},
    {advice::clocks, "clocks", "look at clocks, power limits and governors"},
    {advice::cooling, "cooling", "look at temperatures, fans and air flow"},
    {advice::other_users, "other_users", "look who else used the node at that time"},
    {advice::sizes_and_kinds, "sizes_and_kinds",
     "look for what only these benchmarks use: sizes, kinds of memory, a way to copy"},
    {advice::driver_and_bios, "driver_and_bios",
     "compare driver, kernel, BIOS and firmware with those of healthy ones or of before"},
    {advice::exchange, "exchange",
     "exchange it with a neighbour, to see whether the fault stays with the slot or goes with the "
     "card"},
    {advice::second_sweep, "second_sweep",
     "confirm it by a second sweep: one process of a healthy GPU can be as slow"},
    {advice::measure_again, "measure_again", "measure it again"}};
static_assert(std::size(known_advice) == static_cast<std::size_t>(advice::measure_again) + 1);
static_assert(is_in_order(known_advice));

/// A code, and what follows "3 GPUs", or "1 GPU", or nobody.
struct words_of_doubt {
  doubt of;
  const char *code, *of_many, *of_one, *rest;
};
constexpr words_of_doubt known_doubts[] = {
    {doubt::host_device, "host_device", "are host devices", "is a host device",
     " (--device=host), to try the programs without a GPU: host memory has no link, so nothing "
     "here shows whether a GPU is slow"},
    {doubt::no_peers, "no_peers", "have", "has",
     " no peers: no other node has GPUs of the same model to compare with"},
    {doubt::class_not_measured, "class_not_measured", "have", "has",
     " no figures that most peers have, too, in a class that decides"},
    {doubt::missing_figures, "missing_figures", "lack", "lacks", " figures that most peers have"},
    {doubt::uncompared_figures, "uncompared_figures", "have", "has",
     " figures that most peers lack"},
    {doubt::single_benchmark, "single_benchmark", "are", "is",
     " slow in a single benchmark, which may be chance"},
    {doubt::not_in_baseline, "not_in_baseline", "have", "has",
     " nothing in the baseline to be compared with"},
    {doubt::link_below_maximum, "link_below_maximum", "have links", "has a link",
     " below what both ends can do, and so have the peers"},
    {doubt::below_recorded, "below_recorded", "copy", "copies",
     " more slowly than the recorded machines of this model and link"},
    {doubt::nodes_not_measured, "nodes_not_measured", "", "",
     "nodes of the baseline were not measured"},
    {doubt::baseline_is_later, "baseline_is_later", "", "", "a baseline began after the sweep"},
    {doubt::noise, "noise", "", "",
     "a slow GPU or node might have been missed: there are too few of them, or they differ too "
     "much"}};
static_assert(std::size(known_doubts) == static_cast<std::size_t>(doubt::noise) + 1);
static_assert(is_in_order(known_doubts));

template <class Table, class Value>
const auto& words_for(const Table& table, Value value) {
  return table[static_cast<std::size_t>(value)];
}

}  // namespace

std::string to_string(verdict shown) {
  switch (shown) {
    case verdict::healthy: return "healthy";
    case verdict::named: return "named";
    default: return "unknown";
  }
}

std::string to_string(scope scope) {
  switch (scope) {
    case scope::gpu: return "gpu";
    case scope::node: return "node";
    case scope::rack: return "rack";
    case scope::slot: return "slot";
    case scope::fleet: break;
  }
  return "fleet";
}

std::string noun_of(scope scope) { return scope == scope::gpu ? "GPU" : to_string(scope); }

std::string to_string(pattern pattern) {
  switch (pattern) {
    case pattern::slow: return "slow";
    case pattern::slow_one_direction: return "slow_one_direction";
    case pattern::slow_together: return "slow_together";
    case pattern::slow_some: return "slow_some";
    case pattern::intermittent: return "intermittent";
    case pattern::wrong_data: return "wrong_data";
    case pattern::link_generation: return "link_generation";
    case pattern::link_width: return "link_width";
    case pattern::slower_than_before: return "slower_than_before";
    case pattern::slower_than_model: return "slower_than_model";
    case pattern::below_link_limit: break;
  }
  return "below_link_limit";
}

std::string to_string(reference reference) {
  switch (reference) {
    case reference::peers: return "peers";
    case reference::baseline: return "baseline";
    case reference::link_limit: break;
  }
  return "link_limit";
}

std::string to_string(advice advice) { return words_for(known_advice, advice).code; }

std::string explain(advice advice) { return words_for(known_advice, advice).clause; }

nlohmann::ordered_json thresholds_percent() {
  nlohmann::ordered_json percents;
  for (const auto& [kind, criteria] : settings::usual().classes)
    percents[to_string(kind)] = 100 * criteria.threshold;
  return percents;
}

std::string code_of(const aspect& aspect) {
  return to_string(aspect.kind) +
         (aspect.towards == direction::none ? "" : "/" + to_string(aspect.towards)) +
         (aspect.together ? "/together" : "");
}

nlohmann::ordered_json to_json(const aspect& aspect) {
  return {{"code", code_of(aspect)},
          {"class", to_string(aspect.kind)},
          {"direction", to_string(aspect.towards)},
          {"together", aspect.together}};
}

std::string place_text(const std::string& node, const std::string& rack, const std::string& slot) {
  return node + (rack.empty() ? "" : " in rack " + rack) + (slot.empty() ? "" : ", slot " + slot);
}

std::string to_string(doubt doubt) { return words_for(known_doubts, doubt).code; }

std::string explain(doubt doubt, std::size_t gpus) {
  const auto& words = words_for(known_doubts, doubt);
  return std::string(gpus == 1 ? words.of_one : words.of_many) + words.rest;
}

std::string describe(const aspect& aspect) {
  const auto towards = [&]() -> std::string {
    switch (aspect.towards) {
      case direction::h2d: return " h2d";
      case direction::d2h: return " d2h";
      case direction::both: return " both ways";
      case direction::none: break;
    }
    return "";
  }();
  return to_string(aspect.kind) + towards +
         (aspect.together ? ", all GPUs of the node at once" : "");
}

}  // namespace bench_transfers::fleet
