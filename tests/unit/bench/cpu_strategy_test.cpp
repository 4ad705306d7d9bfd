
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/cpu/access.hpp"
#include "bench/strategy/cache.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/test_strategy.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench::cpu_strategy_test {
namespace {

constexpr std::size_t piece = 4 * mib;  // that one thread accesses in one operation
constexpr std::string_view all_cores = "_all_cores";

/// Others have a setting as well: cpu/pinned/after_transfer.
bool is_of_one_kind_of_memory(const strategy& strategy) {
  return strategy.family == "cpu" && strategy.parts.size() == 1;
}

bool writes(std::string_view variant) {
  return variant.starts_with("write") || variant.starts_with("read_modify");
}

/// One strategy's benchmarks on one block.
class cpu_strategy : public testing::Test {
 protected:
  void reserve(const strategy& strategy, std::size_t bytes) {
    memory.reserve_host(*strategy.needs.host, bytes);
    block = memory.host(*strategy.needs.host).bytes();
  }

  /// Nullopt if the processor lacks the instruction; checks the reason.
  std::optional<transfer> prepare(const strategy& strategy, std::string_view variant,
                                  std::size_t bytes, cache_state cache = cache_state::warm) {
    try {
      return strategy.prepare({*device, memory, *stream, variant, bytes, cache});
    } catch (const transfers::unsupported& no) {
      EXPECT_THAT(std::string(no.what()),
                  AnyOf(HasSubstr("SSE4.1"), HasSubstr("x86"), HasSubstr("flush")));
      EXPECT_THAT(std::string(variant), HasSubstr("streaming"));
    }
    return std::nullopt;
  }

  static void run(const transfer& operation, std::size_t times = 1) {
    for (std::size_t i = 0; i < times; ++i) {
      if (operation.timing.between) operation.timing.between();
      run_steps(operation);
    }
  }

  [[nodiscard]] std::size_t wrong_bytes() const {
    return check_host_pattern(block.data(), 0, block.size(), memory.pattern()).wrong_bytes;
  }
  void write_pattern_again() {
    write_host_pattern(block.data(), 0, block.size(), memory.pattern());
  }

  std::unique_ptr<transfers::device> device = transfers::open_host_device();
  buffers memory{*device, 77};
  std::unique_ptr<transfers::stream> stream = device->create_stream();
  std::span<std::byte> block;
};

struct extent {
  const char* name;
  std::size_t bytes;
};
void PrintTo(const extent& extent, std::ostream* out) { *out << extent.name; }

/// Every access, over memory of this extent.
class every_access : public cpu_strategy, public testing::WithParamInterface<extent> {
 protected:
  every_access() { reserve(pageable, bytes); }

  /// Calls test(variant, transfer) for warm caches, and for cold ones if they can be flushed.
  void for_each(const std::function<void(const std::string&, transfer&)>& test) {
    for (const auto& variant : names_of(pageable.variants))
      for (const auto cache : {cache_state::warm, cache_state::cold}) {
        if (cache == cache_state::cold && !can_flush_cache()) continue;
        SCOPED_TRACE(variant + (cache == cache_state::cold ? "/cold" : ""));
        if (auto operation = prepare(pageable, variant, bytes, cache)) test(variant, *operation);
        ASSERT_EQ(wrong_bytes(), 0U);
      }
  }

