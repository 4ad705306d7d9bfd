// Memory that somebody else has allocated, page-locked for one copy: the copy runs at the link's
// full speed, but locking takes about as long. Worth it for hundreds of megabytes where no cores
// are free for staging (staged_copy.cpp); where the same memory is copied again, keep the lock.
// PyCUDA: drv.register_host_memory(a)
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';

  std::vector<unsigned> values(std::size_t{1} << 18);
  std::iota(values.begin(), values.end(), 0U);
  const std::span<std::byte> memory = std::as_writable_bytes(std::span(values));
  const auto there = device->allocate(memory.size());

  try {
    const auto lock = device->lock(memory);
    device->copy(there.data(), memory.data(), memory.size(), transfers::direction::h2d);
  } catch (const transfers::out_of_memory& limit) {  // of locked memory: ulimit -l
    std::cout << limit.what() << '\n';
    return 77;
  }

  std::vector<unsigned> back(values.size());
  device->copy(reinterpret_cast<std::byte*>(back.data()), there.data(), memory.size(),
               transfers::direction::d2h);
  if (back != values) {
    std::cerr << "Wrong: what came back is not what was sent.\n";
    return 1;
  }
  std::cout << memory.size() << " bytes were page-locked for one copy.\n";
}
