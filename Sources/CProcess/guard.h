// What must work when nothing else does: signals, a crash, the end of the process. Handlers do only what POSIX calls
// async-signal-safe.
#ifndef FOYER_CNCURSES_GUARD_H
#define FOYER_CNCURSES_GUARD_H

#include <errno.h>
#include <fcntl.h>
#ifdef __linux__
#include <malloc.h>
#endif
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

// One variable for the whole program. A plain static in a header would be one for each object file that calls a function below, and
// the optimizer moves calls between files. The initial value is needed: without, Swift's importer leaves the variable out.
#define FOYER_SHARED __attribute__((weak, visibility("hidden")))

// --- No memory of this process leaves it by a core file or a debugger of the same user.

// The limit of core files is inherited by every program that is started from here, and nobody but root raises it again: it is lowered only
// where it is needed. A process that is not dumpable leaves no core file, whatever its limit.
static inline bool foyer_deny_dumps(void) {
    struct rlimit none = {0, 0};
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 || setrlimit(RLIMIT_CORE, &none) == 0;
}

// --- Memory that one thread gives back serves all others.

// glibc gives each thread a heap of its own: what a reading of a store has freed would not serve the next one, which
// runs on another thread. Before the first thread is started.
static inline void foyer_share_freed_memory(void) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
}

// --- Signals become bytes in a pipe.

FOYER_SHARED volatile int foyer_signal_pipe = -1;
FOYER_SHARED struct sigaction foyer_signal_before[65] = {{{0}}};

// How often the stop that this process sends to its whole group has come back to itself.
FOYER_SHARED volatile int foyer_own_stops = 0;

static void foyer_signal_arrived(int number, siginfo_t *info, void *context) {
    (void)context;
    if (number == SIGTSTP && info && info->si_code == SI_USER && info->si_pid == getpid()) {
        __atomic_fetch_add(&foyer_own_stops, 1, __ATOMIC_RELAXED);
        return;
    }
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    // The pipe does not block; when it is full, thousands of signals are waiting already.
    ssize_t ignored = write(foyer_signal_pipe, &byte, 1);
    (void)ignored;
    errno = saved;
}

static inline bool foyer_pipe(int *read_end, int *write_end) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    for (int index = 0; index < 2; index++) {
        fcntl(ends[index], F_SETFD, FD_CLOEXEC);
        fcntl(ends[index], F_SETFL, O_NONBLOCK);
    }
    *read_end = ends[0];
    *write_end = ends[1];
    return true;
}

static inline bool foyer_catch_signal(int number, int pipe) {
    if (number < 1 || number > 64) return false;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = foyer_signal_arrived;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigfillset(&action.sa_mask);
    foyer_signal_pipe = pipe;
    return sigaction(number, &action, &foyer_signal_before[number]) == 0;
}

static inline bool foyer_is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN;
}

static inline void foyer_release_signal(int number) {
    if (number >= 1 && number <= 64) sigaction(number, &foyer_signal_before[number], NULL);
}

static inline void foyer_block_all_signals(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static inline int foyer_pending_input(int file) {
    int count = 0;
    return ioctl(file, FIONREAD, &count) == 0 ? count : -1;
}

// In the background the keys belong to someone else, and so does the screen. A descriptor that is no terminal has no owner.
static inline bool foyer_is_foreground(void) {
    pid_t owner = tcgetpgrp(STDIN_FILENO);
    return owner < 0 || owner == getpgrp();
}

// --- Stopping as the terminal driver would have stopped us: the whole group, then this process.

// What is sent to the group comes back here, too, and must be over before this process stops itself: ignoring it would not do, as a signal that a
// thread blocks for a moment stays pending whatever is done about it, and would stop the process a second time when it has just gone on.
static inline void foyer_stop_group(void) {
    struct sigaction before, action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    sigaction(SIGTSTP, NULL, &before);
    bool is_heard = (before.sa_flags & SA_SIGINFO) != 0;
    if (!is_heard) {
        action.sa_handler = SIG_IGN;
        sigaction(SIGTSTP, &action, NULL);
    }
    int stops = __atomic_load_n(&foyer_own_stops, __ATOMIC_RELAXED);
    kill(0, SIGTSTP);
    for (int wait = 0; is_heard && wait < 500 && __atomic_load_n(&foyer_own_stops, __ATOMIC_RELAXED) == stops; wait++) usleep(1000);
    action.sa_handler = SIG_DFL;
    sigaction(SIGTSTP, &action, NULL);
    sigset_t stop, mask;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &stop, &mask);
    raise(SIGTSTP);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGTSTP, &before, NULL);
}

