#include "strategy.hpp"

#include <algorithm>

namespace bench {
namespace {

// Filled while static objects are initialised, in an order nobody knows; so it is made on first
// use.
registry& collected() {
  static registry list;
  return list;
}

}  // namespace

registration::registration(const strategy& one) { collected().push_back(one); }

registration::registration(const host_memory_family& several) {
  for (const auto kind : several.kinds)
    collected().push_back(
        {.name = several.name + "/" + to_string(kind),
         .summary = several.summary + ", " + describe(kind),
         .variants = several.variants,
         .host = kind,
         .prepare = [prepare = several.prepare, kind](const job& j) { return prepare(j, kind); }});
}

registry registered_strategies() {
  auto all = collected();
  std::ranges::sort(all, {}, &strategy::name);
  return all;
}

std::vector<step> enqueue_and_wait(transfers::stream& stream, std::function<void()> enqueue) {
  return {{"enqueue", std::move(enqueue)}, {"wait", [&stream] { stream.synchronize(); }}};
}

ends ends_of(const job& wanted, transfers::host_memory_kind kind, transfers::direction way) {
  const auto& block = wanted.memory.host(kind);
  const payload host{block.data(), wanted.bytes, false, &block};
  const payload device{wanted.memory.on_device().data(), wanted.bytes, true, nullptr};
  if (way == transfers::direction::h2d) return {host, device};
  return {device, host};
}

}  // namespace bench
