#include "bench/strategy/pieces.hpp"

#include <cstring>
#include <functional>
#include <optional>
#include <string>

#include "bench/harness/verify.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::bench::pieces_test {
namespace {

using transfers::direction;

class pieces : public testing::Test {
 protected:
  pieces() {
    memory.reserve_host(transfers::pageable, 1000);
    memory.reserve_device(1000);
  }

  /// The damage found after an operation that copies the pieces and then calls `more`.
  std::optional<std::string> wrong_after(direction direction, const std::function<void()>& more) {
    const auto& block = memory.host(transfers::pageable);
    piecewise layout{{block.data() + 100, 500, false, &block, 100},
                     {memory.on_device().data(), 60, true},
                     {{300, 20}, {0, 7}, {50, 0}, {467, 33}},
                     direction};
    const auto all = layout.pieces;
    host = layout.host.data;
    on_device = layout.device.data;
    transfer copy;
    set_ends(copy, std::move(layout), *device, memory);
    EXPECT_EQ(copy.amount.bytes, 60U);
    poison(*device, memory, *copy.destination);
    std::size_t at = 0;
    for (const auto& piece : all) {
      if (direction == direction::h2d)
        std::memcpy(on_device + at, host + piece.offset, piece.bytes);
      else
        std::memcpy(host + piece.offset, on_device + at, piece.bytes);
      at += piece.bytes;
    }
    more();
    auto damage = find_damage(*device, memory, copy);
    restore(*device, memory, copy);
    EXPECT_EQ(check_host_pattern(block.data(), 0, block.size(), memory.pattern()).wrong_bytes, 0U);
    return damage;
  }

  std::unique_ptr<transfers::device> device = transfers::open_host_device();
  buffers memory{*device, 3};
  std::byte* host = nullptr;
  std::byte* on_device = nullptr;
};

void spoil(std::byte& byte) { byte ^= std::byte{1}; }

TEST_F(pieces, are_correct_after_copies_in_both_directions) {
  for (const auto direction : {direction::h2d, direction::d2h})
    EXPECT_EQ(wrong_after(direction, [] {}), std::nullopt);
}

TEST_F(pieces, a_single_wrong_byte_is_found_in_both_directions) {
  EXPECT_THAT(wrong_after(direction::h2d, [this] { spoil(on_device[59]); }),
              Optional(HasSubstr("1 of 4 pieces differ")));
  EXPECT_THAT(wrong_after(direction::d2h, [this] { spoil(host[6]); }),
              Optional(HasSubstr("1 of 4 pieces differ")));
}

TEST_F(pieces, a_byte_written_between_them_is_found) {
  for (const std::size_t offset : {7, 299, 320, 466})
    EXPECT_THAT(wrong_after(direction::d2h, [&] { spoil(host[offset]); }),
                Optional(HasSubstr("1 bytes written between the pieces")));
}

TEST_F(pieces, a_byte_written_behind_the_end_is_found) {
  EXPECT_THAT(wrong_after(direction::h2d, [this] { spoil(on_device[60]); }),
              Optional(HasSubstr("behind the end")));
}

}  // namespace
}  // namespace bench_transfers::bench::pieces_test
