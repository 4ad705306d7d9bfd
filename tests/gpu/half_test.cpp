#include "transfers/cuda/half.cuh"

#include <vector>

#include "tests/basics.hpp"
#include "tests/gpu/on_gpu.hpp"
#include "transfers/array/gpu_array.hpp"

namespace transfers::half_test {
namespace {

static_assert(convertible_element<__half> && type_of<__half>() == element_type::float16);

class halves_of_cuda : public on_gpu {};

TEST_F(halves_of_cuda, convert_as_float16) {
  const context context(*gpu);
  const auto array = to_gpu(context, std::vector<__half>{__float2half(0.5F), __float2half(-2)});
  EXPECT_THAT(array.astype<float>().get(), ElementsAre(0.5F, -2.0F));
  const auto back = to_gpu(context, std::vector<float>{0.1F}).astype<__half>().get();
  EXPECT_EQ(__half2float(back[0]), __half2float(__float2half(0.1F)));
}

}  // namespace
}  // namespace transfers::half_test
