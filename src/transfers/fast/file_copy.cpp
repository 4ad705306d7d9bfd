#include "transfers/fast/file_copy.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "src/transfers/core/pages.hpp"
#include "src/transfers/fast/file_chunks.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

constexpr std::size_t file_page = 4096;

[[noreturn]] void throw_file_error(int code, const char* failed,
                                   const std::filesystem::path& path) {
  throw std::system_error(code, std::generic_category(),
                          std::string(failed) + " '" + path.string() + "'");
}

[[noreturn]] void refuse_direct_access(const std::filesystem::path& path) {
  throw unsupported("the file system of '" + path.string() +
                    "' has no access past the page cache (O_DIRECT)");
}

detail::descriptor open_to_read(const std::filesystem::path& path, file_access access) {
  // O_NONBLOCK: a pipe without a writer is refused below rather than waited for.
  int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  if (access == file_access::direct) flags |= O_DIRECT;
  int number = open(path.c_str(), flags);
  // A lease that another process has to give up first; only regular files have them.
  if (number < 0 && errno == EWOULDBLOCK) number = open(path.c_str(), flags & ~O_NONBLOCK);
  if (number >= 0) return detail::descriptor(number);
  if (errno == EINVAL && access == file_access::direct) refuse_direct_access(path);
  throw_file_error(errno, "cannot open", path);
}

struct stat status_of(int number, const std::filesystem::path& path) {
  struct stat status {};
  if (fstat(number, &status) != 0) throw_file_error(errno, "cannot look at", path);
  return status;
}

