#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <type_traits>
#include <utility>

#include "transfers/core/context.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/device_view.hpp"
#include "transfers/core/workers.hpp"

namespace transfers {

/// How a file is read.
enum class file_access {
  cached,  ///< through the page cache (pread(2)), which keeps what it has read
  direct,  ///< past the page cache, where the file system honours O_DIRECT of open(2)
  /// Through the page cache what is there, and past it what is not; all of it through the page
  /// cache without direct access, and where mincore(2) does not tell: of files that the process
  /// neither owns nor may write.
  either,
};

namespace detail {

/// Owns a file descriptor.
class descriptor {
 public:
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor();

  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;  ///< -1: none
};

}  // namespace detail

/// A file that is open for reading: a regular file or a block device. Movable, not copyable.
/// Threads may share it.
class input_file {
 public:
  /// Throws std::system_error with the path (it does not exist, may not be read, is a directory),
  /// invalid_argument for other files than those above, unsupported if the file system refuses
  /// direct access.
  explicit input_file(const std::filesystem::path& path, file_access access = file_access::cached);

  /// Its name, as it was opened.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// How it is read.
  [[nodiscard]] file_access access() const noexcept { return access_; }
  /// What the offset, the address and the length of a read must be multiples of, in bytes:
  /// STATX_DIOALIGN of statx(2), at least 4096, for direct access; 1 if there is none.
  [[nodiscard]] std::size_t alignment() const noexcept { return alignment_; }
  /// Its length in bytes now. Throws std::system_error.
  [[nodiscard]] std::uint64_t size() const;
  /// Its descriptor, which it keeps; for file_access::either that of the page cache.
  [[nodiscard]] int native_handle() const noexcept { return descriptor_.number(); }

  /// Reads as pread(2) does, or as the access says; `memory`, `bytes` and `offset` are aligned.
  /// Returns -1 and sets errno if that fails.
  [[nodiscard]] std::ptrdiff_t read(std::byte* memory, std::size_t bytes,
                                    std::uint64_t offset) const noexcept;

 private:
  std::filesystem::path path_;
  file_access access_;
  detail::descriptor descriptor_;
  detail::descriptor past_cache_{-1};  ///< for file_access::either
  std::size_t alignment_ = 1;
};

/// How a file_copier reads.
struct file_reading {
  unsigned threads = std::min(12U, usable_processors());  ///< the caller's included
  unsigned chunks = 16;                                   ///< under way at a time
  std::size_t largest_chunk = std::size_t{4} << 20;       ///< bytes; a multiple of 4 KiB
};

/// Copies from files to the device: threads read into a page-locked chunk together while the copy
/// engines move others, so that no byte is copied in host memory but by the read itself. The
/// threads sleep between copies.
class file_copier {
 public:
  /// Allocates chunks · largest_chunk bytes of page-locked memory. Throws
  /// invalid_argument for settings of zero, out_of_memory, device_error, std::system_error.
  explicit file_copier(device& device, const file_reading& settings = {});
  ~file_copier();
  file_copier(const file_copier&) = delete;
  file_copier& operator=(const file_copier&) = delete;

  /// Copies `bytes` bytes of the file, from `offset` on, to a device address. Returns when they
  /// have arrived. Does not wait for work on streams. Calls from several threads take turns. Throws
  /// out_of_range for a range that is not inside the file, or if the file becomes shorter
  /// meanwhile; std::system_error with the path if it cannot be read; unsupported if the file
  /// system refuses a direct read, or one that fits into the chunks; device_error. By then all
  /// threads have stopped and no copy is under way; the destination's content is undefined.
  void copy(std::byte* dst, std::size_t bytes, const input_file& file, std::uint64_t offset = 0);

  /// The same for all elements of device memory (device_view, device_buffer, gpu_array), in the
  /// representation that they have in memory. Throws invalid_argument for an array of another
  /// device.
  template <device_elements D>
  void copy(D&& dst, const input_file& file, std::uint64_t offset = 0) {
    const auto view = dst.view();
    static_assert(!std::is_const_v<typename decltype(view)::element_type>,
                  "the destination of a copy must not be const");
    static_assert(detail::outlives_expression<D>,
                  "nobody gets what is copied to a temporary: it must outlive the copy");
    detail::check_owner(dst, identity());
    copy(as_bytes(view).data(), view.bytes(), file, offset);
  }
  /// The same from the file of this name, which is opened for this copy. Throws what the
  /// constructor of input_file throws as well.
  template <device_elements D>
  void copy(D&& dst, const std::filesystem::path& path, std::uint64_t offset = 0,
            file_access access = file_access::cached) {
    copy(std::forward<D>(dst), input_file(path, access), offset);
  }

  /// The settings it was made with.
  [[nodiscard]] const file_reading& settings() const noexcept;

 private:
  [[nodiscard]] detail::device_identity identity() const noexcept;

  struct state;
  std::unique_ptr<state> state_;
};

/// The context's own copier, with the default settings; the first call creates it. Throws what the
/// constructor throws.
[[nodiscard]] file_copier& file_copies(const context& context);

/// Fills device memory (device_view, device_buffer, gpu_array) from a file, from `offset` bytes on,
/// through the page cache, with the context's own copier. Waits for earlier work of the context,
/// and returns when the data have arrived. Throws what file_copier throws.
template <device_elements D>
void copy_file(const context& context, const std::filesystem::path& path, std::uint64_t offset,
               D&& dst) {
  detail::check_owner(dst, context.device().identity());
  context.wait_for_owner(dst);
  context.synchronize();
  file_copies(context).copy(std::forward<D>(dst), path, offset);
}

}  // namespace transfers
