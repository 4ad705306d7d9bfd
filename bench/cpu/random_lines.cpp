#include "bench/cpu/random_lines.hpp"

#include <utility>

#include "bench/strategy/cache.hpp"

namespace bench_transfers::bench::cpu {
namespace {

constexpr std::size_t random_loads = 2048;  // each waits for the previous one: about 0.2 ms
constexpr std::size_t random_stores = 4096;

random_accesses random_of(const stretch& stretch, std::size_t turn, std::size_t usual) {
  const auto count = usual * stretch.times;
  return {stretch.bytes / line, turn * count, (turn + 1) * count};
}

template <class Work>
void for_each_random(const stretch& stretch, std::size_t turn, std::size_t usual, Work&& work) {
  const auto accesses = random_of(stretch, turn, usual);
  for (auto i = accesses.begin; i < accesses.end; ++i)
    work(stretch.first + accesses.line_of(i) * line);
}

/// What all of them have; `usual`: how many there are in a usual turn.
access over_random_lines(access_kind kind, std::string summary, std::size_t usual) {
  access result;
  result.kind = kind;
  result.method = "random";
  result.summary = std::move(summary);
  result.flush = [usual](const stretch& stretch, std::size_t turn) {
    for_each_random(stretch, turn, usual, [&](std::size_t at) {
      flush_cache({stretch.block + at, line});
    });
  };
  result.bytes = [usual](const stretch& stretch) { return usual * stretch.times * word; };
  result.single = true;
  result.times_in_caches = 32;
  return result;
}

}  // namespace

access reading_random() {
  auto result = over_random_lines(access_kind::read,
                                  "8 bytes of random lines, each load waits for the one before",
                                  random_loads);
  result.run = [](const stretch& stretch, std::size_t turn) {
    return read_random(stretch.block + stretch.first, random_of(stretch, turn, random_loads));
  };
  result.is_correct = [](const stretch& stretch, std::size_t turn, std::uint64_t sum) {
    for_each_random(stretch, turn, random_loads,
                    [&](std::size_t at) { sum ^= stretch.pattern.word(at / word); });
    return sum == 0;
  };
  return result;
}

access writing_random() {
  auto result = over_random_lines(access_kind::write, "8 bytes of random lines, independent stores",
                                  random_stores);
  result.run = [](const stretch& stretch, std::size_t turn) {
    write_random(stretch.block + stretch.first, random_of(stretch, turn, random_stores), filling);
    return filling;
  };
  result.is_correct = [](const stretch& stretch, std::size_t turn, std::uint64_t) {
    bool correct = true;
    const auto accesses = random_of(stretch, turn, random_stores);
    for (auto i = accesses.end - 64; i < accesses.end; ++i) {
      const auto* const at = stretch.block + stretch.first + accesses.line_of(i) * line;
      correct &= *reinterpret_cast<const volatile std::uint64_t*>(at) == filling;
    }
    return correct;
  };
  result.restore = [](const stretch& stretch, std::size_t turn) {
    for_each_random(stretch, turn, random_stores, [&](std::size_t at) {
      *reinterpret_cast<std::uint64_t*>(stretch.block + at) = stretch.pattern.word(at / word);
    });
  };
  return result;
}

}  // namespace bench_transfers::bench::cpu
