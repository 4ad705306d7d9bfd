#include <gtest/gtest.h>

#include <map>
#include <string>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench::dtype_strategy_test {
namespace {

TEST(conversions, count_the_bytes_that_cross_the_link_and_equally_many_elements) {
  constexpr std::size_t bytes = 8192;
  const auto device = transfers::open_host_device();
  buffers memory(*device, 5);
  memory.reserve_device(bytes);
  memory.reserve_host(transfers::pinned(), bytes);
  const auto stream = device->create_stream();
  const std::map<std::string, std::size_t> bytes_of_each{{"float64", 8},
                                                         {"float32_converted_on_host", 4},
                                                         {"float64_converted_on_gpu", 8},
                                                         {"uint8_converted_on_host", 4},
                                                         {"uint8_converted_on_gpu", 1},
                                                         {"int16_converted_on_host", 4},
                                                         {"int16_converted_on_gpu", 2},
                                                         {"float16_converted_on_host", 4},
                                                         {"float16_converted_on_gpu", 2}};
  for (const auto& measured : registered_strategies()) {
    if (measured.name() != "dtype/pinned") continue;
    EXPECT_EQ(measured.variants.size(), bytes_of_each.size());
    for (const auto& variant : measured.variants) {
      SCOPED_TRACE(variant.name);
      const auto operation = measured.prepare({.device = *device,
                                               .memory = memory,
                                               .stream = *stream,
                                               .variant = variant.name,
                                               .bytes = bytes});
      const auto each = bytes_of_each.at(variant.name);
      EXPECT_EQ(operation.amount.elements, bytes / 8);
      EXPECT_EQ(operation.amount.bytes, bytes / 8 * each);
      EXPECT_EQ(variant.procedure, each == 8 ? 1U : 2U);
    }
  }
}

}  // namespace
}  // namespace bench_transfers::bench::dtype_strategy_test
