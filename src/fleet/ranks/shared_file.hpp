#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench_transfers::fleet {

/// Processes of this computer cannot share memory; what() is one line.
class cannot_share : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file in memory that processes of one user share. Each process takes a place in it, which is
/// free again when it ends, however it ends: the kernel keeps the locks, so neither a file that is
/// left behind nor a process number that is used again misleads anybody.
class shared_file {
 public:
  /// Opens or makes the file and takes a place, if no other process has it. Where nobody has one,
  /// the file is new, whatever is left in it: it is filled with zeros, and `prepare` is called
  /// before anybody else sees it. Throws cannot_share.
  shared_file(std::filesystem::path file, std::size_t bytes, std::size_t place,
              const std::function<void(void*)>& prepare);
  /// The last process removes the file.
  ~shared_file();
  shared_file(const shared_file&) = delete;
  shared_file& operator=(const shared_file&) = delete;

  [[nodiscard]] bool has_place() const noexcept { return has_place_; }
  [[nodiscard]] void* data() const noexcept { return data_; }

  /// Who opens a file of this name from now on gets a new one.
  void abandon();
  [[nodiscard]] bool is_abandoned() const noexcept;

  /// Whether another process has this place.
  [[nodiscard]] bool is_taken(std::size_t place) const noexcept;

 private:
  class making;

  void open_file();
  void map(std::size_t bytes);
  void close_file() noexcept;

  std::filesystem::path file_;
  int descriptor_ = -1;
  bool has_place_ = false;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Where the folder of shared files may be, best first. XDG_RUNTIME_DIR and TMPDIR count if they
/// are absolute.
std::vector<std::filesystem::path> parents_of_shared_files();

/// Where such files belong: the user's own folder in /dev/shm, or in one for temporary files where
/// another user has taken its name. The same for all processes of the user. Throws cannot_share.
std::filesystem::path folder_of_shared_files();
std::filesystem::path folder_of_shared_files(const std::vector<std::filesystem::path>& parents);

/// Removes the files in a folder whose names begin so and that no process has a place in.
void remove_abandoned(const std::filesystem::path& folder, const std::string& front) noexcept;

}  // namespace bench_transfers::fleet
