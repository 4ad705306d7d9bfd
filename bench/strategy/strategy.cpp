#include "bench/strategy/strategy.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "transfers/core/workers.hpp"

namespace bench_transfers::bench {
namespace {

using result_file::direction;

// Filled while static objects are initialised, in an unspecified order: constructed on first use.
registry& collected() {
  static registry list;
  return list;
}

std::vector<node_strategies>& collected_for_nodes() {
  static std::vector<node_strategies> list;
  return list;
}

std::optional<std::string> text_of_part(const strategy& described, name_part::field field) {
  const auto part = std::ranges::find(described.parts, field, &name_part::target);
  return part == described.parts.end() ? std::nullopt : std::optional(part->text);
}

/// Why the toolkit or the driver is too old for calls of this release; nullopt if neither is.
std::optional<std::string> why_too_old(const transfers::cuda_properties& cuda,
                                       const machine::cuda_release& needed) {
  const auto is_older = [&](const std::string& version) {
    const auto known = machine::parse_cuda_release(version);
    return known && *known < needed;
  };
  const auto needs = "it needs CUDA " + to_string(needed) + ", and ";
  if (is_older(cuda.runtime_cuda_version))
    return needs + "this program was built with CUDA " + cuda.runtime_cuda_version;
  if (is_older(cuda.driver_cuda_version))
    return needs + "the NVIDIA driver supports CUDA " + cuda.driver_cuda_version;
  return std::nullopt;
}

std::optional<std::string> memory_of(const strategy& described) {
  if (described.memory) return described.memory;
  if (auto named = text_of_part(described, name_part::field::memory)) return named;
  if (described.needs.host) return to_string(*described.needs.host);
  return std::nullopt;
}

std::function<transfer(const job&)> by_variant(const std::vector<variant>& variants) {
  return [variants](const job& task) {
    const auto chosen = std::ranges::find(variants, task.variant, &variant::name);
    if (chosen == variants.end())
      throw std::logic_error("no such variant: " + std::string(task.variant));
    return chosen->prepare(task);
  };
}

}  // namespace

name_part method(std::string text) { return {name_part::field::method, std::move(text)}; }
name_part setting(std::string text) { return {name_part::field::setting, std::move(text)}; }
name_part in_memory(transfers::host_memory_kind kind) { return in_memory(to_string(kind)); }
name_part in_memory(std::string kind) { return {name_part::field::memory, std::move(kind)}; }

std::vector<variant> both_directions() {
  return {{.name = "h2d", .direction = direction::h2d},
          {.name = "d2h", .direction = direction::d2h}};
}

std::vector<variant> synchronous_copies(transfers::host_memory_kind kind) {
  auto directions = both_directions();
  // Procedure 1 waited for a stream after each copy. Copies from pageable memory still do.
  for (auto& way : directions)
    if (is_page_locked(kind) || way.direction == direction::d2h) way.procedure = 2;
  return directions;
}

std::vector<variant> both_accesses() {
  return {{.name = "read", .direction = direction::h2d, .in_place = true},
          {.name = "write", .direction = direction::d2h, .in_place = true}};
}

std::vector<variant> named(const std::vector<std::string>& names) {
  std::vector<variant> variants;
  for (const auto& name : names) variants.push_back({.name = name});
  return variants;
}

std::string strategy::name() const {
  auto joined = family;
  for (const auto& part : parts) joined += "/" + part.text;
  return joined;
}

result_file::benchmark describe(const strategy& measured, const bench::variant* variant,
                                std::optional<std::size_t> size_bytes, cache_state cache,
                                const std::optional<std::string>& device) {
  const bench::variant defaults{};
  const auto& fields = variant == nullptr ? defaults : *variant;
  result_file::benchmark described;
  described.family = measured.family;
  described.strategy = measured.name();
  if (variant != nullptr) described.variant = variant->name;
  described.name = benchmark_name(described.strategy, described.variant, size_bytes, cache, device);
  described.method =
      fields.method ? fields.method : text_of_part(measured, name_part::field::method);
  described.setting =
      fields.setting ? fields.setting : text_of_part(measured, name_part::field::setting);
  described.memory = memory_of(measured);
  if (measured.needs.host && measured.needs.host->node)
    described.node = static_cast<unsigned>(*measured.needs.host->node);
  described.direction = fields.direction.value_or(measured.direction);
  described.size_bytes = size_bytes;
  described.cache = cache;
  described.role = fields.role ? fields.role->name : measured.role.name;
  described.plainness = fields.plainness.value_or(measured.plainness);
  described.in_place = fields.in_place;
  described.set = fields.set;
  if (!fields.flows.empty()) described.devices.clear();
  for (const auto& flow : fields.flows) {
    described.flows.push_back(flow);
    described.devices.push_back(flow.device);
  }
  std::ranges::sort(described.devices);
  described.devices.erase(std::unique(described.devices.begin(), described.devices.end()),
                          described.devices.end());
  described.emulation = measured.emulation;
  return described;
}

registration::registration(const strategy& added) { collected().push_back(added); }

registration::registration(const host_memory_family& added) {
  for (const auto kind : added.kinds) {
    auto member = added.common;
    member.parts.push_back(in_memory(kind));
    member.summary += ", " + transfers::describe(kind);
    if (!member.calls.empty()) member.calls = calls_for(kind) + member.calls;
    member.needs.host = kind;
    member.prepare = [prepare = added.prepare, kind](const job& task) {
      return prepare(task, kind);
    };
    if (added.adjust) added.adjust(member);
    collected().push_back(std::move(member));
  }
}

registration::registration(const node_strategies& added) { collected_for_nodes().push_back(added); }

registry registered_strategies(const std::vector<machine::numa_node>& nodes) {
  auto strategies = collected();
  if (!nodes.empty())
    for (const auto& make : collected_for_nodes())
      std::ranges::move(make(nodes), std::back_inserter(strategies));
  for (auto& added : strategies)
    if (!added.prepare) added.prepare = by_variant(added.variants);
  std::ranges::sort(strategies, {}, &strategy::name);
  return strategies;
}

bool are_several(const std::vector<machine::numa_node>& nodes) {
  return std::ranges::count_if(nodes, &machine::numa_node::has_usable_memory) > 1;
}

std::optional<std::string> why_not_at_once(const std::string& work) {
  if (transfers::usable_processors() > 1) return std::nullopt;
  return work + ": there is one processor";
}

std::optional<std::string> why_unsupported(transfers::host_memory_kind kind,
                                           const transfers::device& device) {
  if (kind.origin == transfers::host_origin::registered_huge)
    if (auto reason = device.why_unsupported(transfers::pageable_huge)) return reason;
  return device.why_unsupported(kind);
}

std::optional<std::string> why_unsupported(const strategy& measured,
                                           const transfers::device& device) {
  const auto& needs = measured.needs;
  if (needs.host)
    if (auto reason = why_unsupported(*needs.host, device)) return reason;
  if (needs.page_locks)
    if (auto reason = device.why_unsupported(transfers::registered)) return reason;
  if (const auto& cuda = device.description().cuda; cuda && needs.cuda)
    if (auto reason = why_too_old(*cuda, *needs.cuda)) return reason;
  return needs.why_unsupported ? needs.why_unsupported(device) : std::nullopt;
}

std::optional<std::string> why_not_cuda(const std::string& call, const transfers::device& device) {
  if (device.description().cuda) return std::nullopt;
  return call + " is CUDA's own; the host device has no counterpart";
}

unsigned options_of(transfers::host_memory_kind kind) {
  using transfers::host_origin;
  const bool huge =
      kind.origin == host_origin::pageable_huge || kind.origin == host_origin::registered_huge;
  return static_cast<unsigned>(std::popcount(static_cast<unsigned>(kind.flags))) + (huge ? 1 : 0);
}

}  // namespace bench_transfers::bench
