// Arrays that have been moved from: every operation refuses them.
#include <functional>
#include <utility>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/array/arithmetic.hpp"
#include "transfers/array/print.hpp"
#include "transfers/core/error.hpp"
#include "transfers/launch/launch.hpp"

namespace transfers::moved_from_test {
namespace {

// NOLINTBEGIN(bugprone-use-after-move): that is what is tested
class moved_from : public testing::Test {
 protected:
  counting_device host;
  context gpu{host};
  gpu_array<float> moved = zeros<float>(gpu, {3});
  gpu_array<float> keeper = std::move(moved);
  gpu_array<float> other = to_gpu(gpu, {1.0F, 2.0F, 3.0F});
  std::vector<float> numbers{7, 8, 9};
};

TEST_F(moved_from, arrays_are_refused_by_every_operation) {
  const context second(host);
  const function kernel = host_function("kernel", [](const thread_index&, const float*) {});
  int number = 0;
  for (const std::function<void()>& operation : std::vector<std::function<void()>>{
           [&] { static_cast<void>(2 * moved); },
           [&] { static_cast<void>(moved + moved); },
           [&] { static_cast<void>(moved / other); },
           [&] { static_cast<void>(other - moved); },
           [&] { moved *= 2; },
           [&] { moved += other; },
           [&] { other += moved; },
           [&] { calculate(arithmetic::add, other, 1, moved); },
           [&] { calculate(gpu.stream(), arithmetic::add, moved, 1); },
           [&] { moved.set(numbers); },
           [&] {
             moved.set({1, 2, 3});
           },
           [&] { moved.set(strided_view<const float>(numbers, {3}, {1})); },
           [&] { moved.set(other); },
           [&] { other.set(moved); },
           [&] { moved.set_async(numbers); },
           [&] { moved.get(numbers); },
           [&] { moved.get(strided_view<float>(numbers, {3}, {1})); },
           [&] { moved.get_async(numbers); },
           [&] { static_cast<void>(moved.get()); },
           [&] { static_cast<void>(moved.get(pageable)); },
           [&] { static_cast<void>(moved.get_async()); },
           [&] { static_cast<void>(moved.view()); },
           [&] { static_cast<void>(std::as_const(moved).view()); },
           [&] { static_cast<void>(device_view<float>(moved)); },
           [&] { static_cast<void>(moved.astype<double>()); },
           [&] { static_cast<void>(moved.copy()); },
           [&] { static_cast<void>(moved.copy(second)); },
           [&] {
             static_cast<void>(moved.reshape({3, 1}));
           },
           [&] { moved.clear(); },
           [&] { gpu.copy(moved, numbers); },
           [&] { gpu.copy(numbers, moved); },
           [&] { gpu.copy_async(other, moved); },
           [&] { gpu.stream().clear(moved); },
           [&] { kernel(gpu, {}, moved); },
           [&] {
             call(
                 gpu, [](float*) {}, moved);
           },
           [&] { static_cast<void>(argument(moved)); },
       }) {
    ++number;
    EXPECT_THAT(operation, ThrowsMessage<invalid_argument>(HasSubstr("moved from")))
        << "operation " << number;
  }
  gpu.synchronize();
  EXPECT_THAT(numbers, ElementsAre(7, 8, 9));
  EXPECT_THAT(other.get(), ElementsAre(1, 2, 3));
  EXPECT_THAT(keeper.get(), Each(0.0F));
}

TEST_F(moved_from, arrays_serve_again_when_they_are_assigned) {
  moved = std::move(keeper);
  EXPECT_THAT((moved + 1).get(), Each(1.0F));
  EXPECT_THROW(keeper.clear(), invalid_argument);
  moved = zeros<float>(gpu, {2, 2});
  EXPECT_EQ(moved.get().shape(), shape({2, 2}));
}

TEST_F(moved_from, arrays_of_no_elements_still_have_none) {
  auto none = zeros<float>(gpu, {0});
  const auto taken = std::move(none);
  EXPECT_EQ((2 * none).size(), 0U);
  EXPECT_EQ(none.get().size(), 0U);
}

TEST_F(moved_from, host_arrays_have_no_elements_to_copy) {
  host_array<float> rows({2, 2}, {1, 2, 3, 4});
  const auto taken = std::move(rows);
  auto array = zeros<float>(gpu, {2, 2});
  EXPECT_EQ(rows.size(), 0U);
  EXPECT_EQ(rows.begin(), rows.end());
  EXPECT_THROW(static_cast<void>(rows.copy()), length_error);
  EXPECT_THROW(static_cast<void>(rows.reshape({4})), length_error);
  EXPECT_THROW(static_cast<void>(to_gpu(gpu, rows)), length_error);
  EXPECT_THROW(array.set(rows), length_error);
  EXPECT_THROW(array.get(rows), length_error);
}

TEST_F(moved_from, host_arrays_are_compared_without_their_elements) {
  host_array<float> rows({2, 2}, {1, 2, 3, 4});
  host_array<float> columns({2, 2}, {1, 3, 2, 4}, order::column_major);
  EXPECT_EQ(rows, columns);
  const auto taken = std::move(rows);
  EXPECT_NE(rows, columns);
  EXPECT_NE(columns, rows);
  EXPECT_EQ(taken, columns);
  const auto also_taken = std::move(columns);
  EXPECT_EQ(rows, columns);
}
// NOLINTEND(bugprone-use-after-move)

TEST(moved_from_owners, have_no_bytes) {
  const auto device = open_host_device();
  auto block = device->allocate(400);
  const auto kept_block = std::move(block);
  EXPECT_EQ(block.size(), 0U);  // NOLINT(bugprone-use-after-move): that is the test
  EXPECT_TRUE(block.view<float>().empty());
  auto host = device->allocate_host(400, pageable);
  const auto kept_host = std::move(host);
  EXPECT_EQ(host.size(), 0U);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(host.bytes().empty());
  EXPECT_EQ(kept_block.size() + kept_host.size(), 800U);
}

TEST(moved_from_owners, are_not_printed) {
  host_array<float> array({2}, {1, 2});
  const auto kept = std::move(array);
  EXPECT_THROW(static_cast<void>(to_string(array)), invalid_argument);  // NOLINT
  EXPECT_EQ(to_string(kept), "[1 2]");
}

}  // namespace
}  // namespace transfers::moved_from_test
