#pragma once

#include <new>
#include <stdexcept>
#include <string>

namespace transfers {

/// Base of everything that the library throws on purpose. Each class below is also an exception of
/// the standard library, so `catch (const std::exception&)` works as well. Two exceptions come from
/// the standard library itself: std::system_error if no thread can be started or a file cannot be
/// opened or read (with its path), and std::bad_alloc if a container finds no memory.
class error {
 public:
  virtual ~error() = default;

  /// One line for a person.
  [[nodiscard]] virtual const char* what() const noexcept = 0;

 protected:
  error() = default;
  error(const error&) = default;
  error& operator=(const error&) = default;
};

namespace detail {

template <class Standard>
class error_and : public Standard, public error {
 public:
  using Standard::Standard;
  [[nodiscard]] const char* what() const noexcept override { return Standard::what(); }
};

}  // namespace detail

/// An argument has no meaning for the call: a size of zero, arrays of different contexts, an array
/// that has been moved from.
class invalid_argument : public detail::error_and<std::invalid_argument> {
 public:
  using error_and::error_and;
};

/// Sizes do not match, or no memory is as large.
class length_error : public detail::error_and<std::length_error> {
 public:
  using error_and::error_and;
};

/// A value or an index is out of its range.
class out_of_range : public detail::error_and<std::out_of_range> {
 public:
  using error_and::error_and;
};

/// The device, this build or this system does not support the request.
class unsupported : public detail::error_and<std::runtime_error> {
 public:
  using error_and::error_and;
};

/// An allocation of host or device memory failed.
class out_of_memory : public std::bad_alloc, public error {
 public:
  /// `message` is one line.
  explicit out_of_memory(const std::string& message) : message_(message) {}
  [[nodiscard]] const char* what() const noexcept override { return message_.what(); }

 private:
  std::runtime_error message_;  ///< unlike a string, it is copied without throwing
};

/// A call of the device's runtime failed.
class device_error : public detail::error_and<std::runtime_error> {
 public:
  /// `message` is one line.
  device_error(const std::string& message, bool device_lost)
      : error_and(message), lost_(device_lost) {}

  /// True if every later call in this process fails too: CUDA calls such an error "sticky"
  /// (CUDA Runtime API, "Error Handling": the process must be relaunched).
  [[nodiscard]] bool device_lost() const noexcept { return lost_; }

 private:
  bool lost_;
};

}  // namespace transfers
