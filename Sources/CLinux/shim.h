// What Swift's module of the C library leaves out of Linux.
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

// The kernel's key service, which glibc has no functions for: add_key(2) and keyctl(2). The number of the new key, or
// minus the system's error number.
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

// The attributes of a file by statx(2), STATX_ATTR_…, links not followed; zero where it is not there or they are not
// to be had.
static inline uint64_t foyer_file_attributes(const char *path) {
    struct statx info;
    memset(&info, 0, sizeof info);
    if (syscall(SYS_statx, -100 /* AT_FDCWD */, path, 0x100 /* AT_SYMLINK_NOFOLLOW */, 0u, &info) != 0) return 0;
    return info.stx_attributes & info.stx_attributes_mask;
}

// Keeps room for a file of a size by fallocate(2) and changes nothing that can be read. Zero, or the error number.
static inline int foyer_keep_room(int file, int64_t size) {
    return syscall(SYS_fallocate, file, 1 /* FALLOC_FL_KEEP_SIZE */, (off_t)0, (off_t)size) == 0 ? 0 : errno;
}

#if defined(__GLIBC__)
// glibc 2.34; declared here because its header shows it to GNU sources only.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

// The new program gets no descriptor of this number or a higher one, whoever opened it and with whatever flags.
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
