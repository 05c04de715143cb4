// What the kernel tells through descriptors that Swift's module of the C library leaves out: a clock that is set, see
// timerfd_create(2), and a network that changes, see rtnetlink(7).
#ifndef FOYER_CKERNELEVENTS_H
#define FOYER_CKERNELEVENTS_H

// Readable once the wall clock was set, which waking from sleep does as well; minus one where there is none.
int foyer_open_clock_changes(void);

// Readable once a link, an address or a route has changed; minus one where there is none.
int foyer_open_network_changes(void);

#endif
