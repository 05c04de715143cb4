// Linux functions that Swift's C library module does not cover. No header of that module is included here: a type such
// as sigset_t would then belong to either module, depending on what else is imported.
#ifndef FOYER_CLINUX_H
#define FOYER_CLINUX_H

#include <linux/keyctl.h>
#include <linux/stat.h>
#include <stddef.h>
#include <stdint.h>

// The kernel key service, without functions in glibc: add_key(2) and keyctl(2). They return the key's number or the
// result, or the negative errno.
int32_t foyer_add_key(const char *description, const void *payload, size_t length, int32_t keyring);
int32_t foyer_keyctl(int operation, unsigned long second, unsigned long third, unsigned long fourth, unsigned long fifth);
int32_t foyer_search_key(int32_t keyring, const char *description);

// The file's attributes STATX_ATTR_… from statx(2), without following links; zero if unavailable.
uint64_t foyer_file_attributes(const char *path);

// Reserves space for a file of this size by fallocate(2), without changing its contents. Returns zero, or the errno.
int foyer_keep_room(int file, int64_t size);

// The program started with these posix_spawn_file_actions_t inherits no descriptors from `first` on, regardless of their
// flags.
int foyer_spawn_close_from(void *actions, int first);

// Readable after the wall clock was set or the machine woke, see timerfd_create(2); -1 if unavailable.
int foyer_open_clock_changes(void);

// Readable after a link, an address or a route changed, see rtnetlink(7); -1 if unavailable.
int foyer_open_network_changes(void);

#endif
