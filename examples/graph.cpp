// A round trip that is recorded once; then one call starts it each time (docs/fast_paths/graph.md).
// Host memory is page-locked, because copies of other memory cannot be recorded.
#include <algorithm>
#include <iostream>
#include <numeric>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const transfers::context gpu(*device);

  constexpr std::size_t elements = 4096;
  transfers::host_buffer<float> in(*device, elements, transfers::pinned());
  transfers::host_buffer<float> out(*device, elements, transfers::pinned());
  transfers::device_buffer<float> buffer(gpu, elements);

  auto& stream = gpu.stream();
  const transfers::graph round_trip(stream, [&] {
    stream.copy(buffer, in);
    stream.copy(out, buffer);
  });

  for (int i = 0; i < 3; ++i) {
    std::iota(in.begin(), in.end(), static_cast<float>(i));
    round_trip.enqueue();
    stream.synchronize();
    if (!std::ranges::equal(in, out)) {
      std::cerr << "Wrong: something else came back.\n";
      return 1;
    }
  }
  std::cout << "The same graph made three journeys with three contents.\n";
}
