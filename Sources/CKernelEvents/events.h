// Kernel notifications that Swift's C library module does not cover: wall clock changes, see timerfd_create(2), and
// network changes, see rtnetlink(7).
#ifndef FOYER_CKERNELEVENTS_H
#define FOYER_CKERNELEVENTS_H

// Readable after the wall clock was set or the machine woke; -1 if unavailable.
int foyer_open_clock_changes(void);

// Readable after a link, an address or a route changed; -1 if unavailable.
int foyer_open_network_changes(void);

#endif
