// What a newcomer writes first, as written: it compiles, and does what it says or throws the
// reason. What must not compile is in tests/refusals.
#include <array>
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/basics.hpp"
#include "transfers/transfers.hpp"

namespace transfers::first_programs_test {
namespace {

/// The first lines of every program, with the host device.
class first_programs : public testing::Test {
 protected:
  std::unique_ptr<transfers::device> device = open_host_device();
  context gpu{*device};
};

TEST_F(first_programs, send_strings) {
  auto d = to_gpu(gpu, std::string("Gruesse"));
  std::string s(d.size(), 32);
  d.get(s);
  EXPECT_EQ(s, "Gruesse");
  auto u32 = to_gpu(gpu, std::u32string(U"stuff"));
  EXPECT_EQ(u32.bytes(), 20U);
  auto literal = to_gpu(gpu, "stuff");
  EXPECT_EQ(literal.size(), 5U);
}

TEST_F(first_programs, send_complex_numbers_and_bools) {
  std::vector<std::complex<float>> c{{1, 2}, {3, 4}};
  auto g = to_gpu(gpu, c);
  auto b = g.get();
  EXPECT_EQ(b[1].imag(), 4);
  std::array<bool, 3> bools{true, false, true};
  auto a = to_gpu(gpu, bools);
  EXPECT_TRUE(a.get()[2]);
  EXPECT_FALSE(a.get()[1]);
}

TEST_F(first_programs, keep_the_type_of_the_data) {
  auto a = to_gpu(gpu, std::vector{1.0, 2.0});
  EXPECT_EQ(sizeof(*a.data()), 8U);
}

TEST_F(first_programs, calculate_with_a_part) {
  auto a = to_gpu(gpu, std::vector<float>{1, 2, 3, 4});
  calculate(gpu.stream(), arithmetic::multiply, a.view().subview(1, 2), 10);
  EXPECT_THAT(a.get(), ElementsAre(1, 20, 30, 4));
}

TEST_F(first_programs, change_the_shape) {
  auto a = to_gpu(gpu, std::vector<float>{1, 2, 3, 4});
  auto& b = a.reshape({2, 2});
  EXPECT_EQ(b.shape(), shape({2, 2}));
}

TEST_F(first_programs, mix_contexts) {
  context g2(*device);
  auto a = to_gpu(gpu, std::vector<float>{1, 2});
  auto b = to_gpu(g2, std::vector<float>{1, 2});
  // The advice can be followed: copy(context).
  EXPECT_THAT([&] { auto c = a + b; },
              ThrowsMessage<std::exception>(HasSubstr("different contexts")));
  EXPECT_THAT((a + b.copy(gpu)).get(), ElementsAre(2, 4));
  auto c = empty<float>(g2, {2});
  c.set(a);
  EXPECT_THAT(c.get(), ElementsAre(1, 2));
}

TEST_F(first_programs, get_into_strided_memory) {
  std::vector<float> m(24, -1);
  auto a = to_gpu(gpu, std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  a.get(strided_view<float>(m, {2, 3}, {12, 4}));
  EXPECT_THAT((std::array{m[0], m[4], m[12], m[20], m[1]}), ElementsAre(1, 2, 4, 6, -1));
  std::vector<float> rev(6);
  EXPECT_THAT(
      [&] {
        a.get(strided_view<float>(rev, {2, 3}, {-3, 1}));
      },
      ThrowsMessage<std::exception>(AllOf(HasSubstr("stride -3"), HasSubstr("negative"))));
}

TEST_F(first_programs, lock_memory) {
  std::vector<float> v(100);
  try {
    auto l = device->lock(std::as_writable_bytes(std::span(v)));
    EXPECT_THAT([&] { auto l2 = device->lock(std::as_writable_bytes(std::span(v))); },
                ThrowsMessage<std::exception>(HasSubstr("locked")));
    std::vector<float> w(7);
    auto p = pinned_empty_like(*device, w);
    EXPECT_EQ(p.shape(), shape({7}));
  } catch (const out_of_memory& refused) {
    GTEST_SKIP() << refused.what();
  }
}

TEST_F(first_programs, measure_by_events) {
  auto a = zeros<float>(gpu, {1000});
  auto s = gpu.stream().record();
  a *= 2;
  auto e = gpu.stream().record();
  EXPECT_GE(e->time_since(*s).count(), 0);
  context g2(*device);
  g2.stream().wait(*e);
  g2.synchronize();
  EXPECT_TRUE(e->done());
}

TEST_F(first_programs, make_host_arrays_from_numbers) {
  host_array<float> a({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(a(1, 0), 3);
  host_array<float> b = a.copy();
  EXPECT_EQ(b, a);
}

TEST_F(first_programs, get_asynchronously) {
  auto a = to_gpu(gpu, std::vector<float>{1, 2});
  try {
    auto h = a.get_async();
    gpu.synchronize();
    EXPECT_THAT(h, ElementsAre(1, 2));
  } catch (const out_of_memory& refused) {
    GTEST_SKIP() << refused.what();
  }
}

TEST_F(first_programs, launch_kernels) {
  auto k = host_function("axpy", [](const thread_index& at, float* y, float f, int n) {
    if (at.x() < static_cast<unsigned>(n)) y[at.x()] *= f;
  });
  std::vector<float> y{1, 2};
  k(gpu, {.block = {2}}, in_out(y), 2.0F, 2);
  EXPECT_THAT(y, ElementsAre(2, 4));
  std::vector<float> a(4, 1);
  k(gpu, {{1, 1}, {4, 1, 1}}, in_out(a), 3.0F, 4);
  EXPECT_THAT(a, ElementsAre(3, 3, 3, 3));
}

}  // namespace
}  // namespace transfers::first_programs_test
