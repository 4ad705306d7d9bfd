// Strided views to and from the device: bit-exact, by every route, and nothing else touched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/array/gpu_array.hpp"

namespace transfers {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct three_bytes {
  char bytes[3];
};
struct seven_bytes {
  char bytes[7];
};
struct sixteen_bytes {
  std::uint64_t words[2];
};

/// A host with as much page-locked memory as a test needs: pageable memory under another name.
class lenient_device final : public device {
 public:
  bool directly = true;  ///< false: as ordinary memory is to a GPU

  [[nodiscard]] const device_description& description() const noexcept override {
    return inner_->description();
  }
  [[nodiscard]] std::optional<std::string> why_unsupported(host_memory_kind kind) const override {
    return inner_->why_unsupported(kind);
  }
  [[nodiscard]] host_memory allocate_host(std::size_t bytes, host_memory_kind) override {
    return inner_->allocate_host(bytes, pageable);
  }
  [[nodiscard]] device_memory allocate(std::size_t bytes) override {
    return inner_->allocate(bytes);
  }
  [[nodiscard]] bool copies_directly(const std::byte* /*host*/) const override { return directly; }
  [[nodiscard]] page_lock lock(std::span<std::byte> memory) override {
    return inner_->lock(memory);
  }
  [[nodiscard]] std::byte* address_on_device(std::byte* host) const override { return host; }
  [[nodiscard]] std::size_t free_memory() const override { return inner_->free_memory(); }
  void copy(std::byte* destination, const std::byte* source, std::size_t bytes,
            direction way) override {
    inner_->copy(destination, source, bytes, way);
  }
  [[nodiscard]] std::unique_ptr<stream> create_stream() override { return inner_->create_stream(); }
  void synchronize() override { inner_->synchronize(); }
  [[nodiscard]] std::shared_ptr<const void> make_current() override {
    return inner_->make_current();
  }
  void write_pattern(std::byte* block, std::size_t offset, std::size_t bytes,
                     pattern what) override {
    inner_->write_pattern(block, offset, bytes, what);
  }
  [[nodiscard]] pattern_check check_pattern(const std::byte* block, std::size_t offset,
                                            std::size_t bytes, pattern what) override {
    return inner_->check_pattern(block, offset, bytes, what);
  }

 private:
  std::unique_ptr<device> inner_ = open_host_device();
};

/// Extents and strides without a type.
struct layout {
  std::vector<std::size_t> extents;
  std::vector<std::ptrdiff_t> steps;

  [[nodiscard]] shape of() const { return shape(extents); }
  /// Elements from the first to the last one.
  [[nodiscard]] std::size_t reach() const {
    std::size_t last = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (extents[i] == 0) return 0;
      last += (extents[i] - 1) * static_cast<std::size_t>(steps[i]);
    }
    return last + 1;
  }
  /// In elements, in the order in which a device's array has them.
  [[nodiscard]] std::vector<std::size_t> offsets(order as) const {
    std::vector<std::size_t> all;
    if (of().elements() == 0) return all;
    std::vector<std::size_t> at(extents.size());
    for (;;) {
      std::size_t offset = 0;
      for (std::size_t i = 0; i < at.size(); ++i)
        offset += at[i] * static_cast<std::size_t>(steps[i]);
      all.push_back(offset);
      std::size_t k = 0;
      for (; k < at.size(); ++k) {
        const auto i = as == order::row_major ? at.size() - 1 - k : k;
        if (++at[i] < extents[i]) break;
        at[i] = 0;
      }
      if (k == at.size()) return all;
    }
  }
  [[nodiscard]] std::string described() const {
    return to_string(of()) + " by " + testing::PrintToString(steps);
  }
};

