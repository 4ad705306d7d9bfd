#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "bench/verification/pattern.hpp"
#include "transfers/fast/file_copy.hpp"

namespace bench_transfers::bench {

/// The beginning of a file, mapped into memory to be read.
class file_mapping {
 public:
  /// Throws std::system_error.
  file_mapping(const transfers::input_file& file, std::size_t bytes);
  ~file_mapping();
  file_mapping(const file_mapping&) = delete;
  file_mapping& operator=(const file_mapping&) = delete;

  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }
  /// How many of its pages are in the page cache (mincore(2)). Throws std::system_error.
  [[nodiscard]] std::size_t resident_pages() const;

 private:
  std::byte* data_;
  std::size_t bytes_;
};

/// A temporary file that holds the run's test pattern. It has lost its name, so it vanishes with
/// this object or the process. Not thread-safe.
class pattern_file {
 public:
  /// An empty file in the folder. Throws transfers::unsupported with one line if it cannot be made.
  pattern_file(const std::filesystem::path& folder, pattern content);

  /// Makes the file at least so long, and returns when it is on the disk. Throws
  /// transfers::unsupported if there is no room; the file is then as before.
  void extend(std::size_t bytes);

  /// The file, read through the page cache.
  [[nodiscard]] const transfers::input_file& through_cache() const { return through_cache_; }
  /// The file, read as file_access::either. Throws transfers::unsupported with
  /// why_not_past_cache().
  [[nodiscard]] const transfers::input_file& in_cache_or_past_it() const;
  /// The file, read past the page cache. Throws transfers::unsupported with why_not_past_cache().
  [[nodiscard]] const transfers::input_file& past_cache() const;
  /// Why the file cannot be shown to be read past the page cache: the file system refuses it, or
  /// what is read enters the cache nevertheless. Of a file that is not empty.
  [[nodiscard]] std::optional<std::string> why_not_past_cache() const;

  /// Brings all pages of the first bytes into the page cache, or out of it (posix_fadvise(2),
  /// POSIX_FADV_DONTNEED). Throws transfers::unsupported if they cannot be shown to be there, or
  /// not to be (mincore(2)).
  void make_warm(std::size_t bytes) const;
  void make_cold(std::size_t bytes) const;

 private:
  /// An open file whose name is still there.
  struct named_file;
  pattern_file(const std::filesystem::path& folder, pattern content, named_file&& file);

  void write_from(std::size_t first, std::size_t end) const;
  void require_known_residency() const;

  std::filesystem::path folder_;
  pattern content_;
  transfers::detail::descriptor output_;
  transfers::input_file through_cache_;
  transfers::input_file in_cache_or_past_it_;
  std::optional<transfers::input_file> past_cache_;
  std::string why_no_direct_access_;
  bool residency_is_known_;
  std::size_t bytes_ = 0;
};

/// The folder of temporary files: TMPDIR, or /tmp. Throws transfers::unsupported if it is none.
std::filesystem::path folder_of_temporary_files();

}  // namespace bench_transfers::bench
