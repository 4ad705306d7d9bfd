
#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/devices/test_device.hpp"
#include "transfers/core/error.hpp"

// Page-locked memory that is allocated in pieces.

namespace transfers::host_pieces_test {
namespace {

class host_pieces : public testing::Test {
 protected:
  const std::unique_ptr<device> gpu = open_test_device();
};

std::vector<std::size_t> sizes_of(const std::vector<host_memory>& pieces) {
  std::vector<std::size_t> sizes;
  for (const auto& piece : pieces) sizes.push_back(piece.size());
  return sizes;
}

TEST_F(host_pieces, hold_as_much_in_all_and_are_page_locked_each) {
  if (const auto reason = gpu->why_unsupported(registered_huge)) GTEST_SKIP() << *reason;
  const auto pieces = allocate_host_in_pieces(*gpu, 5 * mib + 1, 2 * mib);
  EXPECT_THAT(sizes_of(pieces), ElementsAre(2 * mib, 2 * mib, mib + 1));
  EXPECT_THAT(sizes_of(allocate_host_in_pieces(*gpu, mib)), ElementsAre(mib));
  for (const auto& piece : pieces) {
    EXPECT_EQ(piece.kind(), registered_huge);
    EXPECT_TRUE(gpu->copies_directly(piece.data()));
    EXPECT_TRUE(gpu->copies_directly(piece.data() + piece.size() - 1));
  }
}

TEST_F(host_pieces, are_copied_like_any_memory) {
  const auto stream = gpu->create_stream();
  for (const auto kind : {pinned(), registered}) {
    const auto pieces = allocate_host_in_pieces(*gpu, 3 * mib, mib, kind);
    const auto on_device = gpu->allocate(3 * mib);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      std::memset(pieces[i].data(), static_cast<int>(i + 1), mib);
      stream->copy(on_device.data() + i * mib, pieces[i].data(), mib, direction::h2d);
    }
    stream->synchronize();
    std::vector<std::byte> back(3 * mib);
    gpu->copy(back.data(), on_device.data(), back.size(), direction::d2h);
    for (std::size_t i = 0; i < pieces.size(); ++i)
      EXPECT_TRUE(std::all_of(back.data() + i * mib, back.data() + (i + 1) * mib,
                              [i](std::byte value) { return value == std::byte(i + 1); }))
          << to_string(kind) << ", piece " << i;
  }
}

TEST_F(host_pieces, of_no_bytes_are_refused) {
  EXPECT_THROW(static_cast<void>(allocate_host_in_pieces(*gpu, 0)), invalid_argument);
  EXPECT_THROW(static_cast<void>(allocate_host_in_pieces(*gpu, mib, 0)), invalid_argument);
}

}  // namespace
}  // namespace transfers::host_pieces_test
