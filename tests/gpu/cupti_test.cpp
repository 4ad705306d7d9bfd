// Compares times by the device's clock, as result files report them, with CUPTI's activity
// timestamps, which the copy engine itself writes.
#include <cuda_runtime.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/harness/measure.hpp"
#include "transfers/core/device.hpp"

using namespace bench_transfers;

namespace bench_transfers::gpu::cupti_test {
namespace {

using transfers::direction;

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// CUPTI passes its records to plain functions, which can use only static storage.
std::vector<double>& durations() {
  static std::vector<double> list;
  return list;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *size = std::size_t{1} << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(64, *size));
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                          std::size_t /*size*/, std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_MEMCPY) continue;
    const auto* const copy = reinterpret_cast<const CUpti_ActivityMemcpy5*>(record);
    durations().push_back(static_cast<double>(copy->end - copy->start));
  }
  std::free(buffer);
}

class device_clock : public testing::TestWithParam<std::tuple<std::size_t, direction>> {
 protected:
  void SetUp() override {
    if (transfers::find_cuda().devices == 0) GTEST_SKIP() << transfers::find_cuda().why_none;
  }
};

TEST_P(device_clock, agrees_with_cupti_within_one_percent) {
  const auto [bytes, direction] = GetParam();
  const auto gpu = transfers::open_cuda_device(0);
  const auto host = gpu->allocate_host(bytes, transfers::pinned());
  const auto device_block = gpu->allocate(bytes);
  const auto stream = gpu->create_stream();
  const bench::device_clock clock(*gpu);
  const auto copy = [&, direction = direction, bytes = bytes] {
    if (direction == direction::h2d)
      stream->copy(device_block.data(), host.data(), bytes, direction);
    else
      stream->copy(host.data(), device_block.data(), bytes, direction);
  };

  bench::transfer measured;
  measured.enqueue = copy;
  const auto by_events = [&] {
    constexpr bench::schedule planned{.device_operations = 40, .lead = true};
    bench::samples samples;
    bench::time_on_device(measured, clock, *stream, planned, samples);
    EXPECT_GE(samples.on_device.size(), 20U);  // without those of delays that were too short
    return median(samples.on_device);
  };
  const auto by_cupti = [&] {
    durations().clear();
    EXPECT_EQ(cuptiActivityRegisterCallbacks(give_buffer, take_buffer), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY), CUPTI_SUCCESS);
    for (int i = 0; i < 40; ++i) {
      copy();
      stream->synchronize();
    }
    EXPECT_EQ(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY), CUPTI_SUCCESS);
    EXPECT_EQ(durations().size(), 40U);
    return median(durations());
  };
  // CUPTI's tracing slows copies down, so the two are measured one after the other, and other users
  // of the link may disturb only one of them. A real difference would show in every attempt.
  double ratio = 0;
  for (int attempt = 0; attempt < 4 && std::abs(ratio - 1) > 0.01; ++attempt) {
    const double reported = by_events();
    const double truth = by_cupti();
    ratio = reported / truth;
    std::printf("%zu bytes %s: events %.0f ns, CUPTI %.0f ns, %+.2f %%\n", bytes,
                direction == direction::h2d ? "h2d" : "d2h", reported, truth, 100 * (ratio - 1));
  }
  EXPECT_NEAR(ratio, 1, 0.01);
}

INSTANTIATE_TEST_SUITE_P(
    from_1_mib, device_clock,
    testing::Combine(testing::Values(std::size_t{1} << 20, std::size_t{4} << 20,
                                     std::size_t{16} << 20, std::size_t{256} << 20),
                     testing::Values(direction::h2d, direction::d2h)));

}  // namespace
}  // namespace bench_transfers::gpu::cupti_test
