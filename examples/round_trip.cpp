// result = 2 * source on the device, in one call: while the device works on one piece, the next
// piece arrives and the previous one leaves, so both directions of the link are busy at once. The
// device needs memory for a few pieces only. Works for page-locked and for ordinary memory. PyCUDA:
// (2 * gpuarray.to_gpu(a)).get(), where the three steps follow each other.
#include <iostream>
#include <numeric>
#include <vector>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const transfers::context context(*device);

  std::vector<float> source(std::size_t{1} << 22);
  std::vector<float> result(source.size());
  std::iota(source.begin(), source.end(), 0.0F);

  // Enqueues the work on one piece, in place. Launch your own kernels on stream.native_handle().
  const auto work = [](transfers::stream& stream, transfers::device_view<float> piece,
                       std::size_t /*first*/) {
    transfers::calculate(stream, transfers::arithmetic::multiply, piece, 2);
  };
  transfers::round_trip(context, source, result, work);

  for (std::size_t i = 0; i < source.size(); ++i)
    if (result[i] != 2 * source[i]) {
      std::cerr << "Wrong: element " << i << " is " << result[i] << ", not " << 2 * source[i]
                << ".\n";
      return 1;
    }
  std::cout << source.size() << " elements were doubled.\n";
}
