// Copies of page-locked memory do not wait for what only other memory needs.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/strategy/strategy.hpp"
#include "tests/unit/bench/test_strategy.hpp"
#include "tests/unit/transfers/forwarding_device.hpp"

namespace bench_transfers::bench::exact_copy_test {
namespace {

/// Counts the copies of either kind.
class counting_device final : public transfers::forwarding_device {
 public:
  void cuda_memcpy(std::byte* dst, const std::byte* src, std::size_t bytes,
                   transfers::direction direction, bool is_page_locked) override {
    ++(is_page_locked ? alone : waiting);
    transfers::forwarding_device::cuda_memcpy(dst, src, bytes, direction, is_page_locked);
  }

  int waiting = 0, alone = 0;
};

TEST(exact_copies, are_chosen_by_the_memory) {
  constexpr std::size_t bytes = 65536;
  counting_device device;
  buffers memory(device, 5);
  memory.reserve_device(bytes);
  const auto stream = device.create_stream();
  std::size_t strategies = 0;
  for (const auto& measured : registered_strategies()) {
    const auto kind = measured.needs.host;
    const bool is_plain = kind && measured.name() == "copy/" + to_string(*kind);
    const auto locks = [](const name_part& part) {
      return part.target == name_part::field::method &&
             (part.text == "register_once" || part.text == "register_once_huge");
    };
    const bool is_locked_once = std::ranges::any_of(measured.parts, locks);
    if ((!is_plain && !is_locked_once) || why_unsupported(measured, device)) continue;
    SCOPED_TRACE(measured.name());
    memory.reserve_host(*kind, bytes);
    const auto operation = measured.prepare(
        {.device = device, .memory = memory, .stream = *stream, .variant = "h2d", .bytes = bytes});
    device.waiting = device.alone = 0;
    run_steps(operation);
    const bool is_locked = is_locked_once || is_page_locked(*kind);
    EXPECT_EQ(device.alone, is_locked ? 1 : 0);
    EXPECT_EQ(device.waiting, is_locked ? 0 : 1);
    ++strategies;
  }
  EXPECT_GT(strategies, 3U);
}

}  // namespace
}  // namespace bench_transfers::bench::exact_copy_test
