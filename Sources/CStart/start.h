#ifndef FOYER_START_H
#define FOYER_START_H

// Gives back the environment that the process was started with, so that programs started from here inherit it. Call once,
// first in main, before anything changes the environment.
void foyer_restore_environment(void);

// The arguments that the process was started with, the last one null; null where the C library does not give them to a
// constructor, as musl. Swift's run-time looks for them before its environment, and finds none once a library that is
// loaded with the program has made the environment anew.
char **foyer_arguments(void);

#endif
