#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace bench_transfers::result_file {
struct contents;
}  // namespace bench_transfers::result_file

namespace bench_transfers::advice {

/// Where measurements come from. A text is empty if the file does not say.
struct origin {
  std::filesystem::path file;
  std::string device;   ///< "NVIDIA H200"
  std::string cpu;      ///< model
  std::string started;  ///< UTC, "2026-11-20T13:22:53Z"
  std::string commit;   ///< of the program that measured
  bool has_gpu = true;
  bool complete = true;
  std::size_t parts = 1;      ///< in which the run was measured
  int processes = 1;          ///< that have measured it; of one, intervals hold within it alone
  bool confidential = false;  ///< the device encrypts each byte on its way
  /// That the process could have, of the host and of the device; empty: not known.
  std::optional<double> host_bytes = {}, device_bytes = {};
};

/// `device`: its index in the file.
origin origin_of(const result_file::contents& content, const std::filesystem::path& file,
                 std::size_t device);

/// The index of the device with this id; an empty id stands for the first. Throws
/// result_file::unusable_file if the file has no such device.
std::size_t index_of_device(const result_file::contents& content, const std::filesystem::path& file,
                            const std::string& id);

}  // namespace bench_transfers::advice
