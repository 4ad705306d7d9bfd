#pragma once

namespace transfers::detail {

/// The devices that may access the memory of another one (device::access_peer). Thread-safe.
class accessors {
 public:
  virtual ~accessors() = default;
  /// Of the device with this device_identity::state.
  [[nodiscard]] virtual bool contain(const void* state) const = 0;
};

/// Which device an object belongs to. The objects of a device that is opened several times have
/// the same on CUDA devices; each host device is another one.
struct device_identity {
  const void* state = nullptr;  ///< null: not known
  const char* kind = "";        ///< lives as long as the program
  int index = 0;                ///< N of "cuda:N"
  /// Those that may access the object, if it is memory; null: none.
  const accessors* accessed_by = nullptr;

  /// Both are known, and differ.
  [[nodiscard]] bool is_other_than(const device_identity& device) const noexcept {
    return state != nullptr && device.state != nullptr && state != device.state;
  }
};

/// Throws invalid_argument with the names of both devices unless the object may belong to `device`.
/// `object`: "a stream".
void check_same_device(const device_identity& object_device, const char* object,
                       const device_identity& device);

/// The same, but `device` may be one that is let access the memory: kernels of it may use it.
void check_access(const device_identity& memory, const device_identity& device);

/// The device of memory that knows its context: of arrays and buffers. Of nothing else it is known.
template <class M>
device_identity owner_of(const M& memory) {
  if constexpr (requires { memory.context().identity_of_memory(); })
    return memory.context().identity_of_memory();
  else
    return {};
}

/// Throws invalid_argument for an array or a buffer of another device.
template <class M>
void check_owner(const M& memory, const device_identity& device) {
  check_same_device(owner_of(memory), "memory", device);
}
/// The same unless kernels of the device may use it.
template <class M>
void check_accessible(const M& memory, const device_identity& device) {
  check_access(owner_of(memory), device);
}

}  // namespace transfers::detail
