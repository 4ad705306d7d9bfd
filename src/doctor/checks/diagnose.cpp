#include "src/doctor/checks/diagnose.hpp"

#include <array>

#include "src/doctor/checks/checks.hpp"
#include "src/doctor/checks/remedies.hpp"

namespace bench_transfers::doctor {
namespace {

using check = void (*)(const facts&, diagnosis&);

/// In the order of the report: first what costs most where it is found.
constexpr std::array all_checks{
    check{checks::gpus},
    check{checks::slow_copies},
    check{checks::link_width},
    check{checks::link_generation},
    check{checks::power_saving},
    check{checks::sleeping_link},
    check{checks::tunnelled_link},
    check{checks::slot_limit},
    check{checks::upstream_limit},
    check{checks::hidden_link},
    check{checks::confidential_computing},
    check{checks::replays},
    check{checks::throttling},
    check{checks::memory_errors},
    check{checks::past_errors},
    check{checks::gpu_clocks},
    check{checks::power_limit},
    check{checks::persistence},
    check{checks::instances},
    check{checks::hidden_settings},
    check{checks::numa_binding},
    check{checks::nodes_per_socket},
    check{checks::numa_balancing},
    check{checks::iommu_translation},
    check{checks::acs_redirect},
    check{checks::few_cpus},
    check{checks::cpu_quota},
    check{checks::cpu_governor},
    check{checks::cpu_clock_limit},
    check{checks::cpu_boost},
    check{checks::other_load},
    check{checks::huge_pages},
    check{checks::memlock_limit},
    check{checks::memory_limit},
    check{checks::driver_version},
    check{checks::virtual_machine},
    check{checks::hidden_files},
};

}  // namespace

diagnosis diagnose(const facts& facts) {
  diagnosis diagnosis;
  for (const auto look : all_checks) look(facts, diagnosis);
  for (auto& found : diagnosis.findings) found.fix = possible_here(facts.host, found.fix);
  for (auto& open : diagnosis.unknowns) open.fix = possible_here(facts.host, open.fix);
  return diagnosis;
}

}  // namespace bench_transfers::doctor
