#ifndef FOYER_START_H
#define FOYER_START_H

// Restores the original environment, which child processes inherit. Call once, first in main, before any change of the
// environment.
void foyer_restore_environment(void);

// The original arguments, ending in a null pointer; null if the C library does not pass them to constructors, such as
// musl. Swift's runtime looks for them before the environment, and finds none if a loaded library has moved the
// environment.
char **foyer_arguments(void);

#endif
