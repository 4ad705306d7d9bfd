#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {

/// What cudaStreamSynchronize does while it waits, with the numbers of cudaDeviceScheduleSpin and
/// its like (checked in cuda/waits.cu).
enum class schedule_flag : unsigned { spin = 1, yield = 2, blocking_sync = 4 };

/// "blocking_sync".
std::string to_string(schedule_flag flag);

/// The bits that hold one of these flags (cudaDeviceScheduleMask).
inline constexpr unsigned schedule_mask = 7;

/// Reads and writes the flags of a device.
struct flag_access {
  std::function<unsigned()> read;
  std::function<void(unsigned)> write;
};

/// Sets a schedule flag of a device, and leaves its other flags alone.
struct scheduling {
  /// Throws device_error, also if the device does not take the flag.
  std::function<void()> choose;
  std::function<void()> restore;  ///< the flags that it had before; does not throw
};
scheduling schedule_by(const flag_access& flags, schedule_flag flag);

/// Why a device has no such flags; nullopt if it has.
std::optional<std::string> why_no_schedule_flags(const transfers::device& device);

/// Those of the current device (cudaGetDeviceFlags, cudaSetDeviceFlags). Throws unsupported if
/// `device` has none.
flag_access flags_of(const transfers::device& device);

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
