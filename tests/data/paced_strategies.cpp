// Strategies of known duration, for a program whose clock only they advance: the results depend on
// --seed and --inject alone, not on the machine.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "bench/strategy/strategy.hpp"
#include "tests/unit/bench/fake_clock.hpp"

namespace bench_transfers::bench {
namespace {

const fake_clock program_clock;

/// A random factor around 1 with this standard deviation.
double noise(double deviation, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return std::normal_distribution(1.0, deviation)(random);
}

/// Takes 20 µs plus the bytes at 10 GB/s. Seeds differ by about 0.1 %, repetitions by 0.03 %.
transfer prepare(const job& task, const std::string& name) {
  static std::uint64_t repetitions = 0;
  const auto seed =
      task.memory.pattern().seed ^
      std::hash<std::string>{}(fmt::format("paced/{}/{}/{}", name, task.variant, task.bytes));
  const auto time = std::chrono::nanoseconds(
      std::llround((20'000 + static_cast<double>(task.bytes) / 10) * noise(0.001, seed) *
                   noise(0.0003, seed + ++repetitions)));
  transfer paced;
  paced.steps = {{"pace", [time] { fake_clock::advance(time); }}};
  return paced;
}

strategy paced(const std::string& name) {
  return {.family = "paced",
          .parts = {method(name)},
          .summary = "takes a known time, and moves nothing",
          .variants = both_directions(),
          .role = roles::copy,
          .prepare = [name](const job& task) { return prepare(task, name); },
          .sampling = {.essential = true}};
}

const registration first(paced("first"));
const registration second(paced("second"));
const registration third(paced("third"));
const registration fourth(paced("fourth"));

}  // namespace
}  // namespace bench_transfers::bench
