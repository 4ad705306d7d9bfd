// What owns memory gives no view of it where it is a temporary: each owner and each accessor.
// tests/architecture/test_owners.py looks for owners and accessors that are not here.
#include <gtest/gtest.h>

#include <cstddef>
#include <transfers/transfers.hpp>
#include <utility>
#include <vector>

namespace transfers::owners_test {
namespace {

#define ACCESSOR(name, call)                       \
  template <class Owner>                           \
  concept lends_##name = requires(Owner & owner) { \
    owner.call;                                    \
  };                                               \
  template <class Owner>                           \
  concept lends_##name##_of_temporary = requires { \
    std::declval<Owner>().call;                    \
  }                                                \
  || requires { std::declval<const Owner>().call; }

ACCESSOR(view, view());
ACCESSOR(view_of, template view<float>());
ACCESSOR(elements, template elements<float>());
ACCESSOR(bytes, bytes());
ACCESSOR(on_device, on_device());

/// Of a lvalue, and of nothing else.
#define LENDS(owner, name) static_assert(lends_##name<owner> && !lends_##name##_of_temporary<owner>)

LENDS(device_memory, view);
LENDS(device_memory, view_of);
LENDS(host_memory, bytes);
LENDS(host_memory, elements);
LENDS(host_memory, on_device);
LENDS(host_memory, view_of);
LENDS(page_lock, bytes);
LENDS(page_lock, on_device);
LENDS(page_lock, view_of);
LENDS(managed_memory, bytes);
LENDS(managed_memory, elements);
LENDS(managed_memory, view_of);
LENDS(host_buffer<float>, on_device);
LENDS(host_array<float>, on_device);
LENDS(device_buffer<float>, view);
LENDS(gpu_array<float>, view);

template <class... Arguments>
concept makes_strided_view = std::is_constructible_v < strided_view<const float>,
        Arguments...,
const shape&, std::initializer_list < std::ptrdiff_t >> ;
static_assert(makes_strided_view<std::vector<float>&>);
static_assert(makes_strided_view<std::span<const float>>);
static_assert(!makes_strided_view<std::vector<float>>);
static_assert(!makes_strided_view<host_array<float>>);

/// A temporary is passed to a call as it is: it lives as long as the call.
TEST(owners, of_device_memory_are_arguments_where_views_are_expected) {
  const auto device = open_host_device();
  const context gpu(*device);
  const auto elements = [](device_view<const float> view) { return view.size(); };
  EXPECT_EQ(elements(zeros<float>(gpu, {3})), 3);
  EXPECT_EQ(elements(device_buffer<float>(gpu, 4)), 4);
}

}  // namespace
}  // namespace transfers::owners_test
