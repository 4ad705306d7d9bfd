#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {

/// What cudaStreamSynchronize does while it waits: cudaDeviceScheduleSpin and its like.
enum class schedule_flag { spin, yield, blocking_sync };

/// Why a device has no such flags; nullopt if it has.
std::optional<std::string> why_no_schedule_flags(const transfers::device& device);

/// Sets a flag of the current device (cudaSetDeviceFlags).
struct scheduling {
  std::function<void()> choose;   ///< throws device_error
  std::function<void()> restore;  ///< the flags that it had before; does not throw
};
/// Throws unsupported, device_error.
scheduling schedule_by(const transfers::device& device, schedule_flag flag);

/// Records an event whose waiting thread sleeps (cudaEventBlockingSync), and waits for it. The
/// stream must outlive the returned function, which throws device_error. Throws the same.
std::function<void()> blocking_event_wait(const transfers::device& device,
                                          transfers::stream& stream);

/// Enqueues the write of a value to a word of page-locked host memory, in stream order
/// (cuStreamWriteValue32). Word and stream must outlive the returned function, which throws
/// device_error. Throws unsupported if the device has no address for the word, device_error.
std::function<void(std::uint32_t)> value_writer(const transfers::device& device,
                                                transfers::stream& stream, std::uint32_t& word);

/// The host device's counterparts.
std::function<void()> blocking_event_wait_on_host(transfers::stream& stream);
std::function<void(std::uint32_t)> value_writer_on_host(transfers::stream& stream,
                                                        std::uint32_t& word);

}  // namespace bench_transfers::bench::subjects
