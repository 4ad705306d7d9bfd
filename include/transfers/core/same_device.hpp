#pragma once

namespace transfers::detail {

/// Which device an object belongs to. The objects of a device that is opened several times have
/// the same on CUDA devices; each host device is another one.
struct device_identity {
  const void* state = nullptr;  ///< null: not known
  const char* kind = "";        ///< lives as long as the program
  int index = 0;                ///< N of "cuda:N"

  /// Both are known, and differ.
  [[nodiscard]] bool is_other_than(const device_identity& device) const noexcept {
    return state != nullptr && device.state != nullptr && state != device.state;
  }
};

/// Throws invalid_argument with the names of both devices unless the object may belong to `device`.
/// `object`: "a stream".
void check_same_device(const device_identity& object_device, const char* object,
                       const device_identity& device);

/// The same for memory that knows its context: arrays and buffers. Nothing else is checked.
template <class M>
void check_owner(const M& memory, const device_identity& device) {
  if constexpr (requires { memory.context().device().identity(); })
    check_same_device(memory.context().device().identity(), "memory", device);
}

}  // namespace transfers::detail
