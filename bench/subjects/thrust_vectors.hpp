#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {

/// A copy to or from a container of Thrust, as thrust::copy does it.
struct thrust_copy {
  std::shared_ptr<void> containers;  ///< keeps them
  std::function<void()> run;
  std::span<float> host;       ///< the host's side
  std::span<float> on_device;  ///< the device's side
};

/// "device_vector" and "universal_vector": between `host` and the container.
/// "universal_host_pinned_vector": between the container, on the host's side, and a device_vector;
/// `host` gives the number of elements only.
/// Throws device_error, out_of_memory.
thrust_copy copy_with_thrust(const transfers::device& device, std::string_view container,
                             std::span<float> host, transfers::direction direction);

/// The same for CUDA devices.
thrust_copy copy_with_thrust_on_cuda(std::string_view container, std::span<float> host,
                                     transfers::direction direction);

}  // namespace bench_transfers::bench::subjects
