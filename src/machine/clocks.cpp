#include "src/machine/clocks.hpp"

#include "src/machine/files.hpp"

namespace bench_transfers::machine {

namespace {

template <class Section, class Value>
std::optional<Value> member(const std::optional<Section>& section,
                            std::optional<Value> Section::*which) {
  return section ? (*section).*which : std::nullopt;
}

template <class Count>
std::optional<std::size_t> rise(const std::optional<Count>& start,
                                const std::optional<Count>& end) {
  if (!start || !end || *end < *start) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(*end - *start);
}

nlohmann::ordered_json gpu_to_json(const clocks_of_run& run) {
  const auto& start = run.start.gpu;
  const auto& end = run.end.gpu;
  if (!start && !end) {
    return nullptr;
  }
  const auto at_both_ends = [&](auto which) {
    return nlohmann::ordered_json::array(
        {or_null(member(start, which)), or_null(member(end, which))});
  };
  const auto at_either_end = [&](auto which) {
    const auto first = member(start, which);
    return or_null(first ? first : member(end, which));
  };
  return {{"sm_mhz", at_both_ends(&gpu_clocks::sm_mhz)},
          {"sm_max_mhz", at_either_end(&gpu_clocks::sm_max_mhz)},
          {"memory_mhz", at_both_ends(&gpu_clocks::memory_mhz)},
          {"memory_max_mhz", at_either_end(&gpu_clocks::memory_max_mhz)},
          {"temperature_c", at_both_ends(&gpu_clocks::temperature_c)},
          {"throttle_reasons", or_null(run.gpu_throttled_by())},
          {"pcie_replays", or_null(run.pcie_replays())}};
}

}  // namespace

void add(std::optional<throttle_reasons>& reasons, const std::optional<throttle_reasons>& more) {
  if (!more) {
    return;
  }
  if (!reasons) {
    reasons.emplace();
  }
  reasons->insert(more->begin(), more->end());
}

std::optional<throttle_reasons> clocks_of_run::gpu_throttled_by() const {
  auto reasons = seen_between;
  add(reasons, member(start.gpu, &gpu_clocks::throttled_by));
  add(reasons, member(end.gpu, &gpu_clocks::throttled_by));
  return reasons;
}

std::optional<std::size_t> clocks_of_run::pcie_replays() const {
  return rise(member(start.gpu, &gpu_clocks::pcie_replays),
              member(end.gpu, &gpu_clocks::pcie_replays));
}

std::optional<std::size_t> clocks_of_run::cpu_throttle_events() const {
  return rise(start.cpu_throttle_events, end.cpu_throttle_events);
}

nlohmann::ordered_json to_json(const clocks_of_run& run) {
  nlohmann::ordered_json cpu = nullptr;
  if (const auto events = run.cpu_throttle_events()) {
    cpu = {{"throttle_events", *events}};
  }
  return {{"gpu", gpu_to_json(run)}, {"cpu", cpu}};
}

}  // namespace bench_transfers::machine
