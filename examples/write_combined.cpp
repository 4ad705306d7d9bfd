// Write-combined memory: write it from one end to the other, and read it only with streaming loads.
// PyCUDA: cuda.pagelocked_empty(n, dtype, mem_flags=cuda.host_alloc_flags.WRITECOMBINED)
// When it is worth it, and why reading it is slow: docs/CPU_ACCESS.md.
#include <algorithm>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const transfers::context gpu(*device);

  // The host device has no such memory: use another kind there.
  auto kind = transfers::pinned(transfers::pin_flags::write_combined);
  if (const auto reason = device->why_unsupported(kind)) {
    std::cout << "No write-combined memory: " << *reason << '\n';
    kind = transfers::pageable;
  }
  transfers::host_buffer<float> sent(*device, 100'000, kind);
  std::iota(sent.begin(), sent.end(), 0.0F);
  const auto array = transfers::to_gpu(gpu, sent);

  // If the host must read it again: not element by element.
  if (const auto reason = transfers::why_no_streaming_loads()) std::cout << *reason << '\n';
  std::vector<float> read_back(sent.size());
  transfers::streaming_load(read_back, sent);

  if (!std::ranges::equal(array.get(), read_back) || read_back[99'999] != 99'999.0F) {
    std::cerr << "Wrong: what was read is not what was sent.\n";
    return 1;
  }
  std::cout << "Read " << read_back.size() << " values from " << transfers::describe(kind) << '\n';
}
