// A part of a file to the GPU: threads read it straight into page-locked memory, while the copy
// engine moves on what they have read. Nothing else copies the bytes in host memory.
// PyCUDA: gpuarray.to_gpu(numpy.fromfile(...))
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>
#include <vector>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';

  std::vector<unsigned> values(std::size_t{1} << 20);
  std::iota(values.begin(), values.end(), 0U);
  const auto path = std::filesystem::temp_directory_path() / "bench_transfers_copy_file";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(unsigned)));

  // From element 1000 on, as many as the array holds.
  constexpr std::size_t first = 1000;
  const transfers::context gpu(*device);
  auto array = transfers::empty<unsigned>(gpu, {values.size() - first});
  transfers::copy_file(gpu, path, first * sizeof(unsigned), array);
  std::filesystem::remove(path);

  const auto copied = array.get();
  if (!std::equal(copied.begin(), copied.end(), values.begin() + first)) {
    std::cerr << "Wrong: what has arrived is not what is in the file.\n";
    return 1;
  }
  std::cout << array.bytes() << " bytes were copied from a file.\n";
}
