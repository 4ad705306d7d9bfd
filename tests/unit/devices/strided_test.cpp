// Strided views travel to and from the device bit-exactly by every route, and gaps stay untouched.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/devices/test_device.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/array/gpu_array.hpp"

namespace transfers::strided_test {
namespace {

struct three_bytes {
  char bytes[3];
};
struct seven_bytes {
  char bytes[7];
};
struct sixteen_bytes {
  std::uint64_t words[2];
};

/// A device with as much page-locked memory as a test needs: it is pageable memory.
class lenient_device final : public forwarding_device {
 public:
  lenient_device() : forwarding_device(open_test_device()) {}

  /// False: copies stage host memory, as a GPU's driver does with ordinary memory.
  bool directly = true;

  [[nodiscard]] host_memory allocate_host(std::size_t bytes, host_memory_kind) override {
    return forwarding_device::allocate_host(bytes, pageable);
  }
  [[nodiscard]] bool copies_directly(const std::byte* /*host*/) const override { return directly; }
  [[nodiscard]] std::byte* address_on_device(std::byte* host) const override { return host; }
};

/// Extents and strides without a type.
struct layout {
  std::vector<std::size_t> extents;
  std::vector<std::ptrdiff_t> steps;

  [[nodiscard]] shape array_shape() const { return shape(extents); }
  /// The number of elements of memory from the first to the last element.
  [[nodiscard]] std::size_t reach() const {
    std::size_t last = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (extents[i] == 0) return 0;
      last += (extents[i] - 1) * static_cast<std::size_t>(steps[i]);
    }
    return last + 1;
  }
  /// The offset of each element, in elements, in the order of a device's array.
  [[nodiscard]] std::vector<std::size_t> offsets(order order) const {
    std::vector<std::size_t> all;
    if (array_shape().elements() == 0) return all;
    std::vector<std::size_t> at(extents.size());
    for (;;) {
      std::size_t offset = 0;
      for (std::size_t i = 0; i < at.size(); ++i)
        offset += at[i] * static_cast<std::size_t>(steps[i]);
      all.push_back(offset);
      std::size_t k = 0;
      for (; k < at.size(); ++k) {
        const auto i = order == order::row_major ? at.size() - 1 - k : k;
        if (++at[i] < extents[i]) break;
        at[i] = 0;
      }
      if (k == at.size()) return all;
    }
  }
  [[nodiscard]] std::string described() const {
    return to_string(array_shape()) + " by " + testing::PrintToString(steps);
  }
};

layout random_layout(std::mt19937_64& random, std::size_t largest_extent) {
  const auto up_to = [&](std::size_t most) { return random() % (most + 1); };
  layout result;
  const auto rank = up_to(5);
  result.extents.resize(rank);
  result.steps.resize(rank);
  for (auto& extent : result.extents)
    extent = up_to(25) == 0 ? 0 : 1 + up_to(up_to(3) == 0 ? 1 : largest_extent - 1);
  std::vector<std::size_t> innermost_first(rank);
  std::iota(innermost_first.rbegin(), innermost_first.rend(), 0);
  if (up_to(1)) std::ranges::shuffle(innermost_first, random);
  const auto padded = up_to(2);
  std::size_t step = padded == 2 ? 1 + up_to(2) : 1;
  for (const auto i : innermost_first) {
    result.steps[i] = static_cast<std::ptrdiff_t>(step);
    step *= std::max<std::size_t>(result.extents[i], 1);
    if (padded > 0) step += up_to(3);
    if (padded > 0 && up_to(3) == 0) step *= 2;  // slices of whole rows and others
  }
  return result;
}

template <class T>
std::vector<std::byte> random_bytes(std::mt19937_64& random, std::size_t elements) {
  std::vector<std::byte> bytes(elements * sizeof(T));
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const auto word = random();
    std::memcpy(&bytes[i], &word, std::min<std::size_t>(8, bytes.size() - i));
  }
  return bytes;
}

