#pragma once

#include <stdexcept>
#include <string>

namespace transfers {

/// Base of everything this library throws on purpose; what() is one line for a person.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The device, this build or this system does not support the request.
class unsupported : public error {
 public:
  using error::error;
};

/// An allocation of host or device memory failed.
class out_of_memory : public error {
 public:
  using error::error;
};

/// A call of the device's runtime failed.
class device_error : public error {
 public:
  device_error(const std::string& message, bool device_lost) : error(message), lost_(device_lost) {}

  /// True if every later call in this process fails too: CUDA calls such an error "sticky"
  /// (CUDA Runtime API, "Error Handling": the process must be relaunched).
  [[nodiscard]] bool device_lost() const noexcept { return lost_; }

 private:
  bool lost_;
};

}  // namespace transfers
