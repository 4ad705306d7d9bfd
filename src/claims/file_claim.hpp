#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <vector>

namespace bench_transfers::claims {

/// While an instance exists, no other one of this file does, in whichever process, container or
/// node: an empty file FILE.lock beside it is locked (flock(2)), which the kernel undoes when the
/// process ends, however it ends. Not FILE itself: each write replaces it by a rename
/// (common::write_whole), which would leave the lock behind, and it need not be there before.
class file_claim {
 public:
  /// An empty path claims nothing, and where files cannot be locked, or FILE.lock cannot be made,
  /// nobody is told. Throws usage_error if another process writes the file.
  explicit file_claim(const std::filesystem::path& file);
  ~file_claim();
  file_claim(file_claim&& other) noexcept;
  file_claim(const file_claim&) = delete;
  file_claim& operator=(const file_claim&) = delete;

 private:
  std::filesystem::path lock_;
  int descriptor_ = -1;
};

/// Claims the outputs of a command, as long as the claims exist: it must not replace a file that a
/// run is writing. Throws usage_error as common::require_outputs() does, and if another process
/// writes one of them.
[[nodiscard]] std::vector<file_claim> claim_outputs(
    std::initializer_list<std::filesystem::path> outputs,
    std::span<const std::filesystem::path> inputs);

}  // namespace bench_transfers::claims
