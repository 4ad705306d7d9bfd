// Both directions at once: one array goes to the device while another one comes back. The link
// carries both if each has its own stream and page-locked memory (docs/fast_paths/duplex.md).
#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const transfers::context uploads(*device);
  const transfers::context downloads(*device);

  constexpr std::size_t elements = 1'000'000;
  auto source = transfers::pinned_empty<float>(*device, {elements});
  auto result = transfers::pinned_empty<float>(*device, {elements});
  std::iota(source.begin(), source.end(), 0.0F);
  const auto results = transfers::to_gpu(downloads, std::vector<float>(elements, 7));

  // Neither call waits; each works in its own stream.
  const auto inputs = transfers::to_gpu_async(uploads, source);
  results.get_async(result);
  uploads.synchronize();
  downloads.synchronize();

  if (!std::ranges::equal(inputs.get(), source)) {
    std::cerr << "Wrong: the upload has not arrived.\n";
    return 1;
  }
  if (std::ranges::count(result, 7.0F) != elements) {
    std::cerr << "Wrong: the download has not arrived.\n";
    return 1;
  }
  std::cout << elements << " elements went each way.\n";
}
