// Copies many small, scattered blocks of host memory to one array on the device and back: here
// every seventh row of a table. One kernel reads or writes them in place. PyCUDA: a loop of
// memcpy_htod_async.
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

  constexpr std::size_t columns = 256;
  auto table = transfers::pinned_empty<float>(*device, {1000, columns});
  std::iota(table.begin(), table.end(), 0.0F);

  // In descending order.
  std::vector<transfers::scattered_block> picked;
  for (std::size_t row = 994; row > 0; row -= 7)
    picked.emplace_back(std::span(table).subspan(row * columns, columns));
  const auto on_device = device->allocate(picked.size() * columns * sizeof(float));

  transfers::scattered_copy copy(*device, *stream);
  copy.add(table);
  copy.enqueue(picked, on_device.view(), transfers::direction::h2d);
  stream->synchronize();

  // They are contiguous on the device, so an ordinary copy takes them back.
  std::vector<float> rows(picked.size() * columns);
  device->copy(rows, on_device.view<float>());
  for (std::size_t i = 0; i < picked.size(); ++i)
    if (!std::ranges::equal(std::span(rows).subspan(i * columns, columns),
                            std::span(table).subspan((994 - 7 * i) * columns, columns))) {
      std::cerr << "Wrong: row " << i << " of those picked is another one.\n";
      return 1;
    }
  std::cout << picked.size() << " of 1000 rows went to the device, the first begins with "
            << rows[0] << ".\n";
}
