#include "transfers/array/shape.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "tests/basics.hpp"

namespace transfers::shape_test {
namespace {

static_assert(std::is_trivially_copyable_v<shape>);
static_assert(std::is_base_of_v<error, shape_mismatch>);
static_assert(std::is_convertible_v<strided_view<int>, strided_view<const int>>);
static_assert(!std::is_convertible_v<strided_view<const int>, strided_view<int>>);

/// The part of an mdspan with any layout that strided_view needs.
template <class T, std::size_t rank_of_all>
struct any_mdspan {
  T* first;
  std::array<int, rank_of_all> extents;
  std::array<int, rank_of_all> steps;

  static constexpr std::size_t rank() { return rank_of_all; }
  [[nodiscard]] T* data_handle() const { return first; }
  [[nodiscard]] int extent(std::size_t i) const { return extents[i]; }
  [[nodiscard]] int stride(std::size_t i) const { return steps[i]; }
};
static_assert(mdspan_like<any_mdspan<float, 2>>);
static_assert(!mdspan_like<std::vector<float>>);
static_assert(std::is_convertible_v<any_mdspan<float, 2>, strided_view<const float>>);

TEST(a_shape, has_extents_and_as_many_elements_as_their_product) {
  const shape cuboid{2, 3, 5};
  EXPECT_EQ(cuboid.rank(), 3U);
  EXPECT_EQ(cuboid.elements(), 30U);
  EXPECT_EQ(cuboid[0], 2U);
  EXPECT_EQ(cuboid[2], 5U);
  EXPECT_THAT(cuboid.extents(), ElementsAre(2, 3, 5));
  EXPECT_EQ(to_string(cuboid), "(2, 3, 5)");
}

TEST(a_shape, of_rank_zero_has_one_element) {
  EXPECT_EQ(shape().elements(), 1U);
  EXPECT_EQ(shape().rank(), 0U);
  EXPECT_THAT(shape().extents(), IsEmpty());
  EXPECT_EQ(shape(), shape(std::span<const std::size_t>{}));
  EXPECT_EQ(to_string(shape()), "()");
}

TEST(a_shape, with_an_extent_of_zero_is_empty_however_large_the_others_are) {
  EXPECT_EQ(shape({0}).elements(), 0U);
  EXPECT_EQ(shape({3, 0, 5}).elements(), 0U);
  EXPECT_EQ(shape({SIZE_MAX, 0}).elements(), 0U);
  EXPECT_EQ(shape({0, SIZE_MAX, SIZE_MAX}).elements(), 0U);
  EXPECT_EQ(to_string(shape({0, 7})), "(0, 7)");
}

TEST(a_shape, is_equal_to_others_of_the_same_rank_and_extents_only) {
  EXPECT_EQ(shape({2, 3}), shape({2, 3}));
  EXPECT_NE(shape({2, 3}), shape({3, 2}));
  EXPECT_NE(shape({6}), shape({2, 3}));
  EXPECT_NE(shape({6}), shape({6, 1}));
  EXPECT_NE(shape(), shape({1}));
  EXPECT_NE(shape({0}), shape({0, 0}));
  const std::vector<std::size_t> extents{2, 3};
  EXPECT_EQ(shape(extents), shape({2, 3}));
}

TEST(a_shape, may_have_as_many_extents_as_max_rank_and_no_more) {
  EXPECT_EQ(shape({1, 1, 1, 1, 1, 1, 1, 7}).elements(), 7U);
  EXPECT_THAT(
      [] {
        shape({1, 1, 1, 1, 1, 1, 1, 1, 1});
      },
      ThrowsMessage<std::length_error>(AllOf(HasSubstr("9"), HasSubstr("8"))));
  const std::vector<std::size_t> extents(1000, 0);
  EXPECT_THROW(static_cast<void>(shape(extents)), std::length_error);
}

TEST(a_shape, has_no_more_elements_than_there_are_addresses) {
  constexpr std::size_t most = PTRDIFF_MAX;
  EXPECT_EQ(shape({most}).elements(), most);
  EXPECT_EQ(shape({std::size_t{1} << 31, 2}).elements(), std::size_t{1} << 32);
  EXPECT_EQ(shape({std::size_t{1} << 31, std::size_t{1} << 31}).elements(), std::size_t{1} << 62);
  EXPECT_THROW(static_cast<void>(shape({most + 1})), std::length_error);
  EXPECT_THROW(static_cast<void>(shape({SIZE_MAX})), std::length_error);
  EXPECT_THROW(static_cast<void>(shape({most, 2})), std::length_error);
  EXPECT_THROW(static_cast<void>(shape({std::size_t{1} << 32, std::size_t{1} << 31})),
               std::length_error);
  // The product is 0 and 1 modulo 2^64.
  EXPECT_THROW(static_cast<void>(shape({std::size_t{1} << 32, std::size_t{1} << 32})),
               std::length_error);
  EXPECT_THROW(static_cast<void>(shape({3, 0xAAAAAAAAAAAAAAABU})), std::length_error);
  EXPECT_THAT(
      [] {
        shape({4'294'967'296, 4'294'967'297});
      },
      ThrowsMessage<std::length_error>(HasSubstr("(4294967296, 4294967297)")));
}

TEST(strides_of, step_over_all_smaller_indices) {
  const auto rows = strides_of(shape({2, 3, 5}), order::row_major);
  EXPECT_THAT(std::span(rows).first(3), ElementsAre(15, 5, 1));
  const auto columns = strides_of(shape({2, 3, 5}), order::column_major);
  EXPECT_THAT(std::span(columns).first(3), ElementsAre(1, 2, 6));
  EXPECT_EQ(strides_of(shape({7}), order::row_major)[0], 1);
  EXPECT_EQ(strides_of(shape({7}), order::column_major)[0], 1);
  EXPECT_EQ(strides_of(shape(), order::row_major), strides{});
}

TEST(strides_of, empty_shapes_do_not_overflow) {  // the sanitizer for undefined behaviour watches
  const auto huge = std::size_t{1} << 62;
  EXPECT_EQ(strides_of(shape({0, huge, huge}), order::row_major), strides{});
  EXPECT_EQ(strides_of(shape({huge, huge, 0}), order::column_major), strides{});
}

class a_view : public testing::Test {
 protected:
  strided_view<int> view_of(const shape& extents, std::initializer_list<std::ptrdiff_t> steps) {
    return {std::span(memory), extents, steps};
  }
  std::vector<int> memory = std::vector<int>(100);
};

TEST_F(a_view, keeps_its_memory_extents_and_strides) {
  const auto view = view_of({4, 3}, {20, 2});
  EXPECT_EQ(view.data(), memory.data());
  EXPECT_EQ(view.shape(), shape({4, 3}));
  EXPECT_EQ(view.strides()[0], 20);
  EXPECT_EQ(view.strides()[1], 2);
  const strided_view<const int> read_only = view;
  EXPECT_EQ(read_only.data(), memory.data());
  EXPECT_EQ(read_only.shape(), view.shape());
  EXPECT_EQ(read_only.strides(), view.strides());
}

TEST_F(a_view, may_reach_the_last_element_and_no_further) {
  EXPECT_NO_THROW(view_of({100}, {1}));
  EXPECT_NO_THROW(view_of({34}, {3}));  // 33 * 3 == 99
  EXPECT_NO_THROW(view_of({5, 4}, {20, 6}));
  EXPECT_NO_THROW(view_of({}, {}));
  EXPECT_THROW(view_of({101}, {1}), std::out_of_range);
  EXPECT_THROW(view_of({35}, {3}), std::out_of_range);
  EXPECT_THROW(view_of({6, 2}, {20, 1}), std::out_of_range);
  EXPECT_THAT(
      [this] {
        view_of({10, 20}, {20, 1});
      },
      ThrowsMessage<std::out_of_range>(AllOf(HasSubstr("(10, 20)"), HasSubstr("100"))));
  EXPECT_THROW((strided_view<int>(std::span<int>(), {}, {})), std::out_of_range);
  EXPECT_NO_THROW((strided_view<int>(std::span<int>(), {0}, {1})));
  EXPECT_NO_THROW(view_of({1000, 0}, {1000, 1}));
}

TEST_F(a_view, needs_one_stride_for_each_extent) {
  EXPECT_THROW(view_of({2, 3}, {1}), std::invalid_argument);
  EXPECT_THROW(view_of({2, 3}, {}), std::invalid_argument);
  EXPECT_THROW(view_of({}, {1}), std::invalid_argument);
  EXPECT_THAT(
      [this] {
        view_of({2, 3}, {6, 3, 1});
      },
      ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr("3"), HasSubstr("(2, 3)"))));
}

