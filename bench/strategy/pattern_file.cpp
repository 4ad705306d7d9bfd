#include "bench/strategy/pattern_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "src/transfers/core/pages.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

namespace files = std::filesystem;
using transfers::file_access;
using transfers::input_file;
using transfers::page_bytes;

constexpr std::size_t page_of_file = 4096;  // also where the kernel's pages are larger

std::size_t whole_pages(std::size_t bytes, std::size_t page) { return (bytes + page - 1) / page; }

std::string system_text(int code) { return std::generic_category().message(code); }

[[noreturn]] void throw_system_error(const char* failed) {
  throw std::system_error(errno, std::generic_category(), failed);
}

/// Repeats what a signal has interrupted.
template <class Call>
auto uninterrupted(Call&& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Reads the beginning of a file, which brings it into the page cache.
void read_through(const input_file& file, std::size_t bytes) {
  std::vector<std::byte> piece(std::size_t{4} << 20);
  for (std::size_t first = 0; first < bytes;) {
    const auto count = uninterrupted([&] {
      return pread(file.native_handle(), piece.data(), std::min(piece.size(), bytes - first),
                   static_cast<off_t>(first));
    });
    if (count < 0) throw_system_error("cannot read the temporary file");
    if (count == 0) throw std::logic_error("the temporary file is shorter than its benchmark");
    first += static_cast<std::size_t>(count);
  }
}

/// Reads the first block of a file that is open for direct access.
void read_first_block(const input_file& file) {
  const auto block = file.alignment();
  std::vector<std::byte> memory(2 * block);
  auto* aligned = static_cast<void*>(memory.data());
  auto room = memory.size();
  std::align(block, block, aligned, room);
  if (uninterrupted([&] { return pread(file.native_handle(), aligned, block, 0); }) < 0)
    throw transfers::unsupported(
        fmt::format("the file cannot be read past the page cache: {}", system_text(errno)));
}

}  // namespace

file_mapping::file_mapping(const input_file& file, std::size_t bytes) : bytes_(bytes) {
  auto* const address =
      mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.native_handle(), 0);  // NOLINT
  if (address == MAP_FAILED) throw_system_error("cannot map the file");      // NOLINT
  data_ = static_cast<std::byte*>(address);
}

file_mapping::~file_mapping() { munmap(data_, bytes_); }

std::size_t file_mapping::resident_pages() const {
  std::vector<unsigned char> pages(whole_pages(bytes_, page_bytes()));
  if (mincore(data_, bytes_, pages.data()) != 0) throw_system_error("mincore");
  return static_cast<std::size_t>(
      std::ranges::count_if(pages, [](unsigned char page) { return (page & 1U) != 0; }));
}

struct pattern_file::named_file {
  std::string path;
  transfers::detail::descriptor output{-1};

  explicit named_file(const files::path& folder) : path(folder / "bench_transfers_XXXXXX") {
    output = transfers::detail::descriptor(mkostemp(path.data(), O_CLOEXEC));
    if (output.number() < 0)
      throw transfers::unsupported(
          fmt::format("no file can be made in '{}': {}", folder.string(), system_text(errno)));
  }
  named_file(const named_file&) = delete;
  named_file& operator=(const named_file&) = delete;
  ~named_file() { unlink(path.c_str()); }
};

pattern_file::pattern_file(const files::path& folder, pattern content)
    : pattern_file(folder, content, named_file(folder)) {}

pattern_file::pattern_file(const files::path& folder, pattern content, named_file&& file)
    : folder_(folder),
      content_(content),
      output_(std::move(file.output)),
      through_cache_(file.path),
      in_cache_or_past_it_(file.path, file_access::either) {
  try {
    past_cache_.emplace(file.path, file_access::direct);
  } catch (const transfers::unsupported& reason) {
    why_no_direct_access_ = reason.what();
  }
  // Nobody has read this hole. A system that calls it resident says so of every page.
  if (ftruncate(output_.number(), static_cast<off_t>(page_bytes())) != 0)
    throw_system_error("cannot change the length of the temporary file");
  residency_is_known_ = file_mapping(through_cache_, page_bytes()).resident_pages() == 0;
  if (ftruncate(output_.number(), 0) != 0)
    throw_system_error("cannot change the length of the temporary file");
}