layout random_layout(std::mt19937_64& random, std::size_t largest_extent) {
  const auto up_to = [&](std::size_t most) { return random() % (most + 1); };
  layout made;
  const auto rank = up_to(5);
  made.extents.resize(rank);
  made.steps.resize(rank);
  for (auto& one : made.extents)
    one = up_to(25) == 0 ? 0 : 1 + up_to(up_to(3) == 0 ? 1 : largest_extent - 1);
  std::vector<std::size_t> innermost_first(rank);
  std::iota(innermost_first.rbegin(), innermost_first.rend(), 0);
  if (up_to(1)) std::ranges::shuffle(innermost_first, random);
  const auto padded = up_to(2);
  std::size_t step = padded == 2 ? 1 + up_to(2) : 1;
  for (const auto i : innermost_first) {
    made.steps[i] = static_cast<std::ptrdiff_t>(step);
    step *= std::max<std::size_t>(made.extents[i], 1);
    if (padded > 0) step += up_to(3);
    if (padded > 0 && up_to(3) == 0) step *= 2;  // slices of whole rows and others
  }
  return made;
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

/// Vectors of elements are aligned as elements must be; their bytes are what counts.
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
strided_view<T> view_of(std::vector<T>& memory, const layout& of) {
  // As many strides as there are extents.
  const auto& s = of.steps;
  const std::span all(memory);
  switch (s.size()) {
    case 0: return {all, of.of(), {}};
    case 1: return {all, of.of(), {s[0]}};
    case 2: return {all, of.of(), {s[0], s[1]}};
    case 3: return {all, of.of(), {s[0], s[1], s[2]}};
    case 4: return {all, of.of(), {s[0], s[1], s[2], s[3]}};
    default: return {all, of.of(), {s[0], s[1], s[2], s[3], s[4]}};
  }
}

std::string name_of(strided_route by) {
  return by == strided_route::automatic ? "automatic"
         : by == strided_route::pitched ? "pitched"
                                        : "packed";
}

constexpr std::array all_routes{strided_route::automatic, strided_route::pitched,
                                strided_route::packed};

/// Up and down again by one route; false when the route cannot be taken, and nothing happened.
template <class T>
bool round_trip(const context& gpu, const layout& of, order as, strided_route by,
                std::mt19937_64& random) {
  SCOPED_TRACE(of.described() + (as == order::row_major ? ", row-major, " : ", column-major, ") +
               name_of(by) + ", " + std::to_string(sizeof(T)) + " bytes");
  auto source = elements_of<T>(random_bytes<T>(random, of.reach()));
  const auto original = bytes_of<T>(source);
  const auto offsets = of.offsets(as);
  std::vector<std::byte> packed(offsets.size() * sizeof(T));
  for (std::size_t i = 0; i < offsets.size(); ++i)
    std::memcpy(&packed[i * sizeof(T)], &original[offsets[i] * sizeof(T)], sizeof(T));

  gpu_array<T> array(gpu, of.of(), as);
  const auto before = random_bytes<T>(random, offsets.size());
  array.set(elements_of<T>(before));
  std::vector<T> on_device(offsets.size());
  try {
    array.set(view_of(source, of), by);
  } catch (const unsupported&) {
    EXPECT_EQ(by, strided_route::pitched);
    array.get(on_device);
    EXPECT_EQ(bytes_of<T>(on_device), before);
    auto untouched = source;
    EXPECT_THROW(array.get(view_of(untouched, of), by), unsupported);
    EXPECT_EQ(bytes_of<T>(untouched), original);
    return false;
  }
  EXPECT_EQ(bytes_of<T>(source), original);
  array.get(on_device);
  EXPECT_EQ(bytes_of<T>(on_device), packed);

  auto expected = random_bytes<T>(random, of.reach());
  auto destination = elements_of<T>(expected);
  array.get(view_of(destination, of), by);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    std::memcpy(&expected[offsets[i] * sizeof(T)], &packed[i * sizeof(T)], sizeof(T));
  EXPECT_EQ(bytes_of<T>(destination), expected);
  return true;
}

template <class T>
class a_strided_view_of : public testing::Test {
 protected:
  lenient_device host;
  context gpu{host};
  std::mt19937_64 random{20'240'601};
};

using element_types = testing::Types<char, std::int32_t, float, double, three_bytes, seven_bytes,
                                     std::array<char, 7>, sixteen_bytes, std::array<double, 3>>;
TYPED_TEST_SUITE(a_strided_view_of, element_types);

TYPED_TEST(a_strided_view_of, random_layouts_travels_bit_exactly_by_every_route) {
  std::size_t pitched = 0;
  std::size_t not_pitched = 0;
  for (int i = 0; i < 150; ++i) {
    const auto of = random_layout(this->random, 6);
    this->host.directly = i % 2 == 0;
    for (const auto as : {order::row_major, order::column_major})
      for (const auto by : all_routes) {
        const bool went = round_trip<TypeParam>(this->gpu, of, as, by, this->random);
        if (by == strided_route::pitched) ++(went ? pitched : not_pitched);
      }
    if (this->HasFailure()) return;
  }
  EXPECT_GT(pitched, 50U);
  EXPECT_GT(not_pitched, 20U);
}

TYPED_TEST(a_strided_view_of, extents_about_a_tile_travels_bit_exactly) {
  const auto side = [&] {
    constexpr std::array<std::size_t, 8> sides{1, 2, 63, 64, 65, 127, 128, 130};
    return sides[this->random() % sides.size()];
  };
  for (int i = 0; i < 12; ++i) {
    layout of{{side(), side(), 1 + this->random() % 3}, {0, 0, 0}};
    std::array<std::size_t, 3> innermost_first{0, 1, 2};
    std::ranges::shuffle(innermost_first, this->random);
    std::size_t step = 1 + this->random() % 2;
    for (const auto k : innermost_first) {
      of.steps[k] = static_cast<std::ptrdiff_t>(step);
      step = step * of.extents[k] + this->random() % 2;
    }
    round_trip<TypeParam>(this->gpu, of, i % 2 ? order::row_major : order::column_major,
                          i % 4 < 2 ? strided_route::packed : strided_route::automatic,
                          this->random);
    if (this->HasFailure()) return;
  }
}

/// More than is packed on one core (on_all_cores.hpp): rows longer than one piece, and sides of no
/// whole tiles.
template <class T>
class a_large_strided_view_of : public a_strided_view_of<T> {};
using few_element_types = testing::Types<char, float, seven_bytes, sixteen_bytes>;
TYPED_TEST_SUITE(a_large_strided_view_of, few_element_types);

TYPED_TEST(a_large_strided_view_of, some_mebibytes_travels_bit_exactly) {
  const std::size_t rows = (std::size_t{4} << 20) / sizeof(TypeParam) / 1300 + 67;
  const auto step = [](std::size_t elements) { return static_cast<std::ptrdiff_t>(elements); };
  round_trip<TypeParam>(this->gpu, {{rows, 1300}, {1, step(rows + 3)}}, order::row_major,
                        strided_route::automatic, this->random);
  round_trip<TypeParam>(this->gpu, {{5, rows * 261}, {1, 5}}, order::row_major,
                        strided_route::packed, this->random);
}

class strided_routes : public testing::Test {
 protected:
  counting_device host;
  context gpu{host};
  std::vector<float> memory = std::vector<float>(20'000);

  strided_routes() { std::iota(memory.begin(), memory.end(), 0.0F); }

  bool can_be_pitched(const shape& extents, std::initializer_list<std::ptrdiff_t> steps,
                      order as = order::row_major) {
    const strided_view<float> view(memory, extents, steps);
    gpu_array<float> array(gpu, extents, as);
    try {
      array.set(view, strided_route::pitched);
      return true;
    } catch (const unsupported&) {
      return false;
    }
  }
  /// Whether page-locked memory was needed.
  bool is_packed(const shape& extents, std::initializer_list<std::ptrdiff_t> steps,
                 order as = order::row_major) {
    const strided_view<float> view(memory, extents, steps);
    const context fresh(host);
    gpu_array<float> array(fresh, extents, as);
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

TEST_F(strided_routes, pitched_refuses_the_rest) {
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

TEST_F(strided_routes, of_nothing_do_nothing) {
  gpu_array<float> none(gpu, {3, 0});
  for (const auto by : all_routes) {
    const strided_view<float> view(std::span<float>(), {3, 0}, {5, 1});
    none.set(view, by);
    none.get(view, by);
  }
  EXPECT_EQ(host.counts().enqueued, 0U);
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_F(strided_routes, need_the_same_shape_on_both_sides) {
  gpu_array<float> array(gpu, {3, 4});
  const strided_view<float> other(memory, {4, 3}, {3, 1});
  EXPECT_THAT([&] { array.set(other); },
              ThrowsMessage<shape_mismatch>(AllOf(HasSubstr("(3, 4)"), HasSubstr("(4, 3)"))));
  EXPECT_THAT([&] { array.get(other); },
              ThrowsMessage<shape_mismatch>(AllOf(HasSubstr("(3, 4)"), HasSubstr("(4, 3)"))));
  EXPECT_THROW(array.get(strided_view<float>(memory, {12}, {1})), shape_mismatch);
  EXPECT_THROW(array.get(strided_view<float>(memory, {3, 4, 1}, {4, 1, 1})), shape_mismatch);
  EXPECT_EQ(memory[5], 5.0F);
}

TEST_F(strided_routes, read_from_views_that_must_not_be_written) {
  const auto& to_read = memory;
  const strided_view<const float> every_third(to_read, {4}, {3});
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
  for (const auto& [by, steps] :
       {std::pair{strided_route::pitched, 1000}, {strided_route::packed, 1000}}) {
    std::vector<float> there(2000);
    const strided_view<float> view(memory, {2, 10}, {steps, 1});
    const auto array = to_gpu(gpu, view, order::row_major, by);
    EXPECT_TRUE(host.counts().idle());
    array.get(strided_view<float>(there, {2, 10}, {steps, 1}), by);
    EXPECT_TRUE(host.counts().idle());
    EXPECT_EQ(there[1009], memory[1009]);
  }
}

TEST_F(strided_routes, leave_nothing_behind_when_they_fail) {
  for (const auto what : {failure::allocation, failure::operation})
    for (const auto from : {allocation::plain, allocation::pooled})
      for (const auto by : {strided_route::pitched, strided_route::packed}) {
        const auto failures = fail_each(what, [&](counting_device& failing) {
          std::vector<float> there(100, -1);
          bool done = true;
          bool up = false;
          failing.counts().slowed_by = std::chrono::microseconds(100);
          {
            const context in(failing, from);
            try {
              const strided_view<float> view(memory, {5, 7}, {11, 1});
              const auto array = to_gpu(in, view, order::row_major, by);
              up = true;
              EXPECT_TRUE(failing.counts().idle());
              array.get(strided_view<float>(there, {5, 7}, {11, 1}), by);
            } catch (const error&) {
              done = false;
              if (!up || what == failure::allocation) {
                EXPECT_THAT(there, Each(-1.0F));
              }
            }
          }
          EXPECT_TRUE(failing.counts().nothing_allocated()) << name_of(by);
          // A pool tries once more.
          return done && failing.counts().failing_allocation != 1;
        });
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
}  // namespace transfers
