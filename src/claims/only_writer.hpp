#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "src/claims/shared_file.hpp"

namespace bench_transfers::claims {

/// A process that writes a file, and is not stopped.
struct other_writer {
  /// None: not known, so nobody knows whether it is stopped: it counts as one that runs.
  std::optional<pid_t> process;
  /// Which shares the folder. Its process numbers are others.
  bool is_of_another_container = false;
};

/// While an instance exists, no other process of the user on this computer gets one that writes the
/// same file. The kernel takes it back when a process ends, however it ends. A process that is
/// stopped is passed over: an earlier run may have left it. Should it go on, is_passed_over() tells
/// it.
class only_writer {
 public:
  /// `folder`: where the processes meet; empty: folder_of_shared_files(). Throws cannot_share.
  explicit only_writer(const std::filesystem::path& file, const std::filesystem::path& folder = {});

  /// Who writes the file instead of this process.
  [[nodiscard]] const std::optional<other_writer>& other() const noexcept { return other_; }

  /// Whether another process writes the file since this one was stopped. May be called by any
  /// thread.
  [[nodiscard]] bool is_passed_over() const noexcept;

 private:
  std::unique_ptr<shared_file> place_;
  std::optional<other_writer> other_;
};

/// Who writes a file, unless it is stopped. Throws cannot_share.
std::optional<other_writer> writer_of(const std::filesystem::path& file,
                                      const std::filesystem::path& folder = {});

}  // namespace bench_transfers::claims