void pattern_file::extend(std::size_t bytes) {
  const auto end = whole_pages(bytes, page_of_file) * page_of_file;
  if (end <= bytes_) return;
  const auto no_room = [&](const std::string& reason) {
    return transfers::unsupported(fmt::format("no room for a file of {} bytes in '{}' (TMPDIR): {}",
                                              end, folder_.string(), reason));
  };
  // A disk that others use, too, is not filled up to find out that it is too small.
  std::error_code unknown;
  const auto available = files::space(folder_, unknown).available;
  if (!unknown && available < end - bytes_) throw no_room(fmt::format("{} are free", available));
  try {
    write_from(bytes_, end);
  } catch (const std::system_error& failure) {
    static_cast<void>(ftruncate(output_.number(), static_cast<off_t>(bytes_)) == 0);
    throw no_room(failure.code().message());
  }
  bytes_ = end;
}

void pattern_file::write_from(std::size_t first, std::size_t end) const {
  constexpr std::size_t piece_bytes = std::size_t{4} << 20;
  std::vector<std::uint64_t> words(std::min(piece_bytes, end - first) / sizeof(std::uint64_t));
  while (first < end) {
    const auto bytes = std::min(piece_bytes, end - first);
    content_.words(first / sizeof words[0], std::span(words).first(bytes / sizeof words[0]));
    for (std::size_t written = 0; written < bytes;) {
      const auto count = uninterrupted([&] {
        return pwrite(output_.number(), reinterpret_cast<const char*>(words.data()) + written,
                      bytes - written, static_cast<off_t>(first + written));
      });
      if (count < 0) throw_system_error("cannot write");
      written += static_cast<std::size_t>(count);
    }
    first += bytes;
  }
  // Pages that are still to be written cannot be dropped, and would disturb what is timed.
  if (fdatasync(output_.number()) != 0) throw_system_error("cannot write");
}

const input_file& pattern_file::past_cache() const {
  if (const auto reason = why_not_past_cache()) throw transfers::unsupported(*reason);
  return *past_cache_;
}

const input_file& pattern_file::in_cache_or_past_it() const {
  if (const auto reason = why_not_past_cache()) throw transfers::unsupported(*reason);
  return in_cache_or_past_it_;
}

std::optional<std::string> pattern_file::why_not_past_cache() const {
  if (!past_cache_) return why_no_direct_access_;
  try {
    make_cold(page_of_file);
    read_first_block(*past_cache_);
  } catch (const transfers::unsupported& reason) {
    return reason.what();
  }
  if (file_mapping(through_cache_, page_of_file).resident_pages() == 0) return std::nullopt;
  return fmt::format("reads with O_DIRECT pass through the page cache in '{}' (TMPDIR)",
                     folder_.string());
}

void pattern_file::require_known_residency() const {
  if (!residency_is_known_)
    throw transfers::unsupported(
        fmt::format("this system does not tell which pages of a file in '{}' are in memory "
                    "(mincore): neither a warm nor a cold page cache can be shown",
                    folder_.string()));
}

void pattern_file::make_warm(std::size_t bytes) const {
  require_known_residency();
  const file_mapping pages(through_cache_, bytes);
  const auto all = whole_pages(bytes, page_bytes());
  if (pages.resident_pages() == all) return;
  read_through(through_cache_, bytes);
  if (const auto resident = pages.resident_pages(); resident < all)
    throw transfers::unsupported(
        fmt::format("the page cache holds only {} of the file's {} pages after it has been read",
                    resident, all));
}

void pattern_file::make_cold(std::size_t bytes) const {
  require_known_residency();
  const file_mapping pages(through_cache_, bytes);
  // Pages of the cache may be larger than the kernel's, and the last may begin within the range.
  constexpr std::size_t largest_page = std::size_t{4} << 20;
  constexpr int attempts = 3;  // a page that somebody looks at just then is not dropped
  std::size_t resident = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    static_cast<void>(posix_fadvise(through_cache_.native_handle(), 0,
                                    static_cast<off_t>(bytes + largest_page), POSIX_FADV_DONTNEED));
    resident = pages.resident_pages();
    if (resident == 0) return;
  }
  throw transfers::unsupported(fmt::format(
      "{} of the file's {} pages stay in the page cache though they are dropped: '{}' (TMPDIR) may "
      "be no disk",
      resident, whole_pages(bytes, page_bytes()), folder_.string()));
}

std::filesystem::path folder_of_temporary_files() {
  try {
    return files::temp_directory_path();
  } catch (const files::filesystem_error& failure) {
    throw transfers::unsupported(fmt::format("there is no folder for temporary files (TMPDIR): {}",
                                             failure.code().message()));
  }
}

}  // namespace bench_transfers::bench
