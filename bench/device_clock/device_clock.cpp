#include "bench/device_clock/device_clock.hpp"

#include "bench/device_clock/cuda_delay.hpp"

namespace bench_transfers::bench {
namespace {

std::function<void(transfers::stream&)> delay_for(transfers::device& device) {
  if (device.description().kind == "cuda") return cuda_delay(device);
  if (!device.description().emulated_link) return {};
  return [](transfers::stream&) {};  // an emulated link's time does not depend on the host's speed
}

}  // namespace

device_clock::device_clock(transfers::device& device) : delay_(delay_for(device)) {}

std::optional<std::chrono::duration<double, std::nano>> device_clock::span(
    transfers::stream& stream, const std::function<void()>& before,
    const std::function<void()>& timed) const {
  if (!delay_) return std::nullopt;
  delay_(stream);
  before();
  const auto start = stream.record();
  timed();
  const auto stop = stream.record();
  stream.synchronize();
  return stop->time_since(*start);
}

}  // namespace bench_transfers::bench
