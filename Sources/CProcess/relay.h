// Signal forwarding from a waiting process to the command that it started.
#ifndef FOYER_CPROCESS_RELAY_H
#define FOYER_CPROCESS_RELAY_H

#include "guard.h"

FOYER_SHARED volatile pid_t foyer_relay_child = -1;
// A signal that arrived before the command was started.
FOYER_SHARED volatile int foyer_relay_early = 0;

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
static inline void foyer_relay_signals(void) {
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

static inline void foyer_relay_to(pid_t child) {
    foyer_relay_child = child;
    if (foyer_relay_early) kill(child, foyer_relay_early);
}

// The command has ended and its pid may be reused. Signals have no effect until they are caught elsewhere, as this
// process may be storing data.
static inline void foyer_relay_end(void) { foyer_relay_child = -1; }

#endif
