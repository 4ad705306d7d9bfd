#include "bench/harness/reserve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "bench/harness/devices.hpp"
#include "bench/harness/interruption.hpp"
#include "src/machine/machine.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

// What benchmarks need: blocks that they share, and memory of their own.

/// Bytes of a host buffer that a benchmark's payloads take.
std::size_t host_bytes(const benchmark_case& planned) {
  return (planned.measured->needs.host_payloads - 1) * buffers::distance(planned.bytes()) +
         planned.bytes();
}

/// Bytes of the device buffer that a benchmark's payloads take.
std::size_t device_bytes(const benchmark_case& planned) {
  return (planned.measured->needs.device_payloads - 1) * buffers::distance(planned.bytes()) +
         planned.bytes();
}

template <class Bytes>
std::size_t largest(const plan& plan, const std::function<bool(const benchmark_case&)>& among,
                    Bytes&& bytes) {
  std::size_t most = 0;
  for (const auto& planned : plan.cases)
    if (among(planned)) most = std::max(most, bytes(planned));
  return most;
}

using kinds_of_memory = std::set<transfers::host_memory_kind>;

/// The kinds of host memory that a benchmark uses with a device.
kinds_of_memory kinds_of(const benchmark_case& planned, std::size_t device) {
  kinds_of_memory kinds;
  const auto& host = planned.measured->needs.host;
  if (host && uses_device(planned, device)) kinds.insert(*host);
  for (const auto& copy : planned.copies)
    if (copy.host && copy.device == device) kinds.insert(*copy.host);
  return kinds;
}

/// The kinds of host memory that benchmarks use with a device.
kinds_of_memory kinds_in_use(const plan& plan, std::size_t device) {
  kinds_of_memory kinds;
  for (const auto& planned : plan.cases) kinds.merge(kinds_of(planned, device));
  return kinds;
}

bool uses_host_buffer(const benchmark_case& planned) {
  return planned.measured->needs.host || planned.measured->memory_by_copy;
}

bool uses_device_buffer(const benchmark_case& planned) {
  return uses_host_buffer(planned) || planned.measured->needs.device_payloads > 1;
}

/// Bytes of host memory in the larger one of a benchmark's blocks.
std::size_t bytes_in_host_memory(const benchmark_case& planned, bool device_is_host) {
  return std::max(uses_host_buffer(planned) ? host_bytes(planned) : 0,
                  device_is_host && uses_device_buffer(planned) ? device_bytes(planned) : 0);
}

/// A block of memory that benchmarks share.
struct shared_block {
  std::function<bool(const benchmark_case&)> is_used_by;
  std::size_t (*bytes_of)(const benchmark_case&);  ///< what a benchmark needs of it
  std::function<void(buffers&, std::size_t)> reserve;
  bool is_of_device = false;
};

/// The blocks that a plan needs on a device.
std::vector<shared_block> blocks_of(const plan& plan, std::size_t device) {
  std::vector<shared_block> blocks;
  for (const auto kind : kinds_in_use(plan, device))
    blocks.push_back({[=](const auto& planned) { return kinds_of(planned, device).contains(kind); },
                      host_bytes,
                      [=](buffers& memory, auto bytes) { memory.reserve_host(kind, bytes); }});
  blocks.push_back({[=](const auto& planned) {
                      return uses_device_buffer(planned) && uses_device(planned, device);
                    },
                    device_bytes, [](buffers& memory, auto bytes) { memory.reserve_device(bytes); },
                    true});
  return blocks;
}

/// The chunks of a calibrated copier, and the test copies that calibrate it
/// (transfers::calibrate_staging).
std::size_t bytes_of_copier(bool device_is_host) {
  constexpr std::size_t chunks = std::size_t{64} << 20;
  constexpr std::size_t test_copies = std::size_t{256} << 20;
  return chunks + test_copies + (device_is_host ? test_copies : 0);
}

/// The host memory that a plan needs.
struct host_memory_needs {
  std::size_t blocks = 0;     ///< bytes of the buffers of all devices
  std::size_t kinds = 0;      ///< of host memory
  std::size_t largest = 0;    ///< bytes of the largest block for a benchmark
  std::size_t allocated = 0;  ///< bytes that operations allocate in addition
};

