#include "tests/data/fake_cufile.hpp"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

// cuFile's interface, for host memory. Types are those of NVIDIA's cuFile API Reference Guide.

namespace {

using bench_transfers::fake_cufile::behaviour;

behaviour state;

struct status {
  int error, cuda_error;
};

status answer(int error) { return {error, error == 0 ? 0 : state.cuda_error}; }

struct description {
  int type;
  union {
    int descriptor;
    void* handle;
  };
  const void* operations;
};

/// A file's handle: a pointer that its user does not follow.
void* handle_of(int descriptor) {
  return reinterpret_cast<void*>(std::size_t{1} + static_cast<std::size_t>(descriptor));
}
int descriptor_of(void* handle) {
  return static_cast<int>(reinterpret_cast<std::size_t>(handle) - 1);
}

}  // namespace

extern "C" {

behaviour* fake_cufile_behaviour() { return &state; }

status cuFileDriverOpen() {
  if (state.open_error == 0) ++state.open_drivers;
  return answer(state.open_error);
}

status cuFileDriverClose_v2() {
  --state.open_drivers;
  return {0, 0};
}

status cuFileHandleRegister(void** handle, const description* described) {
  constexpr int opaque_descriptor = 1, invalid_value = 5022;
  if (described->type != opaque_descriptor) return {invalid_value, 0};
  if (state.register_error != 0) return answer(state.register_error);
  // Any offset and length may be read, also of a descriptor with direct access.
  const auto path = "/proc/self/fd/" + std::to_string(described->descriptor);
  const auto descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {invalid_value, 0};
  ++state.registered_files;
  *handle = handle_of(descriptor);
  return {0, 0};
}

void cuFileHandleDeregister(void* handle) {
  close(descriptor_of(handle));
  --state.registered_files;
}

#ifndef WITHOUT_READ
ssize_t cuFileRead(void* handle, std::byte* memory, std::size_t bytes, off_t file_offset,
                   off_t memory_offset) {
  ++state.reads;
  if (state.read_error != 0) {
    errno = state.read_errno;
    return state.read_error;
  }
  return pread(descriptor_of(handle), memory + memory_offset,
               std::min(bytes, state.most_bytes_of_read), file_offset);
}
#endif
}
