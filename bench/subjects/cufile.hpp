#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace bench_transfers::bench::subjects {

/// Functions of cuFile, which cufile.cpp declares.
struct cufile_functions;

/// A file that NVIDIA's cuFile (GPUDirect Storage) reads into device memory. Its library is loaded
/// at run time, so that the program starts without it. Movable; threads must not share it.
class cufile_input {
 public:
  /// Loads the library, opens its driver and registers the file, whose descriptor must stay open as
  /// long as this object. The device must be current. Throws transfers::unsupported, with one line,
  /// if the library is not there, lacks a function, or refuses.
  explicit cufile_input(int descriptor, const std::string& library = "libcufile.so.0");

  /// Reads the beginning of the file into memory of the current device, and returns when all of it
  /// has arrived. Throws std::system_error if the file cannot be read, transfers::device_error for
  /// other errors and if the file ends before.
  void read(std::byte* on_device, std::size_t bytes) const;

 private:
  std::shared_ptr<const cufile_functions> functions_;
  std::shared_ptr<const void> driver_;  ///< open
  std::shared_ptr<void> file_;          ///< CUfileHandle_t
};

}  // namespace bench_transfers::bench::subjects
