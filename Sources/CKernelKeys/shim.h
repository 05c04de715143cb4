// The kernel's key service, which glibc has no functions for: add_key(2) and keyctl(2) through syscall(2), which Swift cannot call.
#ifndef FOYER_CKERNELKEYS_H
#define FOYER_CKERNELKEYS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__linux__)
#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// The number of the new key, or minus the system's error number.
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
#else
static inline int32_t foyer_add_key(const char *description, const void *payload, size_t length, int32_t keyring) { return -ENOSYS; }
static inline int32_t foyer_keyctl(int operation, unsigned long second, unsigned long third, unsigned long fourth, unsigned long fifth) {
    return -ENOSYS;
}
static inline int32_t foyer_search_key(int32_t keyring, const char *description) { return -ENOSYS; }
#endif

#endif
