#include "strategy.hpp"

#include <algorithm>

namespace bench {
namespace {

using adders = std::vector<std::function<void(registry&)>>;

// Filled while static objects are initialised, in an order nobody knows; so it is made on first
// use.
adders& all_adders() {
  static adders list;
  return list;
}

}  // namespace

registration::registration(std::function<void(registry&)> add) {
  all_adders().push_back(std::move(add));
}

registry registered_strategies() {
  registry all;
  for (const auto& add : all_adders()) add(all);
  std::ranges::sort(all, {}, &strategy::name);
  return all;
}

ends ends_of(const job& wanted, transfers::host_memory_kind kind, transfers::direction way) {
  const auto& block = wanted.memory.host(kind);
  const payload host{block.data(), wanted.bytes, false, &block};
  const payload device{wanted.memory.on_device().data(), wanted.bytes, true, nullptr};
  if (way == transfers::direction::h2d) return {host, device};
  return {device, host};
}

}  // namespace bench
