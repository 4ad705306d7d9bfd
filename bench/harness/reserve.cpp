#include "bench/harness/reserve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "bench/harness/devices.hpp"
#include "bench/harness/interruption.hpp"
#include "bench/harness/needed_memory.hpp"
#include "src/machine/machine.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

using condition = std::function<bool(const benchmark_case&)>;

// Which benchmarks do without: those that the memory does not suffice for, and those that the time
// does not.

void skip_if(plan& plan, const condition& holds, const common::message& reason) {
  std::erase_if(plan.cases, [&](const benchmark_case& planned) {
    if (!holds(planned)) return false;
    plan.skipped.push_back({planned.name, reason, planned});
    return true;
  });
}

/// Skips those that a condition holds for: if some of them use several devices at once, only these,
/// so that what each device does alone is measured.
void skip_together_first(plan& plan, const condition& holds, const common::message& reason) {
  const auto is_together = [&](const benchmark_case& planned) {
    return planned.devices.size() > 1 && holds(planned);
  };
  if (std::ranges::any_of(plan.cases, is_together))
    skip_if(plan, is_together, reason);
  else
    skip_if(plan, holds, reason);
}

common::message too_little_memory(const needed_memory& needed, std::size_t devices,
                                  std::size_t available) {
  return {
      "not_enough_host_memory",
      {{"needed_bytes", needed.total()}, {"available_bytes", available}, {"kinds", needed.kinds()}},
      fmt::format("not enough host memory: {:.2f} GiB needed for buffers of {} kinds{}, {:.2f} "
                  "GiB available (choose fewer with --strategies)",
                  static_cast<double>(needed.total()) / (1 << 30), needed.kinds(),
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
    const needed_memory needed(plan.cases, devices, device_is_host);
    if (needed.total() <= available) return;
    skip_together_first(
        plan, [&](const auto& planned) { return needed.is_largest(planned); },
        too_little_memory(needed, devices, available));
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
  time_of_buffers(const plan& plan, const device_list& devices) : planned_(plan.cases) {
    for (std::size_t index = 0; index < devices.size(); ++index)
      for (auto& block : blocks_of(plan.cases, index)) {
        const auto per_byte = time_per_byte(block, devices[index]);
        blocks_.push_back({std::move(block), per_byte});
      }
  }

  /// Without benchmarks of more bytes.
  [[nodiscard]] seconds up_to(std::size_t most_bytes) const {
    seconds sum{};
    for (const auto& timed : blocks_)
      sum += timed.per_byte * timed.block.bytes_for(planned_, most_bytes);
    return sum;
  }

 private:
  struct timed_block {
    shared_block block;
    seconds per_byte;
  };
  const std::vector<benchmark_case>& planned_;
  std::vector<timed_block> blocks_;
};

/// The sizes of benchmarks with shared buffers.
std::set<std::size_t> sizes_in_buffers(const plan& plan) {
  std::set<std::size_t> sizes;
  for (const auto& planned : plan.cases)
    if (uses_shared_memory(planned)) sizes.insert(planned.bytes());
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

/// Reserves a block for the largest size of its benchmarks. If it is out of memory, skips that size
/// and tries the next.
void reserve_largest(plan& plan, const shared_block& block, buffers& memory,
                     const time_limit& limit) {
  for (;;) {
    const auto bytes = block.bytes_for(plan.cases);
    if (bytes == 0 || interruption() != 0 || limit.is_up()) return;
    try {
      block.reserve(memory, bytes);
      return;
    } catch (const transfers::out_of_memory& error) {
      skip_together_first(
          plan,
          [&](const auto& planned) {
            return block.is_used_by(planned) && block.bytes_for(planned) == bytes;
          },
          {"memory_refused", {{"bytes", bytes}}, fmt::format("memory refused: {}", error.what())});
    } catch (const transfers::device_error& error) {
      if (error.device_lost()) throw;
      skip_if(plan, block.is_used_by, {.code = "device_failed", .text = error.what()});
    } catch (const transfers::unsupported& error) {
      skip_if(plan, block.is_used_by, {.code = "unsupported", .text = error.what()});
    }
  }
}

/// Throws device_error if the device is lost.
void reserve_on(plan& plan, std::size_t device, buffers& memory, const time_limit& limit) {
  for (const auto& block : blocks_of(plan.cases, device))
    reserve_largest(plan, block, memory, limit);
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
