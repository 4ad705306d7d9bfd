#include "bench/harness/sentinels.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "bench/harness/interruption.hpp"
#include "bench/strategy/cache.hpp"
#include "src/transfers/core/units.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

using result_file::sentinel;
using seconds = std::chrono::duration<double>;

using transfers::detail::kib;
using transfers::detail::mib;

/// Both copies of a visit, at 5 GB/s or more, take no more than 2 % of a round with two visits.
/// Larger ones would not repeat better. Copies of 1 MiB are the least that a link limits.
std::size_t bytes_for(seconds round, std::size_t largest) {
  constexpr double per_second = 25e6;
  const auto affordable = static_cast<std::size_t>(std::max(round.count() * per_second, 1.0));
  const auto needed = std::bit_ceil(std::max<std::size_t>(largest, 1));
  return std::clamp(std::min(std::bit_floor(affordable), needed), mib, 64 * mib);
}

/// How often each is timed in a visit. Short ones differ by more.
constexpr std::size_t copies_of_reading = 1;
constexpr std::size_t parts_read = 8;
constexpr std::size_t small_readings = 8;
constexpr std::size_t small_copies_of_reading = 8;
constexpr std::size_t most_settling = 1000;  ///< by a clock that stands still

constexpr std::size_t page = 4 * kib;

std::uint64_t sum_of(std::span<const std::byte> block) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + sizeof sum <= block.size(); i += sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, block.data() + i, sizeof word);
    sum += word;
  }
  return sum;
}

double time_of(const std::function<void()>& operation) {
  const auto start = wall_clock::now();
  operation();
  return std::chrono::duration<double, std::nano>(wall_clock::now() - start).count();
}

}  // namespace

/// A device, with memory for its sentinels.
class sentinels::watched_device {
 public:
  watched_device(std::size_t index, transfers::device& device, std::size_t bytes)
      : index_(index),
        device_(device),
        host_(device.allocate_host(bytes, transfers::pinned())),
        memory_(device.allocate(bytes)) {
    std::memset(host_.data(), 1, host_.size());
  }

  [[nodiscard]] std::size_t index() const { return index_; }

  void begin(int round, const std::vector<fault>& faults) {
    readings_.clear();
    operations_.clear();
    const auto read = std::min(host_.size(), 8 * mib);
    add(sentinel::h2d, round, faults, host_.size(), [this] { copy_to_device(host_.size()); });
    add(sentinel::d2h, round, faults, host_.size(), [this] {
      device_.cuda_memcpy(host_.data(), memory_.data(), host_.size(), transfers::direction::d2h,
                          true);
    });
    add(sentinel::cpu_read, round, faults, read / parts_read, [this] { read_next_part(); });
    add(sentinel::small_copy, round, faults, page, [this] { copy_to_device(page); });
  }

  void visit() {
    device_.synchronize();
    settle();
    time(sentinel::h2d, copies_of_reading, 1);
    time(sentinel::d2h, copies_of_reading, 1);
    next_part_ = 0;
    flush_cache({host_.data(), std::min(host_.size(), 8 * mib)});
    time(sentinel::cpu_read, parts_read, 1);
    settle();
    time(sentinel::small_copy, small_readings, small_copies_of_reading);
  }

  [[nodiscard]] std::vector<result_file::sentinel_readings> end() { return std::move(readings_); }

 private:
  void add(sentinel kind, int round, const std::vector<fault>& faults, std::size_t bytes,
           std::function<void()> operation) {
    transfer injected;
    injected.steps = {{result_file::to_string(kind), std::move(operation)}};
    inject(faults, {name_of(kind), round, true}, device_, injected);
    operations_.push_back(std::move(injected.steps.front().run));
    readings_.push_back({.round = round, .device = index_, .kind = kind, .bytes = bytes, .ns = {}});
  }

  void time(sentinel kind, std::size_t readings, std::size_t operations) {
    const auto place = static_cast<std::size_t>(kind);
    for (std::size_t i = 0; i < readings; ++i) {
      double sum = 0;
      for (std::size_t n = 0; n < operations; ++n) sum += time_of(operations_.at(place));
      // A clock that stands still or jumps is noticed elsewhere.
      if (sum > 0) readings_.at(place).ns.push_back(sum / static_cast<double>(operations));
    }
  }

