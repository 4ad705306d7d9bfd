#include <thrust/system_error.h>

#include "../thrust_containers.hpp"
#include "transfers/error.hpp"

namespace bench::subjects {
namespace {

thrust_copy make(std::string_view container, std::span<float> host, transfers::direction way) {
  if (container == "device_vector")
    return between_host_and<thrust::device_vector<float>>(host, way);
  if (container == "universal_vector")
    return between_host_and<thrust::universal_vector<float>>(host, way);
  return between_pinned_and_device<thrust::universal_host_pinned_vector<float>>(host.size(), way);
}

}  // namespace

thrust_copy copy_with_thrust_on_cuda(std::string_view container, std::span<float> host,
                                     transfers::direction way) {
  try {
    auto copy = make(container, host, way);
    // Thrust may issue copies that do not wait for the host's side (between two kinds of memory
    // that both carry the CUDA tag): the data must be usable when the operation ends.
    copy.run = [run = std::move(copy.run)] {
      run();
      if (const auto code = cudaStreamSynchronize(nullptr); code != cudaSuccess)
        throw transfers::device_error(cudaGetErrorString(code), cudaFree(nullptr) != cudaSuccess);
    };
    return copy;
  } catch (const std::bad_alloc& refused) {
    throw transfers::out_of_memory(refused.what());
  } catch (const thrust::system_error& failure) {
    throw transfers::device_error(failure.what(), cudaFree(nullptr) != cudaSuccess);
  }
}

}  // namespace bench::subjects