std::size_t own_bytes(const benchmark_case& planned, bool device_is_host) {
  const auto& needs = planned.measured->needs;
  return planned.bytes() *
             (needs.more_host_memory + (device_is_host ? needs.more_device_memory : 0U)) +
         needs.fixed_host_memory + (needs.staged_copier ? bytes_of_copier(device_is_host) : 0U);
}

host_memory_needs needs_of(const plan& plan, std::size_t devices, bool device_is_host) {
  host_memory_needs needs;
  kinds_of_memory kinds;
  for (std::size_t device = 0; device < devices; ++device) {
    kinds.merge(kinds_in_use(plan, device));
    for (const auto& block : blocks_of(plan, device))
      if (!block.is_of_device || device_is_host)
        needs.blocks += largest(plan, block.is_used_by, block.bytes_of);
  }
  needs.kinds = kinds.size();
  const auto any = [](const auto&) { return true; };
  needs.largest = largest(plan, any, [&](const auto& planned) {
    return bytes_in_host_memory(planned, device_is_host);
  });
  needs.allocated =
      largest(plan, any, [&](const auto& planned) { return own_bytes(planned, device_is_host); });
  return needs;
}

// Which benchmarks do without: those that the memory does not suffice for, and those that the time
// does not.

template <class Condition>
void skip_if(plan& plan, Condition&& condition, const common::message& reason) {
  std::erase_if(plan.cases, [&](const benchmark_case& planned) {
    if (!condition(planned)) return false;
    plan.skipped.push_back({planned.name, reason, planned});
    return true;
  });
}

/// Skips those that a condition holds for: if some of them use several devices at once, only these,
/// so that what each device does alone is measured.
template <class Condition>
void skip_together_first(plan& plan, Condition&& condition, const common::message& reason) {
  const auto is_together = [&](const benchmark_case& planned) {
    return planned.devices.size() > 1 && condition(planned);
  };
  if (std::ranges::any_of(plan.cases, is_together))
    skip_if(plan, is_together, reason);
  else
    skip_if(plan, condition, reason);
}

common::message too_little_memory(const host_memory_needs& needs, std::size_t devices,
                                  std::size_t available) {
  const auto needed = needs.blocks + needs.allocated;
  return {"not_enough_host_memory",
          {{"needed_bytes", needed}, {"available_bytes", available}, {"kinds", needs.kinds}},
          fmt::format("not enough host memory: {:.2f} GiB needed for buffers of {} kinds{}, {:.2f} "
                      "GiB available (choose fewer with --strategies)",
                      static_cast<double>(needed) / (1 << 30), needs.kinds,
                      devices > 1 ? fmt::format(" for {} devices", devices) : "",
                      static_cast<double>(available) / (1 << 30))};
}

/// Checks before allocating: a kernel that overcommits grants memory that it does not have, and
/// then kills the process.
void skip_sizes_beyond_memory(plan& plan, std::size_t devices, bool device_is_host) {
  // A tenth stays free for the page tables of pinned memory and for other processes.
  const auto free_bytes = machine::available_memory_bytes() / 10 * 9;
  if (free_bytes == 0) return;  // not known
  // What the program, its threads and the smallest benchmarks take, whatever the sizes.
  constexpr std::size_t own_bytes_of_program = std::size_t{64} << 20;
  const auto available = free_bytes - std::min(free_bytes, own_bytes_of_program);
  for (;;) {
    const auto needs = needs_of(plan, devices, device_is_host);
    if (needs.blocks + needs.allocated <= available ||
        std::max(needs.largest, needs.allocated) == 0)
      return;
    skip_together_first(
        plan,
        [&](const auto& planned) {
          return needs.allocated > needs.largest
                     ? own_bytes(planned, device_is_host) == needs.allocated
                     : bytes_in_host_memory(planned, device_is_host) == needs.largest;
        },
        too_little_memory(needs, devices, available));
  }
}

using seconds = std::chrono::duration<double>;

/// Smaller blocks take next to no time.
constexpr std::size_t trial_bytes = std::size_t{4} << 20;

/// What a block takes for each byte, from a small one that is given back.
seconds time_per_byte(const shared_block& block, const measured_device& on) {
  buffers trial(on.device, on.memory.pattern().seed);
  const auto start = wall_clock::now();
  try {
    block.reserve(trial, trial_bytes);
  } catch (const transfers::error&) {
    return {};  // reserve_largest() says why
  }
  return seconds(wall_clock::now() - start) / trial_bytes;
}

