#include "src/claims/only_writer.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>

namespace bench_transfers::claims {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t writer = 0;
constexpr std::size_t onlooker = 1;
constexpr auto front_of_writers = "writes-";

/// What the writer says of itself: the lock that it has does not name it.
struct identity {
  std::atomic<std::int64_t> process;  ///< 0: it has not said it yet
  std::atomic<std::uint64_t> space;   ///< process numbers are those of this namespace; 0: not known
  /// Said by who passes it over. That the file is gone would not tell: it may be removed with
  /// /dev/shm when the user logs out (logind.conf(5), "RemoveIPC").
  std::atomic<std::uint64_t> is_passed_over;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "needed between processes");

std::uint64_t own_space() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

/// Of a process, by proc(5), "State"; none if there is no such process.
std::optional<char> state_of(pid_t process) {
  constexpr std::string_view key = "State:";
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(key)) continue;
    const auto state = line.find_first_not_of(" \t", key.size());
    return state == std::string::npos ? std::nullopt : std::optional(line[state]);
  }
  return std::nullopt;
}

/// What an earlier writer has said is not true of the next one.
std::function<void(void*)> forget_writer(std::size_t place) {
  return [place](void* data) {
    if (place != writer) return;
    auto& said = *static_cast<identity*>(data);
    said.process = 0;
    said.space = 0;
    said.is_passed_over = 0;
  };
}

std::unique_ptr<shared_file> place_of(const fs::path& file, fs::path folder, std::size_t place) {
  if (folder.empty()) folder = folder_of_shared_files();
  remove_abandoned(folder, front_of_writers);
  std::error_code error;
  // A relative name stays one as long as the file does not exist.
  const auto whole = fs::weakly_canonical(fs::absolute(file, error), error);
  const auto name = std::hash<std::string>()((error ? file : whole).string());
  return std::make_unique<shared_file>(
      folder / fmt::format("{}{:016x}", front_of_writers, name), sizeof(identity), place,
      [](void*) {}, forget_writer(place));
}

identity& identity_in(const shared_file& place) { return *static_cast<identity*>(place.data()); }

/// Of a place that somebody has taken.
std::optional<other_writer> running_writer(const shared_file& place) {
  const auto& said = identity_in(place);
  const auto space = own_space();
  const auto process = static_cast<pid_t>(said.process.load());
  const auto space_of_process = said.space.load();
  if (process == 0 || space == 0 || space_of_process == 0) return other_writer{};
  if (space_of_process != space) return other_writer{{}, true};
  const auto state = state_of(process);
  // Under a debugger ('t') it is stopped for moments. One that has ended has no place: another one
  // has it, and has not said so yet.
  constexpr char stopped = 'T', zombie = 'Z', dead = 'X';
  if (state == stopped) return std::nullopt;
  if (!state || state == zombie || state == dead) return other_writer{};
  return other_writer{process};
}

}  // namespace

only_writer::only_writer(const fs::path& file, const fs::path& folder) {
  for (;;) {
    place_ = place_of(file, folder, writer);
    if (place_->has_place()) {
      identity_in(*place_).space = own_space();
      identity_in(*place_).process = getpid();
      return;
    }
    // Should it end now, nobody can take its place before it is passed over.
    place_->abandon([&] {
      if (!place_->is_taken(writer)) return false;  // it has ended
      other_ = running_writer(*place_);
      if (!other_) identity_in(*place_).is_passed_over = 1;
      return !other_;
    });
    if (other_) return;
  }
}

bool only_writer::is_passed_over() const noexcept {
  return identity_in(*place_).is_passed_over != 0;
}

std::optional<other_writer> writer_of(const fs::path& file, const fs::path& folder) {
  const auto place = place_of(file, folder, onlooker);
  return place->is_taken(writer) ? running_writer(*place) : std::nullopt;
}

}  // namespace bench_transfers::claims
