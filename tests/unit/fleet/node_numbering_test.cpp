#include "src/fleet/launcher/node_numbering.hpp"

#include <optional>
#include <vector>

#include "tests/basics.hpp"

namespace bench_transfers::fleet::node_numbering_test {
namespace {

using ranks = std::vector<std::optional<std::size_t>>;

TEST(rank_of_node, is_one_where_it_fits_the_others) {
  EXPECT_TRUE(is_rank_of_node(4, 0, ranks{4, 5}, 8));
  EXPECT_TRUE(is_rank_of_node(7, 3, ranks{4, std::nullopt, 6, std::nullopt}, 8)) << "in blocks";
  EXPECT_FALSE(is_rank_of_node(3, 3, ranks{4, std::nullopt, 6, std::nullopt}, 8));
  EXPECT_TRUE(is_rank_of_node(5, 2, ranks{1, 3, std::nullopt, std::nullopt}, 8)) << "in turn";
  EXPECT_FALSE(is_rank_of_node(4, 2, ranks{1, 3, std::nullopt, std::nullopt}, 8));
}

TEST(rank_of_node, is_none_where_nothing_says_so) {
  EXPECT_FALSE(is_rank_of_node(0, 0, ranks{4, 5}, 8)) << "another node of this name";
  EXPECT_FALSE(is_rank_of_node(1, 1, ranks{4, std::nullopt}, 8));
  EXPECT_FALSE(is_rank_of_node(7, 2, ranks{4, 5}, 8)) << "of more ranks";
  EXPECT_FALSE(is_rank_of_node(5, 1, ranks{std::nullopt, std::nullopt}, 8));
  EXPECT_FALSE(is_rank_of_node(3, 3, ranks{0, 5, 2, std::nullopt}, 8)) << "in no order";
}

}  // namespace
}  // namespace bench_transfers::fleet::node_numbering_test
