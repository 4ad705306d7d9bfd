#pragma once

#include <cstddef>

namespace bench_transfers::fake_cufile {

/// What the library answers, and what it has been asked, since the process has loaded it.
struct behaviour {
  int open_error = 0, register_error = 0;  ///< CUfileOpError
  int cuda_error = 0;                      ///< CUresult beside them
  /// What cuFileRead returns instead of reading; 0: it reads.
  long read_error = 0;
  int read_errno = 0;
  std::size_t most_bytes_of_read = static_cast<std::size_t>(-1);

  int open_drivers = 0, registered_files = 0;  ///< now
  int reads = 0;                               ///< so far
};

/// The name of the function that gives it.
inline constexpr auto behaviour_function = "fake_cufile_behaviour";
using get_behaviour = behaviour* (*)();

}  // namespace bench_transfers::fake_cufile
