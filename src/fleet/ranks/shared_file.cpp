#include "src/fleet/ranks/shared_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "src/common/files.hpp"

namespace bench_transfers::fleet {
namespace {

namespace fs = std::filesystem;

// Byte 0 is locked while the file is made or removed, byte 1 + n by the process at place n. Locks
// of open file descriptions (fcntl(2)): those of processes would not tell threads of tests apart.
constexpr off_t making_byte = 0;
constexpr off_t first_place = 1;
constexpr off_t first_visitor = 1'000'000;  // those whose place another process has

struct flock lock_of(off_t start, off_t length) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;
  return lock;
}

bool try_lock(int descriptor, off_t byte) {
  auto lock = lock_of(byte, 1);
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

void unlock(int descriptor, off_t byte) {
  auto lock = lock_of(byte, 1);
  lock.l_type = F_UNLCK;
  fcntl(descriptor, F_OFD_SETLK, &lock);
}

/// Whether another open file has a lock there; length 0: up to the end.
bool is_locked(int descriptor, off_t start, off_t length) {
  auto lock = lock_of(start, length);
  return fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

cannot_share failure(const fs::path& file, int error) {
  return cannot_share(
      fmt::format("cannot share memory with other processes of this computer: {}: {}",
                  file.string(), std::generic_category().message(error)));
}

}  // namespace

/// The lock that makes and removes files.
class shared_file::making {
 public:
  explicit making(int descriptor) : descriptor_(descriptor) {}
  ~making() {
    if (locked_) unlock(descriptor_, making_byte);
  }
  making(const making&) = delete;
  making& operator=(const making&) = delete;

  /// Others hold it for microseconds, unless they are stopped.
  bool lock() {
    constexpr auto longest = std::chrono::seconds(10);
    const auto end = std::chrono::steady_clock::now() + longest;
    while (!try_lock(descriptor_, making_byte)) {
      if ((errno != EAGAIN && errno != EACCES) || std::chrono::steady_clock::now() > end)
        return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return locked_ = true;
  }

 private:
  int descriptor_;
  bool locked_ = false;
};

shared_file::shared_file(fs::path file, std::size_t bytes, std::size_t place,
                         const std::function<void(void*)>& prepare)
    : file_(std::move(file)), bytes_(bytes) {
  try {
    for (;;) {
      open_file();
      making makes(descriptor_);
      if (!makes.lock()) throw failure(file_, errno);
      if (!common::is_named(descriptor_, file_)) continue;  // removed meanwhile
      const bool is_new = !is_locked(descriptor_, first_place, 0);
      if (is_new && ftruncate(descriptor_, 0) != 0) throw failure(file_, errno);
      map(bytes);
      if (is_new) prepare(data_);
      has_place_ = try_lock(descriptor_, first_place + static_cast<off_t>(place));
      // The file stays as it is while somebody looks at it.
      for (auto byte = first_visitor; !has_place_ && !try_lock(descriptor_, byte);) ++byte;
      return;
    }
  } catch (...) {
    close_file();
    throw;
  }
}

shared_file::~shared_file() {
  {
    making makes(descriptor_);
    if (makes.lock() && common::is_named(descriptor_, file_) &&
        !is_locked(descriptor_, first_place, 0))
      unlink(file_.c_str());
  }
  close_file();
}

void shared_file::open_file() {
  close_file();
  descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (descriptor_ < 0) throw failure(file_, errno);
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) throw failure(file_, errno);
  // In a folder that everybody may write to.
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid()) throw failure(file_, EPERM);
}

void shared_file::map(std::size_t bytes) {
  if (const int error = posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes)); error != 0)
    throw failure(file_, error);
  auto* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (mapped == MAP_FAILED) throw failure(file_, errno);
  data_ = mapped;
}

void shared_file::close_file() noexcept {
  if (data_) munmap(data_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
  data_ = nullptr;
  descriptor_ = -1;
}

void shared_file::abandon() {
  making makes(descriptor_);
  if (makes.lock() && common::is_named(descriptor_, file_)) unlink(file_.c_str());
}

bool shared_file::is_abandoned() const noexcept { return !common::is_named(descriptor_, file_); }

bool shared_file::is_taken(std::size_t place) const noexcept {
  return is_locked(descriptor_, first_place + static_cast<off_t>(place), 1);
}

namespace {

/// Whether nobody else can make, exchange or remove files there.
bool is_own_folder(const fs::path& folder) {
  struct stat status {};
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

std::vector<fs::path> parents_of_shared_files() {
  std::vector<fs::path> parents{"/dev/shm"};
  for (const auto* const name : {"XDG_RUNTIME_DIR", "TMPDIR"})
    if (const char* const value = std::getenv(name); value && fs::path(value).is_absolute())
      parents.emplace_back(value);
  parents.emplace_back("/tmp");
  return parents;
}

fs::path folder_of_shared_files() { return folder_of_shared_files(parents_of_shared_files()); }

fs::path folder_of_shared_files(const std::vector<fs::path>& parents) {
  for (const auto& parent : parents) {
    auto folder = parent / fmt::format("bench_transfers-{}", geteuid());
    mkdir(folder.c_str(), S_IRWXU);
    if (is_own_folder(folder)) return folder;
  }
  std::vector<std::string> tried;
  for (const auto& parent : parents) tried.push_back(parent.string());
  throw cannot_share(
      fmt::format("cannot share memory with other processes of this computer: no folder "
                  "bench_transfers-{} in {} is this user's alone",
                  geteuid(), fmt::join(tried, ", ")));
}

void remove_abandoned(const fs::path& folder, const std::string& front) noexcept {
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const auto& file = entry->path();
    if (!file.filename().string().starts_with(front)) continue;
    const int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    if (try_lock(descriptor, making_byte) && !is_locked(descriptor, first_place, 0) &&
        common::is_named(descriptor, file))
      unlink(file.c_str());
    close(descriptor);
  }
}

}  // namespace bench_transfers::fleet
