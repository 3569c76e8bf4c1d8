/* Loaded into a program, this counts the calls by which it changes files or speaks to a database, and ends the program by SIGKILL
 * before the call of the number REHEARSE_KILL_AT. At its own end the program writes the number of its calls to REHEARSE_STEPS. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long steps;
static long last;
static const char *report;

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("REHEARSE_KILL_AT");
    last = at ? atol(at) : 0;
    report = getenv("REHEARSE_STEPS");
    /* Programs that this one starts are not counted. */
    unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void) {
    FILE *file = report ? fopen(report, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", atomic_load(&steps));
        fclose(file);
    }
}

static void step(void) {
    if (atomic_fetch_add(&steps, 1) + 1 == last) {
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
}

#define COUNTED(result, name, parameters, arguments)                                    \
    result name parameters {                                                            \
        static result(*next) parameters;                                                \
        if (!next) next = (result(*) parameters)dlsym(RTLD_NEXT, #name);                \
        step();                                                                         \
        return next arguments;                                                          \
    }

COUNTED(int, fsync, (int file), (file))
COUNTED(int, fdatasync, (int file), (file))
COUNTED(int, rename, (const char *from, const char *to), (from, to))
COUNTED(int, unlink, (const char *path), (path))
COUNTED(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
COUNTED(int, rmdir, (const char *path), (path))
COUNTED(int, mkdir, (const char *path, mode_t mode), (path, mode))
COUNTED(int, ftruncate64, (int file, off64_t size), (file, size))
COUNTED(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count))
COUNTED(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t at), (file, bytes, count, at))
COUNTED(ssize_t, send, (int socket, const void *bytes, size_t count, int flags), (socket, bytes, count, flags))
