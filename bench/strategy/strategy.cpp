#include "bench/strategy/strategy.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "bench/strategy/copy_kernel.hpp"
#include "src/transfers/core/relax.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench {

using result_file::better;
using result_file::metric;
using result_file::metric_kind;

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
    strategy member{
        .family = added.family,
        .parts = added.parts,
        .summary = added.summary + ", " + transfers::describe(kind),
        .calls = added.calls.empty() ? "" : calls_for(kind) + added.calls,
        .holds_launches = added.holds_launches,
        .variants = added.variants,
        .role = added.role,
        .direction = added.direction,
        .prepare = [prepare = added.prepare, kind](const job& task) { return prepare(task, kind); },
        .needs = {.host = kind}};
    member.parts.push_back(in_memory(kind));
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

std::string calls_in(result_file::direction direction, const std::string& lines,
                     result_file::direction beside) {
  static const std::regex of_it(R"(\$\[([^|\]]*)\|([^\]]*)\])");
  static const std::regex of_copy_beside(R"(\$\{([^|}]*)\|([^}]*)\})");
  const auto chosen = [](result_file::direction way) {
    return way == result_file::direction::d2h ? "$2" : "$1";
  };
  return std::regex_replace(std::regex_replace(lines, of_it, chosen(direction)), of_copy_beside,
                            chosen(beside));
}

bool are_several(const std::vector<machine::numa_node>& nodes) {
  return std::ranges::count_if(nodes, &machine::numa_node::has_usable_memory) > 1;
}

std::vector<step> enqueue_and_wait(transfers::stream& stream, std::function<void()> enqueue) {
  return {{"enqueue", std::move(enqueue)}, {"wait", [&stream] { stream.synchronize(); }}};
}

std::function<void()> waited_for(transfers::stream& stream, std::function<void()> enqueue) {
  return [&stream, enqueue = std::move(enqueue)] {
    enqueue();
    stream.synchronize();
  };
}

std::shared_ptr<const void> at_end(std::function<void()> function) {
  return {nullptr, [function = std::move(function)](const void*) { function(); }};
}

void wait_a_moment(const transfers::device& device) {
  transfers::detail::relax();
  if (!device.description().cuda) std::this_thread::yield();
}

std::optional<std::string> why_not_at_once(const std::string& work) {
  if (transfers::usable_processors() > 1) return std::nullopt;
  return work + ": there is one processor";
}

metric time_metric(std::string name, std::string description, bool headline) {
  return {std::move(name),        "ns",    metric_kind::duration, better::less,
          std::move(description), headline};
}

metric rate_metric(std::string name, std::string description, bool headline) {
  return {std::move(name),        "GB/s",  metric_kind::rate, better::more,
          std::move(description), headline};
}

metric share_metric(std::string name, std::string description, std::optional<better> preferred,
                    bool headline) {
  return {std::move(name), "%", metric_kind::share, preferred, std::move(description), headline};
}

metric count_metric(std::string name, std::string description, std::optional<better> preferred) {
  return {std::move(name), "1", metric_kind::count, preferred, std::move(description)};
}

