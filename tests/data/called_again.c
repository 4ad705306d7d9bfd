// A C library, for LD_PRELOAD, with which the program CALLED_AGAIN runs once for each line of
// standard input: a folder and arguments, with tabs between them. The codes go to the file
// CALLED_AGAIN_CODES. After each run a copy of the process ends: a tool that counts tells its count.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*main_function)(int, char**, char**);
typedef int (*start_function)(main_function, int, char**, void (*)(void), void (*)(void),
                              void (*)(void), void*);

static main_function program;

static int again(int argc, char** argv, char** variables) {
  (void)argc;
  FILE* codes = fopen(getenv("CALLED_AGAIN_CODES"), "w");
  char* line = NULL;
  size_t room = 0;
  while (codes && getline(&line, &room, stdin) > 0) {
    char* arguments[1000] = {argv[0]};
    int count = 1;
    char* folder = strtok(line, "\t\n");
    while (count < 999 && (arguments[count] = strtok(NULL, "\t\n"))) ++count;
    if (chdir(folder) != 0) return 1;
    fprintf(codes, "%d\n", program(count, arguments, variables));
    fflush(codes);
    if (fork() == 0) _exit(0);
    wait(NULL);
  }
  return 0;
}

int __libc_start_main(main_function main, int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*end)(void), void* stack) {
  const char* name = getenv("CALLED_AGAIN");
  program = main;
  start_function start = (start_function)dlsym(RTLD_NEXT, "__libc_start_main");
  return start(name && !strcmp(name, argv[0]) ? again : main, argc, argv, init, fini, end, stack);
}