  /// Small copies, untimed, for about as long as benchmarks settle.
  void settle() {
    const auto end = wall_clock::now() + std::chrono::milliseconds(1);
    for (std::size_t i = 0; i < most_settling && wall_clock::now() < end; ++i) copy_to_device(page);
  }

  void copy_to_device(std::size_t bytes) {
    device_.cuda_memcpy(memory_.data(), host_.data(), bytes, transfers::direction::h2d, true);
  }

  void read_next_part() {
    const auto bytes = std::min(host_.size(), 8 * mib) / parts_read;
    sum_ = sum_of({host_.data() + next_part_++ * bytes, bytes});
  }

  std::size_t index_;
  transfers::device& device_;
  transfers::host_memory host_;
  transfers::device_memory memory_;
  std::vector<std::function<void()>> operations_;  ///< by kind
  std::vector<result_file::sentinel_readings> readings_;
  std::size_t next_part_ = 0;
  volatile std::uint64_t sum_ = 0;  ///< so that the reads are not left out
};

sentinels::sentinels(const running_devices& devices, const settings& settings)
    : devices_(devices), settings_(settings) {}

sentinels::~sentinels() = default;

std::vector<sentinel_refusal> no_sentinels_among_ranks(const running_devices& devices) {
  std::vector<sentinel_refusal> refusals;
  for (std::size_t i = 0; i < devices.all().size(); ++i)
    refusals.push_back({i,
                        {.code = "among_ranks",
                         .text = "the ranks of a node would time one another's sentinels"}});
  return refusals;
}

void sentinels::refuse(std::size_t device, common::message reason) {
  refusals_.push_back({device, std::move(reason)});
  std::erase_if(watched_, [&](const auto& watched) { return watched->index() == device; });
}

namespace {

/// Returns why the work cannot be done.
std::optional<common::message> why_not(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const transfers::unsupported& reason) {
    return {{.code = "unsupported", .text = reason.what()}};
  } catch (const std::bad_alloc& reason) {
    return {{.code = "memory_refused", .text = reason.what()}};
  } catch (const transfers::device_error& reason) {
    return {{.code = "device_failed", .text = reason.what()}};
  }
}

}  // namespace

void sentinels::reserve(std::size_t bytes) {
  is_reserved_ = true;
  for (std::size_t i = 0; i < devices_.all().size(); ++i) {
    if (devices_.at(i).why_lost) continue;
    auto refused = why_not([&] {
      watched_.push_back(std::make_unique<watched_device>(i, devices_.at(i).device, bytes));
    });
    if (refused) refuse(i, std::move(*refused));
  }
}

void sentinels::begin(int round, seconds expected, std::size_t largest) {
  constexpr int parts = 8;  ///< of a round, each with a visit
  if (!is_reserved_) reserve(bytes_for(expected, largest));
  expected_ = std::chrono::duration_cast<wall_clock::duration>(expected) / parts;
  for (const auto& watched : watched_) watched->begin(round, settings_.faults);
  visit();
}

void sentinels::visit() {
  if (interruption() != 0) return;
  constexpr int share = 50;  ///< 2 % of the time
  const auto start = wall_clock::now();
  std::vector<sentinel_refusal> failed;
  for (const auto& watched : watched_)
    if (auto refused = why_not([&] { watched->visit(); }))
      failed.push_back({watched->index(), std::move(*refused)});
  for (auto& [device, reason] : failed) refuse(device, std::move(reason));
  last_visit_ = wall_clock::now();
  has_run_ = false;
  apart_ = std::max(expected_, share * (last_visit_ - start));
}

void sentinels::pause() {
  has_run_ = true;
  if (!watched_.empty() && wall_clock::now() - last_visit_ >= apart_) visit();
}

std::vector<result_file::sentinel_readings> sentinels::end() {
  if (has_run_) visit();
  std::vector<result_file::sentinel_readings> all;
  for (const auto& watched : watched_)
    for (auto& readings : watched->end()) {
      readings.process = settings_.process.number;
      if (!readings.ns.empty()) all.push_back(std::move(readings));
    }
  return all;
}

}  // namespace bench_transfers::bench
