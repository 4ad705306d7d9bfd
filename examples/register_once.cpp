// Memory that other code has allocated, page-locked for one copy: the copy runs at the link's full
// speed, but locking takes about as long. This pays off for hundreds of megabytes if no cores are
// free for staging (staged_copy.cpp). If the same memory is copied again, keep the lock. PyCUDA:
// drv.register_host_memory(a)
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
  const auto block = device->allocate(values.size() * sizeof(unsigned));

  try {
    const auto lock = device->lock(values);
    device->copy(block.view<unsigned>(), values);
  } catch (const transfers::out_of_memory& limit) {  // the limit of locked memory: ulimit -l
    std::cout << limit.what() << '\n';
    return 77;
  }

  std::vector<unsigned> back(values.size());
  device->copy(back, block.view<unsigned>());
  if (back != values) {
    std::cerr << "Wrong: what came back is not what was sent.\n";
    return 1;
  }
  std::cout << block.size() << " bytes were page-locked for one copy.\n";
}
