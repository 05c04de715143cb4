// The one part of posix_spawn(3) that the headers hide from Swift: which descriptors a new program does not get.
#ifndef FOYER_CSPAWN_H
#define FOYER_CSPAWN_H

#include <fcntl.h>
#include <spawn.h>

#if defined(__GLIBC__)
// glibc 2.34; declared here because its header shows it to GNU sources only.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

// The new program gets no descriptor of this number or a higher one, whoever opened it and with whatever flags.
static inline int foyer_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
#else
static inline int foyer_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    for (int file = first; file < 1024; file++) {
        int flags = fcntl(file, F_GETFD);
        if (flags >= 0) fcntl(file, F_SETFD, flags | FD_CLOEXEC);
    }
    return 0;
}
#endif

#endif
