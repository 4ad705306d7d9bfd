#include "src/claims/file_claim.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "src/common/files.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/common/writing.hpp"

namespace bench_transfers::claims {
namespace {

namespace fs = std::filesystem;

/// Whether it is a lock: a file of somebody else that has this name stays.
bool is_lock(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(file, error)) && fs::file_size(file, error) == 0;
}

}  // namespace

file_claim::file_claim(const fs::path& file) {
  if (file.empty()) return;
  lock_ = common::whole_name(file);
  lock_ += ".lock";
  for (;;) {
    constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    constexpr mode_t for_all = 0666;  // but for whom the umask leaves out
    descriptor_ = open(lock_.c_str(), flags, for_all);
    if (descriptor_ < 0) return;
    const bool is_locked = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    const bool is_taken = !is_locked && errno == EWOULDBLOCK;
    if (is_locked && common::is_named(descriptor_, lock_)) return;
    close(std::exchange(descriptor_, -1));
    if (is_taken)
      throw common::usage_error(
          fmt::format("another process writes {}", common::printable(file.string())));
    if (!is_locked) return;
    // Who had it has removed it meanwhile.
  }
}

file_claim::~file_claim() {
  if (descriptor_ < 0) return;
  if (common::is_named(descriptor_, lock_) && is_lock(lock_)) unlink(lock_.c_str());
  close(descriptor_);
}

file_claim::file_claim(file_claim&& other) noexcept
    : lock_(std::move(other.lock_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

std::vector<file_claim> claim_outputs(std::initializer_list<fs::path> outputs,
                                      std::span<const fs::path> inputs) {
  common::require_outputs(outputs, inputs);
  std::vector<file_claim> claims;
  for (const auto& output : outputs)
    if (!common::is_standard_output(output)) claims.emplace_back(output);
  return claims;
}

}  // namespace bench_transfers::claims
