#include "transfers/core/error.hpp"

#include <array>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/basics.hpp"
#include "transfers/fast/managed.hpp"
#include "transfers/fast/round_trip.hpp"
#include "transfers/fast/streaming.hpp"
#include "transfers/host/host_device.hpp"
#include "transfers/transfers.hpp"

namespace transfers::error_test {
namespace {

static_assert(std::is_abstract_v<error> && !std::is_base_of_v<std::exception, error>);
static_assert(std::is_base_of_v<std::invalid_argument, invalid_argument>);
static_assert(std::is_base_of_v<std::length_error, length_error>);
static_assert(std::is_base_of_v<std::out_of_range, out_of_range>);
static_assert(std::is_base_of_v<std::bad_alloc, out_of_memory>);
static_assert(std::is_base_of_v<std::runtime_error, unsupported>);
static_assert(std::is_base_of_v<std::runtime_error, device_error>);
static_assert(std::is_base_of_v<std::runtime_error, shape_mismatch>);
static_assert(std::is_base_of_v<std::runtime_error, compile_error>);
template <class E>
constexpr bool copies_without_throwing =
    std::is_nothrow_copy_constructible_v<E>&& std::is_nothrow_copy_assignable_v<E>;
static_assert(copies_without_throwing<invalid_argument> && copies_without_throwing<length_error> &&
              copies_without_throwing<out_of_range> && copies_without_throwing<out_of_memory> &&
              copies_without_throwing<unsupported> && copies_without_throwing<device_error> &&
              copies_without_throwing<shape_mismatch>);

/// A call that the library refuses, and what its message says: the names and both sides.
struct refused {
  template <class Call>
  // NOLINTNEXTLINE(google-explicit-constructor)
  refused(Call wrong, std::initializer_list<const char*> words = {})
      : call(std::move(wrong)), says(words.begin(), words.end()) {}
  std::function<void()> call;
  std::vector<std::string> says;
};

/// Each call throws an `Error`, caught as transfers::error, with the same line of text in the
/// exception of the standard library.
template <class Error>
void expect_refused(const std::vector<refused>& calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    SCOPED_TRACE("call " + std::to_string(i));
    try {
      calls[i].call();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const error& caught) {
      const std::string text = caught.what();
      EXPECT_NE(dynamic_cast<const Error*>(&caught), nullptr) << text;
      const auto* const standard = dynamic_cast<const std::exception*>(&caught);
      ASSERT_NE(standard, nullptr);
      EXPECT_EQ(standard->what(), text);
      EXPECT_THAT(text, AllOf(Not(std::string()), Not(HasSubstr("\n"))));
      for (const auto& word : calls[i].says) EXPECT_THAT(text, HasSubstr(word));
    } catch (const std::exception& caught) {
      ADD_FAILURE() << "no transfers::error: " << caught.what();
    }
  }
}

struct large {
  std::array<double, 5> values;
};

class misuse : public testing::Test {
 protected:
  std::unique_ptr<device> host =
      open_host_device(host_device_options{.memory_bytes = std::size_t{1} << 20});
  context gpu{*host};
  std::vector<float> three{1, 2, 3};
  gpu_array<float> array = zeros<float>(gpu, {2, 2});
  device_buffer<float> buffer{gpu, 4};
  const function kernel = host_function("kernel", [](const thread_index&, const float*) {});
};

TEST_F(misuse, by_sizes_that_differ_is_a_length_error) {
  std::vector<std::byte> bytes(5);
  expect_refused<length_error>(
      {{[&] { array.set(three); }, {"3", "4"}},
       [&] {
         array.set({1, 2, 3});
       },
       [&] { array.set(std::span<const float>()); },
       [&] { array.set_async(three); },
       [&] { array.get(three); },
       [&] { array.get_async(three); },
       {[&] { buffer.copy_from(three); }, {"3", "4"}},
       {[&] { buffer.copy_to(three); }, {"3", "4"}},
       [&] { buffer.copy_from(std::span<const float>()); },
       [&] { buffer.copy_from_async(three); },
       [&] { buffer.copy_to_async(three); },
       [&] { device_buffer<float>(gpu, 0).copy_to(three); },
       [&] { gpu.copy(array, three); },
       [&] { gpu.copy(three, array); },
       [&] { gpu.copy(array.view().first(2), buffer); },
       [&] { gpu.copy_async(array, three); },
       [&] { gpu.copy_or_enqueue(array, three); },
       [&] { gpu.stream().copy(array, three); },
       [&] { gpu.stream().copy_by_kernel(array, buffer.view().last(3)); },
       [&] { host->copy(array, three); },
       {[&] { static_cast<void>(to_gpu(gpu, three, {4})); }, {"3", "4"}},
       [&] { static_cast<void>(to_gpu_async(gpu, three, {4})); },
       [&] { static_cast<void>(to_gpu_as<double>(gpu, three, {4}, convert_on::host)); },
       [&] { static_cast<void>(array.reshape({5})); },
       {[&] {
          static_cast<void>(host_array<float>({2, 2}, three));
        },
        {"3", "4"}},
       [&] {
         static_cast<void>(host_array<float>({2, 2}, {1, 2, 3}));
       },
       [&] {
         static_cast<void>(host_array<float>({2, 2}).reshape({3}));
       },
       [&] { static_cast<void>(host_buffer<float>(host->allocate_host(8, pageable), 3)); },
       {[&] {
          static_cast<void>(shape({1, 1, 1, 1, 1, 1, 1, 1, 1}));
        },
        {"9", "8"}},
       [&] {
         static_cast<void>(shape({SIZE_MAX, 2}));
       },
       [&] { static_cast<void>(gpu_array<double>(gpu, {PTRDIFF_MAX / 4})); },
       [&] { streaming_load(bytes, std::vector<std::byte>(4)); },
       [&] { streaming_store(bytes, std::vector<std::byte>(4)); },
       [&] {
         std::vector<float> two(2);
         round_trip(gpu, three, two, [](stream&, device_view<float>, std::size_t) {});
       }});
  EXPECT_THAT(three, ElementsAre(1, 2, 3));
  EXPECT_THAT(array.get(), Each(0.0F));
}

TEST_F(misuse, by_arguments_without_meaning_is_an_invalid_argument) {
  const context other(*host);
  const auto of_another_context = zeros<float>(other, {2, 2});
  expect_refused<invalid_argument>(
      {[&] { static_cast<void>(host->allocate(0)); },
       [&] { static_cast<void>(host->allocate_host(0, pageable)); },
       [&] { static_cast<void>(host->lock(std::span<std::byte>())); },
       [&] { static_cast<void>(gpu.allocate(0)); },
       [&] { static_cast<void>(gpu.allocate_staging(0)); },
       [&] { static_cast<void>(array + of_another_context); },
       [&] { array *= of_another_context; },
       {[&] { static_cast<void>(host_buffer<float>(3, 24)); }, {"24"}},
       {[&] { static_cast<void>(zeros<float>(gpu, {-1})); }, {"the extent -1"}},
       [&] { static_cast<void>(managed_memory(*host, 0)); },
       [&] { static_cast<void>(strided_view<float>(three, {3}, {0})); },
       [&] { static_cast<void>(strided_view<float>(three, {3}, {-1})); },
       [&] { static_cast<void>(round_trip_pipeline(*host, {.streams = 0})); },
       [&] { static_cast<void>(open_host_device(host_device_options{.index = -1})); },
       [&] { gpu.stream().copy_batch({}, {}, std::vector<std::size_t>{1}, direction::h2d); }});
  std::vector<refused> alignments;
  for (const std::size_t alignment : {std::size_t{0}, std::size_t{3}, std::size_t{7},
                                      std::size_t{12}, std::size_t{4097}, SIZE_MAX}) {
    alignments.emplace_back(
        [&, alignment] { host_buffer<double>(*host, 10, pageable, alignment); });
    alignments.emplace_back([alignment] { host_buffer<double>(10, alignment); });
  }
  expect_refused<invalid_argument>(alignments);
}

TEST_F(misuse, by_other_arguments_than_a_kernel_has_is_an_invalid_argument) {
  const function scale =
      host_function("scale", [](const thread_index&, float*, float, int) { FAIL(); });
  auto integers = zeros<std::int32_t>(gpu, {3});
  expect_refused<invalid_argument>(
      {{[&] { scale(gpu, {}, array, 2.0F); }, {"scale", "3", "2"}},
       [&] { scale(gpu, {}); },
       [&] { scale(gpu, {}, array, 2.0F, 3, 4); },
       [&] { scale.launch(gpu.stream(), {}, {}); },
       {[&] { scale(gpu, {}, array, 2.0, 3); }, {"argument 2 of scale", "float", "double"}},
       // The same size as a float, but other bits.
       {[&] { scale(gpu, {}, array, 2, 3); }, {"has the type float, not int"}},
       {[&] { scale(gpu, {}, integers, 2.0F, 3); }, {"has the type float*, not int*"}},
       [&] { scale(gpu, {}, array, 2.0F, std::int64_t{3}); },
       [&] { scale(gpu, {}, large{}, 2.0F, 3); },
       {[&] { static_cast<void>(scale.prepare<float*, float>()); }, {"scale", "3", "2"}},
       {[&] { static_cast<void>(scale.prepare<float*, double, int>()); }, {"argument 2 of scale"}},
       [&] { static_cast<void>(scale.prepare<double*, float, int>()); },
       [&] { static_cast<void>(scale.prepare<>()); }});
}

TEST_F(misuse, by_grids_and_blocks_that_no_device_has_is_an_invalid_argument) {
  // CUDA C++ Programming Guide, "Compute Capabilities": these limits hold for all.
  const auto never = host_function("never", [](const thread_index&) { FAIL(); });
  std::vector<refused> launches;
  for (const launch_shape& threads :
       {launch_shape{{0}, {1}}, launch_shape{{1, 0}, {1}}, launch_shape{{1, 1, 0}, {1}},
        launch_shape{{1}, {0}}, launch_shape{{1}, {1, 0}}, launch_shape{{1}, {1, 1, 0}},
        launch_shape{{1}, {1025}}, launch_shape{{1}, {1, 1025}}, launch_shape{{1}, {1, 1, 65}},
        launch_shape{{1}, {32, 33}}, launch_shape{{1, 65'536}, {1}},
        launch_shape{{1, 1, 65'536}, {1}}})
    launches.emplace_back([&, threads] { never(gpu, threads); });
  launches.push_back({[&] { never(gpu, {{2}, {3, 0, 4}}); }, {"never", "block", "3 x 0 x 4"}});
  launches.emplace_back([&] { never.prepare<>()(gpu.stream(), {{0}, {1}}); });
  expect_refused<invalid_argument>(launches);
}

TEST_F(misuse, by_values_out_of_range_is_out_of_range) {
  auto integers = zeros<std::int32_t>(gpu, {3});
  const auto view = array.view();
  expect_refused<out_of_range>({[&] { static_cast<void>(integers + (std::int64_t{1} << 40)); },
                                [&] { static_cast<void>(array + 1e300); },
                                [&] { array *= 1e300; },
                                [&] { static_cast<void>(view.first(5)); },
                                [&] { static_cast<void>(view.last(5)); },
                                [&] { static_cast<void>(view.last(SIZE_MAX)); },
                                {[&] { static_cast<void>(view.subview(3, 4)); }, {"3", "7", "4"}},
                                [&] { static_cast<void>(view.subview(5, 0)); },
                                [&] { static_cast<void>(view.subview(2, SIZE_MAX)); },
                                [&] { static_cast<void>(device_view<int>().last(1)); },
                                [&] { static_cast<void>(strided_view<float>(three, {3}, {2})); }});
}

TEST_F(misuse, by_shapes_that_differ_is_a_shape_mismatch) {
  host_array<float> row({4});
  host_array<float> columns({2, 2}, order::column_major);
  const auto other = zeros<float>(gpu, {4});
  expect_refused<shape_mismatch>({{[&] { array.set(row); }, {"(4)", "(2, 2)"}},
                                  [&] { array.get(row); },
                                  [&] { array.set_async(row); },
                                  [&] { array.get_async(row); },
                                  {[&] { array.set(columns); }, {"row-major", "column-major"}},
                                  [&] { array.get(columns); },
                                  [&] { array.set_async(columns); },
                                  [&] { array.get_async(columns); },
                                  [&] { array.set(other); },
                                  [&] { static_cast<void>(array + other); },
                                  [&] { array -= other; },
                                  [&] { array.get(strided_view<float>(three, {3}, {1})); }});
}

TEST_F(misuse, of_what_a_device_does_not_have_is_unsupported) {
  const host_array<float> ordinary({3});
  host_buffer<float> plain(3);
  expect_refused<unsupported>(
      {{[&] { static_cast<void>(pinned_empty<float>(*host, {3}, pin_flags::write_combined)); },
        {"write-combined"}},
       [&] {
         static_cast<void>(
             pinned_empty<float>(*host, {3}, pin_flags::portable | pin_flags::mapped));
       },
       [&] { static_cast<void>(host_array<float>(*host, {3}, managed)); },
       {[&] { static_cast<void>(managed_memory(*host, 4096)); }, {"the host device has none"}},
       [&] { static_cast<void>(source_module(*host, "")); },
       [&] { static_cast<void>(open_cuda_device(find_cuda().devices)); },
       [&] { static_cast<void>(ordinary.on_device()); },
       [&] { static_cast<void>(plain.on_device()); },
       [&] { kernel(gpu, {}, ordinary); },
       [&] { kernel(gpu, {}, plain); },
       [&] {
         call(
             gpu, [](const float*) { FAIL(); }, ordinary);
       }});
  const host_array<float> empty({0});
  EXPECT_TRUE(empty.on_device().empty());
}

TEST_F(misuse, of_more_memory_than_there_is_is_a_bad_alloc) {
  constexpr std::size_t much = std::size_t{1} << 60;
  const std::vector<refused> calls{
      [&] { static_cast<void>(host->allocate((std::size_t{1} << 20) + 1)); },
      [&] { static_cast<void>(host->allocate_host(much, pageable)); },
      [&] { static_cast<void>(empty<char>(gpu, {std::size_t{1} << 21})); },
      [&] { static_cast<void>(host_array<char>({much})); },
      [&] { static_cast<void>(host_buffer<char>(much)); },
  };
  expect_refused<out_of_memory>(calls);
  for (const auto& wrong : calls) EXPECT_THROW(wrong.call(), std::bad_alloc);
}

TEST(an_error, keeps_its_text_when_it_is_copied) {
  std::optional<out_of_memory> first(std::string(100, 'x') + " bytes");
  const auto copy = *first;
  out_of_memory assigned("nothing");
  assigned = *first;
  first.reset();
  EXPECT_EQ(copy.what(), std::string(100, 'x') + " bytes");
  EXPECT_EQ(assigned.what(), std::string(100, 'x') + " bytes");
  const std::bad_alloc& standard = copy;
  const error& base = copy;
  EXPECT_STREQ(standard.what(), base.what());
  const auto again = std::make_exception_ptr(copy);
  try {
    std::rethrow_exception(again);
  } catch (const std::bad_alloc& caught) {
    EXPECT_STREQ(caught.what(), copy.what());
  }
}

TEST(an_error, of_a_device_tells_whether_the_device_is_lost) {
  const device_error lost("cudaMemcpy: illegal address", true);
  EXPECT_TRUE(lost.device_lost());
  EXPECT_FALSE(device_error("out of events", false).device_lost());
  const std::runtime_error& standard = lost;
  const error& base = lost;
  EXPECT_STREQ(standard.what(), "cudaMemcpy: illegal address");
  EXPECT_STREQ(base.what(), "cudaMemcpy: illegal address");
}

}  // namespace
}  // namespace transfers::error_test
