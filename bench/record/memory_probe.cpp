#include "bench/record/memory_probe.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "bench/harness/wall_clock.hpp"
#include "bench/strategy/cache.hpp"
#include "src/statistics/quantile.hpp"
#include "transfers/array/buffer.hpp"

namespace bench_transfers::bench::cpu {
namespace {

/// Each round reads all of them, so that a disturbance affects all.
constexpr int rounds = 21;

/// All accesses are complete at both ends.
template <class Accesses>
double time_of(Accesses&& accesses) {
  complete_accesses();
  const auto start = wall_clock::now();
  accesses();
  complete_accesses();
  return std::chrono::duration<double, std::nano>(wall_clock::now() - start).count();
}

/// Accesses to one block of memory.
struct series {
  std::span<std::byte> memory;
  const instruction_set& instructions;
  std::vector<double> plain = {}, again = {}, streaming = {};

  void read(std::uint64_t& sum) {
    const auto time_read = [&](reader load) {
      return time_of([&] { sum ^= load(memory.data(), memory.size()); });
    };
    flush_cache(memory);
    plain.push_back(time_read(instructions.read_16_bytes));
    again.push_back(time_read(instructions.read_16_bytes));
    if (instructions.read_streaming == nullptr) return;
    flush_cache(memory);
    streaming.push_back(time_read(instructions.read_streaming));
  }
  [[nodiscard]] machine::access_times medians() const {
    machine::access_times times{.plain = statistics::median(plain),
                                .streaming = std::nullopt,
                                .again = statistics::median(again)};
    if (!streaming.empty()) times.streaming = statistics::median(streaming);
    return times;
  }
};

/// Stores what the memory holds anyway.
machine::store_times time_stores(std::span<std::byte> memory) {
  const std::span words(reinterpret_cast<volatile std::uint64_t*>(memory.data()),
                        memory.size() / sizeof(std::uint64_t));
  const std::vector<std::uint64_t> values(words.begin(), words.end());
  const auto time_stores = [&](std::size_t step) {
    return time_of([&] {
      for (std::size_t i = 0; i < words.size(); i += step) words[i] = values[i];
    });
  };
  std::vector<double> one, all;
  for (int i = 0; i < rounds; ++i) {
    one.push_back(time_stores(line / sizeof(std::uint64_t)));
    all.push_back(time_stores(1));
  }
  return {statistics::median(one), statistics::median(all)};
}

}  // namespace

probed_pair probe_accesses(std::span<std::byte> memory, const instruction_set& of_memory,
                           std::span<std::byte> ordinary) {
  series probed{memory.first(probed_bytes), of_memory};
  series usual{ordinary.first(probed_bytes), instructions()};
  std::uint64_t sum = 0;
  for (int i = 0; i < rounds; ++i)
    for (auto* const next : {i % 2 == 0 ? &probed : &usual, i % 2 == 0 ? &usual : &probed})
      next->read(sum);
  volatile std::uint64_t used = sum;  // keeps the compiler from removing the reads
  static_cast<void>(used);
  probed_pair times{probed.medians(), usual.medians()};
  if (of_memory.read_streaming == nullptr &&
      classify(times.memory, times.ordinary) == machine::memory_type::unclear)
    times.memory.stores = time_stores(probed.memory);
  return times;
}

probed_blocks probe_blocks(const buffers& memory) {
  if (!can_flush_cache()) return {};
  transfers::host_buffer<std::byte> ordinary(probed_bytes, 4096);
  // Untouched pages all map to the same page of zeros.
  std::ranges::fill(ordinary, std::byte{1});
  probed_blocks probed;
  for (const auto& [kind, block] : memory.all_host())
    if (block.size() >= probed_bytes)
      probed.emplace(kind, probe_accesses(block.bytes(), instructions(), ordinary));
  return probed;
}

}  // namespace bench_transfers::bench::cpu
