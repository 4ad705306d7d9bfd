// A kernel reads host memory in place and writes it to device memory. A few multiprocessors
// saturate the link, so the others stay free for other kernels. PyCUDA:
// pagelocked_empty(mem_flags=DEVICEMAP), base.get_device_pointer()
#include <algorithm>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const auto stream = device->create_stream();

  // Any page-locked memory will do; its address on the device may differ.
  std::vector<int> numbers(1 << 20);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto lock = device->lock(numbers);
  const auto on_device = device->allocate(numbers.size() * sizeof(int));

  constexpr unsigned multiprocessors = 8;
  stream->copy_by_kernel(on_device.view<int>(), lock.view<int>(), multiprocessors);
  stream->synchronize();
  std::ranges::fill(numbers, 0);

  // And back again, also in place.
  stream->copy_by_kernel(lock.view<int>(), on_device.view<int>(), multiprocessors);
  stream->synchronize();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != static_cast<int>(i)) {
      std::cerr << "Wrong: number " << i << " came back as " << numbers[i] << ".\n";
      return 1;
    }
  std::cout << lock.bytes().size() << " bytes were read and written in place.\n";
}
