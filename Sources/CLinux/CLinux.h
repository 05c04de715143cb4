// Linux functions that Swift's C library module does not cover. No header of that module is included here: a type such
// as sigset_t would then belong to either module, depending on what else is imported.
#ifndef FOYER_CLINUX_H
#define FOYER_CLINUX_H

#include <linux/keyctl.h>
#include <linux/stat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The kernel key service, without functions in glibc: add_key(2) and keyctl(2). They return the key's number or the
// result, or the negative errno.
int32_t foyer_add_key(const char *description, const void *payload, size_t length, int32_t keyring);
int32_t foyer_keyctl(int operation, unsigned long second, unsigned long third, unsigned long fourth, unsigned long fifth);
int32_t foyer_search_key(int32_t keyring, const char *description);

// The file's attributes STATX_ATTR_… from statx(2), without following links; zero if unavailable.
uint64_t foyer_file_attributes(const char *path);

// Whether the path is on a file system on which another host or a server may change files, of which inotify(7) reports
// nothing. False if unknown.
bool foyer_is_shared_file_system(const char *path);

// Reserves space for a file of this size by fallocate(2), without changing its contents. Returns zero, or the errno.
int foyer_keep_room(int file, int64_t size);

// An unnamed file in memory, closed at exec; -1 if unavailable.
int foyer_memory_file(void);

// The program started with these posix_spawn_file_actions_t inherits no descriptors from `first` on, regardless of their
// flags.
int foyer_spawn_close_from(void *actions, int first);

// Readable after the wall clock was set or the machine woke, see timerfd_create(2); -1 if unavailable.
int foyer_open_clock_changes(void);

// Readable after a link, an address or a route changed, see rtnetlink(7); -1 if unavailable.
int foyer_open_network_changes(void);

// Without a core file, and without a debugger of the same user; false if the system refuses.
bool foyer_deny_dumps(void);

// Memory that a thread frees is available to all threads. Call before the first thread is started.
void foyer_share_freed_memory(void);

// A caught signal becomes a byte in the pipe. A stop signal to its own group does not: the process has sent it.
bool foyer_pipe(int *read_end, int *write_end);
bool foyer_catch_signal(int number, int pipe);
bool foyer_is_ignored(int number);
void foyer_release_signal(int number);
void foyer_block_all_signals(void);

// The bytes that wait to be read; -1 on failure.
int foyer_pending_input(int file);

// Whether keyboard and screen belong to this process. A descriptor that is not a terminal has no owner.
bool foyer_is_foreground(void);

// Stops like the terminal driver: the whole group, then this process.
void foyer_stop_group(void);

// Ends the process by a signal, so the parent sees the cause.
void foyer_die_of(int number);

// Restores a terminal that is not being read, where all output would block; further output goes to /dev/null. Call
// outside of signal handlers, on a thread that blocks all signals.
void foyer_abandon_terminal(void);

// Restores the terminal after a crash or an unexpected exit, while armed: its modes as remembered, and the text.
bool foyer_guard_remember(void);
void foyer_guard_begin_reset(void);
void foyer_guard_append(const char *text);
void foyer_guard_arm(bool armed);

// From now on, signals do not end this process; those from other processes are forwarded to the command, until the end.
void foyer_relay_signals(void);
void foyer_relay_to(int32_t child);
void foyer_relay_end(void);

#endif
