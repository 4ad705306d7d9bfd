#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/statistics/line.hpp"

namespace bench_transfers::advice {

/// A file that no advice can be taken from; what() is one line that names the file and the reason.
class unusable_file : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where measurements come from. Empty where the file does not say.
struct origin {
  std::filesystem::path file;
  std::string device;   ///< "NVIDIA H200"
  std::string cpu;      ///< model
  std::string started;  ///< UTC, "2026-11-20T13:22:53Z"
  std::string commit;   ///< of the program that measured
  bool has_gpu = true;
  bool complete = true;
};

/// What a result file says about transfers, allocation and CPU access with warm caches.
struct measurements {
  origin from;
  /// By name without the size, each by size: "copy/pinned/h2d", "allocate/pinned",
  /// "cpu/pinned/write_memcpy"; zero-copy's read and write are called h2d and d2h here as well.
  /// Of CPU access, `ns` is the time for a whole pass over `bytes`.
  std::map<std::string, std::vector<statistics::measured_time>> times;
  /// The kind of host memory that a strategy uses, where the file says it.
  std::map<std::string, std::string> memory_by_strategy;
  std::size_t failed_rows = 0;    ///< whose benchmark had an error
  std::size_t unusable_rows = 0;  ///< without a positive time, or not as a row should be
};

/// Also from a file compressed with gzip. Throws unusable_file: it cannot be read, is not JSON, of
/// another program or of a newer format.
measurements read_measurements(const std::filesystem::path& file);

/// The same from a file's content; `file` is only named. Throws unusable_file.
measurements measurements_in(const nlohmann::json& content, const std::filesystem::path& file);

}  // namespace bench_transfers::advice