bool are_one_file(int one, int other, const std::filesystem::path& path) {
  const auto first = status_of(one, path);
  const auto second = status_of(other, path);
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

void require_readable_kind(int number, const std::filesystem::path& path) {
  const auto mode = status_of(number, path).st_mode;
  if (S_ISDIR(mode)) throw_file_error(EISDIR, "cannot read", path);
  if (!S_ISREG(mode) && !S_ISBLK(mode))
    throw invalid_argument("'" + path.string() + "' is neither a regular file nor a block device");
}

/// Undoes O_NONBLOCK, which means nothing for such files, but cuFile takes none that have it.
void wait_for_data(int number, const std::filesystem::path& path) {
  const int flags = fcntl(number, F_GETFL);
  if (flags < 0 || fcntl(number, F_SETFL, flags & ~O_NONBLOCK) != 0)
    throw_file_error(errno, "cannot set the mode of", path);
}

/// Whole pages unless more is needed: the page is the least that memory is locked by.
std::size_t alignment_of(int number, const std::filesystem::path& path) {
#ifdef STATX_DIOALIGN
  struct statx status {};
  if (statx(number, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0 &&
      (status.stx_mask & STATX_DIOALIGN) != 0) {
    if (status.stx_dio_offset_align == 0) refuse_direct_access(path);
    return std::max({file_page, std::size_t{status.stx_dio_offset_align},
                     std::size_t{status.stx_dio_mem_align}});
  }
#else
  static_cast<void>(number);
  static_cast<void>(path);
#endif
  return file_page;
}

/// The beginning of a range whose blocks are all in the page cache, or all not.
struct run_of_blocks {
  bool in_cache;
  std::size_t bytes;
};

/// The range begins at a block. What the system does not tell of is said to be in the cache.
run_of_blocks first_run(int number, off_t first, std::size_t bytes, std::size_t block) noexcept {
  const auto page = page_bytes();
  std::array<unsigned char, 4096> pages{};
  const auto looked_at = std::min(bytes, pages.size() * page);
  auto* const mapped = mmap(nullptr, looked_at, PROT_READ, MAP_SHARED, number, first);  // NOLINT
  if (mapped == MAP_FAILED) return {true, bytes};                                       // NOLINT
  const bool is_told = mincore(mapped, looked_at, pages.data()) == 0;
  munmap(mapped, looked_at);
  if (!is_told) return {true, bytes};
  const auto is_in_cache = [&](std::size_t offset) {
    const auto* const begin = pages.data() + offset / page;
    const auto count = (std::min(block, looked_at - offset) + page - 1) / page;
    return std::all_of(begin, begin + count, [](unsigned char state) { return state & 1U; });
  };
  const bool in_cache = is_in_cache(0);
  std::size_t end = block;
  while (end < looked_at && is_in_cache(end) == in_cache) end += block;
  return {in_cache, std::min(end, bytes)};
}

detail::chunk_ring::shape shape_of(const file_reading& settings) {
  if (settings.threads == 0 || settings.chunks == 0)
    throw invalid_argument("a file_copier needs a thread and a chunk");
  if (settings.largest_chunk == 0 || settings.largest_chunk % file_page != 0)
    throw invalid_argument("the largest chunk must have a multiple of 4096 bytes");
  return {.threads = settings.threads,
          .chunks = settings.chunks,
          .chunk_bytes = settings.largest_chunk};
}

}  // namespace

detail::descriptor::~descriptor() {
  if (number_ >= 0) close(number_);
}

input_file::input_file(const std::filesystem::path& path, file_access access)
    : path_(path), access_(access), descriptor_(open_to_read(path, access)) {
  require_readable_kind(native_handle(), path);
  wait_for_data(native_handle(), path);
  if (access == file_access::direct) alignment_ = alignment_of(native_handle(), path);
  if (access != file_access::either) return;
  try {
    auto past_cache = open_to_read(path, file_access::direct);
    // Another file may have got this name meanwhile.
    if (!are_one_file(native_handle(), past_cache.number(), path)) return;
    alignment_ = std::max(alignment_of(past_cache.number(), path), page_bytes());
    past_cache_ = std::move(past_cache);
  } catch (const unsupported&) {  // all of it comes through the page cache
  }
}

std::ptrdiff_t input_file::read(std::byte* memory, std::size_t bytes,
                                std::uint64_t offset) const noexcept {
  const auto first = static_cast<off_t>(offset);
  if (past_cache_.number() < 0) return pread(native_handle(), memory, bytes, first);
  const auto run = first_run(native_handle(), first, bytes, alignment_);
  if (run.in_cache) return pread(native_handle(), memory, run.bytes, first);
  const auto direct = pread(past_cache_.number(), memory, run.bytes, first);
  return direct < 0 && errno == EINVAL ? pread(native_handle(), memory, run.bytes, first) : direct;
}

std::uint64_t input_file::size() const {
  const auto status = status_of(native_handle(), path_);
  if (!S_ISBLK(status.st_mode)) return static_cast<std::uint64_t>(status.st_size);
  const auto end = lseek(native_handle(), 0, SEEK_END);  // reads have offsets of their own
  if (end < 0) throw_file_error(errno, "cannot find the end of", path_);
  return static_cast<std::uint64_t>(end);
}

struct file_copier::state {
  std::shared_ptr<transfers::device> device;
  file_reading settings;
  detail::chunk_ring ring;

  state(transfers::device& used, const file_reading& reading)
      : device(detail::kept(used)), settings(reading), ring(used, shape_of(reading)) {}
};

file_copier::file_copier(device& device, const file_reading& settings)
    : state_(std::make_unique<state>(device, settings)) {}

file_copier::~file_copier() = default;

detail::device_identity file_copier::identity() const noexcept {
  return state_->device->identity();
}

const file_reading& file_copier::settings() const noexcept { return state_->settings; }

void file_copier::copy(std::byte* dst, std::size_t bytes, const input_file& file,
                       std::uint64_t offset) {
  const auto size = file.size();
  if (offset > size || bytes > size - offset)
    throw out_of_range(std::to_string(bytes) + " bytes from offset " + std::to_string(offset) +
                       " of '" + file.path().string() + "', which has " + std::to_string(size));
  const detail::file_reader reader{
      [&file](std::byte* memory, std::size_t count, std::uint64_t first) {
        return file.read(memory, count, first);
      },
      file.path().string(), file.alignment()};
  detail::copy_from_file(state_->ring, reader, dst, bytes, offset);
}

file_copier& file_copies(const context& context) {
  return context.slot<file_copier>(
      [&context] { return std::make_shared<file_copier>(context.device()); });
}

}  // namespace transfers