TEST_F(a_view, has_no_negative_zero_or_overlapping_strides) {
  EXPECT_THAT(
      [this] {
        view_of({2, 3}, {-3, 1});
      },
      ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr("-3"), HasSubstr("index 0"))));
  EXPECT_THAT(
      [this] {
        view_of({2, 3}, {3, 0});
      },
      ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr("0"), HasSubstr("index 1"))));
  EXPECT_THAT(
      [this] {
        view_of({2, 3}, {2, 1});
      },
      ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr("overlap"), HasSubstr("2"))));
  EXPECT_THROW(view_of({2, 3}, {1, 1}), std::invalid_argument);
  EXPECT_THROW(view_of({3, 2}, {1, 2}), std::invalid_argument);
  EXPECT_THROW(view_of({2}, {PTRDIFF_MIN}), std::invalid_argument);
}

TEST_F(a_view, of_strides_beyond_all_addresses_is_refused) {
  EXPECT_THROW(view_of({3}, {PTRDIFF_MAX}), std::invalid_argument);
  EXPECT_THROW(view_of({2, 2}, {PTRDIFF_MAX, 1}), std::invalid_argument);
  EXPECT_THROW(view_of({2, 2}, {PTRDIFF_MAX / 2 + 2, PTRDIFF_MAX / 2}), std::invalid_argument);
  EXPECT_THROW(view_of({2, 2}, {PTRDIFF_MAX / 2 + 1, PTRDIFF_MAX / 2}), std::out_of_range);
  EXPECT_THROW(view_of({2}, {PTRDIFF_MAX}), std::out_of_range);
  EXPECT_NO_THROW(view_of({1, 2}, {PTRDIFF_MAX, 1}));  // the index is always 0
}