metric size_metric(std::string name, std::string description) {
  return {std::move(name), "B", metric_kind::size, std::nullopt, std::move(description)};
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

std::string calls_for(transfers::host_memory_kind kind) {
  using transfers::host_origin;
  using transfers::pin_flags;
  const std::string lock = "cudaHostRegister(host, bytes, cudaHostRegisterDefault);\n";
  const std::string huge =
      "host = static_cast<std::byte*>(std::aligned_alloc(2 << 20, bytes));\n"
      "madvise(host, bytes, MADV_HUGEPAGE);\n";
  switch (kind.origin) {
    case host_origin::pageable: return "host = new std::byte[bytes];\n";
    case host_origin::pageable_huge: return huge;
    case host_origin::registered: return "host = new std::byte[bytes];\n" + lock;
    case host_origin::registered_huge: return huge + lock;
    case host_origin::managed: return "cudaMallocManaged(&host, bytes);\n";
    case host_origin::pinned: break;
  }
  std::string flags;
  for (const auto& [flag, name] :
       {std::pair{pin_flags::portable, "cudaHostAllocPortable"},
        std::pair{pin_flags::mapped, "cudaHostAllocMapped"},
        std::pair{pin_flags::write_combined, "cudaHostAllocWriteCombined"}})
    if (has(kind.flags, flag)) flags += (flags.empty() ? "" : " | ") + std::string(name);
  return "cudaHostAlloc(&host, bytes, " + (flags.empty() ? "cudaHostAllocDefault" : flags) + ");\n";
}

unsigned options_of(transfers::host_memory_kind kind) {
  using transfers::host_origin;
  const bool huge =
      kind.origin == host_origin::pageable_huge || kind.origin == host_origin::registered_huge;
  return static_cast<unsigned>(std::popcount(static_cast<unsigned>(kind.flags))) + (huge ? 1 : 0);
}

payload host_payload(const job& task, transfers::host_memory_kind kind, std::size_t index) {
  const auto& block = task.memory.host(kind);
  const auto offset = index * buffers::distance(task.bytes);
  return {block.data() + offset, task.bytes, false, &block, offset};
}

payload device_payload(const job& task, std::size_t index) {
  const auto offset = index * buffers::distance(task.bytes);
  return {task.memory.on_device().data() + offset, task.bytes, true, nullptr, offset};
}

payload own_payload(const transfers::host_memory& memory) {
  return {.data = memory.data(), .bytes = memory.size(), .host = &memory, .guard = 0};
}

payload own_payload(const transfers::device_memory& memory) {
  return {.data = memory.data(), .bytes = memory.size(), .on_device = true, .guard = 0};
}

std::byte* seen_by_kernel(const payload& end) {
  if (end.on_device) return end.data;
  if (end.host->on_device() == nullptr)
    throw transfers::unsupported("the device has no address for this memory");
  return end.host->on_device() + end.offset;
}

void write_pattern(transfers::device& device, const payload& end, pattern written) {
  if (end.on_device) return write_pattern(device, end.data, 0, end.bytes, written);
  write_host_pattern(end.data, 0, end.bytes, written);
}

pattern_check check_pattern(transfers::device& device, const payload& end, pattern expected) {
  return end.on_device ? check_pattern(device, end.data, 0, end.bytes, expected)
                       : check_host_pattern(end.data, 0, end.bytes, expected);
}

ends ends_of(const job& task, transfers::host_memory_kind kind, transfers::direction direction) {
  return ends_between(host_payload(task, kind), device_payload(task), direction);
}

ends ends_between(const payload& host, const payload& device, transfers::direction direction) {
  if (direction == transfers::direction::h2d) return {host, device};
  return {device, host};
}

transfer transfer_between(const ends& ends) {
  transfer result;
  result.source = ends.source;
  result.destination = ends.destination;
  return result;
}

void copy_now(transfers::device& device, const ends& ends, transfers::direction direction,
              bool page_locked) {
  const auto& [source, destination] = ends;
  device.cuda_memcpy(destination.data, source.data, source.bytes, direction, page_locked);
}

std::function<void()> asynchronous_copy(const job& task, const ends& ends) {
  return [&stream = task.stream, ends, direction = task.direction] {
    stream.copy(ends.destination.data, ends.source.data, ends.source.bytes, direction);
  };
}

std::vector<variant> synchronous_copies(transfers::host_memory_kind kind) {
  auto directions = both_directions();
  // Procedure 1 waited for a stream after each copy. Copies from pageable memory still do.
  for (auto& way : directions)
    if (is_page_locked(kind) || way.direction == direction::d2h) way.procedure = 2;
  return directions;
}

transfer synchronous_copy(const job& task, transfers::host_memory_kind kind) {
  const auto direction = task.direction;
  const auto ends = ends_of(task, kind, direction);
  auto copy = transfer_between(ends);
  copy.steps = {{"copy", [&device = task.device, ends, direction, locked = is_page_locked(kind)] {
                   copy_now(device, ends, direction, locked);
                 }}};
  // With pageable memory the call waits for the CPU's staging, which the device's clock does not
  // see.
  if (is_page_locked(kind)) copy.enqueue = asynchronous_copy(task, ends);
  return copy;
}

transfer copy_in_place(const job& task, transfers::host_memory_kind kind, unsigned most_blocks) {
  const auto ends = ends_of(task, kind, task.direction);
  auto* const dst = seen_by_kernel(ends.destination);
  auto* const src = seen_by_kernel(ends.source);
  auto copy = transfer_between(ends);
  copy.enqueue = [&stream = task.stream, dst, src, bytes = task.bytes, most_blocks] {
    stream.copy_by_kernel(dst, src, bytes, most_blocks);
  };
  copy.amount.multiprocessors =
      copy_kernel_multiprocessors(task.device.description(), dst, src, task.bytes, most_blocks);
  copy.steps = enqueue_and_wait(task.stream, copy.enqueue);
  return copy;
}

}  // namespace bench_transfers::bench