/// What the buffers of a plan are likely to take.
class time_of_buffers {
 public:
  time_of_buffers(const plan& plan, const device_list& devices) : plan_(plan) {
    for (std::size_t index = 0; index < devices.size(); ++index)
      for (auto& block : blocks_of(plan, index)) {
        const auto per_byte = time_per_byte(block, devices[index]);
        blocks_.push_back({std::move(block), per_byte});
      }
  }

  /// Without benchmarks of more bytes.
  [[nodiscard]] seconds up_to(std::size_t most_bytes) const {
    seconds sum{};
    for (const auto& timed : blocks_) {
      const auto is_small = [&](const benchmark_case& planned) {
        return planned.bytes() <= most_bytes && timed.block.is_used_by(planned);
      };
      sum += timed.per_byte * largest(plan_, is_small, timed.block.bytes_of);
    }
    return sum;
  }

 private:
  struct timed_block {
    shared_block block;
    seconds per_byte;
  };
  const plan& plan_;
  std::vector<timed_block> blocks_;
};

/// The sizes of benchmarks with shared buffers.
std::set<std::size_t> sizes_in_buffers(const plan& plan) {
  std::set<std::size_t> sizes;
  for (const auto& planned : plan.cases)
    if (uses_device_buffer(planned)) sizes.insert(planned.bytes());
  return sizes;
}

/// Sets aside the benchmarks of sizes whose buffers would take more than half of the time, also
/// those that allocate so much themselves.
void set_aside_slow_sizes(plan& plan, const device_list& devices, const time_limit& limit) {
  auto sizes = sizes_in_buffers(plan);
  if (!limit.left() || sizes.size() < 2 || *sizes.rbegin() <= trial_bytes) return;
  const time_of_buffers time(plan, devices);
  const seconds most = *limit.left() / 2;
  while (sizes.size() > 1 && time.up_to(*sizes.rbegin()) > most) sizes.erase(*sizes.rbegin());
  const auto stays = [&](const benchmark_case& planned) {
    return planned.bytes() <= *sizes.rbegin();
  };
  const auto slow = std::stable_partition(plan.cases.begin(), plan.cases.end(), stays);
  plan.set_aside.insert(plan.set_aside.end(), slow, plan.cases.end());
  plan.cases.erase(slow, plan.cases.end());
}

// The reservation itself.

/// Calls `reserve` with the largest size among the cases. If it is out of memory, skips that size
/// and tries the next.
template <class Among, class Bytes, class Reserve>
void reserve_largest(plan& plan, const time_limit& limit, Among&& among, Bytes&& bytes_of,
                     Reserve&& reserve) {
  for (;;) {
    const auto bytes = largest(plan, among, bytes_of);
    if (bytes == 0 || interruption() != 0 || limit.is_up()) return;
    try {
      reserve(bytes);
      return;
    } catch (const transfers::out_of_memory& error) {
      skip_together_first(
          plan, [&](const auto& planned) { return among(planned) && bytes_of(planned) == bytes; },
          {"memory_refused", {{"bytes", bytes}}, fmt::format("memory refused: {}", error.what())});
    } catch (const transfers::device_error& error) {
      if (error.device_lost()) throw;
      skip_if(plan, among, {.code = "device_failed", .text = error.what()});
    } catch (const transfers::unsupported& error) {
      skip_if(plan, among, {.code = "unsupported", .text = error.what()});
    }
  }
}

/// Throws device_error if the device is lost.
void reserve_on(plan& plan, std::size_t device, buffers& memory, const time_limit& limit) {
  for (const auto& block : blocks_of(plan, device))
    reserve_largest(plan, limit, block.is_used_by, block.bytes_of,
                    [&](std::size_t bytes) { block.reserve(memory, bytes); });
}

}  // namespace

void reserve_buffers(plan& plan, const device_list& devices, const time_limit& limit) {
  if (devices.empty()) return;
  skip_sizes_beyond_memory(plan, devices.size(), !devices.front().device.description().cuda);
  set_aside_slow_sizes(plan, devices, limit);
  for (std::size_t index = 0; index < devices.size(); ++index) try {
      reserve_on(plan, index, devices[index].memory, limit);
    } catch (const transfers::device_error& lost) {
      plan.lost_devices.emplace(
          index, lost_message(devices.size() > 1 ? std::optional(devices[index].id) : std::nullopt,
                              std::nullopt, lost.what()));
    }
}

}  // namespace bench_transfers::bench
