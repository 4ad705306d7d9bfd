// A kernel that refuses a call about NUMA nodes, as containers do, or places pages elsewhere, for
// LD_PRELOAD. REFUSED_CALL: "mbind" or "move_pages", or "none" with PAGES_ELSEWHERE, the number of
// pages that are said to lie on node 5.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static int is_refused(const char* call) {
  const char* refused = getenv("REFUSED_CALL");
  return refused && strcmp(refused, call) == 0;
}

long syscall(long number, ...) {
  static long (*real)(long, ...);
  if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (int i = 0; i < 6; ++i) a[i] = va_arg(rest, long);
  va_end(rest);
  if ((number == SYS_mbind && is_refused("mbind")) ||
      (number == SYS_move_pages && is_refused("move_pages"))) {
    errno = EPERM;
    return -1;
  }
  const long result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const char* elsewhere = getenv("PAGES_ELSEWHERE");
  // One page alone is the one that the program tries first.
  if (number == SYS_move_pages && result == 0 && elsewhere && a[1] > 1)
    for (long i = 0; i < a[1] && i < atol(elsewhere); ++i) ((int*)a[4])[i] = 5;
  return result;
}
