#include "verify.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bench {
namespace {

using transfers::pattern;
using transfers::pattern_check;

void write(transfers::device& device, const payload& end, std::size_t offset, std::size_t bytes,
           pattern what) {
  if (end.on_device)
    device.write_pattern(end.data, offset, bytes, what);
  else
    transfers::write_host_pattern(end.data, offset, bytes, what);
}

bool is_write_combined(const payload& end) {
  return has(end.host->kind().flags, transfers::pin_flags::write_combined);
}

/// The processor reads write-combined memory at a small fraction of its usual speed (that is what
/// this project is about); there the device does the reading.
bool better_read_by_device(const payload& end) {
  return end.host->on_device() != nullptr && is_write_combined(end);
}

pattern_check check(transfers::device& device, const payload& end, std::size_t offset,
                    std::size_t bytes, pattern what) {
  if (end.on_device) return device.check_pattern(end.data, offset, bytes, what);
  if (!better_read_by_device(end))
    return transfers::check_host_pattern(end.data, offset, bytes, what);
  // A part is also read by the CPU: the data must have arrived where it sees them.
  constexpr std::size_t part = std::size_t{64} << 10;
  const auto by_cpu = transfers::check_host_pattern(end.data, offset, std::min(bytes, part), what);
  return by_cpu.wrong_bytes > 0 ? by_cpu
                                : device.check_pattern(end.host->on_device(), offset, bytes, what);
}

}  // namespace

void poison(transfers::device& device, const buffers& memory, const payload& destination) {
  write(device, destination, 0, destination.bytes + buffers::guard, memory.pattern(true));
}

std::optional<std::string> find_damage(transfers::device& device, const buffers& memory,
                                       const payload& destination) {
  const auto n = destination.bytes;
  const auto inside = check(device, destination, 0, n, memory.pattern());
  const auto behind = check(device, destination, n, buffers::guard, memory.pattern(true));
  write(device, destination, n, buffers::guard, memory.pattern());
  if (inside.wrong_bytes > 0)
    return fmt::format("wrong data: {} of {} bytes differ, the first at offset {}",
                       inside.wrong_bytes, n, inside.first_wrong);
  if (behind.wrong_bytes > 0)
    return fmt::format("wrong data: {} bytes written behind the end of {} bytes",
                       behind.wrong_bytes, n);
  return std::nullopt;
}

void restore(transfers::device& device, const buffers& memory, const transfer& ends) {
  for (const auto& end : {ends.source, ends.destination})
    if (end) write(device, *end, 0, end->bytes + buffers::guard, memory.pattern());
}

}  // namespace bench
