#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "src/fleet/ranks/only_writer.hpp"

namespace bench_transfers::bench {

/// Tells other processes of the user on this computer that this one writes a file, as long as it
/// exists.
class file_claim {
 public:
  /// Where processes cannot share memory nobody is told. An empty path claims nothing.
  explicit file_claim(const std::filesystem::path& file);

  /// Throws usage_error if another process writes the file, or if nobody can tell.
  static file_claim of_alone(const std::filesystem::path& file);

  /// For result_file::writer.
  [[nodiscard]] std::optional<std::string> why_not_write() const;

 private:
  file_claim() = default;

  std::unique_ptr<fleet::only_writer> writer_;
};

}  // namespace bench_transfers::bench
