// A large upload that lets others in, and small copies that do not wait for large ones. A copy
// engine ends a copy before it begins the next: without either, a small copy waits for all of a
// large one.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <thread>
#include <vector>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const transfers::context bulk(*device);
  const transfers::context small(*device);

  transfers::host_array<std::uint32_t> samples(bulk, {std::size_t{16} << 20});  // page-locked
  std::iota(samples.begin(), samples.end(), 0U);
  transfers::device_buffer<std::uint32_t> on_device(bulk, samples.size());
  std::jthread loader([&] { transfers::copy_politely(bulk, on_device, samples); });

  // Meanwhile settings go to the device and back.
  std::vector<float> settings(64, 1.0F);
  std::vector<float> read_back(settings.size());
  transfers::device_buffer<float> settings_on_device(small, settings.size());
  for (int i = 0; i < 10; ++i) {
    std::ranges::fill(settings, static_cast<float>(i));
    transfers::copy_promptly(small, settings_on_device, settings);
    transfers::copy_promptly(small, read_back, settings_on_device);
    if (read_back != settings) {
      std::cerr << "Wrong: settings that came back are not those sent.\n";
      return 1;
    }
  }

  loader.join();
  std::vector<std::uint32_t> result(samples.size());
  bulk.copy(result, on_device);
  if (!std::ranges::equal(result, samples)) {
    std::cerr << "Wrong: what came back is not what was sent.\n";
    return 1;
  }
  std::cout << "10 small copies each way beside " << samples.size() * sizeof(std::uint32_t)
            << " bytes, all of them right.\n";
}
