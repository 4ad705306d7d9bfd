#include "bench/strategy/written_lines.hpp"

#include <set>
#include <string>
#include <vector>

#include "bench/strategy/strategy.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::bench::written_lines_test {
namespace {

/// Memory in whole pages with known content, of which operations use less.
struct host_memory {
  std::vector<std::byte> bytes;
  explicit host_memory(std::size_t count) : bytes(count) {
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 131 + i / 251);
  }
  [[nodiscard]] payload end() { return {.data = bytes.data(), .bytes = bytes.size()}; }
};

class every_state : public testing::TestWithParam<cache_state> {};

TEST_P(every_state, leaves_the_bytes_of_both_ends_as_they_are) {
  for (const std::size_t bytes : {1U, 4U, 64U, 1000U, 4096U, 70'001U}) {
    host_memory source(bytes), destination(2 * bytes);
    const auto before = source.bytes, also_before = destination.bytes;
    const line_preparation prepare(GetParam());
    for (int i = 0; i < 3; ++i) prepare(transfer_between({source.end(), destination.end()}));
    EXPECT_EQ(source.bytes, before) << bytes;
    EXPECT_EQ(destination.bytes, also_before) << bytes;
  }
}

TEST_P(every_state, touches_no_memory_of_a_device) {
  const line_preparation prepare(GetParam());
  auto* const nowhere = reinterpret_cast<std::byte*>(64);
  const payload on_device{.data = nowhere, .bytes = 4096, .on_device = true};
  prepare(transfer_between({on_device, on_device}));
}

TEST_P(every_state, is_needed_unless_warm) {
  EXPECT_EQ(line_preparation(GetParam()).is_needed(), GetParam() != cache_state::warm);
}

TEST_P(every_state, keeps_cores_busy_where_threads_are_awake) {
  const bool are_awake = GetParam() == cache_state::written_by_one_awake ||
                         GetParam() == cache_state::written_by_all_awake ||
                         GetParam() == cache_state::streamed;
  EXPECT_EQ(line_preparation(GetParam()).keeps_cores_busy(), are_awake);
}

INSTANTIATE_TEST_SUITE_P(states, every_state, testing::ValuesIn(result_file::cache_states()),
                         [](const auto& state) { return result_file::to_string(state.param); });

TEST(cache_states, have_a_word_and_a_description_each) {
  std::set<std::string> words, descriptions;
  for (const auto state : result_file::cache_states()) {
    words.insert(result_file::to_string(state));
    descriptions.insert(result_file::describe(state));
    EXPECT_EQ(result_file::cache_state_from(result_file::to_string(state)), state);
  }
  EXPECT_EQ(words.size(), result_file::cache_states().size());
  EXPECT_EQ(descriptions.size(), result_file::cache_states().size());
}

}  // namespace
}  // namespace bench_transfers::bench::written_lines_test
