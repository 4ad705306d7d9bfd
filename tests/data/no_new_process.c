/* As in a root folder without /proc, where a program cannot start itself again. */
#include <errno.h>
#include <spawn.h>

int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const arguments[], char* const variables[]) {
  (void)process, (void)path, (void)actions, (void)attributes, (void)arguments, (void)variables;
  return ENOENT;
}
