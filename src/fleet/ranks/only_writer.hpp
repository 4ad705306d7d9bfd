#pragma once

#include <filesystem>

#include "src/fleet/ranks/shared_file.hpp"

namespace bench_transfers::fleet {

/// While an instance exists, no other process of the user on this computer gets one that writes the
/// same file. The kernel takes it back when a process ends, however it ends.
class only_writer {
 public:
  /// `folder`: where the processes meet; empty: folder_of_shared_files(). Throws cannot_share.
  explicit only_writer(const std::filesystem::path& file, const std::filesystem::path& folder = {});

  /// Whether another process writes the file.
  [[nodiscard]] bool is_too_late() const noexcept { return !place_.has_place(); }

 private:
  shared_file place_;
};

/// Whether some process writes the file.
bool is_being_written(const std::filesystem::path& file, const std::filesystem::path& folder = {});

}  // namespace bench_transfers::fleet