TEST_F(a_view, is_accepted_exactly_when_each_index_steps_over_all_smaller_ones) {
  std::mt19937_64 random(1);
  const auto up_to = [&](std::size_t most) { return random() % (most + 1); };
  std::size_t accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto rank = up_to(4);
    std::vector<std::size_t> extents(rank);
    std::vector<std::ptrdiff_t> steps(rank);
    for (auto& extent : extents) extent = up_to(20) == 0 ? 0 : 1 + up_to(3);
    for (auto& step : steps) step = static_cast<std::ptrdiff_t>(1 + up_to(up_to(1) ? 4 : 30));
    const shape of_all(extents);

    std::vector<std::size_t> offsets{0};
    for (std::size_t k = 0; k < rank; ++k) {
      std::vector<std::size_t> further;
      for (const auto offset : offsets)
        for (std::size_t j = 0; j < extents[k]; ++j)
          further.push_back(offset + j * static_cast<std::size_t>(steps[k]));
      offsets = further;
    }
    const bool distinct = std::set(offsets.begin(), offsets.end()).size() == offsets.size();
    const auto reach = offsets.empty() ? 0 : *std::ranges::max_element(offsets) + 1;

    std::vector<std::size_t> by_step(rank);
    std::iota(by_step.begin(), by_step.end(), 0);
    std::ranges::sort(by_step, {}, [&](auto k) { return steps[k]; });
    bool stepped_over = true;
    std::size_t last = 0;
    for (const auto k : by_step) {
      if (extents[k] <= 1) continue;
      stepped_over = stepped_over && static_cast<std::size_t>(steps[k]) > last;
      last += (extents[k] - 1) * static_cast<std::size_t>(steps[k]);
    }
    stepped_over = stepped_over || of_all.elements() == 0;

    const auto is_accepted = [&](std::size_t available) {
      const auto checked = detail::checked_strides(of_all, steps);
      detail::check_reach(of_all, checked, available);
    };
    const auto described = to_string(of_all) + testing::PrintToString(steps);
    if (stepped_over) {
      ++accepted;
      EXPECT_TRUE(distinct) << described;
      EXPECT_NO_THROW(is_accepted(reach)) << described;
      if (reach > 0) {
        EXPECT_THROW(is_accepted(reach - 1), std::out_of_range) << described;
      }
    } else {
      EXPECT_THROW(is_accepted(1000), std::invalid_argument) << described;
    }
  }
  EXPECT_GT(accepted, 1000U);
}

TEST_F(a_view, may_be_made_from_an_mdspan) {
  const any_mdspan<int, 2> columns{memory.data(), {3, 4}, {1, 10}};
  const strided_view view = columns;
  static_assert(std::is_same_v<decltype(view), const strided_view<int>>);
  EXPECT_EQ(view.data(), memory.data());
  EXPECT_EQ(view.shape(), shape({3, 4}));
  EXPECT_EQ(view.strides()[1], 10);
  const any_mdspan<const int, 0> single{memory.data(), {}, {}};
  EXPECT_EQ(strided_view<const int>(single).shape(), shape());
}

TEST_F(a_view, of_an_mdspan_that_overlaps_is_refused) {
  const any_mdspan<int, 2> broadcast{memory.data(), {3, 4}, {0, 1}};
  EXPECT_THROW(static_cast<void>(strided_view(broadcast)), std::invalid_argument);
  const any_mdspan<int, 1> backwards{memory.data() + 9, {10}, {-1}};
  EXPECT_THROW(static_cast<void>(strided_view(backwards)), std::invalid_argument);
}

TEST_F(a_view, of_an_empty_mdspan_is_empty) {
  // The strides of std::layout_right for extents (3, 0), and of std::layout_left for (0, 3).
  const any_mdspan<int, 2> rows{nullptr, {3, 0}, {0, 1}};
  EXPECT_NO_THROW(EXPECT_EQ(strided_view(rows).shape(), shape({3, 0})));
  const any_mdspan<int, 2> columns{nullptr, {0, 3}, {1, 0}};
  EXPECT_NO_THROW(EXPECT_EQ(strided_view(columns).shape(), shape({0, 3})));
}

}  // namespace
}  // namespace transfers::shape_test
