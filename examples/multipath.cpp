// One GPU fed over the links of several: a part of a copy goes by its own link, and the others go
// through memory of its neighbours. The constructor of the copier measures how fast the links are:
// keep the copier. With fewer than two GPUs, two host devices take their place.
#include <algorithm>
#include <iostream>
#include <memory>
#include <numeric>
#include <vector>

#include "transfers/transfers.hpp"

int main() {
  std::vector<std::unique_ptr<transfers::device>> devices;
  const int gpus = transfers::find_cuda().devices;
  for (int i = 0; i < std::max(gpus, 2); ++i)
    devices.push_back(gpus >= 2 ? transfers::open_cuda_device(i) : transfers::open_host_device());
  auto& target = *devices.front();
  std::vector<transfers::device*> helpers;
  for (std::size_t i = 1; i < devices.size(); ++i) helpers.push_back(devices[i].get());
  std::cout << "Running on " << target.description().name << '\n';

  transfers::multipath_copier copier(target, helpers);

  const transfers::context context(target);
  transfers::host_array<unsigned> source(context, {std::size_t{16} << 20});  // page-locked
  transfers::host_array<unsigned> result(context, {source.size()});
  std::iota(source.begin(), source.end(), 0U);
  transfers::device_buffer<unsigned> on_device(context, source.size());

  copier.copy(on_device, source);
  copier.copy(result, on_device);

  if (!std::equal(source.begin(), source.end(), result.begin())) {
    std::cerr << "Wrong: what came back is not what was sent.\n";
    return 1;
  }
  const auto bytes = source.size() * sizeof(unsigned);
  const bool divided = bytes >= copier.settings().h2d.least_bytes;
  std::cout << bytes << " bytes went there and back, by "
            << (divided ? copier.links() : std::size_t{1}) << " of " << copier.links()
            << " links.\n";
}
