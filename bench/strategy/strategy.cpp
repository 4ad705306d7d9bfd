#include "bench/strategy/strategy.hpp"

#include <algorithm>

#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
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
  for (const auto kind : several.kinds) {
    strategy one{
        .name = several.name + "/" + to_string(kind),
        .summary = several.summary + ", " + describe(kind),
        .variants = several.variants,
        .host = kind,
        .prepare = [prepare = several.prepare, kind](const job& j) { return prepare(j, kind); }};
    if (several.adjust) several.adjust(one);
    collected().push_back(std::move(one));
  }
}

registry registered_strategies() {
  auto all = collected();
  std::ranges::sort(all, {}, &strategy::name);
  return all;
}

std::vector<step> enqueue_and_wait(transfers::stream& stream, std::function<void()> enqueue) {
  return {{"enqueue", std::move(enqueue)}, {"wait", [&stream] { stream.synchronize(); }}};
}

std::optional<std::string> why_unsupported(const strategy& one, const transfers::device& device) {
  if (one.host)
    if (auto reason = device.why_unsupported(*one.host)) return reason;
  return one.why_unsupported ? one.why_unsupported(device) : std::nullopt;
}

payload host_payload(const job& wanted, transfers::host_memory_kind kind, std::size_t index) {
  const auto& block = wanted.memory.host(kind);
  const auto offset = index * buffers::distance(wanted.bytes);
  return {block.data() + offset, wanted.bytes, false, &block, offset};
}

payload device_payload(const job& wanted, std::size_t index) {
  const auto offset = index * buffers::distance(wanted.bytes);
  return {wanted.memory.on_device().data() + offset, wanted.bytes, true, nullptr, offset};
}

std::byte* seen_by_kernel(const payload& end) {
  if (end.on_device) return end.data;
  if (end.host->on_device() == nullptr)
    throw transfers::unsupported("the device has no address for this memory");
  return end.host->on_device() + end.offset;
}

ends ends_of(const job& wanted, transfers::host_memory_kind kind, transfers::direction way) {
  const auto host = host_payload(wanted, kind);
  const auto device = device_payload(wanted);
  if (way == transfers::direction::h2d) return {host, device};
  return {device, host};
}

}  // namespace bench_transfers::bench
