#include "bench/harness/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "bench/verification/pattern.hpp"

namespace bench_transfers::bench {
namespace {

void write(transfers::device& device, const payload& end, std::size_t offset, std::size_t bytes,
           pattern pattern) {
  if (bytes == 0 || end.data == nullptr) return;  // memory of an operation that does not exist yet
  auto* const block = end.data - end.offset;
  if (end.on_device)
    write_pattern(device, block, end.offset + offset, bytes, pattern);
  else
    write_host_pattern(block, end.offset + offset, bytes, pattern);
}

bool is_write_combined(const payload& end) {
  return has(end.host->kind().flags, transfers::pin_flags::write_combined);
}

/// The CPU reads write-combined memory at a small fraction of its usual speed, so the device reads
/// it.
bool better_read_by_device(const payload& end) {
  if (end.host == nullptr) return false;  // memory that the strategy owns
  return end.host->on_device() != nullptr && is_write_combined(end);
}

pattern_check check(transfers::device& device, const payload& end, std::size_t offset,
                    std::size_t bytes, pattern pattern) {
  // Memory of a single operation need not be aligned like the blocks, nor have a guard.
  if (bytes == 0) return {};
  if (end.on_device) return check_pattern(device, end.data, offset, bytes, pattern);
  if (!better_read_by_device(end)) return check_host_pattern(end.data, offset, bytes, pattern);
  // The CPU also reads a part: the data must be visible to it.
  constexpr std::size_t part = std::size_t{64} << 10;
  const auto cpu_check = check_host_pattern(end.data, offset, std::min(bytes, part), pattern);
  return cpu_check.wrong_bytes > 0
             ? cpu_check
             : check_pattern(device, end.host->on_device() + end.offset, offset, bytes, pattern);
}

}  // namespace

void poison(transfers::device& device, const buffers& memory, const payload& destination) {
  write(device, destination, 0, destination.bytes + destination.guard, memory.pattern(true));
}

namespace {

/// Checks the guard behind the destination, whose poison depends on its place in the block, and
/// writes the pattern to it again.
pattern_check check_guard(transfers::device& device, const buffers& memory,
                          const payload& destination) {
  auto block = destination;
  block.data -= block.offset;
  const auto guard = check(device, block, destination.offset + destination.bytes, destination.guard,
                           memory.pattern(true));
  write(device, destination, destination.bytes, destination.guard, memory.pattern());
  return guard;
}

/// `first_place`: where the payload's first byte is in the pattern.
std::string text_of(const pattern_check& damage, std::size_t bytes, std::size_t first_place) {
  return fmt::format("{} of {} bytes differ, the first at offset {}", damage.wrong_bytes, bytes,
                     damage.first_wrong - first_place);
}

std::optional<std::string> text_of(std::optional<std::string> damage, const pattern_check& guard,
                                   std::size_t bytes) {
  if (damage) return "wrong data: " + *damage;
  if (guard.wrong_bytes > 0)
    return fmt::format("wrong data: {} bytes written behind the end of {} bytes", guard.wrong_bytes,
                       bytes);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_damage(transfers::device& device, const buffers& memory,
                                       const transfer& transfer) {
  const auto& destination = *transfer.destination;
  const auto n = destination.bytes;
  auto damage = transfer.check.compare ? transfer.check.compare() : std::nullopt;
  // The payload starts at the pattern's beginning, wherever it lies.
  const auto payload_check =
      transfer.check.compare ? pattern_check{} : check(device, destination, 0, n, memory.pattern());
  const auto guard_check = check_guard(device, memory, destination);
  if (payload_check.wrong_bytes > 0) damage = text_of(payload_check, n, 0);
  return text_of(std::move(damage), guard_check, n);
}

std::optional<std::string> find_damage(transfers::device& device, const buffers& memory,
                                       const flow& copy) {
  const auto& destination = copy.destination;
  auto block = destination;
  block.data -= block.offset;
  const auto payload_check =
      check(device, block, destination.offset, destination.bytes, memory.pattern());
  const auto guard_check = check_guard(device, memory, destination);
  const bool is_damaged = payload_check.wrong_bytes > 0;
  return text_of(is_damaged
                     ? std::optional(copy.name + ": " +
                                     text_of(payload_check, destination.bytes, destination.offset))
                     : std::nullopt,
                 guard_check, destination.bytes);
}

void restore(transfers::device& device, const buffers& memory, const transfer& ends) {
  for (const auto& end : {ends.source, ends.destination})
    if (end && end->lies_in_block())
      write(device, *end, 0, end->bytes + end->guard, memory.pattern());
}

void poison(const running_devices& devices, const benchmark_case& planned, transfer& ready) {
  const auto& own = devices.of(planned);
  if (ready.locate) ready.destination = ready.locate();
  if (ready.destination) poison(own.device, own.memory, *ready.destination);
  for (const auto& flow : ready.flows) {
    const auto& other = devices.at(flow.device);
    poison(other.device, other.memory, flow.destination);
  }
}

void require_undamaged(const running_devices& devices, const benchmark_case& planned,
                       transfer& ready) {
  const auto require_none = [](const std::optional<std::string>& damage) {
    if (damage) throw wrong_data(*damage);
  };
  const auto& own = devices.of(planned);
  if (ready.locate) ready.destination = ready.locate();
  if (ready.destination)
    require_none(find_damage(own.device, own.memory, ready));
  else if (ready.check.compare)
    require_none(text_of(ready.check.compare(), {}, 0));
  for (const auto& flow : ready.flows) {
    const auto& other = devices.at(flow.device);
    require_none(find_damage(other.device, other.memory, flow));
  }
}

namespace {

void restore_on(std::size_t index, const running_devices& devices, const benchmark_case& planned,
                const transfer& ready) {
  const auto& own = devices.at(index);
  // Work may still be in flight, also on the strategy's own streams: it would write to the shared
  // buffers of other benchmarks.
  own.device.synchronize();
  own.stream->synchronize();
  if (index == planned.devices.front()) {
    restore(own.device, own.memory, ready);
    if (ready.check.restore) ready.check.restore();
  }
  for (const auto& flow : ready.flows) {
    if (flow.device != index) continue;
    transfer ends;
    ends.source = flow.source;
    ends.destination = flow.destination;
    restore(own.device, own.memory, ends);
  }
}

}  // namespace

void restore(running_devices& devices, const benchmark_case& planned, const transfer& ready) {
  for (const auto index : planned.devices) {
    if (devices.at(index).why_lost) continue;
    try {
      restore_on(index, devices, planned, ready);
    } catch (const std::exception& failure) {
      devices.lose(index, planned, failure.what());
    }
  }
}

}  // namespace bench_transfers::bench