// Ends the process by a signal, so that the parent sees what ended it.
static inline void foyer_die_of(int number) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

// --- Giving the terminal back after a crash, or an exit that no one foresaw.

FOYER_SHARED struct termios foyer_guard_modes = {0};
FOYER_SHARED char foyer_guard_reset[256] = {0};
FOYER_SHARED size_t foyer_guard_length = 0;
FOYER_SHARED volatile sig_atomic_t foyer_guard_armed = 0;
FOYER_SHARED bool foyer_guard_installed = false;
FOYER_SHARED char foyer_guard_stack[65536] = {0};

static void foyer_guard_restore_on(int output) {
    if (!foyer_guard_armed) return;
    foyer_guard_armed = 0;
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stop, NULL);
    ssize_t ignored = write(output, foyer_guard_reset, foyer_guard_length);
    (void)ignored;
    tcsetattr(STDIN_FILENO, TCSANOW, &foyer_guard_modes);
}

static void foyer_guard_restore(void) { foyer_guard_restore_on(STDOUT_FILENO); }

// --- Doing without a terminal that nobody reads.

// A write to it waits for ever, and so does whoever wants to give it back. From now on what the process writes goes nowhere. The write
// that waits must end first, on whatever thread it is: what is not shown yet is thrown away, and output that goes on wakes who waits to
// write more. Then the terminal is given back. Not in a handler, and on a thread that blocks all signals.
static inline void foyer_abandon_terminal(void) {
    int terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (terminal < 0 || nowhere < 0) return;
    for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++) {
        if (isatty(file)) dup2(nowhere, file);
    }
    close(nowhere);
    struct pollfd writable = {terminal, POLLOUT, 0};
    // Each time makes room for some kilobytes. A write under way is less than a picture.
    for (int attempt = 0; attempt < 200 && poll(&writable, 1, attempt ? 5 : 0) == 0; attempt++) {
        tcflow(terminal, TCOOFF);
        tcflush(terminal, TCOFLUSH);
        tcflow(terminal, TCOON);
    }
    foyer_guard_restore_on(terminal);
    close(terminal);
}

static void foyer_guard_crashed(int number) {
    foyer_guard_restore();
    // SA_RESETHAND: the default action is already back in place.
    raise(number);
}

// Terminfo strings may ask for pauses, as in `$<50/>`: a crash does not wait.
static inline void foyer_guard_append(const char *text) {
    while (text && *text && foyer_guard_length < sizeof foyer_guard_reset) {
        if (text[0] == '$' && text[1] == '<') {
            const char *end = strchr(text, '>');
            if (end) {
                text = end + 1;
                continue;
            }
        }
        foyer_guard_reset[foyer_guard_length++] = *text++;
    }
}

// Before the terminal's modes are changed: remembers them.
static inline bool foyer_guard_remember(void) { return tcgetattr(STDIN_FILENO, &foyer_guard_modes) == 0; }

static inline void foyer_guard_begin_reset(void) { foyer_guard_length = 0; }

static inline void foyer_guard_arm(bool armed) {
    if (armed && !foyer_guard_installed) {
        foyer_guard_installed = true;
        atexit(foyer_guard_restore);
        stack_t stack;
        memset(&stack, 0, sizeof stack);
        stack.ss_sp = foyer_guard_stack;
        stack.ss_size = sizeof foyer_guard_stack;
        sigaltstack(&stack, NULL);
        static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS};
        for (size_t index = 0; index < sizeof crashes / sizeof *crashes; index++) {
            struct sigaction action;
            memset(&action, 0, sizeof action);
            action.sa_handler = foyer_guard_crashed;
            action.sa_flags = (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
            sigemptyset(&action.sa_mask);
            sigaction(crashes[index], &action, NULL);
        }
    }
    foyer_guard_armed = armed ? 1 : 0;
}

#endif
