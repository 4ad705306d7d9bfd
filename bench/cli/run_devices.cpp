#include "bench/cli/run_devices.hpp"

#include <utility>

#include "bench/record/link.hpp"

namespace bench_transfers::bench {

std::vector<named_device> named_devices(const devices_choice& choice) {
  std::vector<named_device> named;
  for (std::size_t i = 0; i < choice.chosen.size(); ++i)
    named.push_back({choice.ids[i], *choice.chosen[i]});
  return named;
}

run_devices::run_devices(devices_choice choice) : choice_(std::move(choice)) {
  for (const auto& device : choice_.chosen) monitors_.push_back(open_monitor(*device));
}

device_list run_devices::allocate(std::uint64_t seed) {
  device_list list;
  for (std::size_t i = 0; i < choice_.chosen.size(); ++i) {
    auto& device = *choice_.chosen[i];
    memory_.push_back(std::make_unique<buffers>(device, seed));
    list.push_back(
        {device, *memory_.back(), limit_of(start_[i].link), monitors_[i].get(), choice_.ids[i]});
  }
  return list;
}

std::vector<observed_device> run_devices::observed() const {
  std::vector<observed_device> observed;
  for (std::size_t i = 0; i < choice_.chosen.size(); ++i)
    observed.push_back({*choice_.chosen[i], *memory_[i], start_[i], choice_.ids[i]});
  return observed;
}

std::vector<observation> run_devices::observe(const std::set<std::size_t>& lost) const {
  std::vector<observation> observed;
  for (std::size_t i = 0; i < choice_.chosen.size(); ++i)
    observed.push_back(lost.contains(i)
                           ? observation{}
                           : observe_under_load(*choice_.chosen[i], monitors_[i].get()));
  return observed;
}

}  // namespace bench_transfers::bench
