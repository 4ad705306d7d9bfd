#include "bench/verification/pattern.hpp"

#include <functional>
#include <mutex>

#include "bench/verification/cuda_pattern.hpp"
#include "bench/verification/words.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench {
namespace {

/// Calls work(first, count) for parts of the words, on several threads if that is faster.
void for_words(std::size_t first, std::size_t count,
               const std::function<void(std::size_t first, std::size_t count)>& work) {
  // A thread needs several times as long for a MiB as another takes to start. Smaller blocks stay
  // in the caches of the caller's core, where operations expect them.
  constexpr std::size_t worth_threads = (std::size_t{8} << 20) / sizeof(std::uint64_t);
  constexpr std::size_t worth_a_thread = (std::size_t{1} << 20) / sizeof(std::uint64_t);
  constexpr std::size_t words_of_page = 4096 / sizeof(std::uint64_t);
  if (count < worth_threads) return work(first, count);
  transfers::in_parallel(count, {.worth_a_thread = worth_a_thread, .unit = words_of_page},
                         [&](std::size_t begin, std::size_t words) { work(first + begin, words); });
}

}  // namespace

std::optional<std::string> words_of(const pattern_check& damage, const std::string& which) {
  if (damage.wrong_bytes == 0) return std::nullopt;
  return which + std::to_string(damage.wrong_bytes) + " bytes differ, the first at offset " +
         std::to_string(damage.first_wrong);
}

std::uint64_t pattern::word(std::size_t index) const { return pattern_word(*this, index); }

void pattern::words(std::size_t first, std::span<std::uint64_t> words) const {
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = pattern_word(*this, first + i);
}

void write_pattern(transfers::device& device, std::byte* block, std::size_t offset,
                   std::size_t bytes, pattern pattern) {
  if (device.description().cuda) return write_cuda_pattern(device, block, offset, bytes, pattern);
  write_host_pattern(block, offset, bytes, pattern);
}

pattern_check check_pattern(transfers::device& device, const std::byte* block, std::size_t offset,
                            std::size_t bytes, pattern pattern) {
  if (device.description().cuda) return check_cuda_pattern(device, block, offset, bytes, pattern);
  return check_host_pattern(block, offset, bytes, pattern);
}

void write_host_pattern(std::byte* block, std::size_t offset, std::size_t bytes, pattern pattern) {
  const byte_range range{offset, offset + bytes};
  for_words(range.first_word(), range.words(), [&](std::size_t first, std::size_t count) {
    const write_word write{block, range, pattern};
    for (auto word = first; word < first + count; ++word) write(word);
  });
}

pattern_check check_host_pattern(const std::byte* block, std::size_t offset, std::size_t bytes,
                                 pattern pattern) {
  const byte_range range{offset, offset + bytes};
  auto result = no_damage;
  std::mutex mutex;
  for_words(range.first_word(), range.words(), [&](std::size_t first, std::size_t count) {
    const check_word check{block, range, pattern};
    auto part = no_damage;
    for (auto word = first; word < first + count; ++word) part = merge_checks{}(part, check(word));
    const std::scoped_lock lock(mutex);
    result = merge_checks{}(result, part);
  });
  return result;
}

}  // namespace bench_transfers::bench
