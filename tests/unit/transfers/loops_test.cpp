// Loops over host memory, on the library's own threads.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "src/transfers/array/host_loops.hpp"
#include "src/transfers/array/reduce.hpp"
#include "src/transfers/core/on_all_cores.hpp"
#include "tests/basics.hpp"

namespace transfers::loops_test {
namespace {

using detail::host_loops;
using detail::loop_team;
using detail::on_all_cores;
using detail::part_of_loop;
using detail::run_loop;

constexpr std::size_t much = std::size_t{1} << 30;  ///< bytes that are worth all threads

// --- The threads -------------------------------------------------------------------------------

struct finished_loop {
  std::vector<int> visits;  ///< of each index
  std::set<std::thread::id> threads;
};

finished_loop run(const run_loop& loop, std::size_t total, std::size_t bytes) {
  finished_loop result{std::vector<int>(total), {}};
  std::mutex mutex;
  loop(total, bytes, [&](std::size_t first, std::size_t count) {
    const std::scoped_lock lock(mutex);
    result.threads.insert(std::this_thread::get_id());
    for (auto i = first; i < first + count; ++i) ++result.visits.at(i);
  });
  return result;
}

struct named_loop {
  std::string name;
  std::function<run_loop()> make;

  friend void PrintTo(const named_loop& loop, std::ostream* out) { *out << loop.name; }
};

class a_loop : public testing::TestWithParam<named_loop> {
 protected:
  run_loop loop = GetParam().make();
};

TEST_P(a_loop, visits_each_index_once) {
  for (const std::size_t total : {1, 2, 7, 1000, 4097, 100'003})
    for (const std::size_t bytes : {std::size_t{0}, total, 100 * total, much})
      EXPECT_THAT(run(loop, total, bytes).visits, Each(1)) << total << ", " << bytes;
}

TEST_P(a_loop, over_nothing_visits_nothing) {
  for (const std::size_t bytes : {std::size_t{0}, much}) {
    std::size_t visited = 0;
    loop(0, bytes, [&](std::size_t, std::size_t count) { visited += count; });
    EXPECT_EQ(visited, 0);
  }
}

TEST_P(a_loop, over_little_memory_is_one_part_for_the_caller) {
  EXPECT_THAT(run(loop, 100'000, 1000).threads, ElementsAre(std::this_thread::get_id()));
}

TEST_P(a_loop, over_much_memory_is_for_as_many_threads_as_there_are_processors) {
  for (int again = 0; again < 3; ++again)
    EXPECT_THAT(run(loop, 100'000 * usable_processors(), much).threads,
                SizeIs(usable_processors()));
}

INSTANTIATE_TEST_SUITE_P(all, a_loop,
                         testing::Values(named_loop{"of_a_stream",
                                                    [] {
                                                      return
                                                          [team = std::make_shared<loop_team>()](
                                                              std::size_t total, std::size_t bytes,
                                                              const part_of_loop& part) {
                                                            (*team)(total, bytes, part);
                                                          };
                                                    }},
                                         named_loop{"of_a_caller", [] { return on_all_cores; }}),
                         [](const auto& instance) { return instance.param.name; });

/// As a loop in an OpenMP loop, whose threads occupy the processors already.
TEST(on_all_cores, starts_no_thread_while_others_occupy_all_processors) {
  std::mutex mutex;
  std::set<std::thread::id> outer;
  on_all_cores(usable_processors(), much, [&](std::size_t, std::size_t) {
    const auto inner = run(on_all_cores, 100'000, much);
    EXPECT_THAT(inner.visits, Each(1));
    EXPECT_THAT(inner.threads, ElementsAre(std::this_thread::get_id()));
    const std::scoped_lock lock(mutex);
    outer.insert(std::this_thread::get_id());
  });
  EXPECT_THAT(outer, SizeIs(usable_processors()));
}

// --- The loops ---------------------------------------------------------------------------------

/// Loops on a team of so many threads, however little work there is.
class loops_on_a_team : public testing::TestWithParam<unsigned> {
 protected:
  worker_team team{GetParam()};
  host_loops loops{[this](std::size_t total, std::size_t, const part_of_loop& part) {
    in_parts(team, total, 1, part);
  }};
};
INSTANTIATE_TEST_SUITE_P(all, loops_on_a_team, testing::Values(1, 2, 3, 5));

const host_loops in_one_part([](std::size_t total, std::size_t, const part_of_loop& part) {
  part(0, total);
});

constexpr std::size_t block = 16 * 1024;  ///< elements that are reduced in order, at least

/// Numbers from small to large: their sum depends on the order of additions.
template <class T>
const std::vector<T>& numbers() {
  static const auto result = [] {
    std::mt19937_64 random{17};
    std::vector<T> values(1024 * block + 1);
    for (auto& value : values) {
      const auto bits = random();
      value = static_cast<T>(static_cast<std::int64_t>(bits) >> bits % 40);
    }
    return values;
  }();
  return result;
}

// Around one block, and around as many blocks as there are before they become larger.
constexpr std::array<std::size_t, 8> counts{
    0, 1, block - 1, block, block + 1, 10 * block + 7, 1024 * block, 1024 * block + 1};

/// Of so many elements each, once for all teams: to compute them takes longer than the loops.
template <class Compute>
auto for_each_count(Compute compute) {
  std::array<decltype(compute(counts.front())), counts.size()> results{};
  std::ranges::transform(counts, results.begin(), compute);
  return results;
}

TEST_P(loops_on_a_team, reduce_to_the_same_bits_as_one_thread) {
  static const auto* const values = numbers<float>().data();
  static constexpr detail::add_widened<double> add;
  static constexpr detail::multiply_widened<float> multiply;
  const auto sum = [](const host_loops& by, std::size_t count) {
    return by.reduce(values, count, 0.0, add);
  };
  const auto product = [](const host_loops& by, std::size_t count) {
    return by.inner_product(values, values, count, 0.0, add, multiply);
  };
  static const auto in_one_block = std::accumulate(values, values + counts.back(), 0.0);
  static const auto sums = for_each_count([&](auto count) { return sum(in_one_part, count); });
  static const auto products =
      for_each_count([&](auto count) { return product(in_one_part, count); });
  ASSERT_NE(sums.back(), in_one_block) << "any order will do";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_EQ(sum(loops, counts[i]), sums[i]);
    EXPECT_EQ(product(loops, counts[i]), products[i]);
  }
}

TEST_P(loops_on_a_team, reduce_all_elements) {
  static const auto& values = numbers<std::int32_t>();
  const auto end = [](std::size_t count) {
    return values.begin() + static_cast<std::ptrdiff_t>(count);
  };
  static const auto sums = for_each_count(
      [&](auto count) { return std::accumulate(values.begin(), end(count), std::int64_t{0}); });
  constexpr auto none = std::numeric_limits<std::int32_t>::max();
  static const auto smallest = for_each_count([&](auto count) {
    return count == 0 ? none : *std::min_element(values.begin(), end(count));
  });
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_EQ(loops.reduce(values.data(), counts[i], std::int64_t{0},
                           detail::add_widened<std::int64_t>()),
              sums[i]);
    EXPECT_EQ(loops.reduce(values.data(), counts[i], none, detail::extreme<std::int32_t>{true}),
              smallest[i]);
  }
}

TEST_P(loops_on_a_team, find_nan_in_every_block) {
  const std::size_t count = 5 * block + 1;
  for (std::size_t place = 0; place < count; place += block) {
    std::vector<float> values(count, 1);
    values[place] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(
        std::isnan(loops.reduce(values.data(), count, std::numeric_limits<float>::infinity(),
                                detail::extreme<float>{true})));
  }
}

TEST_P(loops_on_a_team, fill_and_visit_each_element) {
  for (const std::size_t count : {0, 1, 4, 1009}) {
    std::vector<int> values(count + 1);
    loops.fill(values.data(), count, 3);
    loops.for_each_index(count, [data = values.data()](std::size_t i) { data[i] += 1; });
    EXPECT_THAT(std::vector(values.begin(), values.end() - 1), Each(4));
    EXPECT_EQ(values.back(), 0);
  }
}

}  // namespace
}  // namespace transfers::loops_test