  const std::size_t bytes = GetParam().bytes;
  const strategy pageable = find_strategy("cpu/pageable");
};

TEST_P(every_access, does_what_it_says_and_leaves_the_pattern) {
  // Odd and even numbers of turns; fewer than the pieces, all pieces, and some of them twice.
  const auto pieces = std::max<std::size_t>(1, bytes / piece);
  for_each([&](const std::string& variant, transfer& operation) {
    std::size_t turns = 0;
    for (const std::size_t until :
         {std::size_t{1}, std::size_t{2}, pieces, pieces + 1, 2 * pieces, 2 * pieces + 1}) {
      if (until <= turns) continue;
      run(operation, until - turns);
      turns = until;
      EXPECT_EQ(operation.check.compare(), std::nullopt) << "after " << turns << " turns";
    }
    EXPECT_EQ(static_cast<bool>(operation.check.restore), writes(variant));
    if (operation.check.restore) operation.check.restore();
  });
}

TEST_P(every_access, is_restored_after_any_number_of_turns) {
  const auto pieces = std::max<std::size_t>(1, bytes / piece);
  for (const auto turns : std::set<std::size_t>{1, 2, 3, pieces, 2 * pieces + 1})
    for_each([&](const std::string& variant, transfer& operation) {
      if (!writes(variant) && turns > 1) return;  // it leaves nothing to be restored
      run(operation, turns);
      const auto wrong = wrong_bytes();
      const bool flipped_back = variant.starts_with("read_modify") && wrong == 0;
      EXPECT_EQ(wrong > 0 || flipped_back, writes(variant)) << turns << " turns";
      // Nothing is written behind the end.
      EXPECT_EQ(
          check_host_pattern(block.data(), bytes, buffers::guard, memory.pattern()).wrong_bytes,
          0U);
      if (operation.check.restore) operation.check.restore();
    });
}

TEST_P(every_access, detects_different_data) {
  for_each([&](const std::string& variant, transfer& operation) {
    // A reader finds different data, and a writer's data are overwritten.
    const auto spoil = [&] { std::memset(block.data(), 0, block.size()); };
    if (!writes(variant)) spoil();
    run(operation);
    if (writes(variant)) spoil();
    EXPECT_THAT(operation.check.compare().value_or(""), HasSubstr("is wrong"));
    write_pattern_again();
    if (variant.starts_with("read_modify")) return;  // it relies on the result of the previous turn
    run(operation);
    EXPECT_EQ(operation.check.compare(), std::nullopt);
    if (operation.check.restore) operation.check.restore();
  });
}

TEST_P(every_access, without_any_access_is_wrong) {
  if (bytes > piece) GTEST_SKIP() << "which piece was not accessed?";
  run(*prepare(pageable, "read_vector", bytes));  // the check looks at the previous turn
  for_each([&](const std::string& variant, transfer& operation) {
    if (variant.starts_with("read_modify")) return;  // without a turn, no change is right
    EXPECT_THAT(operation.check.compare().value_or(""), HasSubstr("is wrong"));
  });
}

TEST_P(every_access, of_all_words_detects_a_single_bit) {
  const auto pieces = std::max<std::size_t>(1, bytes / piece);
  for_each([&](const std::string& variant, transfer& operation) {
    if (writes(variant) || variant.starts_with("read_random") ||
        variant.starts_with("read_strided"))
      return;
    const auto threads = variant.ends_with(all_cores) ? transfers::usable_processors() : 1U;
    auto& byte = block[bytes / threads / 2 / cpu::line * cpu::line + 13];
    byte ^= std::byte{1};
    std::size_t noticed = 0;
    for (std::size_t i = 0; i < pieces; ++i) {
      run(operation);
      if (operation.check.compare()) ++noticed;
    }
    // If one thread accesses several pieces, only the turn that reaches the byte detects it. No
    // turn does if each thread's last piece is cut short and the byte lies behind it.
    EXPECT_GE(noticed, 1U);
    byte ^= std::byte{1};
  });
}

TEST_P(every_access, of_single_words_counts_them) {
  for_each([&](const std::string& variant, transfer& operation) {
    const auto threads = variant.ends_with(all_cores) ? transfers::usable_processors() : 1U;
    ASSERT_TRUE(operation.amount.bytes);
    EXPECT_EQ(*operation.amount.bytes % threads, 0U);
    EXPECT_FALSE(operation.timing.batched);
    const bool single = variant.starts_with("read_random") || variant.starts_with("read_strided") ||
                        variant.starts_with("write_random");
    if (single) {
      EXPECT_EQ(operation.amount.accesses, *operation.amount.bytes / 8 / threads);
      EXPECT_GT(operation.amount.accesses, 0U);
    } else {
      EXPECT_EQ(operation.amount.accesses, 0U);
      // Whole pieces, several times if they are short.
      EXPECT_EQ(*operation.amount.bytes % cpu::line, 0U);
      EXPECT_LE(*operation.amount.bytes, (threads > 1 ? 8 : 1) * piece * threads);
      EXPECT_GE(*operation.amount.bytes, std::min(bytes / threads, piece) / 2 * threads);
    }
  });
}

TEST_F(cpu_strategy, of_all_cores_is_timed_by_the_rates_of_its_threads) {
  constexpr std::size_t bytes = 256 * kib;
  const auto pageable = find_strategy("cpu/pageable");
  reserve(pageable, bytes);
  EXPECT_FALSE(prepare(pageable, "read_vector", bytes)->timing.own_time);
  for (const auto cache : {cache_state::warm, cache_state::cold}) {
    if (cache == cache_state::cold && !can_flush_cache()) continue;
    const auto all = prepare(pageable, "read_vector_all_cores", bytes, cache);
    EXPECT_TRUE(all->derive({}).empty()) << "nothing is timed yet";
    run(*all, 3);
    const double sum = static_cast<double>(*all->amount.bytes) / all->timing.own_time();
    const auto metrics = all->derive({});
    ASSERT_EQ(metrics.size(), 1U);
    EXPECT_EQ(metrics[0].metric.name, "slowest_thread_gb_per_s");
    EXPECT_GT(metrics[0].value, 0);
    EXPECT_LE(metrics[0].value * transfers::usable_processors(), sum * (1 + 1e-9));
  }
}

TEST_F(cpu_strategy, has_another_procedure_for_all_cores_alone) {
  for (const auto& variant : find_strategy("cpu/pageable").variants)
    EXPECT_EQ(variant.procedure, variant.name.ends_with(all_cores) ? 2U : 1U) << variant.name;
}

TEST_F(cpu_strategy, gives_all_cores_enough_to_do) {
  const auto pageable = find_strategy("cpu/pageable");
  const std::size_t bytes = 256 * kib;
  reserve(pageable, bytes);
  const auto threads = transfers::usable_processors();
  const std::map<std::string, std::size_t> times{
      {"read_scalar", 2},     {"read_vector", 8},   {"read_memcpy", 8},      {"read_streaming", 2},
      {"read_random", 32},    {"read_strided", 16}, {"write_fill", 8},       {"write_memcpy", 8},
      {"write_streaming", 1}, {"write_random", 32}, {"read_modify_write", 1}};
  for (const auto& [variant, expected] : times) {
    SCOPED_TRACE(variant);
    const auto single = prepare(pageable, variant, bytes);
    const auto all = prepare(pageable, variant + std::string(all_cores), bytes);
    if (!single || !all) continue;
    // The amount need not be a multiple of each thread's part.
    EXPECT_LE(*all->amount.bytes, expected * threads * *single->amount.bytes);
    EXPECT_GE(*all->amount.bytes, expected * threads * *single->amount.bytes * 9 / 10);
    if (!can_flush_cache()) continue;
    const auto cold = prepare(pageable, variant + std::string(all_cores), bytes, cache_state::cold);
    if (single->amount.accesses == 0) {
      EXPECT_LE(*cold->amount.bytes, bytes);  // once, because a second pass would be warm
    } else if (variant != "read_strided") {
      EXPECT_EQ(*cold->amount.bytes, threads * *single->amount.bytes);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(cpu, every_access,
                         testing::Values(extent{"16KiB", 16 * kib}, extent{"odd", 100'003},
                                         extent{"just_less_than_a_piece", piece - 64},
                                         extent{"a_piece", piece},
                                         extent{"several_pieces", 3 * piece},
                                         extent{"pieces_of_each_thread", 5 * piece + 192}),
                         [](const auto& instance) { return instance.param.name; });

TEST_F(cpu_strategy, flushes_between_operations_only_for_cold_caches) {
  const auto pageable = find_strategy("cpu/pageable");
  reserve(pageable, 64 * kib);
  for (const auto& variant : names_of(pageable.variants)) {
    if (const auto warm = prepare(pageable, variant, 64 * kib)) {
      EXPECT_FALSE(warm->timing.between) << variant;
    }
    if (!can_flush_cache()) continue;
    const auto cold = prepare(pageable, variant, 64 * kib, cache_state::cold);
    if (!cold) continue;
    ASSERT_TRUE(cold->timing.between) << variant;
    for (int i = 0; i < 5; ++i) cold->timing.between();
    EXPECT_EQ(wrong_bytes(), 0U) << variant;
  }
}

TEST_F(cpu_strategy, of_cold_caches_goes_over_its_memory_once) {
  if (!can_flush_cache()) GTEST_SKIP() << "this processor cannot flush chosen lines";
  const auto pageable = find_strategy("cpu/pageable");
  reserve(pageable, 64 * kib);
  EXPECT_EQ(prepare(pageable, "read_vector", 64 * kib, cache_state::cold)->amount.bytes, 64 * kib);
  EXPECT_EQ(prepare(pageable, "read_vector", 64 * kib)->amount.bytes, piece);
}

/// The pieces of the block that no longer hold the pattern; writes it again.
std::vector<std::size_t> changed_pieces(std::span<std::byte> block, bench::pattern pattern) {
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < block.size() / piece; ++i)
    if (check_host_pattern(block.data(), i * piece, piece, pattern).wrong_bytes > 0)
      changed.push_back(i);
  return changed;
}

TEST_F(cpu_strategy, continues_where_the_previous_benchmark_ended) {
  constexpr std::size_t pieces = 5;
  const auto pageable = find_strategy("cpu/pageable");
  reserve(pageable, pieces * piece);
  std::vector<std::size_t> reached;
  for (const char* const variant : {"write_fill", "write_memcpy", "write_fill", "write_memcpy"}) {
    const auto operation = prepare(pageable, variant, pieces * piece);
    run(*operation);
    const auto changed = changed_pieces(block, memory.pattern());
    ASSERT_EQ(changed.size(), 1U);
    reached.push_back(changed.front());
    operation->check.restore();
  }
  for (std::size_t i = 1; i < reached.size(); ++i)
    EXPECT_EQ(reached[i], (reached[i - 1] + 1) % pieces);
}

TEST_F(cpu_strategy, of_less_than_a_line_for_each_thread_is_unsupported) {
  const auto pageable = find_strategy("cpu/pageable");
  reserve(pageable, 4096);
  const auto with = [&](std::string_view variant, std::size_t bytes) {
    return pageable.prepare({*device, memory, *stream, variant, bytes});
  };
  for (const std::size_t bytes : {0U, 1U, 63U})
    EXPECT_THROW(with("read_scalar", bytes), transfers::unsupported) << bytes;
  EXPECT_NO_THROW(with("read_scalar", 64));
  const auto threads = transfers::usable_processors();
  EXPECT_THROW(with("read_scalar_all_cores", 64 * threads - 1), transfers::unsupported);
  if (64 * threads <= 4096) {
    EXPECT_NO_THROW(with("read_scalar_all_cores", 64 * threads));
  }
}

TEST_F(cpu_strategy, runs_on_every_available_kind_of_memory) {
  for (const auto& strategy : registered_strategies()) {
    if (!is_of_one_kind_of_memory(strategy) || why_unsupported(strategy, *device)) continue;
    try {
      reserve(strategy, 100'000);
    } catch (const transfers::out_of_memory&) {
      continue;  // the memlock limit
    }
    for (const auto& variant : names_of(strategy.variants)) {
      SCOPED_TRACE(strategy.name() + "/" + variant);
      const auto operation = prepare(strategy, variant, 100'000);
      if (!operation) continue;
      run(*operation, 3);
      EXPECT_EQ(operation->check.compare(), std::nullopt);
      if (operation->check.restore) operation->check.restore();
      EXPECT_EQ(wrong_bytes(), 0U);
    }
  }
}

TEST_F(cpu_strategy, of_managed_memory_needs_a_gpu_and_is_kept_small) {
  const auto managed = find_strategy("cpu/managed");
  EXPECT_THAT(why_unsupported(managed, *device).value_or(""), HasSubstr("managed memory"));
  EXPECT_EQ(managed.sampling.largest, 256 * mib);
}

TEST_F(cpu_strategy, that_emulates_says_so_and_runs_only_where_there_is_no_gpu) {
  const auto emulated = find_strategy("cpu/emulated_wc");
  EXPECT_THAT(emulated.summary, HasSubstr("EMULATION"));
  EXPECT_EQ(why_unsupported(emulated, *device), std::nullopt);
  transfers::counting_device no_gpu;
  no_gpu.counts().poses_as = {
      .kind = "cuda", .name = "a GPU", .cuda = transfers::cuda_properties{}};
  EXPECT_THAT(why_unsupported(emulated, no_gpu).value_or(""), HasSubstr("no GPU"));
  for (const auto& strategy : registered_strategies())
    if (is_of_one_kind_of_memory(strategy) && strategy.name() != emulated.name()) {
      EXPECT_THAT(strategy.summary, Not(HasSubstr("EMULATION")));
    }
}

// --- Accesses with wrong functions --------------------------------------------------------------

using cpu::access;
using cpu::instruction_set;
using cpu::stretch;

constexpr std::size_t small = 64 * kib;

std::uint64_t reads_all_but_the_last_line(const std::byte* first, std::size_t bytes) {
  return cpu::instructions().read_vector(first, bytes - cpu::line);
}
std::uint64_t reads_the_first_half_twice(const std::byte* first, std::size_t bytes) {
  return cpu::instructions().read_vector(first, bytes / 2) ^
         cpu::instructions().read_vector(first, bytes / 2);
}
void writes_all_but_the_last_word(std::byte* first, std::size_t bytes, std::uint64_t word) {
  for (std::size_t i = 0; i + 8 < bytes; i += 8) std::memcpy(first + i, &word, 8);
}
void writes_something_else(std::byte* first, std::size_t bytes, std::uint64_t) {
  std::memset(first, 0x33, bytes);
}

/// An instruction set with some wrong functions.
class lying_access : public testing::Test {
 protected:
  lying_access() {
    if (set.read_streaming == nullptr) set.read_streaming = set.read_vector;
    if (set.write_streaming == nullptr) set.write_streaming = writes_something_else;
    write_host_pattern(block.data(), 0, block.size(), over.pattern);
  }

  /// Whether a turn of this access passes its check.
  bool passes(const std::string& name) {
    const auto all = accesses_with(set);
    const auto match = std::ranges::find(all, name, &access::name);
    EXPECT_NE(match, all.end()) << name;
    const auto result = match->run(over, 0);
    const bool correct = match->is_correct(over, 0, result);
    write_host_pattern(block.data(), 0, block.size(), over.pattern);
    return correct;
  }

  instruction_set set = cpu::instructions();
  std::unique_ptr<transfers::device> device = transfers::open_host_device();
  transfers::host_memory block = device->allocate_host(small, transfers::pageable);
  transfers::host_memory ordinary = device->allocate_host(small, transfers::pageable);
  stretch over{.block = block.data(),
               .first = 0,
               .bytes = small,
               .piece = small,
               .ordinary = ordinary.bytes(),
               .pattern = {5}};
};

TEST_F(lying_access, that_leaves_lines_out_or_merges_loads_is_detected) {
  for (const auto lie : {reads_all_but_the_last_line, reads_the_first_half_twice}) {
    set.read_scalar = set.read_vector = set.read_streaming = lie;
    for (const char* const name : {"read_scalar", "read_vector", "read_streaming"})
      EXPECT_FALSE(passes(name)) << name;
  }
  set.read_scalar = cpu::instructions().read_scalar;
  EXPECT_TRUE(passes("read_scalar"));
}

TEST_F(lying_access, that_writes_too_little_or_wrong_data_is_detected) {
  for (const auto lie : {writes_all_but_the_last_word, writes_something_else}) {
    set.write_streaming = lie;
    EXPECT_FALSE(passes("write_streaming"));
  }
  EXPECT_TRUE(passes("write_fill"));
}

TEST_F(lying_access, that_changes_nothing_or_too_little_is_detected) {
  set.change = [](std::byte*, std::size_t) {};
  EXPECT_FALSE(passes("read_modify_write"));
  set.change = [](std::byte* first, std::size_t bytes) {
    cpu::instructions().change(first, bytes - cpu::line);
  };
  EXPECT_FALSE(passes("read_modify_write"));
  set.change = cpu::instructions().change;
  EXPECT_TRUE(passes("read_modify_write"));
}

TEST_F(lying_access, without_its_function_states_the_reason) {
  set.read_streaming = nullptr;
  set.write_streaming = nullptr;
  set.no_streaming = "not today";
  for (const auto& access : accesses_with(set))
    EXPECT_EQ(access.why_unavailable.value_or(""),
              (access.method == "streaming") ? "not today" : "")
        << access.name();
}

}  // namespace
}  // namespace bench_transfers::bench::cpu_strategy_test
