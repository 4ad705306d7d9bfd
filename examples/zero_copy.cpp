// A kernel reads host memory in place and writes what it has read to the device. A few
// multiprocessors fill the link: the others are left to other kernels.
// PyCUDA: pagelocked_empty(mem_flags=DEVICEMAP), base.get_device_pointer()
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

  // Any page-locked memory will do; its address on the device may be another one.
  std::vector<int> numbers(1 << 20);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto lock = device->lock(std::as_writable_bytes(std::span(numbers)));
  const auto bytes = lock.bytes().size();
  const auto there = device->allocate(bytes);

  constexpr unsigned multiprocessors = 8;
  stream->copy_by_kernel(there.data(), lock.on_device(), bytes, multiprocessors);
  stream->synchronize();
  std::ranges::fill(numbers, 0);

  // …and back again, likewise in place.
  stream->copy_by_kernel(lock.on_device(), there.data(), bytes, multiprocessors);
  stream->synchronize();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != static_cast<int>(i)) {
      std::cerr << "Wrong: number " << i << " came back as " << numbers[i] << ".\n";
      return 1;
    }
  std::cout << bytes << " bytes were read and written in place.\n";
}
