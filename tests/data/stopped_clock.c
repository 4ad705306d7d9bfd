// A C library whose clock stops, for LD_PRELOAD. CLOCK_MONOTONIC stands still after so many readings
// (STOPPED_CLOCK_READINGS, 0 if not set), and the kernel's own clock goes on.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec* now) {
  static struct timespec last;
  static long readings;
  const long result = syscall(SYS_clock_gettime, clock, now);
  if (clock != CLOCK_MONOTONIC) return (int)result;
  const char* most = getenv("STOPPED_CLOCK_READINGS");
  if (readings++ <= (most ? atol(most) : 0))
    last = *now;
  else
    *now = last;
  return (int)result;
}
