#include "transfers/core/device_view.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/array/gpu_array.hpp"

namespace transfers::device_view_test {
namespace {

// Nothing that takes host memory takes device memory.
static_assert(!std::ranges::range<device_view<float>> && !host_elements<device_view<float>>);
static_assert(!std::convertible_to<device_view<float>, std::span<float>> &&
              !std::constructible_from<std::span<float>, device_view<float>>);
static_assert(!std::convertible_to<gpu_array<float>&, std::span<float>> &&
              !std::convertible_to<device_buffer<float>&, std::span<float>>);
static_assert(!std::convertible_to<std::vector<float>&, device_view<float>> &&
              !std::convertible_to<host_array<float>&, device_view<float>>);
static_assert(device_elements<device_view<float>> && device_elements<gpu_array<float>> &&
              device_elements<device_buffer<float>> && !device_elements<std::vector<float>> &&
              !device_elements<host_array<float>>);

// Constness is kept.
static_assert(std::convertible_to<device_view<float>, device_view<const float>> &&
              !std::convertible_to<device_view<const float>, device_view<float>>);
static_assert(!std::convertible_to<device_view<int>, device_view<const float>>);
static_assert(std::convertible_to<gpu_array<float>&, device_view<float>> &&
              std::convertible_to<const gpu_array<float>&, device_view<const float>> &&
              !std::convertible_to<const gpu_array<float>&, device_view<float>>);
static_assert(std::convertible_to<device_buffer<float>&, device_view<float>> &&
              !std::convertible_to<const device_buffer<float>&, device_view<float>>);
template <class Owner>
using address_of = decltype(std::declval<Owner&>().data());
static_assert(std::same_as<address_of<gpu_array<int>>, int*> &&
              std::same_as<address_of<const gpu_array<int>>, const int*> &&
              std::same_as<address_of<device_buffer<int>>, int*> &&
              std::same_as<address_of<const device_buffer<int>>, const int*> &&
              std::same_as<address_of<host_array<int>>, int*> &&
              std::same_as<address_of<const host_array<int>>, const int*> &&
              std::same_as<address_of<host_buffer<int>>, int*> &&
              std::same_as<address_of<const host_buffer<int>>, const int*>);
static_assert(std::same_as<decltype(std::declval<const host_array<int>&>()[0]), const int&> &&
              std::same_as<decltype(std::declval<const host_array<int>&>()(0)), const int&> &&
              std::same_as<decltype(std::declval<const host_buffer<int>&>()[0]), const int&> &&
              std::same_as<std::ranges::range_reference_t<const host_array<int>>, const int&> &&
              std::same_as<std::ranges::range_reference_t<const host_buffer<int>>, const int&>);

class a_device_view : public testing::Test {
 protected:
  counting_device host;
  context gpu{host};
  device_buffer<int> buffer{gpu, 10};
};

TEST_F(a_device_view, has_the_address_and_the_size_of_its_owner) {
  const auto view = buffer.view();
  EXPECT_EQ(view.data(), buffer.data());
  EXPECT_EQ(view.size(), 10U);
  EXPECT_EQ(view.bytes(), 40U);
  EXPECT_FALSE(view.empty());
  EXPECT_EQ(device_view<int>().data(), nullptr);
  EXPECT_TRUE(device_view<int>().empty());
  const device_view<const int> read_only = view;
  EXPECT_EQ(read_only.data(), buffer.data());
  EXPECT_EQ(read_only.size(), 10U);
}

TEST_F(a_device_view, has_parts) {
  const auto view = buffer.view();
  EXPECT_EQ(view.subview(3, 4).data(), buffer.data() + 3);
  EXPECT_EQ(view.subview(3, 4).size(), 4U);
  EXPECT_EQ(view.first(2).data(), buffer.data());
  EXPECT_EQ(view.first(2).size(), 2U);
  EXPECT_EQ(view.last(3).data(), buffer.data() + 7);
  EXPECT_EQ(view.last(3).size(), 3U);
  EXPECT_EQ(view.last(10).data(), buffer.data());
  EXPECT_TRUE(view.subview(10, 0).empty());
  EXPECT_TRUE(view.last(0).empty());
  EXPECT_TRUE(device_view<int>().first(0).empty());
  EXPECT_EQ(view.first(8).last(3).first(1).data(), buffer.data() + 5);
}

TEST_F(a_device_view, is_one_of_bytes_as_well) {
  const auto bytes = as_bytes(buffer.view());
  static_assert(std::same_as<decltype(bytes), const device_view<std::byte>>);
  EXPECT_EQ(static_cast<const void*>(bytes.data()), buffer.data());
  EXPECT_EQ(bytes.size(), 40U);
  static_assert(
      std::same_as<decltype(as_bytes(std::as_const(buffer).view())), device_view<const std::byte>>);
  const auto elements = elements_at<int>(bytes.data(), bytes.size());
  EXPECT_EQ(elements.data(), buffer.data());
  EXPECT_EQ(elements.size(), 10U);
}

TEST_F(a_device_view, may_be_of_memory_that_others_have_allocated) {
  const auto block = host.allocate(64);
  EXPECT_EQ(block.view<int>().size(), 16U);
  const device_view<int> view(reinterpret_cast<int*>(block.data()), 3);
  gpu.copy(view, std::vector{1, 2, 3});
  std::vector<int> back(2);
  gpu.copy(back, view.last(2));
  EXPECT_THAT(back, ElementsAre(2, 3));
}

TEST_F(a_device_view, is_an_end_of_copies_of_parts) {
  const std::vector<int> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  buffer.copy_from(numbers);
  std::vector<int> part(3);
  gpu.copy(part, buffer.view().subview(4, 3));
  EXPECT_THAT(part, ElementsAre(4, 5, 6));
  gpu.copy(buffer.view().last(3), part);
  gpu.copy(std::span(part).first(1), buffer.view().last(1));
  EXPECT_EQ(part[0], 6);
  gpu.device().copy(part, buffer.view().first(3));
  EXPECT_THAT(part, ElementsAre(0, 1, 2));
  gpu.device().copy(buffer.view().first(1), std::array{-1});
  gpu.stream().copy_by_kernel(buffer.view().subview(1, 2), buffer.view().subview(8, 2));
  std::vector<int> back(10);
  buffer.copy_to(back);
  EXPECT_THAT(back, ElementsAre(-1, 5, 6, 3, 4, 5, 6, 4, 5, 6));
}

TEST_F(a_device_view, lets_a_ring_be_written_in_pieces) {
  // Ten elements in a ring of six: what does not fit at the end goes to the beginning.
  auto ring = zeros<int>(gpu, {6});
  std::size_t end = 0;
  const auto append = [&](const std::vector<int>& added) {
    const auto at_end = std::min(added.size(), ring.size() - end);
    gpu.copy(ring.view().subview(end, at_end), std::span(added).first(at_end));
    gpu.copy(ring.view().first(added.size() - at_end), std::span(added).subspan(at_end));
    end = (end + added.size()) % ring.size();
  };
  append({1, 2, 3, 4});
  append({5, 6, 7});
  append({8, 9, 10});
  EXPECT_THAT(ring.get(), ElementsAre(7, 8, 9, 10, 5, 6));
}

TEST_F(a_device_view, lets_neighbours_exchange_their_edges) {
  // Each part has one element of the other at its edge.
  auto left = to_gpu(gpu, {1, 2, 3, 0});
  auto right = to_gpu(gpu, {0, 4, 5, 6});
  gpu.copy_async(left.view().last(1), right.view().subview(1, 1));
  gpu.copy(right.view().first(1), left.view().subview(2, 1));
  EXPECT_THAT(left.get(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(right.get(), ElementsAre(3, 4, 5, 6));
}

TEST_F(a_device_view, of_no_elements_is_copied_without_any_work) {
  const auto before = host.counts().enqueued.load();
  std::vector<int> none;
  gpu.copy(none, buffer.view().first(0));
  gpu.copy(buffer.view().last(0), none);
  gpu.copy_async(buffer.view().last(0), device_view<const int>());
  gpu.stream().copy(buffer.view().last(0), none);
  gpu.stream().copy_by_kernel(buffer.view().last(0), device_view<const int>());
  gpu.stream().clear(device_view<int>());
  EXPECT_EQ(host.counts().enqueued, before);
}

}  // namespace
}  // namespace transfers::device_view_test
