#include "src/fleet/report/words.hpp"

#include <nlohmann/json.hpp>

namespace bench_transfers::fleet {

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

std::string to_string(advice advice) {
  switch (advice) {
    case advice::take_out: return "take_out";
    case advice::look_at_node: return "look_at_node";
    case advice::reseat: return "reseat";
    case advice::cable_or_riser: return "cable_or_riser";
    case advice::slot_setting: return "slot_setting";
    case advice::shared_link: return "shared_link";
    case advice::acs_and_iommu: return "acs_and_iommu";
    case advice::numa_binding: return "numa_binding";
    case advice::host_memory: return "host_memory";
    case advice::clocks: return "clocks";
    case advice::cooling: return "cooling";
    case advice::other_users: return "other_users";
    case advice::sizes_and_kinds: return "sizes_and_kinds";
    case advice::driver_and_bios: return "driver_and_bios";
    case advice::exchange: return "exchange";
    case advice::second_sweep: return "second_sweep";
    case advice::measure_again: break;
  }
  return "measure_again";
}

std::string explain(advice advice) {
  switch (advice) {
    case advice::take_out: return "take it out of use, and look at its memory and link errors";
    case advice::look_at_node:
      return "look whether the node runs, sees the GPU and has started the process; its log says "
             "why not";
    case advice::reseat: return "reseat the card";
    case advice::cable_or_riser: return "look at its cable or riser, or exchange it";
    case advice::slot_setting:
      return "look at the slot's generation and width in the BIOS, and at the slots between";
    case advice::shared_link:
      return "look at what the node's GPUs share: `bench_transfers map` names the link";
    case advice::acs_and_iommu:
      return "compare ACS, IOMMU and payload size of the slot with those of a healthy one";
    case advice::numa_binding:
      return "bind the process and its memory to the GPU's NUMA node, and measure again";
    case advice::host_memory:
      return "look at the host's memory (channels, errors, huge pages) and the CPU's speed";
    case advice::clocks: return "look at clocks, power limits and governors";
    case advice::cooling: return "look at temperatures, fans and air flow";
    case advice::other_users: return "look who else used the node at that time";
    case advice::sizes_and_kinds:
      return "look for what only these benchmarks use: sizes, kinds of memory, a way to copy";
    case advice::driver_and_bios:
      return "compare driver, kernel, BIOS and firmware with those of healthy ones or of before";
    case advice::exchange:
      return "exchange it with a neighbour, to see whether the fault stays with the slot or goes "
             "with the card";
    case advice::second_sweep:
      return "confirm it by a second sweep: one process of a healthy GPU can be as slow";
    case advice::measure_again: break;
  }
  return "measure it again";
}

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

std::string to_string(doubt doubt) {
  switch (doubt) {
    case doubt::host_device: return "host_device";
    case doubt::no_peers: return "no_peers";
    case doubt::class_not_measured: return "class_not_measured";
    case doubt::missing_figures: return "missing_figures";
    case doubt::uncompared_figures: return "uncompared_figures";
    case doubt::single_benchmark: return "single_benchmark";
    case doubt::not_in_baseline: return "not_in_baseline";
    case doubt::link_below_maximum: return "link_below_maximum";
    case doubt::below_recorded: return "below_recorded";
    case doubt::nodes_not_measured: return "nodes_not_measured";
    case doubt::baseline_is_later: return "baseline_is_later";
    case doubt::noise: break;
  }
  return "noise";
}

std::string explain(doubt doubt, std::size_t gpus) {
  const auto conjugated = [&](const char* of_many, const char* of_one, const char* rest) {
    return std::string(gpus == 1 ? of_one : of_many) + rest;
  };
  switch (doubt) {
    case doubt::host_device:
      return conjugated("are host devices", "is a host device",
                        " (--device=host), to try the programs without a GPU: host memory has no "
                        "link, so nothing here shows whether a GPU is slow");
    case doubt::no_peers:
      return conjugated("have", "has",
                        " no peers: no other node has GPUs of the same model to compare with");
    case doubt::class_not_measured:
      return conjugated("have", "has",
                        " no figures that most peers have, too, in a class that decides");
    case doubt::missing_figures:
      return conjugated("lack", "lacks", " figures that most peers have");
    case doubt::uncompared_figures:
      return conjugated("have", "has", " figures that most peers lack");
    case doubt::single_benchmark:
      return conjugated("are", "is", " slow in a single benchmark, which may be chance");
    case doubt::not_in_baseline:
      return conjugated("have", "has", " nothing in the baseline to be compared with");
    case doubt::below_recorded:
      return conjugated("copy", "copies",
                        " more slowly than the recorded machines of this model and link");
    case doubt::nodes_not_measured: return "nodes of the baseline were not measured";
    case doubt::baseline_is_later: return "a baseline began after the sweep";
    case doubt::link_below_maximum:
      return conjugated("have links", "has a link",
                        " below what both ends can do, and so have the peers");
    case doubt::noise: break;
  }
  return "a slow GPU or node might have been missed: there are too few of them, or they differ too "
         "much";
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
