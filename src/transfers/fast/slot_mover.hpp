#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/transfers/fast/chunk_pipeline.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/slot_copy.hpp"

namespace transfers::detail {

/// How a copy passes through slots.
struct slot_settings {
  std::size_t slot_bytes = std::size_t{128} << 10;
  unsigned blocks = 8;            ///< of the kernel
  bool streaming_stores = false;  ///< streaming_store() rather than memcpy
};

/// Copies pageable memory through slots, which a kernel moves (slot_copy): the threads need no call
/// of the driver for each chunk. The threads and the slots' memory are those of a pipeline. One
/// thread at a time may use it.
class slot_mover {
 public:
  /// `patience` is how long a copy waits for the kernel to start. The pipeline must outlive it.
  /// Throws out_of_memory, unsupported (the device does not see host memory), device_error.
  slot_mover(device& device, chunk_pipeline& pipeline,
             std::chrono::nanoseconds patience = std::chrono::microseconds(500));

  /// Returns when the data are usable at `dst`. Returns false, and has copied nothing, if the
  /// kernel could not start in time, or that of an earlier copy has not yet: the device is busy.
  /// Throws device_error.
  [[nodiscard]] bool copy(std::byte* dst, const std::byte* src, std::size_t bytes,
                          direction direction, const slot_settings& settings);

 private:
  [[nodiscard]] slot_copy describe(const host_memory& memory, std::byte* data, std::size_t bytes,
                                   direction direction, std::size_t slot_bytes);
  [[nodiscard]] bool is_busy();
  void abandon(const slot_copy& copy, unsigned blocks);
  void wait_until_left(const slot_copy& copy, unsigned block) const;

  chunk_pipeline& pipeline_;
  std::chrono::nanoseconds patience_;
  host_memory words_;
  device_memory taken_;
  std::uint64_t runs_ = 0;
  std::unique_ptr<stream> stream_;
  std::unique_ptr<event> abandoned_;  ///< null unless the last run was: the end of its kernel
};

}  // namespace transfers::detail
