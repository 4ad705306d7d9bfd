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
  const auto table = transfers::pinned_empty<float>(*device, {1000, columns});
  std::iota(table.begin(), table.end(), 0.0F);

  // In descending order.
  std::vector<transfers::scattered_block> picked;
  for (std::size_t row = 994; row > 0; row -= 7)
    picked.push_back(
        {reinterpret_cast<std::byte*>(table.data() + row * columns), columns * sizeof(float)});
  const auto bytes = picked.size() * columns * sizeof(float);
  const auto on_device = device->allocate(bytes);

  transfers::scattered_copy copy(*device, *stream);
  copy.add(std::as_writable_bytes(std::span(table)));
  copy.enqueue(picked, {on_device.data(), bytes}, transfers::direction::h2d);
  stream->synchronize();

  // They are contiguous on the device, so an ordinary copy takes them back.
  std::vector<float> rows(picked.size() * columns);
  device->copy(reinterpret_cast<std::byte*>(rows.data()), on_device.data(), bytes,
               transfers::direction::d2h);
  for (std::size_t i = 0; i < picked.size(); ++i)
    if (!std::equal(&rows[i * columns], &rows[i * columns] + columns,
                    reinterpret_cast<const float*>(picked[i].host))) {
      std::cerr << "Wrong: row " << i << " of those picked is another one.\n";
      return 1;
    }
  std::cout << picked.size() << " of 1000 rows went to the device, the first begins with "
            << rows[0] << ".\n";
}
