#include "bench/device_clock/device_clock.hpp"

#include <utility>

#include "bench/device_clock/cuda_delay.hpp"

namespace bench_transfers::bench {
device_clock::device_clock(transfers::device& device)
    : has_clock_(device.description().cuda || device.description().emulated_link) {
  if (device.description().cuda) delay_ = cuda_delay(device);
}

device_clock::device_clock(std::function<void(transfers::stream&)> delay)
    : has_clock_(true), delay_(std::move(delay)) {}

std::optional<std::chrono::duration<double, std::nano>> device_clock::span(
    transfers::stream& stream, const std::function<void()>& before,
    const std::function<void()>& timed) const {
  if (!has_clock_) return std::nullopt;
  if (delay_) delay_(stream);
  before();
  const auto start = stream.record();
  timed();
  const auto stop = stream.record();
  const bool is_of_host = delay_ && start->done();
  stream.synchronize();
  if (is_of_host) return std::nullopt;
  return stop->time_since(*start);
}

}  // namespace bench_transfers::bench
