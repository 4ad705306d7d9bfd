// Ordinary memory, copied nearly as fast as page-locked memory: threads fill or drain page-locked
// chunks while the device's engines move others. Arrays do this by themselves from 1 MiB on
// (to_gpu, set, get); this example does it for plain memory. The constructor of the copier measures
// for a second or two which settings are fastest on this machine: keep the copier.
#include <iostream>
#include <numeric>
#include <vector>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';

  transfers::staged_copier copier(*device);
  // Without the measurement: transfers::staged_copier copier(*device, transfers::staging{});

  std::vector<unsigned> source(std::size_t{4} << 20);
  std::vector<unsigned> result(source.size());
  std::iota(source.begin(), source.end(), 0U);
  const auto bytes = source.size() * sizeof(unsigned);
  const auto on_device = device->allocate(bytes);

  copier.copy(on_device.view<unsigned>(), source);
  copier.copy(result, on_device.view<unsigned>());

  if (result != source) {
    std::cerr << "Wrong: what came back is not what was sent.\n";
    return 1;
  }
  std::cout << bytes << " bytes went there and back, "
            << (copier.stages(bytes, transfers::direction::h2d)
                    ? "staged by " + std::to_string(copier.settings().threads) + " threads"
                    : "plainly, which is as fast here")
            << ".\n";
}
