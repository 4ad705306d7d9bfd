#include "bench/cuda/check.hpp"
#include "bench/device_clock/cuda_delay.hpp"

namespace bench_transfers::bench {
namespace {

__global__ void wait_cycles(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

}  // namespace

std::function<void(transfers::stream&)> cuda_delay(transfers::device& device) {
  // Asked once: the driver takes long to answer.
  int kilohertz = 0;
  cuda_check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate,
                                    device.description().cuda.value().index),
             "cudaDeviceGetAttribute");
  // Enqueueing a few operations and events takes about 10 µs.
  constexpr long long microseconds = 30;
  return [&device, cycles = microseconds * kilohertz / 1000](transfers::stream& stream) {
    const auto current = device.make_current();
    wait_cycles<<<1, 1, 0, static_cast<cudaStream_t>(stream.native_handle())>>>(cycles);
    cuda_check(cudaGetLastError(), "launch of the delay kernel");
  };
}

}  // namespace bench_transfers::bench
