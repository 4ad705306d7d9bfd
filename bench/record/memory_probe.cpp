#include "bench/record/memory_probe.hpp"

#include <vector>

#include "bench/harness/measure.hpp"
#include "bench/strategy/cache.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::bench::cpu {
namespace {

/// Each round reads all of them, so that a disturbance affects all.
constexpr int rounds = 21;

double time_read(reader read, std::span<const std::byte> memory, std::uint64_t& sum) {
  const auto bytes = memory.first(probed_bytes);
  flush_cache(bytes);
  const auto start = wall_clock::now();
  sum ^= read(bytes.data(), bytes.size());
  return std::chrono::duration<double, std::nano>(wall_clock::now() - start).count();
}

/// Read times of one block of memory.
struct series {
  std::span<const std::byte> memory;
  const instruction_set& instructions;
  std::vector<double> plain = {}, streaming = {};

  void read(std::uint64_t& sum) {
    plain.push_back(time_read(instructions.read_16_bytes, memory, sum));
    if (instructions.read_streaming != nullptr)
      streaming.push_back(time_read(instructions.read_streaming, memory, sum));
  }
  [[nodiscard]] machine::read_times medians() const {
    machine::read_times times{statistics::median(plain), {}};
    if (!streaming.empty()) times.streaming = statistics::median(streaming);
    return times;
  }
};

}  // namespace

probed_pair probe_reads(std::span<const std::byte> memory, const instruction_set& of_memory,
                        std::span<const std::byte> ordinary) {
  series probed{memory, of_memory};
  series usual{ordinary, instructions()};
  std::uint64_t sum = 0;
  for (int i = 0; i < rounds; ++i)
    for (auto* const next : {i % 2 == 0 ? &probed : &usual, i % 2 == 0 ? &usual : &probed})
      next->read(sum);
  volatile std::uint64_t used = sum;  // keeps the compiler from removing the reads
  static_cast<void>(used);
  return {probed.medians(), usual.medians()};
}

}  // namespace bench_transfers::bench::cpu
