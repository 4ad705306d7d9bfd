#include "src/fleet/judge/advice.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace bench_transfers::fleet {
namespace {

class adviser {
 public:
  adviser(const sweep& sweep, const finding& found) : found_(found) {
    for (const auto gpu : found.gpus)
      warnings_.insert(sweep.gpus[gpu].warnings.begin(), sweep.gpus[gpu].warnings.end());
  }

  std::vector<advice> run() {
    add_for_pattern();
    if (found_.pattern != pattern::wrong_data) {
      add_for_warnings();
      add_for_class();
    }
    return std::move(list_);
  }

 private:
  void add(std::initializer_list<advice> more) {
    for (const auto advice : more)
      if (std::ranges::find(list_, advice) == list_.end()) list_.push_back(advice);
  }

  void add_for_pattern() {
    switch (found_.pattern) {
      case pattern::wrong_data: return add({advice::take_out, advice::reseat});
      case pattern::link_generation:
      case pattern::link_width:
        // All links of a wider part are no bad contact.
        if (found_.scope == scope::gpu) return add({advice::reseat, advice::cable_or_riser});
        return add({advice::slot_setting, advice::driver_and_bios});
      case pattern::slow_together: return add({advice::shared_link, advice::numa_binding});
      case pattern::slow_one_direction: return add({advice::acs_and_iommu});
      case pattern::slow_some: return add({advice::sizes_and_kinds});
      case pattern::intermittent: return add({advice::measure_again, advice::other_users});
      case pattern::below_link_limit: return add({advice::acs_and_iommu, advice::slot_setting});
      case pattern::slower_than_before:
      case pattern::slower_than_model:
      case pattern::slow: break;
    }
    if (found_.part_of_link) add({advice::acs_and_iommu, advice::slot_setting});
    if (found_.scope == scope::fleet) add({advice::driver_and_bios});
  }

  void add_for_warnings() {
    const auto warned = [&](const char* code) { return warnings_.contains(code); };
    if (warned("pcie_replays")) add({advice::reseat, advice::cable_or_riser});
    if (warned("gpu_throttled") || warned("gpu_clock_fell")) add({advice::clocks, advice::cooling});
    if (warned("cpu_throttled")) add({advice::cooling});
    if (warned("numa_far")) add({advice::numa_binding});
    if (warned("cpu_governor")) add({advice::clocks});
    if (warned("other_load") || warned("repetitions_disturbed")) add({advice::other_users});
    if (warned("link_changed")) add({advice::reseat});
  }

  void add_for_class() {
    switch (found_.kind) {
      case benchmark_class::host: return add({advice::numa_binding, advice::host_memory});
      case benchmark_class::latency: return add({advice::clocks, advice::other_users});
      case benchmark_class::link: break;
      case benchmark_class::other: return;
    }
    switch (found_.scope) {
      case scope::gpu: return add({advice::acs_and_iommu, advice::numa_binding, advice::exchange});
      case scope::node:
        return add({advice::numa_binding, advice::acs_and_iommu, advice::driver_and_bios});
      case scope::slot: return add({advice::slot_setting, advice::numa_binding});
      case scope::rack:
      case scope::fleet: break;
    }
    add({advice::driver_and_bios, advice::clocks});
  }

  const finding& found_;
  std::set<std::string> warnings_;
  std::vector<advice> list_;
};

}  // namespace

std::vector<advice> advice_for(const sweep& sweep, const finding& found) {
  return adviser(sweep, found).run();
}

}  // namespace bench_transfers::fleet
