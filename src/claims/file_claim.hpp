#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/claims/only_writer.hpp"

namespace bench_transfers::claims {

/// Tells other processes of the user on this computer that this one writes a file, as long as it
/// exists.
class file_claim {
 public:
  /// Where processes cannot share memory nobody is told. An empty path claims nothing. Throws
  /// usage_error if another process writes the file.
  explicit file_claim(const std::filesystem::path& file);

  /// Also throws usage_error if nobody can tell whether another process writes the file.
  static file_claim of_alone(const std::filesystem::path& file);

  /// For result_file::writer.
  [[nodiscard]] std::optional<std::string> why_not_write() const;

 private:
  explicit file_claim(std::unique_ptr<only_writer> writer);

  std::unique_ptr<only_writer> writer_;
};

/// Claims the outputs of a command, as long as the claims exist: it must not replace a file that a
/// run is writing. Throws usage_error as common::require_outputs() does, and if another process
/// writes one of them.
[[nodiscard]] std::vector<file_claim> claim_outputs(
    std::initializer_list<std::filesystem::path> outputs,
    std::span<const std::filesystem::path> inputs);

}  // namespace bench_transfers::claims
