// Signals, crashes and the end of the process. Handlers call only async-signal-safe functions.
#define _GNU_SOURCE

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

// --- No memory leaves the process through a core file or a debugger of the same user.

// A process that is not dumpable writes no core file. The limit is lowered only as a fallback, because child processes
// inherit it and only root can raise it again.
bool foyer_deny_dumps(void) {
    struct rlimit none = {0, 0};
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 || setrlimit(RLIMIT_CORE, &none) == 0;
}

// --- Memory that a thread frees is available to all threads.

// By default, glibc gives each thread its own heap, so memory freed after reading a store would not be reused by the
// next read on another thread. Call before the first thread is started.
void foyer_share_freed_memory(void) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
}

// --- Signals become bytes in a pipe.

static volatile int foyer_signal_pipe = -1;
static struct sigaction foyer_signal_before[65] = {{{0}}};

// The number of stop signals to its own group that this process has received back.
static volatile int foyer_own_stops = 0;

static void foyer_signal_arrived(int number, siginfo_t *info, void *context) {
    (void)context;
    if (number == SIGTSTP && info && info->si_code == SI_USER && info->si_pid == getpid()) {
        __atomic_fetch_add(&foyer_own_stops, 1, __ATOMIC_RELAXED);
        return;
    }
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    // The pipe does not block; if it is full, thousands of signals are pending.
    ssize_t ignored = write(foyer_signal_pipe, &byte, 1);
    (void)ignored;
    errno = saved;
}

bool foyer_pipe(int *read_end, int *write_end) {
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

bool foyer_catch_signal(int number, int pipe) {
    if (number < 1 || number > 64) return false;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = foyer_signal_arrived;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigfillset(&action.sa_mask);
    foyer_signal_pipe = pipe;
    return sigaction(number, &action, &foyer_signal_before[number]) == 0;
}

bool foyer_is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN;
}

void foyer_release_signal(int number) {
    if (number >= 1 && number <= 64) sigaction(number, &foyer_signal_before[number], NULL);
}

void foyer_block_all_signals(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}

int foyer_pending_input(int file) {
    int count = 0;
    return ioctl(file, FIONREAD, &count) == 0 ? count : -1;
}

// In the background, keyboard and screen belong to other programs. A descriptor that is not a terminal has no owner.
bool foyer_is_foreground(void) {
    pid_t owner = tcgetpgrp(STDIN_FILENO);
    return owner < 0 || owner == getpgrp();
}

// --- Stopping like the terminal driver: the whole group, then this process.

// The signal to the group also reaches this process and must be handled before it stops itself. Ignoring it is not
// enough: a signal that a thread blocks stays pending, and would stop the process again after it is continued.
void foyer_stop_group(void) {
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

// Ends the process by a signal, so the parent sees the cause.
void foyer_die_of(int number) {
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

// --- Restoring the terminal after a crash or an unexpected exit.

static struct termios foyer_guard_modes = {0};
static char foyer_guard_reset[256] = {0};
static size_t foyer_guard_length = 0;
static volatile sig_atomic_t foyer_guard_armed = 0;
static bool foyer_guard_installed = false;
static char foyer_guard_stack[65536] = {0};

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

// --- Abandoning a terminal that is not being read.

// Writing to it blocks forever, and so does restoring it. So all further output goes to /dev/null. A blocked write on
// any thread must end first: pending output is discarded, and restarting the output wakes it. Then the terminal is
// restored. Call outside of signal handlers, on a thread that blocks all signals.
void foyer_abandon_terminal(void) {
    int terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (terminal < 0 || nowhere < 0) return;
    for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++) {
        if (isatty(file)) dup2(nowhere, file);
    }
    close(nowhere);
    struct pollfd writable = {terminal, POLLOUT, 0};
    // Each attempt makes room for some kilobytes; a pending write is at most a screen.
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
    // SA_RESETHAND has already restored the default action.
    raise(number);
}

// Skips pauses in terminfo strings, such as `$<50/>`: a crash does not wait.
void foyer_guard_append(const char *text) {
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

// Saves the terminal's modes before they are changed.
bool foyer_guard_remember(void) { return tcgetattr(STDIN_FILENO, &foyer_guard_modes) == 0; }

void foyer_guard_begin_reset(void) { foyer_guard_length = 0; }

void foyer_guard_arm(bool armed) {
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

// --- Signals are forwarded from a waiting process to the command that it started.

static volatile pid_t foyer_relay_child = -1;
// A signal that arrived before the command was started.
static volatile int foyer_relay_early = 0;

static void foyer_relay_arrived(int number, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    // The terminal signals the whole foreground group, including the command, so those signals are not forwarded.
    if (info && info->si_code <= 0) {
        if (foyer_relay_child > 0) kill(foyer_relay_child, number);
        else foyer_relay_early = number;
    }
    errno = saved;
}

// From now on, these signals do not end this process; those from other processes are forwarded.
void foyer_relay_signals(void) {
    static const int numbers[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
        if (foyer_is_ignored(numbers[index])) continue;
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = foyer_relay_arrived;
        action.sa_flags = SA_RESTART | SA_SIGINFO;
        sigaction(numbers[index], &action, NULL);
    }
}

void foyer_relay_to(int32_t child) {
    foyer_relay_child = child;
    if (foyer_relay_early) kill(child, foyer_relay_early);
}

// The command has ended and its pid may be reused. Signals have no effect until they are caught elsewhere, as this
// process may be storing data.
void foyer_relay_end(void) { foyer_relay_child = -1; }
