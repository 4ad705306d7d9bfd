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
  /// Where processes cannot share memory nobody is told. An empty path claims nothing. Throws
  /// usage_error if another process writes the file.
  explicit file_claim(const std::filesystem::path& file);

  /// Also throws usage_error if nobody can tell whether another process writes the file.
  static file_claim of_alone(const std::filesystem::path& file);

  /// For result_file::writer.
  [[nodiscard]] std::optional<std::string> why_not_write() const;

 private:
  explicit file_claim(std::unique_ptr<fleet::only_writer> writer);

  std::unique_ptr<fleet::only_writer> writer_;
};

}  // namespace bench_transfers::bench
