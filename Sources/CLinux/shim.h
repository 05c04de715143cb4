// Linux functions that Swift's C library module does not cover.
#ifndef FOYER_CLINUX_H
#define FOYER_CLINUX_H

#include <errno.h>
#include <linux/keyctl.h>
#include <linux/stat.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel key service, without functions in glibc: add_key(2) and keyctl(2). Returns the new key's number, or the
// negative errno.
static inline int32_t foyer_add_key(const char *description, const void *payload, size_t length, int32_t keyring) {
    long key = syscall(SYS_add_key, "user", description, payload, length, (long)keyring);
    return key < 0 ? -errno : (int32_t)key;
}

static inline int32_t foyer_keyctl(int operation, unsigned long second, unsigned long third, unsigned long fourth, unsigned long fifth) {
    long result = syscall(SYS_keyctl, (long)operation, second, third, fourth, fifth);
    return result < 0 ? -errno : (int32_t)result;
}

static inline int32_t foyer_search_key(int32_t keyring, const char *description) {
    return foyer_keyctl(KEYCTL_SEARCH, (unsigned long)(long)keyring, (unsigned long)"user", (unsigned long)description, 0);
}

// The file's attributes STATX_ATTR_… from statx(2), without following links; zero if unavailable.
static inline uint64_t foyer_file_attributes(const char *path) {
    struct statx info;
    memset(&info, 0, sizeof info);
    if (syscall(SYS_statx, -100 /* AT_FDCWD */, path, 0x100 /* AT_SYMLINK_NOFOLLOW */, 0u, &info) != 0) return 0;
    return info.stx_attributes & info.stx_attributes_mask;
}

// Reserves space for a file of this size by fallocate(2), without changing its contents. Returns zero, or the errno.
static inline int foyer_keep_room(int file, int64_t size) {
    return syscall(SYS_fallocate, file, 1 /* FALLOC_FL_KEEP_SIZE */, (off_t)0, (off_t)size) == 0 ? 0 : errno;
}

#if defined(__GLIBC__)
// Since glibc 2.34; declared here because the header hides it without _GNU_SOURCE.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

// The new program inherits no descriptors from `first` on, regardless of their flags.
static inline int foyer_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
#else
#include <fcntl.h>

static inline int foyer_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    for (int file = first; file < 1024; file++) {
        int flags = fcntl(file, F_GETFD);
        if (flags >= 0) fcntl(file, F_SETFD, flags | FD_CLOEXEC);
    }
    return 0;
}
#endif

#endif
