#include "bench/harness/cpu_meter.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <system_error>

namespace bench_transfers::bench {
namespace {

std::chrono::nanoseconds read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);  // leaves 0 if the thread has ended
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// The clock that pthread_getcpuclockid(3) returns, for threads that another library has created:
/// Linux computes its number from the thread's (include/linux/posix-timers.h).
clockid_t cpu_clock_of(pid_t thread) {
  constexpr unsigned of_thread = 4;
  constexpr unsigned by_scheduler = 2;
  return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3U | of_thread | by_scheduler);
}

}  // namespace

cpu_meter::cpu_meter() {
  const auto own = static_cast<pid_t>(syscall(SYS_gettid));  // gettid() is of glibc 2.30
  std::error_code error;  // without /proc, the kernel's ticks must do
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const auto thread = static_cast<pid_t>(std::stol(entry.path().filename().string()));
    if (thread != own) others_.push_back(thread);
  }
}

void cpu_meter::update_other_threads() const {
  for (const auto thread : others_) static_cast<void>(read(cpu_clock_of(thread)));
}

void cpu_meter::start() {
  update_other_threads();
  cpu_started_ = read(CLOCK_PROCESS_CPUTIME_ID);
  wall_started_ = wall_clock::now();
}

void cpu_meter::stop() {
  wall_ += wall_clock::now() - wall_started_;
  // The time that this function takes is not part of the span.
  const auto before = read(CLOCK_THREAD_CPUTIME_ID);
  update_other_threads();
  const auto process = read(CLOCK_PROCESS_CPUTIME_ID);
  cpu_ += process - cpu_started_ - (read(CLOCK_THREAD_CPUTIME_ID) - before);
}

std::optional<double> cpu_meter::cores() const {
  if (wall_.count() == 0) return std::nullopt;
  return static_cast<double>(cpu_.count()) / static_cast<double>(wall_.count());
}

}  // namespace bench_transfers::bench