/// Vectors of elements are aligned as the type requires; only their bytes are compared.
template <class T>
std::vector<T> elements_of(const std::vector<std::byte>& bytes) {
  std::vector<T> elements(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(static_cast<void*>(elements.data()), bytes.data(), bytes.size());
  return elements;
}
template <class T>
std::vector<std::byte> bytes_of(std::span<const T> elements) {
  const auto bytes = std::as_bytes(elements);
  return {bytes.begin(), bytes.end()};
}

template <class T>
strided_view<T> view_of(std::vector<T>& memory, const layout& layout) {
  const auto& s = layout.steps;
  const std::span all(memory);
  switch (s.size()) {
    case 0: return {all, layout.array_shape(), {}};
    case 1: return {all, layout.array_shape(), {s[0]}};
    case 2: return {all, layout.array_shape(), {s[0], s[1]}};
    case 3: return {all, layout.array_shape(), {s[0], s[1], s[2]}};
    case 4: return {all, layout.array_shape(), {s[0], s[1], s[2], s[3]}};
    default: return {all, layout.array_shape(), {s[0], s[1], s[2], s[3], s[4]}};
  }
}

std::string name_of(strided_route route) {
  return route == strided_route::automatic ? "automatic"
         : route == strided_route::pitched ? "pitched"
                                           : "packed";
}

constexpr std::array all_routes{strided_route::automatic, strided_route::pitched,
                                strided_route::packed};

/// Uploads and downloads by one route. Returns false if the route is unsupported; the failed copies
/// must then have changed nothing.
template <class T>
bool round_trip(const context& gpu, const layout& layout, order order, strided_route route,
                std::mt19937_64& random) {
  SCOPED_TRACE(layout.described() +
               (order == order::row_major ? ", row-major, " : ", column-major, ") + name_of(route) +
               ", " + std::to_string(sizeof(T)) + " bytes");
  auto source = elements_of<T>(random_bytes<T>(random, layout.reach()));
  const auto original = bytes_of<T>(source);
  const auto offsets = layout.offsets(order);
  std::vector<std::byte> packed(offsets.size() * sizeof(T));
  for (std::size_t i = 0; i < offsets.size(); ++i)
    std::memcpy(&packed[i * sizeof(T)], &original[offsets[i] * sizeof(T)], sizeof(T));

  gpu_array<T> array(gpu, layout.array_shape(), order);
  const auto before = random_bytes<T>(random, offsets.size());
  array.set(elements_of<T>(before));
  std::vector<T> on_device(offsets.size());
  try {
    array.set(view_of(source, layout), route);
  } catch (const unsupported&) {
    EXPECT_EQ(route, strided_route::pitched);
    array.get(on_device);
    EXPECT_EQ(bytes_of<T>(on_device), before);
    auto untouched = source;
    EXPECT_THROW(array.get(view_of(untouched, layout), route), unsupported);
    EXPECT_EQ(bytes_of<T>(untouched), original);
    return false;
  }
  EXPECT_EQ(bytes_of<T>(source), original);
  array.get(on_device);
  EXPECT_EQ(bytes_of<T>(on_device), packed);

  auto expected = random_bytes<T>(random, layout.reach());
  auto destination = elements_of<T>(expected);
  array.get(view_of(destination, layout), route);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    std::memcpy(&expected[offsets[i] * sizeof(T)], &packed[i * sizeof(T)], sizeof(T));
  EXPECT_EQ(bytes_of<T>(destination), expected);
  return true;
}

template <class T>
class strided_views : public testing::Test {
 protected:
  lenient_device host;
  context gpu{host};
  std::mt19937_64 random{20'240'601};
};

using element_types = testing::Types<char, std::int32_t, float, double, three_bytes, seven_bytes,
                                     std::array<char, 7>, sixteen_bytes, std::array<double, 3>>;
TYPED_TEST_SUITE(strided_views, element_types);

TYPED_TEST(strided_views, of_random_layouts_travel_bit_exactly_by_every_route) {
  std::size_t pitched = 0;
  std::size_t not_pitched = 0;
  for (int i = 0; i < 150; ++i) {
    const auto layout = random_layout(this->random, 6);
    this->host.directly = i % 2 == 0;
    for (const auto order : {order::row_major, order::column_major})
      for (const auto route : all_routes) {
        const bool copied = round_trip<TypeParam>(this->gpu, layout, order, route, this->random);
        if (route == strided_route::pitched) ++(copied ? pitched : not_pitched);
      }
    if (this->HasFailure()) return;
  }
  EXPECT_GT(pitched, 50U);
  EXPECT_GT(not_pitched, 20U);
}

TYPED_TEST(strided_views, of_extents_about_a_tile_travel_bit_exactly) {
  const auto side = [&] {
    constexpr std::array<std::size_t, 8> sides{1, 2, 63, 64, 65, 127, 128, 130};
    return sides[this->random() % sides.size()];
  };
  for (int i = 0; i < 12; ++i) {
    layout layout{{side(), side(), 1 + this->random() % 3}, {0, 0, 0}};
    std::array<std::size_t, 3> innermost_first{0, 1, 2};
    std::ranges::shuffle(innermost_first, this->random);
    std::size_t step = 1 + this->random() % 2;
    for (const auto k : innermost_first) {
      layout.steps[k] = static_cast<std::ptrdiff_t>(step);
      step = step * layout.extents[k] + this->random() % 2;
    }
    round_trip<TypeParam>(this->gpu, layout, i % 2 ? order::row_major : order::column_major,
                          i % 4 < 2 ? strided_route::packed : strided_route::automatic,
                          this->random);
    if (this->HasFailure()) return;
  }
}

/// Large enough to be packed on all cores (on_all_cores.hpp), with rows longer than one piece and
/// sides that are no multiples of a tile.
template <class T>
class large_strided_views : public strided_views<T> {};
using few_element_types = testing::Types<char, float, seven_bytes, sixteen_bytes>;
TYPED_TEST_SUITE(large_strided_views, few_element_types);

TYPED_TEST(large_strided_views, travel_bit_exactly) {
  const std::size_t rows = (std::size_t{4} << 20) / sizeof(TypeParam) / 1300 + 67;
  const auto step = [](std::size_t elements) { return static_cast<std::ptrdiff_t>(elements); };
  round_trip<TypeParam>(this->gpu, {{rows, 1300}, {1, step(rows + 3)}}, order::row_major,
                        strided_route::automatic, this->random);
  round_trip<TypeParam>(this->gpu, {{5, rows * 261}, {1, 5}}, order::row_major,
                        strided_route::packed, this->random);
}

class strided_routes : public testing::Test {
 protected:
  counting_device host{open_test_device()};
  context gpu{host};
  std::vector<float> memory = std::vector<float>(20'000);

  strided_routes() { std::iota(memory.begin(), memory.end(), 0.0F); }

  bool can_be_pitched(const shape& extents, std::initializer_list<std::ptrdiff_t> steps,
                      order order = order::row_major) {
    const strided_view<float> view(memory, extents, steps);
    gpu_array<float> array(gpu, extents, order);
    try {
      array.set(view, strided_route::pitched);
      return true;
    } catch (const unsupported&) {
      return false;
    }
  }
  /// Whether the copy needed page-locked memory.
  bool is_packed(const shape& extents, std::initializer_list<std::ptrdiff_t> steps,
                 order order = order::row_major) {
    const strided_view<float> view(memory, extents, steps);
    const context fresh(host);
    gpu_array<float> array(fresh, extents, order);
    const auto before = host.counts().host_allocations.load();
    array.set(view);
    return host.counts().host_allocations > before;
  }
};

TEST_F(strided_routes, pitched_takes_rows_and_slices_of_whole_rows) {
  EXPECT_TRUE(can_be_pitched({}, {}));
  EXPECT_TRUE(can_be_pitched({50}, {1}));
  EXPECT_TRUE(can_be_pitched({10, 20}, {20, 1}));
  EXPECT_TRUE(can_be_pitched({10, 20}, {25, 1}));
  EXPECT_TRUE(can_be_pitched({20, 10}, {1, 25}, order::column_major));
  EXPECT_TRUE(can_be_pitched({3, 10, 20}, {300, 25, 1}));
  EXPECT_TRUE(can_be_pitched({3, 10, 20}, {250, 25, 1}));
  EXPECT_TRUE(can_be_pitched({3, 1, 10, 20}, {300, 7, 25, 1}));
  EXPECT_TRUE(can_be_pitched({2, 3, 10, 20}, {900, 300, 25, 1}));  // two indices are one
}

TEST_F(strided_routes, pitched_refuses_all_other_layouts) {
  EXPECT_FALSE(can_be_pitched({10, 20}, {1, 10}));
  EXPECT_FALSE(can_be_pitched({10, 20}, {20, 1}, order::column_major));
  EXPECT_FALSE(can_be_pitched({3, 10, 20}, {310, 25, 1}));  // 12.4 rows apart
  EXPECT_FALSE(can_be_pitched({2, 3, 10, 20}, {1000, 300, 25, 1}));
  const strided_view<float> transposed(memory, {10, 20}, {1, 10});
  EXPECT_THAT(
      [&] { static_cast<void>(to_gpu(gpu, transposed, order::row_major, strided_route::pitched)); },
      ThrowsMessage<unsupported>(AllOf(HasSubstr("(10, 20)"), HasSubstr("contiguous"))));
}

TEST_F(strided_routes, automatic_packs_only_what_has_no_long_rows) {
  try {
    static_cast<void>(gpu.allocate_staging(100));
  } catch (const out_of_memory& refused) {
    GTEST_SKIP() << refused.what();
  }
  EXPECT_FALSE(is_packed({}, {}));
  EXPECT_FALSE(is_packed({1, 1}, {5, 7}));
  EXPECT_FALSE(is_packed({5000}, {1}));
  EXPECT_FALSE(is_packed({10, 20}, {20, 1}));  // one plain copy
  EXPECT_FALSE(is_packed({20, 10}, {1, 20}, order::column_major));
  EXPECT_FALSE(is_packed({10, 500}, {600, 1}));
  EXPECT_FALSE(is_packed({10, 16}, {25, 1}));  // rows of a cache line
  EXPECT_TRUE(is_packed({10, 15}, {25, 1}));
  EXPECT_TRUE(is_packed({10, 20}, {1, 10}));
  EXPECT_TRUE(is_packed({100}, {2}));

  host.counts().stages_copies = true;
  EXPECT_FALSE(is_packed({5000}, {1}));
  EXPECT_FALSE(is_packed({10, 16}, {600, 1}));
  EXPECT_TRUE(is_packed({10, 15}, {600, 1}));
}

TEST_F(strided_routes, of_empty_views_do_nothing) {
  gpu_array<float> none(gpu, {3, 0});
  for (const auto route : all_routes) {
    const strided_view<float> view(std::span<float>(), {3, 0}, {5, 1});
    none.set(view, route);
    none.get(view, route);
  }
  EXPECT_EQ(host.counts().enqueued, 0U);
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_F(strided_routes, need_the_same_shape_on_both_sides) {
  gpu_array<float> array(gpu, {3, 4});
  const strided_view<float> four_by_three(memory, {4, 3}, {3, 1});
  EXPECT_THAT([&] { array.set(four_by_three); },
              ThrowsMessage<shape_mismatch>(AllOf(HasSubstr("(3, 4)"), HasSubstr("(4, 3)"))));
  EXPECT_THAT([&] { array.get(four_by_three); },
              ThrowsMessage<shape_mismatch>(AllOf(HasSubstr("(3, 4)"), HasSubstr("(4, 3)"))));
  EXPECT_THROW(array.get(strided_view<float>(memory, {12}, {1})), shape_mismatch);
  EXPECT_THROW(array.get(strided_view<float>(memory, {3, 4, 1}, {4, 1, 1})), shape_mismatch);
  EXPECT_EQ(memory[5], 5.0F);
}

TEST_F(strided_routes, read_from_views_that_must_not_be_written) {
  const auto& read_only = memory;
  const strided_view<const float> every_third(read_only, {4}, {3});
  const auto array = to_gpu(gpu, every_third);
  static_assert(std::is_same_v<decltype(array), const gpu_array<float>>);
  EXPECT_THAT(array.get(), ElementsAre(0, 3, 6, 9));
}

TEST_F(strided_routes, transpose_when_the_orders_differ) {
  const strided_view<float> rows(memory, {2, 3}, {3, 1});
  const auto columns = to_gpu(gpu, rows, order::column_major);
  EXPECT_EQ(columns.order(), order::column_major);
  EXPECT_EQ(columns.shape(), shape({2, 3}));
  const auto back = columns.get();
  EXPECT_EQ(back.order(), order::column_major);
  EXPECT_THAT(back, ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_EQ(back(1, 2), 5.0F);
}

TEST_F(strided_routes, have_arrived_when_the_call_returns) {
  host.counts().slowed_by = std::chrono::milliseconds(2);
  for (const auto& [route, steps] :
       {std::pair{strided_route::pitched, 1000}, {strided_route::packed, 1000}}) {
    std::vector<float> destination(2000);
    const strided_view<float> view(memory, {2, 10}, {steps, 1});
    const auto array = to_gpu(gpu, view, order::row_major, route);
    EXPECT_TRUE(host.counts().idle());
    array.get(strided_view<float>(destination, {2, 10}, {steps, 1}), route);
    EXPECT_TRUE(host.counts().idle());
    EXPECT_EQ(destination[1009], memory[1009]);
  }
}

TEST_F(strided_routes, leave_nothing_behind_when_they_fail) {
  for (const auto kind : {failure::allocation, failure::operation})
    for (const auto allocation_kind : {allocation::plain, allocation::pooled})
      for (const auto route : {strided_route::pitched, strided_route::packed}) {
        const auto failures = fail_each(
            kind,
            [&](counting_device& failing) {
              std::vector<float> destination(100, -1);
              bool succeeded = true;
              bool uploaded = false;
              failing.counts().slowed_by = std::chrono::microseconds(100);
              {
                const context failing_gpu(failing, allocation_kind);
                try {
                  const strided_view<float> view(memory, {5, 7}, {11, 1});
                  const auto array = to_gpu(failing_gpu, view, order::row_major, route);
                  uploaded = true;
                  EXPECT_TRUE(failing.counts().idle());
                  array.get(strided_view<float>(destination, {5, 7}, {11, 1}), route);
                } catch (const error&) {
                  succeeded = false;
                  if (!uploaded || kind == failure::allocation) {
                    EXPECT_THAT(destination, Each(-1.0F));
                  }
                }
              }
              EXPECT_TRUE(failing.counts().nothing_allocated()) << name_of(route);
              // A pool tries once more.
              return succeeded && failing.counts().failing_allocation != 1;
            },
            open_test_device);
        EXPECT_GT(failures, 0U);
      }
}

TEST_F(strided_routes, change_nothing_when_memory_runs_out) {
  gpu_array<float> array(gpu, {5, 7});
  array.clear();
  const strided_view<float> view(memory, {5, 7}, {11, 1});
  host.counts().host_capacity = 0;
  EXPECT_THROW(array.set(view, strided_route::packed), out_of_memory);
  const auto before = memory;
  EXPECT_THROW(array.get(view, strided_route::packed), out_of_memory);
  EXPECT_EQ(memory, before);
  EXPECT_THAT(array.get(), Each(0.0F));
}

}  // namespace
}  // namespace transfers::strided_test
